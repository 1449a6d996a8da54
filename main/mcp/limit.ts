/** A time limit that stands still while a person is asked. */
import type { Clock } from '../ports.ts';

export class Limit {
  readonly #clock: Pick<Clock, 'after' | 'monotonic'>;
  readonly #over = new AbortController();
  #leftMs: number;
  #startedAt = 0;
  #pauses = 0;
  #cancel: () => void = () => undefined;

  constructor(clock: Pick<Clock, 'after' | 'monotonic'>, ms: number) {
    this.#clock = clock;
    this.#leftMs = ms;
    this.#run();
  }

  /** Aborts when the time is up. */
  get signal(): AbortSignal {
    return this.#over.signal;
  }

  get isOver(): boolean {
    return this.#over.signal.aborted;
  }

  /** Pauses may overlap: it goes on when the last of them has ended. */
  async paused<T>(work: Promise<T>): Promise<T> {
    this.#pauses += 1;
    if (this.#pauses === 1) {
      this.#cancel();
      this.#leftMs = Math.max(0, this.#leftMs - (this.#clock.monotonic() - this.#startedAt));
    }
    try {
      return await work;
    } finally {
      this.#pauses -= 1;
      if (this.#pauses === 0) this.#run();
    }
  }

  end(): void {
    this.#cancel();
    this.#pauses += 1;
  }

  #run(): void {
    this.#startedAt = this.#clock.monotonic();
    this.#cancel = this.#clock.after(this.#leftMs, () => this.#over.abort());
  }
}
