/** Time limits of calls to a hosted service: it may take its time as long as it answers, and silence is found out within seconds. */
import { EnvironmentError } from '../base.ts';

export interface Timing {
  /** A stream without a word, or work that takes long: then the service is asked whether it is there. */
  readonly askEveryMs: number;
  /** Longest wait for an answer to a short request. */
  readonly answerMs: number;
  /** Longest wait for a new sandbox while the service answers (hermes-runtime 6.6: image builds take minutes). */
  readonly createMs: number;
}

/** Together below 10 s: so long may a connection that is dead on one side go unnoticed. */
export const DEFAULT_TIMING: Timing = { askEveryMs: 3_000, answerMs: 5_000, createMs: 300_000 };

/** Rejects with `timeout` when the work has not settled in time. What it still does then is not told any more. */
export async function within<T>(work: Promise<T>, ms: number, what: string): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new EnvironmentError('timeout', `${what} did not answer within ${ms / 1_000} s`)), ms);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

export interface WatchOptions {
  readonly timing: Timing;
  /** A cheap request over the connection that is in doubt. */
  readonly ask: () => Promise<unknown>;
  /** How the service is called in messages. */
  readonly service: string;
}

/** Asks again and again; calls `dead` once when no answer came. Stopped by the function it returns; `heard` says that there was a sign of life. */
export function watch({ timing, ask, service }: WatchOptions, dead: (error: unknown) => void): { heard: () => void; stop: () => void } {
  let timer: NodeJS.Timeout;
  let stopped = false;
  let last = performance.now();
  const stop = () => {
    stopped = true;
    clearTimeout(timer);
  };
  const look = async () => {
    const quiet = performance.now() - last;
    if (quiet >= timing.askEveryMs) {
      try {
        await within(ask(), timing.answerMs, service);
        last = performance.now();
      } catch (error) {
        // Something else may have come in while it was asked.
        if (stopped || performance.now() - last < timing.answerMs) {
          plan(timing.askEveryMs);
          return;
        }
        stop();
        dead(error);
        return;
      }
    }
    plan(Math.max(0, timing.askEveryMs - (performance.now() - last)));
  };
  const plan = (ms: number) => {
    if (stopped) return;
    timer = setTimeout(() => { void look(); }, ms);
    timer.unref();
  };
  plan(timing.askEveryMs);
  return { heard: () => { last = performance.now(); }, stop };
}

/** Long work, given up when the service falls silent, when `createMs` have passed, or when `signal` is aborted. */
export async function whileAlive<T>(work: Promise<T>, options: WatchOptions & { readonly what: string; readonly signal?: AbortSignal | undefined }): Promise<T> {
  const over = Promise.withResolvers<never>();
  const watching = watch(options, (error) => over.reject(new EnvironmentError('failed', `${options.what}: ${error instanceof Error ? error.message : String(error)}`, { cause: error, hint: `Check the connection to the internet; ${options.service} may have a disturbance, too.` })));
  const onAbort = () => over.reject(new EnvironmentError('closed', `${options.what} was cancelled`));
  options.signal?.addEventListener('abort', onAbort, { once: true });
  if (options.signal?.aborted === true) onAbort();
  const limit = setTimeout(() => over.reject(new EnvironmentError('failed', `${options.what}: ${options.service} did not answer within ${options.timing.createMs / 1_000} s`)), options.timing.createMs);
  try {
    return await Promise.race([work, over.promise]);
  } finally {
    clearTimeout(limit);
    watching.stop();
    options.signal?.removeEventListener('abort', onAbort);
    work.catch(() => undefined); // given up: how it ends is of no interest any more
  }
}
