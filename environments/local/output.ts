/** Output of one process on its way to one listener: kept until somebody listens, in order. */
export class OutputRelay {
  #listener: ((bytes: Uint8Array) => void) | undefined;
  #early: Uint8Array[] = [];

  push(bytes: Uint8Array): void {
    if (this.#listener === undefined) this.#early.push(bytes);
    else this.#listener(bytes);
  }

  /** The first listener also gets what came before it; a later one replaces it. */
  listen(listener: (bytes: Uint8Array) => void): void {
    this.#listener = listener;
    const early = this.#early;
    this.#early = [];
    for (const bytes of early) listener(bytes);
  }
}
