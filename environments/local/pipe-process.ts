/** A local process on pipes: own session and group, stdout and stderr in one pipe, done when the shell is, not when the pipe closes. */
import { spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import { Socket } from 'node:net';
import { EnvironmentError, type ProcessEnd, type RunningProcess } from '../base.ts';
import { Ending, type ReportFiles, signalGroup } from './ending.ts';
import type { FifoPool } from './fifos.ts';
import { OutputRelay } from './output.ts';

/** Silence after the shell's own exit that ends the reading while a grandchild holds the pipe (hermes-runtime 6.1: ~300 ms). */
const DRAIN_QUIET_MS = 300;
/** What the shell itself can have left in the pipe; more than this after its exit comes from a grandchild that floods (pipe-max-size). */
const DRAIN_MAX_BYTES = 1_048_576;

export interface PipeStart {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly mark: string;
  readonly stdin: string | Uint8Array | undefined;
  readonly keepStdin: boolean;
  readonly report: ReportFiles | undefined;
  readonly cleanUp: readonly string[];
}

/** Throws `EnvironmentError` when the program cannot be started. */
export async function startPipe(fifos: FifoPool, options: PipeStart): Promise<RunningProcess> {
  const output = await fifos.fromChild(options.keepStdin);
  const input = options.keepStdin ? await fifos.toChild() : undefined;
  // A program that opens /dev/stdin again would wait for ever on a FIFO whose writer is done: finished input comes as a file.
  const given = input === undefined && options.stdin !== undefined ? fifos.fileWith(options.stdin) : undefined;
  const child = spawn(options.program, options.args, {
    cwd: '/', env: options.env, detached: true, stdio: [input?.theirs ?? given ?? 'ignore', output.theirs, output.theirs],
  });
  closeSync(output.theirs);
  if (input !== undefined) closeSync(input.theirs);
  if (given !== undefined) closeSync(given);
  const pid = child.pid;
  if (pid === undefined) {
    closeSync(output.ours);
    if (input !== undefined) closeSync(input.ours);
    const cause = await new Promise<Error>((resolve) => { child.once('error', resolve); });
    throw new EnvironmentError('failed', `${options.program} could not be started: ${cause.message}`, { cause });
  }
  return follow(child, pid, output.ours, input?.ours, options);
}

function follow(child: ReturnType<typeof spawn>, pid: number, outputFd: number, inputFd: number | undefined, options: PipeStart): RunningProcess {
  const ending = new Ending({ pid, mark: options.mark, report: options.report, cleanUp: options.cleanUp });
  const relay = new OutputRelay();
  const reader = new Socket({ fd: outputFd, readable: true, writable: false });
  const writer = inputFd === undefined ? undefined : new Socket({ fd: inputFd, readable: false, writable: true });
  // EPIPE: the program closed its stdin or is gone. What it did not read is nobody's loss.
  writer?.on('error', () => writer.destroy());
  if (writer !== undefined && options.stdin !== undefined) writer.write(options.stdin);

  const { promise: ended, resolve } = Promise.withResolvers<ProcessEnd>();
  let exit: { code: number | null; signal: string | null } | undefined;
  let afterExit = 0;
  let quiet: NodeJS.Timeout | undefined;
  let settled = false;
  const settle = () => {
    if (settled || exit === undefined) return;
    settled = true;
    clearTimeout(quiet);
    writer?.destroy();
    // A grandchild may go on writing: its output is read away so that it neither blocks nor dies of SIGPIPE, and holds nobody up.
    if (!reader.destroyed) reader.removeAllListeners('data').on('data', () => undefined).resume().unref();
    resolve(ending.result(exit.code, exit.signal));
  };
  const waitForQuiet = () => {
    clearTimeout(quiet);
    if (exit !== undefined && !settled) quiet = setTimeout(() => { if (reader.isPaused()) waitForQuiet(); else settle(); }, DRAIN_QUIET_MS);
  };
  reader.on('data', (chunk: Buffer) => {
    relay.push(chunk);
    if (exit === undefined) return;
    afterExit += chunk.length;
    if (afterExit > DRAIN_MAX_BYTES) settle();
    else waitForQuiet();
  });
  reader.on('error', () => reader.destroy()).on('close', settle);
  child.once('exit', (code, signal) => {
    exit = { code, signal };
    if (reader.destroyed) settle();
    else waitForQuiet();
  });

  return {
    pid, mode: 'pipe', ended, mark: options.mark,
    onOutput: (listener) => relay.listen(listener),
    write: (data) => { if (writer?.writable === true) writer.write(data); },
    closeStdin: () => writer?.end(),
    resize: () => undefined, // a pipe has no size
    pause: () => { if (!settled) reader.pause(); },
    resume: () => { reader.resume(); },
    end: (how) => ending.end(how),
    signal: (name) => signalGroup(pid, name),
  };
}
