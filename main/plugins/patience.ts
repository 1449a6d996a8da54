/** Waits for what is being loaded, but not each time for something that hangs. */
import type { Clock } from '../ports.ts';

const READY_MS = 3_000;

export class Patience {
  readonly #clock: Pick<Clock, 'after'>;
  /** What was waited for in vain. */
  #givenUp: Promise<unknown> | undefined;

  constructor(clock: Pick<Clock, 'after'>) {
    this.#clock = clock;
  }

  /** Resolves when `work` has settled, after 3 s at most; at once for work that was given up before. Never rejects. */
  async wait(work: Promise<unknown>): Promise<void> {
    if (this.#givenUp === work) return;
    const late = Promise.withResolvers<'late'>();
    const cancel = this.#clock.after(READY_MS, () => late.resolve('late'));
    const settled = work.then(() => 'settled' as const, () => 'settled' as const);
    if (await Promise.race([settled, late.promise]) === 'late') this.#givenUp = work;
    cancel();
  }
}
