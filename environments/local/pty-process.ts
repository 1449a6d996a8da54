/** A local process on a pseudo-terminal. Bytes stay bytes (`encoding: null`). */
import { setTimeout as sleep } from 'node:timers/promises';
import * as pty from 'node-pty';
import { EnvironmentError, type ProcessEnd, type RunningProcess } from '../base.ts';
import { Ending, type ReportFiles, signalGroup, signalName } from './ending.ts';
import { inputStateReader } from './input-state.ts';
import { OutputRelay } from './output.ts';
import { readProcess } from './proc.ts';

export interface PtyStart {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cols: number;
  readonly rows: number;
  readonly mark: string;
  readonly stdin: string | Uint8Array | undefined;
  readonly report: ReportFiles | undefined;
  readonly cleanUp: readonly string[];
}

/** node-pty destroys its socket 200 ms after the exit, read or not: a paused reader looks this often whether that is about to happen. */
const PAUSED_CHECK_MS = 80;
const END_OF_TRANSMISSION = '\x04';

/** What the POSIX implementation has besides its published type: the path of the terminal device. */
type Terminal = pty.IPty & { readonly ptsName?: string };

/** Throws `EnvironmentError` when no pseudo-terminal can be had. */
export function startPty(options: PtyStart): RunningProcess {
  let terminal: Terminal;
  try {
    terminal = pty.spawn(options.program, [...options.args], {
      name: options.env['TERM'] ?? 'xterm-256color', cols: options.cols, rows: options.rows, cwd: '/', env: { ...options.env }, encoding: null,
    });
  } catch (cause) {
    throw new EnvironmentError('failed', 'no pseudo-terminal could be opened', { cause, hint: 'Run the command without pty, or raise the limit in /proc/sys/kernel/pty/max.' });
  }
  const pid = terminal.pid;
  const ending = new Ending({ pid, mark: options.mark, report: options.report, cleanUp: options.cleanUp });
  const relay = new OutputRelay();
  const { promise: ended, resolve } = Promise.withResolvers<ProcessEnd>();
  let over = false;
  let paused = false;
  let held: Buffer[] = [];

  let flushing: NodeJS.Immediate | undefined;
  const deliverHeld = () => {
    clearImmediate(flushing);
    flushing = undefined;
    const [first, ...rest] = held;
    held = [];
    if (first !== undefined) relay.push(rest.length === 0 ? first : Buffer.concat([first, ...rest]));
  };
  // `encoding: null` delivers buffers, whatever the declared type says. A terminal gives at most 4 KiB per read: what one turn of the
  // event loop brings is handed on together.
  terminal.onData((data: string | Buffer) => {
    held.push(typeof data === 'string' ? Buffer.from(data) : data);
    if (!paused) flushing ??= setImmediate(deliverHeld);
  });
  let ready: (() => void) | undefined;
  terminal.onExit(({ exitCode, signal }) => {
    over = true;
    const name = signal === undefined ? undefined : signalName(signal);
    const finish = () => {
      deliverHeld();
      resolve(ending.result(name === undefined ? exitCode : null, name ?? null));
    };
    if (paused) ready = finish;
    else finish();
  });

  /** While paused, nothing is read; once the program is gone, the rest (at most the kernel's buffer) is taken in and held. */
  const guardPause = async () => {
    while (paused && !over) {
      await sleep(PAUSED_CHECK_MS);
      const row = readProcess(pid);
      if (row === undefined || row.zombie) {
        terminal.resume();
        return;
      }
    }
  };
  const send = (data: string | Uint8Array) => {
    // The declared parameter is text only; on POSIX it goes to a socket, which takes buffers, and 8-bit input needs them.
    if (!over) terminal.write((typeof data === 'string' ? data : Buffer.from(data)) as string);
  };
  if (options.stdin !== undefined) send(options.stdin);

  const foregroundGroup = () => {
    const group = readProcess(pid)?.tpgid ?? -1;
    return group > 0 ? group : pid;
  };
  const inputState = terminal.ptsName === undefined ? undefined : inputStateReader(pid, terminal.ptsName);
  return {
    pid, mode: 'pty', ended, mark: options.mark,
    onOutput: (listener) => relay.listen(listener),
    write: send,
    closeStdin: () => send(END_OF_TRANSMISSION),
    resize: (cols, rows) => { if (!over) terminal.resize(cols, rows); },
    pause: () => {
      if (over || paused) return;
      paused = true;
      clearImmediate(flushing);
      flushing = undefined;
      terminal.pause();
      void guardPause();
    },
    resume: () => {
      if (!paused) return;
      paused = false;
      deliverHeld();
      if (over) ready?.();
      else terminal.resume();
    },
    end: (how) => ending.end(how),
    signal: (name) => signalGroup(foregroundGroup(), name),
    inputState: () => (over || inputState === undefined ? Promise.resolve('busy') : inputState()),
  };
}
