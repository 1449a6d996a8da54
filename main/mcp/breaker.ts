/** Stops asking a server that fails again and again: after some time one call is let through to see whether it has recovered. */
import type { Clock } from '../ports.ts';

/** Failures of the server itself, one after the other, after which it is left alone. Results that report an error are no failures. */
const FAILURES = 5;
const OPEN_MS = 30_000;

export class Breaker {
  readonly #clock: Pick<Clock, 'monotonic'>;
  #failures = 0;
  #openUntil = 0;
  #probing = false;

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** 0 = go on; else how many milliseconds it is still left alone. Whoever is let through has to say how it went. */
  tryPass(): number {
    if (this.#failures < FAILURES) return 0;
    const left = this.#openUntil - this.#clock.monotonic();
    if (left > 0) return left;
    if (this.#probing) return OPEN_MS;
    this.#probing = true;
    return 0;
  }

  succeeded(): void {
    this.#failures = 0;
    this.#probing = false;
  }

  failed(): void {
    this.#failures += 1;
    this.#probing = false;
    if (this.#failures >= FAILURES) this.#openUntil = this.#clock.monotonic() + OPEN_MS;
  }

  /** Neither: the call was stopped by the person. */
  gaveUp(): void {
    this.#probing = false;
  }
}
