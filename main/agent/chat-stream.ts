/** The event stream of one chat: numbers every event, and joins deltas so that no chat sends more than 60 of them a second. */
import type { ChatEvent } from '../../preload/contract/events.ts';
import type { CallId, MessageId, SessionId } from '../../preload/contract/ids.ts';
import type { Clock, EventBus } from '../ports.ts';

/** Time between two deliveries of joined deltas. With `EVENTS_PER_FLUSH` this keeps below 60 events a second. */
const FLUSH_MS = 34;
const EVENTS_PER_FLUSH = 2;

type WithoutPlace<Event> = Event extends unknown ? Omit<Event, 'sessionId' | 'seq'> : never;
/** A chat event before it is numbered. */
export type ChatFact = WithoutPlace<ChatEvent>;

type Joined =
  | { readonly kind: 'text' | 'reasoning'; readonly messageId: MessageId; text: string }
  | { readonly kind: 'output'; readonly callId: CallId; text: string };

export class ChatStream {
  readonly #sessionId: SessionId;
  readonly #events: Pick<EventBus, 'publish'>;
  readonly #clock: Pick<Clock, 'after'>;
  #seq = 0;
  #waiting: Joined[] = [];
  #cancelFlush: (() => void) | undefined;

  constructor(sessionId: SessionId, parts: { readonly events: Pick<EventBus, 'publish'>; readonly clock: Pick<Clock, 'after'> }) {
    this.#sessionId = sessionId;
    this.#events = parts.events;
    this.#clock = parts.clock;
  }

  /** Number of the last event that went out. */
  get seq(): number {
    return this.#seq;
  }

  /** Sends at once; everything that was said before goes out before it. */
  publish(fact: ChatFact): void {
    this.flush();
    this.#send(fact);
  }

  /** Joined with what waits of the same message. */
  delta(kind: 'text' | 'reasoning', messageId: MessageId, text: string): void {
    const last = this.#waiting.findLast((waiting) => waiting.kind !== 'output');
    if (last && last.kind === kind && last.messageId === messageId) last.text += text;
    else this.#waiting.push({ kind, messageId, text });
    this.#arm();
  }

  /** Last lines of a running call; a newer tail replaces one that still waits. */
  output(callId: CallId, tail: string): void {
    const waiting = this.#waiting.find((other) => other.kind === 'output' && other.callId === callId);
    if (waiting) waiting.text = tail;
    else this.#waiting.push({ kind: 'output', callId, text: tail });
    this.#arm();
  }

  /** Sends everything that waits, now. */
  flush(): void {
    this.#cancelFlush?.();
    this.#cancelFlush = undefined;
    for (const joined of this.#waiting.splice(0)) this.#sendJoined(joined);
  }

  #arm(): void {
    this.#cancelFlush ??= this.#clock.after(FLUSH_MS, () => {
      this.#cancelFlush = undefined;
      for (const joined of this.#waiting.splice(0, EVENTS_PER_FLUSH)) this.#sendJoined(joined);
      if (this.#waiting.length > 0) this.#arm();
    });
  }

  #sendJoined(joined: Joined): void {
    if (joined.kind === 'output') this.#send({ type: 'call-output', callId: joined.callId, tail: joined.text });
    else this.#send({ type: joined.kind === 'text' ? 'text-delta' : 'reasoning-delta', messageId: joined.messageId, text: joined.text });
  }

  #send(fact: ChatFact): void {
    this.#seq += 1;
    this.#events.publish('chat', { ...fact, sessionId: this.#sessionId, seq: this.#seq });
  }
}
