/** The system's time behind the `Clock` seam. */
import type { Clock } from './ports.ts';

/** Longest delay that one timer of the platform can hold, in ms: a signed 32-bit number. Longer waits are chained. */
const LONGEST_TIMER_MS = 2_147_483_647;

/** Starts a timer of any length in ms (negative counts as 0) and returns the function that cancels it. */
function after(ms: number, run: () => void): () => void {
  let timer: NodeJS.Timeout;
  const arm = (left: number): void => {
    const step = Math.min(Math.max(left, 0), LONGEST_TIMER_MS);
    timer = setTimeout(() => { if (left > step) arm(left - step); else run(); }, step);
  };
  arm(ms);
  return () => clearTimeout(timer);
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after,
};
