/** Gives a flood to the parser in pieces that leave each frame time to be drawn; a little output goes through at once. */

/** Parsing within one frame of 16.7 ms; the rest of it is for drawing and for what the person does. */
const BUDGET_MS = 6;
/** One piece takes about this long, so that the budget is kept. */
const PIECE_MS = 3;
/** Until the first piece was measured: what a slow machine parses in a millisecond. */
const FIRST_BYTES_PER_MS = 2_000;
const SMALLEST_PIECE = 2_048;
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
  #spentMs = 0;
  #frameAsked = false;
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
    if (this.#spentMs >= BUDGET_MS) return;
    const size = Math.min(LARGEST_PIECE, Math.max(SMALLEST_PIECE, Math.floor(this.#bytesPerMs * PIECE_MS)));
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
      this.#spentMs = 0;
      this.#pump();
    });
  }
}
