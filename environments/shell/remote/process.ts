/** A process behind a channel, as `RunningProcess`. */
import { setTimeout as sleep } from 'node:timers/promises';
import { EnvironmentError, type EndReason, type InputState, type ProcessEnd, type RunningProcess } from '../../base.ts';
import type { Channel, ChannelEnd } from './channel.ts';
import { FrameReader } from './frames.ts';

/** A shell that has not said that it runs after this long never will (hermes-runtime 6.1: 30 s for the first). */
const BEGIN_MS = 30_000;
/** After a kill, the channel's own end is not waited for longer than this. */
const AFTER_KILL_MS = 1_000;
const DEFAULT_GRACE_MS = 1_000;
const END_OF_TRANSMISSION = '\x04';

type EndSignal = 'SIGINT' | 'SIGTERM' | 'SIGKILL';

/** Acts on the process from beside it, over channels of its own. */
export interface ProcessControl {
  endTree(mark: string, pid: number, first: EndSignal, graceMs: number): Promise<readonly number[]>;
  signal(pid: number, name: EndSignal): Promise<void>;
  inputState(pid: number): Promise<InputState>;
}

/** Output kept while nobody listens or the reader pauses. */
class HeldOutput {
  #listener: ((bytes: Uint8Array) => void) | undefined;
  #held: Uint8Array[] = [];
  #whenEmpty: (() => void) | undefined;
  paused = false;

  push(bytes: Uint8Array): void {
    if (this.paused || this.#listener === undefined) this.#held.push(bytes);
    else this.#listener(bytes);
  }

  listen(listener: (bytes: Uint8Array) => void): void {
    this.#listener = listener;
    this.flush();
  }

  flush(): void {
    if (this.paused) return;
    const listener = this.#listener;
    if (listener !== undefined) {
      const held = this.#held;
      this.#held = [];
      for (const bytes of held) listener(bytes);
    }
    this.#whenEmpty?.();
    this.#whenEmpty = undefined;
  }

  /** Calls back once nothing is held up by a pause any more. */
  whenDelivered(done: () => void): void {
    if (this.paused) this.#whenEmpty = done;
    else done();
  }
}

export interface FollowOptions {
  readonly nonce: string;
  readonly mark: string;
  readonly pty: boolean;
  readonly stdin?: string | Uint8Array;
  readonly control: ProcessControl;
}

/** Why a program's channel closed before its shell had begun. */
function notStarted(noise: string, exitCode: number | null): EnvironmentError {
  const said = noise.trim().slice(-500);
  if (/cannot exec in a stopped|is not running/.test(said)) return new EnvironmentError('unreachable', `the container was stopped just now: ${said}`, { hint: 'Run the command again.' });
  if (exitCode === 126 || exitCode === 127 || /bash.*not found|not found.*bash/.test(said)) {
    return new EnvironmentError('missing', `bash could not be started there${said === '' ? '' : `: ${said}`}`, { hint: 'Install bash there, or choose an image that has it.' });
  }
  return new EnvironmentError('failed', `the shell ended before it began${said === '' ? '' : `: ${said}`}`);
}

/** Resolves when the shell runs; `undefined` when its snapshot is gone and has to be made anew. Throws `EnvironmentError`. */
export async function followChannel(channel: Channel, options: FollowOptions): Promise<RunningProcess | undefined> {
  const { nonce, mark, control } = options;
  const output = new HeldOutput();
  const begun = Promise.withResolvers<number>();
  const over = Promise.withResolvers<ProcessEnd>();
  const lost = Promise.withResolvers<readonly number[]>();
  let cause: EndReason | undefined;
  let settled = false;

  const settle = (end: Omit<ProcessEnd, 'why'>, why: EndReason = 'exit') => {
    if (settled) return;
    settled = true;
    output.whenDelivered(() => over.resolve({ ...end, why: cause ?? why }));
  };
  const frames = new FrameReader(nonce, {
    begin: (pid) => begun.resolve(pid),
    data: (bytes) => output.push(bytes),
    end: (exitCode, cwd) => {
      settle({ exitCode, signal: null, ...(cwd === undefined ? {} : { cwd }) });
      // A grandchild may go on writing: its output is read away, so that it neither blocks nor dies of SIGPIPE.
      channel.resume();
    },
  });
  channel.onData((bytes) => { if (!settled) frames.push(bytes); });
  const closed = ({ exitCode, signal, dropped, gone }: ChannelEnd): void => {
    begun.reject(dropped === undefined ? notStarted(frames.noise, exitCode) : new EnvironmentError('unreachable', dropped));
    frames.flush();
    if (dropped === undefined) settle({ exitCode, signal });
    else {
      settle({ exitCode: null, signal: null, ...(gone === true ? { detail: dropped, gone } : { detail: `${dropped}; the command may still be running there` }) }, 'lost');
      lost.resolve([]);
    }
  };
  channel.onClose((end) => {
    if (end.lookAgain === undefined || settled) closed(end);
    else void end.lookAgain().then(closed);
  });
  if (options.stdin !== undefined) channel.write(options.stdin);

  const timer = setTimeout(() => begun.reject(new EnvironmentError('timeout', `the shell there did not begin within ${BEGIN_MS / 1_000} s`)), BEGIN_MS);
  let pid: number;
  try {
    pid = await begun.promise;
  } catch (error) {
    channel.destroy();
    throw error;
  } finally {
    clearTimeout(timer);
  }
  if (pid === 0) {
    channel.destroy();
    return undefined;
  }
  return {
    pid, mode: options.pty ? 'pty' : 'pipe', ended: over.promise, mark,
    onOutput: (listener) => output.listen(listener),
    write: (data) => { if (!settled) channel.write(data); },
    closeStdin: () => {
      if (settled) return;
      if (options.pty) channel.write(END_OF_TRANSMISSION);
      else channel.closeInput();
    },
    resize: (cols, rows) => { if (!settled && options.pty) channel.resize(cols, rows); },
    pause: () => {
      if (output.paused || settled) return;
      output.paused = true;
      channel.pause();
    },
    resume: () => {
      if (!output.paused) return;
      output.paused = false;
      output.flush();
      channel.resume();
    },
    async end({ why, signal, graceMs }) {
      if (settled) return [];
      cause ??= why;
      let survivors: readonly number[];
      try {
        const ending = control.endTree(mark, pid, signal ?? 'SIGTERM', graceMs ?? DEFAULT_GRACE_MS);
        // What is out of reach cannot be ended, and is not waited for.
        void lost.promise.then(() => ending.catch(() => undefined));
        survivors = await Promise.race([ending, lost.promise]);
      } catch (error) {
        settle({ exitCode: null, signal: null, detail: `it could not be ended (${error instanceof Error ? error.message : String(error)}) and may still be running there` });
        channel.destroy();
        return [pid];
      }
      await Promise.race([over.promise, sleep(AFTER_KILL_MS, undefined, { ref: false })]);
      settle({ exitCode: null, signal: 'SIGKILL' });
      return survivors;
    },
    signal: (name) => { if (!settled) control.signal(pid, name).catch(() => undefined); }, // a connection that is lost is told by the end of the process
    ...(options.pty ? { inputState: () => (settled ? Promise.resolve('busy' as const) : control.inputState(pid).catch(() => 'busy' as const)) } : {}),
  };
}
