/** Time that only tests move. Timers fire in the order of their due times while `advance` runs. */
import type { Clock } from '../../main/ports.ts';

export interface HandClock extends Clock {
  /** Moves time on by `ms` and fires what falls due on the way, what it starts anew included. */
  advance(ms: number): void;
  readonly pending: number;
}

export function handClock(start = 1_800_000_000_000): HandClock {
  const timers = new Map<number, { due: number; run: () => void }>();
  let now = start;
  let next = 0;
  return {
    now: () => now,
    monotonic: () => now - start,
    after: (ms, run) => {
      const id = next;
      next += 1;
      timers.set(id, { due: now + Math.max(0, ms), run });
      return () => { timers.delete(id); };
    },
    advance: (ms) => {
      const end = now + ms;
      for (;;) {
        const due = [...timers].filter(([, timer]) => timer.due <= end).sort(([a, one], [b, other]) => one.due - other.due || a - b)[0];
        if (due === undefined) break;
        timers.delete(due[0]);
        now = Math.max(now, due[1].due);
        due[1].run();
      }
      now = end;
    },
    get pending() { return timers.size; },
  };
}
