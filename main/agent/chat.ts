/** One chat's writable side: every change goes to storage and to the screens in one step, so they never differ. */
import type { CallId, MessageId, SessionId } from '../../preload/contract/ids.ts';
import type { Message, Session, SessionStatus, ToolCall } from '../../preload/contract/sessions.ts';
import { AppError } from '../../preload/contract/errors.ts';
import type { StoredCall } from '../ports.ts';
import { CallStops } from './call-stops.ts';
import { ChatStream } from './chat-stream.ts';
import type { NoticeCode } from './notices.ts';
import type { AgentParts } from './parts.ts';

type NewMessage = Pick<Message, 'role' | 'text' | 'state' | 'turn'> & Partial<Pick<Message, 'id' | 'error' | 'model' | 'reasoning' | 'attachments'>>;
type MessageChange = Partial<Pick<Message, 'text' | 'reasoning' | 'state' | 'error' | 'endedAt' | 'model' | 'turn'>>;

/** A screen gets this much of a result; the rest is one request away (`chat.result`). */
const SCREEN_RESULT_CHARS = 20_000;

export class Chat {
  readonly id: SessionId;
  readonly stream: ChatStream;
  readonly stops = new CallStops();
  readonly #parts: Pick<AgentParts, 'clock' | 'ids' | 'events' | 'storage' | 'emoji'>;

  constructor(id: SessionId, parts: Pick<AgentParts, 'clock' | 'ids' | 'events' | 'storage' | 'emoji'>) {
    this.id = id;
    this.#parts = parts;
    this.stream = new ChatStream(id, parts);
  }

  /** Throws `not-found` or `session/deleted`. */
  session(): Session {
    const session = this.#parts.storage.sessions.get(this.id);
    if (!session) throw new AppError('not-found', `There is no chat ${this.id}.`);
    if (session.deletedAt !== null) throw new AppError('session/deleted', `The chat "${session.title}" was deleted.`, { hint: 'Restore it first.' });
    return session;
  }

  updateSession(change: Parameters<AgentParts['storage']['sessions']['update']>[1]): Session {
    const session = this.#parts.storage.sessions.update(this.id, change);
    this.#parts.events.publish('sessions', { type: 'changed', session });
    return session;
  }

  /** Tells screens the chat as storage has it now: sums and counts are kept there. */
  showSession(): void {
    const session = this.#parts.storage.sessions.get(this.id);
    if (session) this.#parts.events.publish('sessions', { type: 'changed', session });
  }

  setStatus(status: SessionStatus): void {
    const session = this.#parts.storage.sessions.get(this.id);
    if (session && session.status !== status) this.updateSession({ status });
  }

  addMessage(message: NewMessage): Message {
    const { clock, ids, storage } = this.#parts;
    const now = clock.now();
    const added = storage.messages.insert({
      id: message.id ?? ids.message(), sessionId: this.id, turn: message.turn, role: message.role, text: message.text, reasoning: message.reasoning ?? '',
      state: message.state, error: message.error ?? null, model: message.model ?? null, createdAt: now,
      endedAt: message.state === 'streaming' || message.state === 'queued' ? null : now, ...(message.attachments === undefined ? {} : { attachments: message.attachments }),
    });
    this.stream.publish({ type: 'message-added', message: added });
    return added;
  }

  addNotice(code: NoticeCode, text: string, turn: number): Message {
    return this.addMessage({ role: 'notice', text, state: 'complete', turn, error: { code, message: text } });
  }

  /** `calls`, when given, are stored in the same transaction: a decision is durable before anything runs. */
  changeMessage(id: MessageId, change: MessageChange, calls: readonly ToolCall[] = []): Message {
    const { storage } = this.#parts;
    const changed = storage.transaction(() => {
      if (calls.length > 0) storage.calls.insert(calls);
      return storage.messages.update(id, change);
    });
    this.stream.publish({ type: 'message-changed', message: changed });
    return changed;
  }

  removeMessage(id: MessageId): void {
    this.#parts.storage.messages.remove(id);
    this.stream.publish({ type: 'message-removed', messageId: id });
  }

  /** A call that is decided but not started. */
  newCall(messageId: MessageId, decided: { readonly id?: CallId; readonly modelCallId: string; readonly name: string; readonly arguments: string }): ToolCall {
    return {
      id: decided.id ?? this.#parts.ids.call(), messageId, sessionId: this.id, modelCallId: decided.modelCallId, name: decided.name,
      emoji: this.#parts.emoji(decided.name), arguments: decided.arguments, state: 'pending', repairs: [], startedAt: null, endedAt: null,
      exitCode: null, result: null, resultChars: 0, approvalId: null, terminalId: null,
    };
  }

  changeCall(id: CallId, change: Partial<Omit<StoredCall, 'id' | 'messageId' | 'sessionId'>>): ToolCall {
    const call = this.#parts.storage.calls.update(id, change);
    this.stream.publish({ type: 'call-changed', call });
    return call;
  }

  /** Ends a call with what the model reads. */
  endCall(id: CallId, state: ToolCall['state'], text: string, change: Partial<Pick<ToolCall, 'repairs'>> = {}): ToolCall {
    return this.changeCall(id, {
      ...change, state, endedAt: this.#parts.clock.now(), fullResult: text, result: text.slice(0, SCREEN_RESULT_CHARS), resultChars: text.length,
    });
  }
}
