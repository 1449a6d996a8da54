/** How many model requests one turn may make. */

/** Counts requests against a cap (`max_iterations`, default 90; hermes-runtime 3.6). */
export class IterationBudget {
  readonly cap: number;
  #used = 0;

  constructor(cap: number) {
    this.cap = cap;
  }

  /** Takes one; false when none is left. */
  consume(): boolean {
    if (this.#used >= this.cap) return false;
    this.#used += 1;
    return true;
  }

  /** Gives one back, never below none used. */
  refund(): void {
    this.#used = Math.max(0, this.#used - 1);
  }

  get used(): number {
    return this.#used;
  }

  get remaining(): number {
    return this.cap - this.#used;
  }
}

/** A request whose only tools were scripts costs nothing: the script did the calls that would have been requests. */
export function isRefunded(toolNames: readonly string[]): boolean {
  return toolNames.length > 0 && toolNames.every((name) => name === 'execute_code');
}
