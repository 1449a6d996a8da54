/** A time limit that stands still while a person is asked. */

export interface Stopwatch {
  /** Aborts when the time is used up. */
  readonly signal: AbortSignal;
  readonly expired: boolean;
  /** Milliseconds counted so far. */
  readonly elapsedMs: number;
  start(): void;
  /** Nested: as many ends of pauses as beginnings. */
  pause(paused: boolean): void;
  stop(): void;
}

export function createStopwatch(limitMs: number): Stopwatch {
  const over = new AbortController();
  let counted = 0;
  let since: number | undefined;
  let pauses = 0;
  let timer: NodeJS.Timeout | undefined;

  const elapsed = (): number => counted + (since === undefined ? 0 : performance.now() - since);
  function run(): void {
    since = performance.now();
    timer = setTimeout(() => { over.abort(new Error('the time limit of the script')); }, Math.max(0, limitMs - counted));
  }
  function halt(): void {
    counted = elapsed();
    since = undefined;
    clearTimeout(timer);
  }

  return {
    signal: over.signal,
    get expired() { return over.signal.aborted; },
    get elapsedMs() { return elapsed(); },
    start: run,
    pause(paused) {
      pauses += paused ? 1 : -1;
      if (paused && pauses === 1 && since !== undefined) halt();
      if (!paused && pauses === 0 && since === undefined) run();
    },
    stop: halt,
  };
}
