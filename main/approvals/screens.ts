/** The windows and prompts of this process that show questions. */
export class Screens {
  #names: readonly string[] = [];

  get count(): number { return this.#names.length; }

  /** Who shows questions, in Hermes' words for it: `cli`, or `transport:desktop`. */
  get surface(): string {
    const name = this.#names.find((each) => each !== 'cli') ?? 'cli';
    return name === 'cli' ? 'cli' : `transport:${name}`;
  }

  /** Returns what takes it away again. */
  add(name: string): () => void {
    this.#names = [...this.#names, name];
    let here = true;
    return () => {
      if (here) this.#names = this.#names.toSpliced(this.#names.indexOf(name), 1);
      here = false;
    };
  }
}
