/** A kept program whose connection was lost is looked for until it is found again, and followed from the byte that was missing. */
import { setTimeout as sleep } from 'node:timers/promises';
import { EnvironmentError, type ProcessEnd, type RunningProcess } from '../../base.ts';

/** A network that changes is back in seconds, a lid that was closed in hours: after this the program counts as lost. */
const GIVE_UP_MS = 600_000;
const PAUSES_MS = [250, 500, 1_000, 2_000, 4_000, 8_000] as const;
const LONGEST_PAUSE_MS = 15_000;
/** Typed while it is out of reach, and passed on later. */
const MAX_HELD_INPUT_BYTES = 64 * 1024;

export interface FollowAgainParts {
  /** From the byte `from` of its output on. Undefined when nothing of it is there any more. Throws `EnvironmentError`. */
  follow(from: number): Promise<RunningProcess | undefined>;
  /** Ends it without following it. Throws `EnvironmentError`. */
  endTree(options: Parameters<RunningProcess['end']>[0]): Promise<readonly number[]>;
  /** Aborted when whoever follows is closed: nobody looks for it then. */
  readonly closing: AbortSignal;
  readonly giveUpMs?: number;
}

/** `first` as one process over all its connections. */
export function followAgain(first: RunningProcess, parts: FollowAgainParts): RunningProcess {
  const { closing, giveUpMs = GIVE_UP_MS } = parts;
  const stopped = new AbortController();
  const over = Promise.withResolvers<ProcessEnd>();
  let current = first;
  let away: string | undefined;
  let listener: ((bytes: Uint8Array) => void) | undefined;
  let received = 0;
  let paused = false;
  let held: (string | Uint8Array)[] = [];
  let heldBytes = 0;
  let closesInput = false;

  const take = (one: RunningProcess): void => {
    current = one;
    if (paused) one.pause();
    if (listener !== undefined) listen(one, listener);
  };
  const listen = (one: RunningProcess, to: (bytes: Uint8Array) => void): void => {
    one.onOutput((bytes) => {
      received += bytes.length;
      to(bytes);
    });
  };

  /** Undefined once there is no hope; `why` says it then. */
  async function find(): Promise<{ readonly found?: RunningProcess; readonly why?: string }> {
    const signal = AbortSignal.any([closing, stopped.signal]);
    const deadline = performance.now() + giveUpMs;
    for (let attempt = 0; performance.now() < deadline; attempt++) {
      try {
        await sleep(PAUSES_MS[attempt] ?? LONGEST_PAUSE_MS, undefined, { signal, ref: false });
        const found = await parts.follow(received);
        return found === undefined ? { why: 'it is not there any more' } : { found };
      } catch (error) {
        if (signal.aborted) return {};
        // Whoever refuses now will do so again, and a person would be asked each time.
        if (!(error instanceof EnvironmentError) || !['unreachable', 'timeout', 'failed'].includes(error.code)) return { why: error instanceof Error ? error.message : String(error) };
      }
    }
    return {};
  }

  async function run(): Promise<void> {
    for (;;) {
      const end = await current.ended;
      if (end.why !== 'lost' || end.gone === true || closing.aborted || stopped.signal.aborted) {
        over.resolve(end);
        return;
      }
      away = end.detail ?? 'the connection was lost';
      const { found, why } = await find();
      if (found === undefined) {
        // Ended meanwhile, `end` has told how.
        over.resolve(why === undefined ? end : { ...end, detail: `${away}; ${why}` });
        return;
      }
      away = undefined;
      take(found);
      for (const data of held) found.write(data);
      held = [];
      heldBytes = 0;
      if (closesInput) found.closeStdin();
    }
  }
  void run();

  return {
    ...first,
    ended: over.promise,
    away: () => away,
    onOutput: (to) => {
      listener = to;
      listen(current, to);
    },
    write: (data) => {
      if (away === undefined) {
        current.write(data);
        return;
      }
      heldBytes += Buffer.byteLength(data);
      if (heldBytes <= MAX_HELD_INPUT_BYTES) held.push(data);
    },
    closeStdin: () => {
      closesInput = true;
      if (away === undefined) current.closeStdin();
    },
    pause: () => {
      paused = true;
      current.pause();
    },
    resume: () => {
      paused = false;
      current.resume();
    },
    signal: (name) => { current.signal(name); },
    end: async (options) => {
      if (away === undefined) return current.end(options);
      stopped.abort();
      try {
        const survivors = await parts.endTree(options);
        over.resolve({ exitCode: null, signal: 'SIGKILL', why: options.why });
        return survivors;
      } catch (error) {
        over.resolve({ exitCode: null, signal: null, why: options.why, detail: `it could not be ended (${error instanceof Error ? error.message : String(error)}) and may still be running there` });
        return first.pid === null ? [] : [first.pid];
      }
    },
  };
}
