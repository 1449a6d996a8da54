/** One attached screen: batches of at most 16 ms or 200 kB, and never more on the way than it has acknowledged. */
import { HIGH_WATER_BYTES, LOW_WATER_BYTES } from '../../preload/contract/terminal.ts';
import type { Clock } from '../ports.ts';

/** One frame at 60 Hz, and the size at which a batch does not wait for it (Hyper's figures, anchors E). */
const BATCH_MS = 16;
const BATCH_BYTES = 200_000;
/** A screen that acknowledges nothing for this long (a frozen tab) no longer holds the program up; it is redrawn when it comes back. */
const STALL_MS = 5_000;
const RESET = '\x1bc';

export interface ViewHost {
  send(bytes: Uint8Array): void;
  /** The program must wait for this screen (true), or need not (false). */
  onBusy(busy: boolean): void;
  /** A fresh copy of the screen, and from where in the stream live output continues. */
  copy(begin: () => void): Promise<string>;
}

export class View {
  readonly #host: ViewHost;
  readonly #clock: Clock;
  #batch: Uint8Array[] = [];
  #batchBytes = 0;
  #unacknowledged = 0;
  #busy = false;
  #stalled = false;
  #closed = false;
  #started = false;
  #finished = false;
  #cancelFlush: (() => void) | undefined;
  #cancelStall: (() => void) | undefined;

  constructor(host: ViewHost, clock: Clock) {
    this.#host = host;
    this.#clock = clock;
  }

  /** Nothing is sent before this: the snapshot goes first. */
  start(): void {
    this.#started = true;
    if (this.#finished) this.#flush();
    else this.#schedule();
  }

  /** No more output will come: what waits is sent now, so that the last byte is there. */
  finish(): void {
    this.#finished = true;
    if (this.#started) this.#flush();
  }

  push(bytes: Uint8Array): void {
    if (this.#closed || this.#stalled || bytes.length === 0) return;
    this.#batch.push(bytes);
    this.#batchBytes += bytes.length;
    if (this.#batchBytes + this.#unacknowledged > HIGH_WATER_BYTES) this.#setBusy(true);
    this.#schedule();
  }

  #schedule(): void {
    if (!this.#started || this.#batchBytes === 0) return;
    if (this.#batchBytes >= BATCH_BYTES) this.#flush();
    else this.#cancelFlush ??= this.#clock.after(BATCH_MS, () => this.#flush());
  }

  #flush(): void {
    this.#cancelFlush?.();
    this.#cancelFlush = undefined;
    if (this.#closed || this.#batchBytes === 0) return;
    const bytes = Buffer.concat(this.#batch);
    this.#batch = [];
    this.#batchBytes = 0;
    this.#unacknowledged += bytes.length;
    for (let from = 0; from < bytes.length; from += BATCH_BYTES) this.#host.send(bytes.subarray(from, from + BATCH_BYTES));
  }

  acknowledge(bytes: number): void {
    if (this.#closed) return;
    this.#unacknowledged = Math.max(0, this.#unacknowledged - bytes);
    if (this.#stalled) {
      void this.#redraw();
      return;
    }
    if (this.#busy) this.#watchStall();
    if (this.#unacknowledged + this.#batchBytes < LOW_WATER_BYTES) this.#setBusy(false);
  }

  #setBusy(busy: boolean): void {
    if (busy === this.#busy) return;
    this.#busy = busy;
    this.#cancelStall?.();
    if (busy) this.#watchStall();
    this.#host.onBusy(busy);
  }

  #watchStall(): void {
    this.#cancelStall?.();
    this.#cancelStall = this.#clock.after(STALL_MS, () => {
      this.#stalled = true;
      this.#batch = [];
      this.#batchBytes = 0;
      this.#setBusy(false);
    });
  }

  /** Back from a stall: what was skipped is on the fresh copy. */
  async #redraw(): Promise<void> {
    if (this.#unacknowledged > LOW_WATER_BYTES) return;
    const copy = await this.#host.copy(() => { this.#stalled = false; this.#started = false; });
    const behind = this.#batch;
    this.#batch = [];
    this.#batchBytes = 0;
    this.push(Buffer.from(RESET + copy));
    for (const bytes of behind) this.push(bytes);
    this.start();
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#cancelFlush?.();
    this.#cancelStall?.();
    this.#batch = [];
    this.#setBusy(false);
    this.#cancelStall?.();
  }
}
