/** The time limit of a sub-agent: time in which it waits for a person does not count. */
import type { Clock } from '../ports.ts';

export interface WorkTimer {
  /** Aborts when the time is used up. */
  readonly signal: AbortSignal;
  /** Told whenever it may have begun or stopped waiting. */
  waits(waiting: boolean): void;
  cancel(): void;
}

/** Undefined = no limit. */
export function createWorkTimer(clock: Pick<Clock, 'after' | 'monotonic'>, seconds: number | undefined): WorkTimer {
  const over = new AbortController();
  let leftMs = (seconds ?? 0) * 1_000;
  let since = clock.monotonic();
  let stop: (() => void) | undefined;
  const start = (): void => {
    since = clock.monotonic();
    stop = clock.after(leftMs, () => over.abort());
  };
  const pause = (): void => {
    if (stop === undefined) return;
    stop();
    stop = undefined;
    leftMs = Math.max(0, leftMs - (clock.monotonic() - since));
  };
  if (seconds !== undefined) start();
  return {
    signal: over.signal,
    waits(waiting) {
      if (seconds === undefined || over.signal.aborted) return;
      if (waiting) pause();
      else if (stop === undefined) start();
    },
    cancel: pause,
  };
}
