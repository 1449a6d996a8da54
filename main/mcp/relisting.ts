/**
 * Lists a server's tools anew when it says that they have changed: one listing at a time, and another one when it has said so
 * meanwhile. So an older answer that comes late never replaces a newer one, and a server that never stops saying so is still listed.
 */
import type { Clock } from '../ports.ts';
import type { Listing } from './listing.ts';

/** Servers change tools one by one and say so each time: what comes within this time is listed once. */
const SETTLE_MS = 100;

export interface RelistingParts {
  readonly clock: Pick<Clock, 'after'>;
  list(): Promise<Listing>;
  onTools(listing: Listing): void;
  /** The listing failed; what was listed before stays. */
  onFailed(error: unknown): void;
}

export class Relisting {
  readonly #parts: RelistingParts;
  #notices = 0;
  #isRunning = false;
  #isClosed = false;
  #cancel: () => void = () => undefined;

  constructor(parts: RelistingParts) {
    this.#parts = parts;
  }

  changed(): void {
    this.#notices += 1;
    if (!this.#isRunning) this.#settle();
  }

  /** Nothing is listed or told any more. */
  close(): void {
    this.#isClosed = true;
    this.#cancel();
  }

  #settle(): void {
    if (this.#isClosed) return;
    this.#isRunning = true;
    this.#cancel = this.#parts.clock.after(SETTLE_MS, () => void this.#list());
  }

  async #list(): Promise<void> {
    const known = this.#notices;
    try {
      const listing = await this.#parts.list();
      if (!this.#isClosed) this.#parts.onTools(listing);
    } catch (error) {
      if (!this.#isClosed) this.#parts.onFailed(error);
    }
    this.#isRunning = false;
    if (this.#notices > known) this.#settle();
  }
}
