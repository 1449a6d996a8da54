/** A clock whose time of day the test turns, with timers that really run: what waits for a moment still to come waits for `turn`. */
import type { Clock } from '../../main/ports.ts';

export interface TurnedClock extends Clock {
  /** Moves the time of day on and lets everything begin that is due by then. */
  turn(ms: number): void;
}

/** Timers up to this long are about work that goes on (retries, batching) and take real time. */
const REAL_MS = 1_000;

export function createTurnedClock(start: number): TurnedClock {
  let now = start;
  let next = 0;
  const waiting = new Map<number, { readonly at: number; readonly run: () => void }>();
  return {
    now: () => now,
    monotonic: () => performance.now(),
    after(ms, run) {
      if (ms <= REAL_MS) {
        const timer = setTimeout(run, ms);
        return () => { clearTimeout(timer); };
      }
      const id = next++;
      waiting.set(id, { at: now + ms, run });
      return () => { waiting.delete(id); };
    },
    turn(ms) {
      const target = now + ms;
      for (;;) {
        const [first] = [...waiting].filter(([, { at }]) => at <= target).sort(([, a], [, b]) => a.at - b.at);
        if (first === undefined) break;
        waiting.delete(first[0]);
        now = Math.max(now, first[1].at);
        first[1].run();
      }
      now = target;
    },
  };
}
