/** The two actions of `send_message`. */
import type { ToolContext } from '../context.ts';
import { toolError, toolResult } from '../result.ts';

const TOO_LONG_CHARS = 100_000;

const textOf = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');

export async function sendMessage(args: Readonly<Record<string, unknown>>, { services, sessionId, signal }: ToolContext): Promise<string> {
  const messages = services.messages;
  if (messages === undefined) return toolError('Messages cannot be sent from here.');
  const action = textOf(args['action']) || 'send';
  if (action === 'list') return toolResult({ targets: messages.targets() });
  if (action !== 'send') return toolError(`Unknown action '${action}'. Use send or list.`);
  const target = textOf(args['target']);
  const message = textOf(args['message']);
  if (target === '' || message === '') return toolError(`send_message needs both 'target' and 'message'; ${target === '' ? "'target'" : "'message'"} is missing.`);
  if (message.length > TOO_LONG_CHARS) return toolError(`The message has ${String(message.length)} characters; at most ${String(TOO_LONG_CHARS)} are sent. Write it to a file and send that with a line MEDIA:<path>.`);
  if (signal.aborted) return toolError('Not sent: the call was stopped.');
  try {
    return toolResult({ success: true, ...await messages.send(target, message, sessionId) });
  } catch (error) {
    return toolError(services.redact(error instanceof Error ? error.message : String(error)));
  }
}
