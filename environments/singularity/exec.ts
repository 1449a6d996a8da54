/** Programs inside an instance, by `exec`: on pipes of their own, or on a pseudo-terminal. */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import * as pty from 'node-pty';
import { EnvironmentError } from '../base.ts';
import type { Channel, ChannelEnd, LaunchOptions } from '../shell.ts';

/** node-pty lets go of a terminal 200 ms after its program's exit, read or not: a paused reader looks this often whether that is near. */
const PAUSED_CHECK_MS = 80;

export interface ExecPlace {
  /** Whether the instance still runs. */
  readonly isAlive: () => Promise<boolean>;
  readonly program: string;
  readonly instance: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

function argumentsFor(place: ExecPlace, program: readonly string[], options: LaunchOptions): string[] {
  const variables = Object.entries(options.env).map(([name, value]) => `${name}=${value}`);
  return ['exec', '--pwd', '/', `instance://${place.instance}`, 'env', ...variables, ...program];
}

/** Throws `EnvironmentError`. */
export function execInstance(place: ExecPlace, program: readonly string[], options: LaunchOptions): Promise<Channel> {
  const args = argumentsFor(place, program, options);
  return options.pty === undefined ? onPipes(place, args) : Promise.resolve(onTerminal(place, args, options.pty));
}

const STOPPED = { exitCode: null, signal: null, dropped: 'the container was stopped while the command ran in it', gone: true } as const;
/** 128 + SIGKILL: what a program that ends with its instance reports, and one that was killed alone. */
const KILLED = 137;
/** The programs of an instance end a moment before it counts as gone itself. */
const LOOKS = 10;
const LOOK_MS = 100;

/** What `exec` reports when its instance was stopped looks like an end of the program. */
function closing({ isAlive: isInstanceAlive }: Pick<ExecPlace, 'isAlive'>) {
  let listener: ((end: ChannelEnd) => void) | undefined;
  let result: ChannelEnd | undefined;
  return {
    tell: (end: Pick<ChannelEnd, 'exitCode' | 'signal'>) => {
      if (result !== undefined) return;
      const lookAgain = async () => {
        for (let look = 0; look < LOOKS; look++) {
          if (!await isInstanceAlive()) return STOPPED;
          if (end.exitCode !== KILLED && end.signal !== 'SIGKILL') break;
          await sleep(LOOK_MS, undefined, { ref: false });
        }
        return end;
      };
      result = { ...end, lookAgain };
      listener?.(result);
    },
    listen: (wanted: (end: ChannelEnd) => void) => {
      listener = wanted;
      if (result !== undefined) wanted(result);
    },
  };
}

async function onPipes(place: ExecPlace, args: readonly string[]): Promise<Channel> {
  // Node's own pipes are sockets, which programs cannot open again as /dev/stdout: `cat` makes a real one.
  const child = spawn('bash', ['-o', 'pipefail', '-c', '"$@" 2>&1 | cat', 'bash', place.program, ...args], { env: { ...place.env }, detached: true, stdio: ['pipe', 'pipe', 'ignore'] });
  const end = closing(place);
  const began = Promise.withResolvers<undefined>();
  child.once('spawn', () => began.resolve(undefined));
  child.once('error', (cause) => began.reject(new EnvironmentError('failed', `${place.program} could not be started: ${cause.message}`, { cause })));
  child.once('close', (exitCode, signal) => end.tell({ exitCode, signal }));
  child.stdin.on('error', () => child.stdin.destroy()); // EPIPE: it does not read any more
  await began.promise;
  return {
    onData: (listener) => { child.stdout.on('data', listener); },
    onClose: end.listen,
    write: (data) => { if (child.stdin.writable) child.stdin.write(data); },
    closeInput: () => { child.stdin.end(); },
    resize: () => undefined, // a pipe has no size
    pause: () => { child.stdout.pause(); },
    resume: () => { child.stdout.resume(); },
    destroy: () => {
      child.stdin.destroy();
      child.stdout.destroy();
      child.unref();
    },
  };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false; // ESRCH: it has ended and was waited for
  }
}

function onTerminal(place: ExecPlace, args: readonly string[], size: { readonly cols: number; readonly rows: number }): Channel {
  let terminal: pty.IPty;
  try {
    terminal = pty.spawn(place.program, [...args], { ...size, name: 'xterm-256color', cwd: '/', env: { ...place.env }, encoding: null });
  } catch (cause) {
    throw new EnvironmentError('failed', 'no pseudo-terminal could be opened', { cause, hint: 'Run the command without pty.' });
  }
  const end = closing(place);
  let over = false;
  let paused = false;
  terminal.onExit(({ exitCode, signal }) => {
    over = true;
    const name = Object.entries(constants.signals).find(([, number]) => number === signal)?.[0];
    end.tell(name === undefined ? { exitCode, signal: null } : { exitCode: null, signal: name });
  });
  const guardPause = () => {
    if (!paused || over) return;
    if (isAlive(terminal.pid)) setTimeout(guardPause, PAUSED_CHECK_MS).unref();
    else terminal.resume(); // the rest, at most the kernel's buffer, is held by whoever paused
  };
  return {
    // `encoding: null` delivers buffers, whatever the declared type says.
    onData: (listener) => { terminal.onData((data: string | Buffer) => listener(Buffer.from(data as Buffer))); },
    onClose: end.listen,
    // The declared parameter is text only; on POSIX it goes to a socket, which takes buffers.
    write: (data) => { if (!over) terminal.write((typeof data === 'string' ? data : Buffer.from(data)) as string); },
    closeInput: () => undefined,
    resize: (cols, rows) => { if (!over) terminal.resize(cols, rows); },
    pause: () => {
      paused = true;
      terminal.pause();
      guardPause();
    },
    resume: () => {
      paused = false;
      if (!over) terminal.resume();
    },
    destroy: () => { if (!over) terminal.kill('SIGHUP'); },
  };
}
