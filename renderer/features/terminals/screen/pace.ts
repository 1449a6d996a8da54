/** Gives a flood to the parser in pieces that leave each frame time to be drawn; a little output goes through at once. */

/**
 * Parsing within one frame of 16.7 ms: between these bounds, as much as lets frames come in time. Drawing takes about 5 ms of each (measured without a
 * graphics processor); on two quiet cores `yes` has its frames within 19.9 ms (p95) at 6 ms of parsing, within 19.4 ms at 3 ms.
 */
const LEAST_MS = 1;
const FIRST_MS = 2;
const MOST_MS = 3;
/** A frame that comes later than this is late; one that comes much later was held up by something else, such as a page out of sight. */
const LATE_MS = 19;
const FOREIGN_MS = 90;
/** After a late frame half of the time is left, and each frame in time gives a little back: about one frame in thirty is late at 3 ms. */
const LATE_FACTOR = 0.5;
const IN_TIME_MS = 0.05;
/** Until the first piece was measured: what a slow machine parses in a millisecond. */
const FIRST_BYTES_PER_MS = 1_000;
const SMALLEST_PIECE = 1_024;
const LARGEST_PIECE = 128 * 1024;
/** Weight of the latest measurement against those before it. */
const NEWEST = 0.3;

export interface Parser {
  /** `done` is called when the bytes were parsed; an empty write marks the moment before the next one. */
  write(bytes: Uint8Array, done: () => void): void;
  now(): number;
  nextFrame(run: () => void): void;
}

interface Waiting { bytes: Uint8Array; readonly done: () => void }

const NOTHING = new Uint8Array(0);

export class Pace {
  readonly #parser: Parser;
  #queue: Waiting[] = [];
  #bytesPerMs = FIRST_BYTES_PER_MS;
  #budgetMs = FIRST_MS;
  #spentMs = 0;
  #frameAsked = false;
  /** Of the frame before, while something waited since then. */
  #lastFrame: number | undefined;
  #parsing = false;

  constructor(parser: Parser) {
    this.#parser = parser;
  }

  push(bytes: Uint8Array, done: () => void): void {
    this.#queue.push({ bytes, done });
    this.#pump();
  }

  /** Forgets what waits, for a fresh copy takes its place; whoever waits for it is told. */
  clear(): void {
    const dropped = this.#queue;
    this.#queue = [];
    for (const { done } of dropped) done();
  }

  #pump(): void {
    const first = this.#queue[0];
    if (this.#parsing || first === undefined) return;
    this.#askFrame();
    const left = this.#budgetMs - this.#spentMs;
    if (left <= 0) return;
    const size = Math.min(LARGEST_PIECE, Math.max(SMALLEST_PIECE, Math.floor(this.#bytesPerMs * left)));
    const piece = first.bytes.subarray(0, size);
    const rest = first.bytes.subarray(size);
    if (rest.length === 0) this.#queue.shift();
    else first.bytes = rest;
    this.#parsing = true;
    let began = this.#parser.now();
    this.#parser.write(NOTHING, () => { began = this.#parser.now(); });
    this.#parser.write(piece, () => {
      this.#measured(piece.length, this.#parser.now() - began);
      this.#parsing = false;
      if (rest.length === 0) first.done();
      this.#pump();
    });
  }

  #measured(bytes: number, milliseconds: number): void {
    this.#spentMs += milliseconds;
    if (bytes >= SMALLEST_PIECE) this.#bytesPerMs += NEWEST * (bytes / Math.max(milliseconds, 0.1) - this.#bytesPerMs);
  }

  #askFrame(): void {
    if (this.#frameAsked) return;
    this.#frameAsked = true;
    this.#parser.nextFrame(() => {
      this.#frameAsked = false;
      this.#adapt();
      this.#spentMs = 0;
      this.#pump();
    });
  }

  #adapt(): void {
    const now = this.#parser.now();
    const gap = this.#lastFrame === undefined ? undefined : now - this.#lastFrame;
    this.#lastFrame = this.#queue.length === 0 ? undefined : now;
    if (gap === undefined || gap >= FOREIGN_MS) return;
    this.#budgetMs = gap > LATE_MS ? Math.max(LEAST_MS, this.#budgetMs * LATE_FACTOR) : Math.min(MOST_MS, this.#budgetMs + IN_TIME_MS);
  }
}
