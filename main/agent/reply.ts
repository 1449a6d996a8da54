/** One model request of a turn: streams into a chat message, survives retries, and stores the decision before it is acted on. */
import type { CallId, MessageId } from '../../preload/contract/ids.ts';
import type { Message, ToolCall } from '../../preload/contract/sessions.ts';
import { ModelError } from '../models/errors.ts';
import type { ModelClient, ModelDelta, ModelReply, ModelRequest } from '../models/types.ts';
import type { Clock, Storage } from '../ports.ts';
import type { Chat } from './chat.ts';

/** A crash may lose this much of a reply that still streams. */
const SAVE_EVERY_MS = 500;

/** Abort reason when it is not the person who ends a turn. */
export const CLOSING = 'the app is closing';

/** The message that streams now, as far as screens were told. */
export interface LiveReply { readonly messageId: MessageId; text: string; reasoning: string; calls: ToolCall[] }

export interface ReplyParts { readonly clock: Clock; readonly storage: Pick<Storage, 'messages'> }

export type Asked =
  | { readonly kind: 'replied'; readonly reply: ModelReply; readonly message: Message; readonly calls: readonly ToolCall[] }
  | { readonly kind: 'failed'; readonly error: ModelError; readonly message: Message }
  /** The request was too long, or the model takes no pictures; nothing of it stays in the chat. */
  | { readonly kind: 'too-long' | 'no-pictures'; readonly error: ModelError };

export interface AskOptions {
  readonly turn: number;
  readonly signal: AbortSignal;
  /** Told the reply that streams, and undefined when none does. */
  readonly onLive: (live: LiveReply | undefined) => void;
}

/** Never throws for what the model or the network does. */
export async function askModel(chat: Chat, client: ModelClient, request: ModelRequest, parts: ReplyParts, options: AskOptions): Promise<Asked> {
  const { turn, signal, onLive } = options;
  const message = chat.addMessage({ role: 'assistant', text: '', state: 'streaming', turn, model: request.model ?? client.model });
  const live: LiveReply = { messageId: message.id, text: '', reasoning: '', calls: [] };
  const draftIds = new Map<number, CallId>();
  /** Also what a stream that stands still has brought is kept. */
  let cancelSave: (() => void) | undefined;
  /** Longest text of a failed try: shown again when no later try gets anywhere. */
  let partial = { text: '', reasoning: '' };
  onLive(live);

  function onDelta(delta: ModelDelta): void {
    switch (delta.kind) {
      case 'text':
      case 'reasoning':
        live[delta.kind] += delta.text;
        chat.stream.delta(delta.kind, message.id, delta.text);
        break;
      case 'call': {
        const draft = chat.newCall(message.id, { modelCallId: '', name: delta.name, arguments: '' });
        draftIds.set(delta.position, draft.id);
        live.calls.push(draft);
        chat.stream.publish({ type: 'call-changed', call: draft });
        break;
      }
    }
    cancelSave ??= parts.clock.after(SAVE_EVERY_MS, save);
  }

  function save(): void {
    cancelSave = undefined;
    parts.storage.messages.update(message.id, { text: live.text, reasoning: live.reasoning });
  }

  function saveNoMore(): void {
    cancelSave?.();
    cancelSave = undefined;
  }

  /** What a failed try had streamed is taken back before the next one streams. */
  function startOver(failure: { code: string; message: string; attempt: number; delayMs: number }): void {
    saveNoMore();
    if (live.text.length > partial.text.length) partial = { text: live.text, reasoning: live.reasoning };
    live.text = '';
    live.reasoning = '';
    live.calls = [];
    draftIds.clear();
    const error = { code: failure.code, message: failure.message, hint: `Trying again in ${Math.ceil(failure.delayMs / 1_000)} s (try ${failure.attempt + 1}).` };
    chat.changeMessage(message.id, { text: '', reasoning: '', error });
  }

  try {
    const reply = await client.stream(request, { signal, onDelta, onRetry: startOver });
    const calls = reply.calls.map((decided, position) => {
      const id = draftIds.get(position);
      return chat.newCall(message.id, id === undefined ? decided : { ...decided, id });
    });
    const complete = chat.changeMessage(message.id, {
      text: reply.text, reasoning: reply.reasoning, state: 'complete', error: null, endedAt: parts.clock.now(), model: reply.model,
    }, calls);
    return { kind: 'replied', reply, message: complete, calls };
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    return failed(error);
  } finally {
    saveNoMore();
    onLive(undefined);
  }

  function failed(error: ModelError): Asked {
    if (error.code === 'model/context' || error.code === 'model/no-pictures') {
      chat.removeMessage(message.id);
      return { kind: error.code === 'model/context' ? 'too-long' : 'no-pictures', error };
    }
    const kept = chat.changeMessage(message.id, {
      ...(live.text === '' ? partial : { text: live.text, reasoning: live.reasoning }), endedAt: parts.clock.now(),
      ...(error.aborted ? { state: 'interrupted', error: { code: 'stopped', message: signal.reason === CLOSING ? 'The app was closed.' : 'Stopped by you.' } } : { state: 'error', error: error.toShape() }),
    });
    return { kind: 'failed', error, message: kept };
  }
}
