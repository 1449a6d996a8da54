/**
 * Two threads that call each other: values are copied, functions and abort signals within them are stood for by numbers. The same
 * class stands at both ends. Functions in the arguments of a call live as long as the call; those that `keep` packed live on.
 */

export interface ErrorShape { readonly name: string; readonly message: string; readonly code?: string }

export type Message =
  | { readonly kind: 'request'; readonly id: number; readonly name: string; readonly args: unknown }
  | { readonly kind: 'call'; readonly id: number; readonly handle: number; readonly args: unknown }
  | { readonly kind: 'tell'; readonly name: string; readonly args: unknown }
  | { readonly kind: 'done'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'failed'; readonly id: number; readonly error: ErrorShape }
  | { readonly kind: 'abort'; readonly handle: number };

type AnyFunction = (...args: unknown[]) => unknown;
interface Waiting { readonly done: (value: unknown) => void; readonly failed: (error: Error) => void; readonly release: () => void }

const FUNCTION = '$talaria-function';
const SIGNAL = '$talaria-signal';

/** Name, message and code of anything thrown. */
export function shapeOf(thrown: unknown): ErrorShape {
  if (!(thrown instanceof Error)) return { name: 'Error', message: String(thrown) };
  const code = 'code' in thrown && typeof thrown.code === 'string' ? { code: thrown.code } : {};
  return { name: thrown.name, message: thrown.message, ...code };
}

const NATIVE: ReadonlyMap<string, new (message: string) => Error> = new Map([['TypeError', TypeError], ['RangeError', RangeError], ['SyntaxError', SyntaxError]]);

export function errorFrom({ name, message, code }: ErrorShape): Error {
  const error = new (NATIVE.get(name) ?? Error)(message);
  if (error.name !== name) Object.defineProperty(error, 'name', { value: name });
  return code === undefined ? error : Object.assign(error, { code });
}

function isPlain(value: object): value is Record<string, unknown> {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

export interface PeerParts {
  post(message: Message): void;
  /** Answers the other side's `request` and hears its `tell`. May throw or reject. */
  serve(name: string, args: readonly unknown[]): unknown;
  /** What a `tell` led to failed; nobody waits for its answer. */
  onUnheard?(name: string, error: unknown): void;
  /** Something waits for the other side from now on. */
  onAsk?(): void;
}

export class Peer {
  readonly #parts: PeerParts;
  readonly #functions = new Map<number, AnyFunction>();
  readonly #controllers = new Map<number, AbortController>();
  readonly #waiting = new Map<number, Waiting>();
  #next = 1;
  #closed: Error | undefined;

  constructor(parts: PeerParts) {
    this.#parts = parts;
  }

  /** Calls that the other side has not answered yet. */
  get pending(): number {
    return this.#waiting.size;
  }

  /** Rejects with the other side's error, or with the reason of `close`. */
  request(name: string, ...args: readonly unknown[]): Promise<unknown> {
    return this.#send((id, packed) => ({ kind: 'request', id, name, args: packed }), args);
  }

  /** No answer, no error. */
  tell(name: string, ...args: readonly unknown[]): void {
    if (this.#closed === undefined) this.#parts.post({ kind: 'tell', name, args });
  }

  #send(message: (id: number, packed: unknown) => Message, args: readonly unknown[]): Promise<unknown> {
    if (this.#closed !== undefined) return Promise.reject(this.#closed);
    const id = this.#next;
    this.#next += 1;
    const undo: (() => void)[] = [];
    const release = (): void => { for (const each of undo) each(); };
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#waiting.set(id, { done: resolve, failed: reject, release });
    try {
      this.#parts.post(message(id, this.#pack(args, undo)));
      this.#parts.onAsk?.();
    } catch (error) {
      // What cannot be copied (a function inside a class, a socket) is the caller's mistake, told to the caller.
      this.#waiting.delete(id);
      release();
      reject(error instanceof Error ? error : new Error(String(error)));
    }
    return promise;
  }

  /** For values that outlive one call. Returns the way to forget their functions. */
  keep(value: unknown): { readonly packed: unknown; readonly forget: () => void } {
    const undo: (() => void)[] = [];
    return { packed: this.#pack(value, undo), forget: () => { for (const each of undo) each(); } };
  }

  #pack(value: unknown, undo: (() => void)[]): unknown {
    if (typeof value === 'function') {
      const handle = this.#next;
      this.#next += 1;
      this.#functions.set(handle, value as AnyFunction); // cast: called with whatever the other side hands over, as any JavaScript function may be
      undo.push(() => this.#functions.delete(handle));
      return { [FUNCTION]: handle };
    }
    if (typeof value !== 'object' || value === null) return value;
    if (value instanceof AbortSignal) return this.#packSignal(value, undo);
    if (Array.isArray(value)) return value.map((item) => this.#pack(item, undo));
    return isPlain(value) ? Object.fromEntries(Object.entries(value).map(([name, item]) => [name, this.#pack(item, undo)])) : value;
  }

  #packSignal(signal: AbortSignal, undo: (() => void)[]): unknown {
    const handle = this.#next;
    this.#next += 1;
    const tell = (): void => { if (this.#closed === undefined) this.#parts.post({ kind: 'abort', handle }); };
    signal.addEventListener('abort', tell, { once: true });
    undo.push(() => signal.removeEventListener('abort', tell));
    return { [SIGNAL]: handle, aborted: signal.aborted };
  }

  /** Functions and signals in it reach over to the other side. */
  unpack(value: unknown, signals: number[] = []): unknown {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map((item) => this.unpack(item, signals));
    if (!isPlain(value)) return value;
    const handle = value[FUNCTION];
    if (typeof handle === 'number') return (...args: unknown[]) => this.#send((id, packed) => ({ kind: 'call', id, handle, args: packed }), args);
    const signal = value[SIGNAL];
    if (typeof signal === 'number') {
      const controller = new AbortController();
      if (value['aborted'] === true) controller.abort();
      this.#controllers.set(signal, controller);
      signals.push(signal);
      return controller.signal;
    }
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, this.unpack(item, signals)]));
  }

  receive(message: Message): void {
    switch (message.kind) {
      case 'request': void this.#answer(message.id, (args) => this.#parts.serve(message.name, args), message.args); break;
      case 'call': void this.#answer(message.id, (args) => this.#functionOf(message.handle)(...args), message.args); break;
      case 'tell': void this.#hear(message.name, message.args); break;
      case 'done': this.#settle(message.id)?.done(message.value); break;
      case 'failed': this.#settle(message.id)?.failed(errorFrom(message.error)); break;
      case 'abort': this.#controllers.get(message.handle)?.abort(); break;
    }
  }

  #functionOf(handle: number): AnyFunction {
    const found = this.#functions.get(handle);
    if (found === undefined) throw new Error('The call that this function belongs to is over.');
    return found;
  }

  async #answer(id: number, run: (args: readonly unknown[]) => unknown, args: unknown): Promise<void> {
    const signals: number[] = [];
    try {
      const given = this.unpack(args, signals);
      const value = await run(Array.isArray(given) ? given : []);
      if (this.#closed === undefined) this.#parts.post({ kind: 'done', id, value });
    } catch (error) {
      if (this.#closed === undefined) this.#parts.post({ kind: 'failed', id, error: shapeOf(error) });
    } finally {
      for (const signal of signals) this.#controllers.delete(signal);
    }
  }

  async #hear(name: string, args: unknown): Promise<void> {
    try {
      await this.#parts.serve(name, Array.isArray(args) ? args : []);
    } catch (error) {
      this.#parts.onUnheard?.(name, error);
    }
  }

  #settle(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    waiting?.release();
    return waiting;
  }

  /** Everything that waits is rejected with `reason`, and so is everything that comes later. */
  close(reason: Error): void {
    if (this.#closed !== undefined) return;
    this.#closed = reason;
    for (const id of [...this.#waiting.keys()]) this.#settle(id)?.failed(reason);
    for (const controller of this.#controllers.values()) controller.abort(reason);
    this.#functions.clear();
  }
}
