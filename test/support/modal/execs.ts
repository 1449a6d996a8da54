/** Programs that the stand-in for Modal's command router runs: output kept from the first byte, input by offset. */
import type { Place } from '../hosted/place.ts';

export class Exec {
  readonly #parts: Buffer[] = [];
  #length = 0;
  #taken = 0;
  #waiting: (() => void)[] = [];
  #code: number | undefined;
  readonly #input: { write(bytes: Buffer): void; end(): void };

  constructor(place: Place, program: readonly string[], env: Readonly<Record<string, string>>, pty: { readonly cols: number; readonly rows: number } | undefined) {
    if (pty === undefined) {
      const child = place.spawn(program, env);
      child.stdin.on('error', () => undefined); // it does not read any more
      child.stdout.on('data', (part: Buffer) => this.#push(part));
      child.once('close', (code) => this.#end(code ?? 137));
      this.#input = { write: (bytes) => { child.stdin.write(bytes); }, end: () => { child.stdin.end(); } };
    } else {
      const terminal = place.spawnPty(program, env, pty);
      terminal.onData((data: string | Buffer) => this.#push(Buffer.from(data as Buffer))); // cast: `encoding: null` delivers buffers
      terminal.onExit(({ exitCode, signal }) => this.#end(signal === undefined || signal === 0 ? exitCode : 128 + signal));
      this.#input = { write: (bytes) => { if (this.#code === undefined) terminal.write(bytes as unknown as string); }, end: () => undefined }; // cast: on POSIX it takes buffers
    }
  }

  get code(): number | undefined {
    return this.#code;
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }

  #push(part: Buffer): void {
    this.#parts.push(part);
    this.#length += part.length;
    this.#wake();
  }

  #end(code: number): void {
    this.#code = code;
    this.#wake();
  }

  changed(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }

  /** False when the offset is not where the last write ended. */
  write(offset: number, bytes: Buffer, eof: boolean): boolean {
    if (offset !== this.#taken) return false;
    this.#taken += bytes.length;
    if (bytes.length > 0) this.#input.write(bytes);
    if (eof) this.#input.end();
    return true;
  }

  /** Everything from `offset` on, until the program has ended. */
  async* read(offset: number, signal: AbortSignal): AsyncGenerator<Buffer> {
    for (let at = offset; !signal.aborted;) {
      if (at < this.#length) {
        const rest = Buffer.concat(this.#parts).subarray(at);
        this.#parts.splice(0, this.#parts.length, Buffer.concat(this.#parts));
        at += rest.length;
        yield rest;
      } else if (this.#code === undefined) await this.changed(signal);
      else return;
    }
  }
}
