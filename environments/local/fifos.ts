/**
 * Real pipes for child processes. Node connects children by socket pairs, on which opening `/dev/stdout` or `/dev/stdin` fails
 * (`tee /dev/stderr`: "No such device or address"); a FIFO behaves like the pipe that every program expects.
 */
import { execFile } from 'node:child_process';
import { closeSync, constants, openSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** One start of `mkfifo` makes this many; the pool is refilled in the background before it is empty. */
const BATCH = 16;
const REFILL_BELOW = 6;

export interface PipeEnds {
  /** Non-blocking, for us. */
  readonly ours: number;
  /** Blocking, for the child; close it after the start. */
  readonly theirs: number;
}

export class FifoPool {
  readonly #directory: string;
  #ready: string[] = [];
  #next = 0;
  #refill: Promise<void> | undefined;

  /** `directory` must exist and be private. */
  constructor(directory: string) {
    this.#directory = directory;
  }

  async #fill(): Promise<void> {
    const paths = Array.from({ length: BATCH }, () => join(this.#directory, `fifo-${this.#next++}`));
    await run('mkfifo', ['-m', '600', ...paths]);
    this.#ready.push(...paths);
  }

  async #take(): Promise<string> {
    for (;;) {
      const path = this.#ready.shift();
      if (this.#ready.length < REFILL_BELOW && this.#refill === undefined) {
        this.#refill = this.#fill().finally(() => { this.#refill = undefined; });
        // Whoever needs the pipes awaits the refill below and sees its error.
        this.#refill.catch(() => undefined);
      }
      if (path !== undefined) return path;
      await this.#refill;
    }
  }

  /** Makes the first batch ahead of need. */
  async prepare(): Promise<void> {
    if (this.#ready.length === 0) await (this.#refill ?? this.#fill());
  }

  /**
   * A pipe from the child to us. `outlives`: the child's end counts as a reader, too, so that its writing is no SIGPIPE when we are gone;
   * whoever adopts it reads on.
   */
  async fromChild(outlives = false): Promise<PipeEnds> {
    const path = await this.#take();
    const ours = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const theirs = openSync(path, outlives ? constants.O_RDWR : constants.O_WRONLY);
    unlinkSync(path);
    return { ours, theirs };
  }

  /** A pipe from us to the child. */
  async toChild(): Promise<PipeEnds> {
    const path = await this.#take();
    // Opening one end alone would block: a helper descriptor that reads and writes stands in for the other end meanwhile.
    const helper = openSync(path, constants.O_RDWR);
    const theirs = openSync(path, constants.O_RDONLY);
    const ours = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
    closeSync(helper);
    unlinkSync(path);
    return { ours, theirs };
  }

  /** Descriptor at the start of an unlinked file that holds `data`; the caller closes it. */
  fileWith(data: string | Uint8Array): number {
    const path = join(this.#directory, `stdin-${this.#next++}`);
    writeFileSync(path, data, { mode: 0o600 });
    const descriptor = openSync(path, constants.O_RDONLY);
    unlinkSync(path);
    return descriptor;
  }

  async close(): Promise<void> {
    await this.#refill?.catch(() => undefined); // its user was told; here only its end matters
    rmSync(this.#directory, { recursive: true, force: true });
    this.#ready = [];
  }
}
