/** The typed client of the contract over any channel. Free of zod: what the host sends is trusted. */
import type { Channel, ErrorShape, Frame, HostFrame, Off, Talaria, TopicName } from './contract/index.ts';
import { decodeOutput } from './contract/frames.ts';

/** First wait before connecting again, in ms; doubled up to the second. A host on loopback is back at once or not at all. */
const FIRST_RETRY_MS = 200;
const LONGEST_RETRY_MS = 5_000;

export type Status = 'connecting' | 'open' | 'closed';

/** What a request rejects with: an `Error` in the shape of `ErrorShape`. */
export class RequestError extends Error implements ErrorShape {
  readonly code: ErrorShape['code'];
  declare readonly hint?: string;

  constructor(shape: ErrorShape) {
    super(shape.message);
    this.name = 'RequestError';
    this.code = shape.code;
    if (shape.hint !== undefined) this.hint = shape.hint;
  }
}

export interface ClientOptions {
  /** Opens a connection. A rejection counts as a failed attempt. */
  connect(): Promise<Channel>;
  /** False where a lost connection stays lost (Electron: the window goes with it). */
  readonly reconnect: boolean;
  /** Runs `retry` after `ms`; tests pass their own. */
  readonly schedule?: (retry: () => void, ms: number) => void;
}

export interface Client extends Talaria {
  /** Ends the connection for good. */
  close(): void;
}

interface Pending { readonly resolve: (output: unknown) => void; readonly reject: (error: RequestError) => void }

const lost = (): RequestError => new RequestError({
  code: 'host/closed', message: 'The connection to the host was lost before it answered.', hint: 'Look whether it was done, then try again.',
});

/**
 * Connects at once. Requests made while a connection is being made wait for it; when it is lost or cannot be made, they and all
 * unanswered ones reject with `host/closed`. Nothing is sent twice by itself: a request may have been carried out already.
 */
export function createClient(options: ClientOptions): Client {
  const schedule = options.schedule ?? ((retry, ms) => { setTimeout(retry, ms); });
  const pending = new Map<number, Pending>();
  const topicListeners = new Map<TopicName, Set<(event: never) => void>>();
  const statusListeners = new Set<(status: Status) => void>();
  let outputs = new OutputRouter();
  let waiting: Frame[] = [];
  let channel: Channel | undefined;
  let status: Status = 'connecting';
  let lastId = 0;
  let retryMs = FIRST_RETRY_MS;
  let done = false;

  const setStatus = (next: Status): void => {
    if (status === next) return;
    status = next;
    for (const listener of [...statusListeners]) listener(next);
  };

  const send = (frame: object): void => {
    const text = JSON.stringify(frame);
    if (channel) channel.send(text);
    else waiting.push(text);
  };

  const onLost = (): void => {
    channel = undefined;
    waiting = [];
    outputs = new OutputRouter();
    const unanswered = [...pending.values()];
    pending.clear();
    setStatus('closed');
    for (const { reject } of unanswered) reject(lost());
    if (done || !options.reconnect) return;
    schedule(() => { if (!done) open(); }, retryMs);
    retryMs = Math.min(retryMs * 2, LONGEST_RETRY_MS);
  };

  const open = (): void => {
    setStatus('connecting');
    options.connect().then((opened) => {
      if (done) {
        opened.close();
        return;
      }
      channel = opened;
      retryMs = FIRST_RETRY_MS;
      for (const topic of topicListeners.keys()) opened.send(JSON.stringify({ kind: 'subscribe', topic }));
      const queued = waiting;
      waiting = [];
      for (const frame of queued) opened.send(frame);
      opened.onFrame((frame) => { if (channel === opened) receive(frame); });
      setStatus('open');
      opened.onClose(() => { if (channel === opened) onLost(); });
    }, onLost);
  };

  const receive = (frame: Frame): void => {
    if (typeof frame !== 'string') {
      const output = decodeOutput(frame);
      if (output) outputs.deliver(output.attachment, output.bytes);
      return;
    }
    const message = JSON.parse(frame) as HostFrame; // trusted: only the host writes on this channel
    if (message.kind === 'event') {
      for (const listener of [...(topicListeners.get(message.topic as TopicName) ?? [])]) listener(message.event as never); // trusted: filed by topic
      return;
    }
    const request = pending.get(message.id);
    pending.delete(message.id);
    if (message.kind === 'reply') request?.resolve(message.output);
    else request?.reject(new RequestError(message.error));
  };

  open();
  return {
    request(name, input) {
      return new Promise<never>((resolve, reject) => {
        if (done || (status === 'closed' && !options.reconnect)) {
          reject(lost());
          return;
        }
        lastId += 1;
        pending.set(lastId, { resolve: resolve as Pending['resolve'], reject }); // trusted: the host answers with the output of this name
        send({ kind: 'request', id: lastId, name, input });
        if (name === 'terminals.detach') outputs.end((input as { attachment: number }).attachment); // the input type of this very name
      });
    },
    subscribe(topic, listener) {
      const listeners = topicListeners.get(topic) ?? new Set();
      const own = (event: never): void => listener(event);
      if (listeners.size === 0) {
        topicListeners.set(topic, listeners);
        if (channel) send({ kind: 'subscribe', topic });
      }
      listeners.add(own);
      return () => {
        if (!listeners.delete(own) || listeners.size > 0) return;
        topicListeners.delete(topic);
        if (channel) send({ kind: 'unsubscribe', topic });
      };
    },
    onOutput: (attachment, listener) => outputs.listen(attachment, listener),
    onStatus(listener) {
      const own = (next: Status): void => listener(next);
      statusListeners.add(own);
      listener(status);
      return () => { statusListeners.delete(own); };
    },
    close() {
      done = true;
      const opened = channel;
      channel = undefined;
      opened?.close('closed by the screen');
      onLost();
    },
  };
}

/** Terminal bytes of one connection, kept per attachment until somebody listens. Unacknowledged output bounds what is kept. */
class OutputRouter {
  readonly #listeners = new Map<number, (bytes: Uint8Array) => void>();
  readonly #kept = new Map<number, Uint8Array[]>();
  readonly #ended = new Set<number>();

  deliver(attachment: number, bytes: Uint8Array): void {
    const listener = this.#listeners.get(attachment);
    if (listener) listener(bytes);
    else if (!this.#ended.has(attachment)) this.#kept.set(attachment, [...(this.#kept.get(attachment) ?? []), bytes]);
  }

  listen(attachment: number, listener: (bytes: Uint8Array) => void): Off {
    this.#listeners.set(attachment, listener);
    for (const bytes of this.#kept.get(attachment) ?? []) listener(bytes);
    this.#kept.delete(attachment);
    return () => { if (this.#listeners.get(attachment) === listener) this.#listeners.delete(attachment); };
  }

  end(attachment: number): void {
    this.#ended.add(attachment);
    this.#listeners.delete(attachment);
    this.#kept.delete(attachment);
  }
}
