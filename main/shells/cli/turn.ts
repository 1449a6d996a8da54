/** One turn of a chat, followed through the host's events to its end. */
import type { ChatEvent, Message, SessionId, ToolCall } from '../../../preload/contract/index.ts';
import { CALLER } from './command.ts';
import type { CliHost } from './host-port.ts';

export interface TurnEnd {
  readonly reason: Extract<ChatEvent, { type: 'turn-ended' }>['reason'];
  /** Text of the last assistant message. */
  readonly text: string;
  readonly calls: readonly ToolCall[];
  readonly error: Message['error'];
}

export interface TurnOptions {
  readonly host: CliHost;
  readonly sessionId: SessionId;
  readonly text: string;
  /** Stops the turn: the request to the model and the running command. */
  readonly signal: AbortSignal;
  readonly onEvent: (event: ChatEvent) => void;
}

/** Sends the text and resolves when its turn has ended. Rejects when the host refuses the message. */
export async function runTurn({ host, sessionId, text, signal, onEvent }: TurnOptions): Promise<TurnEnd> {
  const messages = new Map<string, Message>();
  const calls = new Map<string, ToolCall>();
  let ended: (end: TurnEnd) => void;
  const end = new Promise<TurnEnd>((resolve) => { ended = resolve; });
  const off = host.events.subscribe('chat', (event) => {
    if (event.sessionId !== sessionId) return;
    onEvent(event);
    if (event.type === 'message-added' || event.type === 'message-changed') messages.set(event.message.id, event.message);
    if (event.type === 'call-changed') calls.set(event.call.id, event.call);
    if (event.type !== 'turn-ended') return;
    const all = [...messages.values()];
    const last = all.findLast((message) => message.role === 'assistant');
    ended({ reason: event.reason, text: last?.text ?? '', calls: [...calls.values()], error: all.findLast((message) => message.error !== null)?.error ?? null });
  });
  const stop = (): void => {
    host.handle('chat.stop', { sessionId }, CALLER).catch((error: unknown) => { host.log.warn('the turn could not be stopped', { error }); });
  };
  try {
    signal.throwIfAborted();
    signal.addEventListener('abort', stop);
    await host.handle('chat.send', { sessionId, text }, CALLER);
    return await end;
  } finally {
    signal.removeEventListener('abort', stop);
    off();
  }
}
