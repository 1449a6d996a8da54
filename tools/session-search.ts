/** Looks into earlier chats. */
import type { ToolContext } from './context.ts';
import { registry } from './registry.ts';
import { toolError, toolResult } from './result.ts';
import { browse, discover, readChat } from './session-search/answer.ts';
import { modeOf } from './session-search/modes.ts';

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
      },
      required: [],
    },
  },
});

function sessionSearch(args: Record<string, unknown>, { services: { history }, sessionId }: ToolContext): string {
  const mode = modeOf(args);
  if ('error' in mode) return toolError(mode.error, { success: false });
  switch (mode.kind) {
    case 'browse': return toolResult(browse(history, mode.limit, sessionId));
    case 'discovery': return toolResult(discover(history, mode, sessionId));
    case 'scroll': case 'read': {
      const answer = readChat(history, mode);
      return typeof answer === 'string' ? answer : toolResult(answer);
    }
  }
}
