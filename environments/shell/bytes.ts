/** Keeps the first and the last bytes of a stream of any length in bounded memory. */

/** Share of the limit that goes to the beginning; the end gets the rest (hermes-runtime 5.4: 40 % head, 60 % tail). */
export const HEAD_SHARE = 0.4;

export class HeadTailBytes {
  readonly #headLimit: number;
  readonly #tailLimit: number;
  readonly #head: Uint8Array[] = [];
  #headBytes = 0;
  #tail: Uint8Array[] = [];
  #tailBytes = 0;
  #total = 0;

  /** `limit` in bytes: most that is ever returned. */
  constructor(limit: number) {
    this.#headLimit = Math.floor(limit * HEAD_SHARE);
    this.#tailLimit = limit - this.#headLimit;
  }

  push(chunk: Uint8Array): void {
    this.#total += chunk.length;
    const room = this.#headLimit - this.#headBytes;
    const forHead = chunk.subarray(0, Math.max(0, room));
    if (forHead.length > 0) {
      this.#head.push(forHead);
      this.#headBytes += forHead.length;
    }
    const forTail = chunk.subarray(forHead.length);
    if (forTail.length === 0) return;
    this.#tail.push(forTail);
    this.#tailBytes += forTail.length;
    while (this.#tail.length > 1 && this.#tailBytes - (this.#tail[0]?.length ?? 0) >= this.#tailLimit) {
      this.#tailBytes -= this.#tail.shift()?.length ?? 0;
    }
  }

  /** Bytes seen so far. */
  get total(): number {
    return this.#total;
  }

  get truncated(): boolean {
    return this.#total > this.#headLimit + this.#tailLimit;
  }

  /** Everything when it fits, else head and tail joined without a mark. */
  bytes(): Uint8Array {
    const tail = Buffer.concat(this.#tail);
    return Buffer.concat([...this.#head, tail.subarray(Math.max(0, tail.length - this.#tailLimit))]);
  }
}
