/** What a person runs without the model: `!command`, `/tool NAME {json}`, and the `/commands` of plugins. */
import { describeThrown } from '../../tools/result.ts';
import type { Chat } from './chat.ts';
import { parseTyped } from './commands.ts';
import { executeCalls } from './execute.ts';
import type { TurnEnd } from './loop.ts';
import type { AgentParts } from './parts.ts';

export interface CommandOptions { readonly turn: number; readonly signal: AbortSignal; readonly onWaiting: () => void }
type Run = (chat: Chat, options: CommandOptions) => Promise<TurnEnd>;

/** Undefined for words that are for the model. */
export function personsCommand(text: string, parts: AgentParts): Run | undefined {
  const typed = parseTyped(text);
  if (typed.kind === 'call') return (chat, options) => personsCall(chat, typed, parts, options);
  const found = parts.commands?.find(text);
  if (found === undefined) return undefined;
  return async (chat, { turn, signal }) => {
    const stopped = new Promise<undefined>((resolve) => { signal.addEventListener('abort', () => { resolve(undefined); }, { once: true }); });
    try {
      const answer = await Promise.race([found.command.run(found.words, chat.id), stopped]);
      if (answer === undefined) return 'stopped';
      chat.addNotice('notice/command', answer === '' ? `/${found.name} is done.` : answer, turn);
      return 'done';
    } catch (error) {
      chat.addMessage({
        role: 'notice', text: `/${found.name} of plugin '${found.command.owner}' failed: ${describeThrown(error)}`, state: 'error', turn,
        error: { code: 'request/not-possible', message: `/${found.name} failed: ${describeThrown(error)}` },
      });
      return 'error';
    }
  };
}

/** One card, no model. */
async function personsCall(chat: Chat, typed: { readonly name: string; readonly arguments: string }, parts: AgentParts, { turn, signal, onWaiting }: CommandOptions): Promise<TurnEnd> {
  const message = chat.addMessage({ role: 'assistant', text: '', state: 'streaming', turn });
  const call = chat.newCall(message.id, { modelCallId: message.id, ...typed });
  chat.changeMessage(message.id, { state: 'complete', endedAt: parts.clock.now() }, [call]);
  await executeCalls(chat, [call], parts, { signal, turn, offered: undefined, onWaiting });
  return signal.aborted ? 'stopped' : 'done';
}
