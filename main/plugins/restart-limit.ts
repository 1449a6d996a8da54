/** How often something that ends by itself is started again. */
import type { Clock } from '../ports.ts';

const WINDOW_MS = 10 * 60_000;

export class RestartLimit {
  /** Restarts within ten minutes. */
  static readonly most = 3;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #taken = new Map<string, number[]>();

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /** True when it may be started once more; counts it. */
  take(id: string): boolean {
    const now = this.#clock.now();
    const recent = (this.#taken.get(id) ?? []).filter((at) => now - at < WINDOW_MS);
    if (recent.length >= RestartLimit.most) return false;
    this.#taken.set(id, [...recent, now]);
    return true;
  }

  /** It has changed: what happened before says nothing about it. */
  forget(id: string): void {
    this.#taken.delete(id);
  }
}
