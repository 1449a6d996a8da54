/** Tries a model request again when that may help: exponential backoff with jitter, the server's own wish honoured. */
import type { Clock } from '../ports.ts';
import { abortedError, ModelError } from './errors.ts';

export interface RetryPolicy {
  /** Tries in all, first included. */
  readonly attempts: number;
  /** Longest wait before the second try; it doubles from there up to `maxDelayMs`. */
  readonly firstDelayMs: number;
  readonly maxDelayMs: number;
}

/** Waits of at most 1, 2, 4, 8 s bridge a restart of a local server or a busy minute. */
const USUAL: RetryPolicy = { attempts: 5, firstDelayMs: 1_000, maxDelayMs: 30_000 };
/** A server that asks for more is told to the person instead of being waited for. */
const MAX_RETRY_AFTER_MS = 120_000;
/** Nothing listens at all: a person is quicker than a backoff. */
const REFUSED_ATTEMPTS = 2;

export interface RetryOptions {
  readonly clock: Pick<Clock, 'after'>;
  /** 0 ≤ random < 1. */
  readonly random: () => number;
  readonly signal: AbortSignal;
  readonly policy?: RetryPolicy;
  readonly onRetry?: (failure: { code: string; message: string; attempt: number; delayMs: number }) => void;
}

/** Resolves after `ms`, rejects with the aborted `ModelError` when `signal` aborts first. */
function pause(ms: number, { clock, signal }: Pick<RetryOptions, 'clock' | 'signal'>): Promise<void> {
  if (signal.aborted) return Promise.reject(abortedError());
  return new Promise((resolve, reject) => {
    const stop = (): void => { cancel(); reject(abortedError()); };
    const cancel = clock.after(ms, () => { signal.removeEventListener('abort', stop); resolve(); });
    signal.addEventListener('abort', stop, { once: true });
  });
}

/** Delay before try number `attempt + 1`, in ms; undefined when no further try should be made. */
export function delayAfter(error: ModelError, attempt: number, random: () => number, policy: RetryPolicy = USUAL): number | undefined {
  const most = error.code === 'model/refused' ? REFUSED_ATTEMPTS : policy.attempts;
  if (!error.retryable || error.aborted || attempt >= most) return undefined;
  if (error.retryAfterMs !== undefined) return error.retryAfterMs > MAX_RETRY_AFTER_MS ? undefined : error.retryAfterMs;
  const full = Math.min(policy.maxDelayMs, policy.firstDelayMs * 2 ** (attempt - 1));
  return full / 2 + (full / 2) * random();
}

/** Runs `attempt` until it succeeds, gives up, or `signal` aborts. Throws the last `ModelError`. */
export async function withRetries<T>(attempt: () => Promise<T>, options: RetryOptions): Promise<T> {
  for (let number = 1; ; number += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      const delayMs = delayAfter(error, number, options.random, options.policy);
      if (delayMs === undefined) throw error;
      options.onRetry?.({ code: error.code, message: error.message, attempt: number, delayMs });
      await pause(delayMs, options);
    }
  }
}
