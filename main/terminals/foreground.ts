/** One command of a model, to its end, its limit, or the moment it wants a person. */
import type { RunRequest, RunResult } from '../../tools/context.ts';
import type { Clock } from '../ports.ts';
import { watchAttention, type Attention } from './attention.ts';
import type { LiveTerminal } from './live-terminal.ts';

/** Grace between the polite signal and SIGKILL (hermes-runtime 6.2). */
const GRACE_MS = 1_000;
/** After a kill that left survivors, the shell's own end is not waited for longer than this. */
const AFTER_KILL_MS = 1_000;
/** Tail shown on the call's card, and how often it is renewed. */
const CARD_CHARS = 2_000;
const CARD_EVERY_MS = 150;

export type Outcome =
  | { readonly kind: 'ended' }
  | { readonly kind: 'attention'; readonly attention: Attention }
  | { readonly kind: 'stuck'; readonly why: 'timeout' | 'abort'; readonly survivors: readonly number[] };

/** Waits for whatever comes first. A person at the keyboard suspends the time limit. */
export async function waitForOutcome(live: LiveTerminal, request: Pick<RunRequest, 'timeoutMs' | 'signal' | 'onOutput'>, clock: Clock): Promise<Outcome> {
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  const release: (() => void)[] = [];
  // The shell itself may be gone before its descendants are: a stopped command has ended when all of it has.
  let stopping: Promise<unknown> | undefined;
  void live.done.then(() => stopping).then(() => resolve({ kind: 'ended' }));
  release.push(watchAttention(live, clock, (attention) => {
    if (live.row.driver === 'agent') resolve({ kind: 'attention', attention });
  }));
  const stop = async (why: 'timeout' | 'abort') => {
    const end = live.end({ why, signal: why === 'abort' ? 'SIGINT' : 'SIGTERM', graceMs: GRACE_MS });
    stopping = end;
    const survivors = await end;
    release.push(clock.after(AFTER_KILL_MS, () => resolve({ kind: 'stuck', why, survivors })));
  };
  let cancelLimit = clock.after(request.timeoutMs, function late() {
    if (live.row.driver === 'user') cancelLimit = clock.after(request.timeoutMs, late);
    else void stop('timeout');
  });
  release.push(() => cancelLimit());
  const onAbort = () => void stop('abort');
  if (request.signal.aborted) onAbort();
  request.signal.addEventListener('abort', onAbort, { once: true });
  release.push(() => request.signal.removeEventListener('abort', onAbort));
  if (request.onOutput !== undefined) release.push(followTail(live, clock, request.onOutput));

  const outcome = await promise;
  for (const undo of release) undo();
  return outcome;
}

function followTail(live: LiveTerminal, clock: Clock, tell: (tail: string) => void): () => void {
  let cancel: (() => void) | undefined;
  const off = live.onOutput(() => {
    cancel ??= clock.after(CARD_EVERY_MS, () => {
      cancel = undefined;
      tell(live.capture.tail(CARD_CHARS));
    });
  });
  return () => {
    off();
    cancel?.();
  };
}

/** The result fields that follow from how it ended. */
export function endFields(live: LiveTerminal, outcome: Outcome): Pick<RunResult, 'exitCode' | 'signal' | 'why'> & { detail?: string } {
  if (outcome.kind === 'attention') {
    const detail = outcome.attention === 'secret'
      ? 'The program asks for a secret (echo is off). Only the user can type it, in the terminal view.'
      : outcome.attention === 'full-screen'
        ? 'The program has taken over the whole screen (alternate screen) and waits for keys.'
        : 'The program waits for input.';
    return { exitCode: null, signal: null, why: outcome.attention === 'full-screen' ? 'full-screen' : 'waiting-for-input', detail };
  }
  if (outcome.kind === 'stuck') {
    const list = outcome.survivors.length === 0 ? '' : ` Still alive after SIGKILL: ${outcome.survivors.join(', ')}.`;
    return { exitCode: null, signal: null, why: outcome.why, detail: `The command did not end when it was stopped.${list}` };
  }
  const end = live.result;
  if (end === undefined) throw new Error('a command counted as ended without a result'); // `done` sets the result before it resolves
  const { exitCode, signal, why, detail } = end;
  const words = detail ?? (signal === null ? undefined : live.row.ended ?? undefined);
  return { exitCode, signal, why, ...(words === undefined ? {} : { detail: words }) };
}
