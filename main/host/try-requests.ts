/** `tools.*`: a person tries one tool. */
import { AppError } from '../../preload/contract/errors.ts';
import type { DirectCall } from './direct-calls.ts';
import type { AreaHandlers } from './handlers.ts';
import type { Sessions } from './sessions.ts';

/** A page draws no more; tools whose results are larger save them to files. */
const RESULT_CHARS = 1_000_000;
/** What a person runs by hand at once; more is a mistake, or a page gone wrong. */
const MOST_AT_ONCE = 8;

export function tryRequests(callTool: DirectCall, sessions: Pick<Sessions, 'existing'>, closing: AbortSignal): AreaHandlers<'tools'> {
  const running = new Map<string, AbortController>();
  return {
    'tools.try': async ({ sessionId, tryId, name, args }) => {
      sessions.existing(sessionId);
      if (running.has(tryId)) throw new AppError('request/not-possible', 'This call runs already.');
      if (running.size >= MOST_AT_ONCE) throw new AppError('request/not-possible', `${String(MOST_AT_ONCE)} tried calls run already.`, { hint: 'Wait for one, or stop one.' });
      const stop = new AbortController();
      running.set(tryId, stop);
      try {
        const { status, result, fullText, repairs, durationMs } = await callTool(name, args, { sessionId, signal: AbortSignal.any([stop.signal, closing]) });
        return { status: stop.signal.aborted ? 'cancelled' : status, result: (typeof result === 'string' ? result : fullText).slice(0, RESULT_CHARS), repairs: [...repairs], durationMs };
      } finally {
        running.delete(tryId);
      }
    },
    'tools.stop': ({ tryId }) => {
      running.get(tryId)?.abort();
      return {};
    },
  };
}
