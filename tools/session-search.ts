/** Looks into earlier chats. */
import type { ToolContext } from './context.ts';
import { registry } from './registry.ts';
import { toolError, toolResult } from './result.ts';
import { browse, discover, type Place, readChat } from './session-search/answer.ts';
import { linked, modeOf, reachOf, type SearchMode } from './session-search/modes.ts';

registry.register({
  name: 'session_search',
  toolset: 'session_search',
  emoji: '🕘',
  checksOwnArguments: true,
  handler: sessionSearch,
  schema: {
    description: 'Search earlier chats with the person. Without arguments: recent chats. With query: chats in which it occurs, with the messages around the best match. '
      + 'With session_id: the beginning and the end of that chat; with around_message_id too: the messages around that one. '
      + 'Words are all required; OR, NOT, "phrases" and prefix* work. Use it when something was said before, instead of asking again.',
    parameters: {
      type: 'object',
      properties: {
        query: { type: 'string', description: 'Words to look for. Leave out to list recent chats.' },
        limit: { type: 'integer', description: 'Chats to show, 1 to 10.', default: 3 },
        sort: { type: 'string', enum: ['newest', 'oldest'], description: 'Which matches come first.', default: 'newest' },
        role_filter: { type: 'string', description: 'Whose messages to prefer, separated by commas.', default: 'user,assistant' },
        session_id: { type: 'string', description: 'A chat to read.' },
        around_message_id: { type: 'string', description: 'A message of that chat to read around.' },
        window: { type: 'integer', description: 'Messages on each side of it, 1 to 20.', default: 5 },
        detail: { type: 'string', enum: ['adaptive', 'full'], description: 'How much of each message to show.', default: 'adaptive' },
        profile: { type: 'string', description: "Another profile whose chats to look at ('default' for the main one). Leave out for this one." },
        scope: { type: 'string', enum: ['current', 'all'], description: "In a messenger: 'current' keeps to the chats of this conversation, 'all' looks at every chat. Elsewhere all chats are looked at.", default: 'current' },
      },
      required: [],
    },
  },
});

function sessionSearch(given: Record<string, unknown>, { services: { history }, sessionId }: ToolContext): string {
  const args = linked(given);
  const mode = modeOf(args);
  const reach = reachOf(args);
  if ('error' in mode) return toolError(mode.error, { success: false });
  if ('error' in reach) return toolError(reach.error, { success: false });
  const only = reach.scope === 'all' ? undefined : history.conversation(sessionId);
  if (reach.profile === undefined) return answer({ history, current: sessionId, only }, mode);
  if (only !== undefined) return toolError("Another profile's chats are outside this conversation. Pass scope='all' as well.", { success: false });
  try {
    return history.inProfile(reach.profile, (other, isOwn) => answer({ history: other, current: isOwn ? sessionId : undefined, only: undefined }, mode));
  } catch (error) {
    return toolError(`profile: ${words(error)}`, { success: false });
  }
}

/** Message and next step. */
function words(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'hint' in error && typeof error.hint === 'string' ? `${error.message} ${error.hint}` : error.message;
}

function answer(place: Place, mode: SearchMode): string {
  switch (mode.kind) {
    case 'browse': return toolResult(browse(place, mode.limit));
    case 'discovery': return toolResult(discover(place, mode));
    case 'scroll': case 'read': {
      const found = readChat(place, mode);
      return typeof found === 'string' ? found : toolResult(found);
    }
  }
}
