/** Takes the marks of the outer script (see `OUTER`) out of a stream of any chunking, without touching another byte. */

const SEPARATOR = 0x1e;
/** What follows the nonce and its letter is at most an encoded path and a number; a mark longer than this is not ours. */
const MAX_FIELD_BYTES = 64 * 1024;

export interface FrameListener {
  /** The shell runs; 0: its snapshot is gone and it did not start. Everything before was noise of the login. */
  begin(pid: number): void;
  data(bytes: Buffer): void;
  end(exitCode: number, cwd: string | undefined): void;
}

export class FrameReader {
  readonly #begin: Buffer;
  readonly #end: Buffer;
  readonly #listener: FrameListener;
  #state: 'before' | 'inside' | 'after' = 'before';
  #held: Buffer = Buffer.alloc(0);

  constructor(nonce: string, listener: FrameListener) {
    this.#begin = Buffer.from(`\x1e${nonce}B`);
    this.#end = Buffer.from(`\x1e${nonce}E`);
    this.#listener = listener;
  }

  /** What came before the begin mark: why a shell did not start. */
  get noise(): string {
    return this.#state === 'before' ? this.#held.toString() : '';
  }

  push(chunk: Buffer): void {
    if (this.#state === 'after') return;
    this.#held = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    if (this.#state === 'before') {
      const field = this.#take(this.#begin);
      if (field === undefined) return;
      this.#state = 'inside';
      this.#listener.begin(Number(field.text));
      this.#held = this.#held.subarray(field.to);
    }
    const field = this.#take(this.#end);
    if (field !== undefined) {
      this.#deliver(field.from);
      this.#state = 'after';
      const [code, ...cwd] = field.text.split(';');
      const path = cwd.join(';').replaceAll('%0A', '\n').replaceAll('%0D', '\r').replaceAll('%25', '%');
      this.#listener.end(Number(code), path === '' ? undefined : path);
      return;
    }
    const from = this.#held.indexOf(this.#end);
    if (from === -1) this.#deliver(this.#held.length - this.#startedMark());
    else if (this.#held.length - from > MAX_FIELD_BYTES) this.#deliver(this.#held.length);
    else this.#deliver(from);
  }

  /** The channel has closed without an end mark: what was held back belongs to the command. */
  flush(): void {
    if (this.#state === 'inside') this.#deliver(this.#held.length);
  }

  #take(mark: Buffer): { from: number; to: number; text: string } | undefined {
    const from = this.#held.indexOf(mark);
    if (from === -1) return undefined;
    const close = this.#held.indexOf(SEPARATOR, from + mark.length);
    if (close === -1) return undefined;
    return { from, to: close + 1, text: this.#held.toString('utf8', from + mark.length, close) };
  }

  /** Bytes at the end that may be the beginning of the end mark. */
  #startedMark(): number {
    const at = this.#held.lastIndexOf(SEPARATOR);
    if (at === -1) return 0;
    const tail = this.#held.subarray(at);
    return tail.length < this.#end.length && this.#end.subarray(0, tail.length).equals(tail) ? tail.length : 0;
  }

  #deliver(length: number): void {
    if (length === 0) return;
    this.#listener.data(this.#held.subarray(0, length));
    this.#held = this.#held.subarray(length);
  }
}
