/** Stops one call of a chat and leaves its neighbours and the turn alone. */
import type { CallId } from '../../preload/contract/ids.ts';

export class CallStops {
  readonly #running = new Map<CallId, AbortController>();

  /** The call's own signal: aborted with the turn's, or by `stop`. */
  begin(id: CallId, turn: AbortSignal): AbortSignal {
    const own = new AbortController();
    this.#running.set(id, own);
    return AbortSignal.any([turn, own.signal]);
  }

  end(id: CallId): void {
    this.#running.delete(id);
  }

  /** False when no such call runs. */
  stop(id: CallId): boolean {
    const running = this.#running.get(id);
    running?.abort();
    return running !== undefined;
  }
}
