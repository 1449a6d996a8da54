/** Facts about the checkout that every launcher script needs. Plain JavaScript without dependencies: it runs before anything is installed. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');
const windows = process.platform === 'win32';

/** The Node the app runs on: it comes with the dependencies, whatever Node started this script. */
export const ownNode = join(root, 'node_modules', 'node', 'bin', windows ? 'node.exe' : 'node');
const NEEDED_MAJOR = 24;

const major = (version) => Number(version.split('.')[0]);

/** Absolute path of a Node that can run the app, or undefined when none is installed yet. */
export function runtimeNode() {
  if (existsSync(ownNode)) return ownNode;
  return major(process.versions.node) >= NEEDED_MAJOR ? process.execPath : undefined;
}

export const isRightNode = () => major(process.versions.node) >= NEEDED_MAJOR;

/** Stops with words when even these scripts cannot run here. */
export function checkNode() {
  if (major(process.versions.node) >= 20) return;
  fail(`Node ${process.versions.node} is too old: Talaria needs Node 20 or newer to start (its own Node ${NEEDED_MAJOR} is installed with it).`,
    'Get a current Node from https://nodejs.org or your package manager, then run this again.');
}

/** Ends the process with one sentence about the cause and one about the next step. */
export function fail(cause, nextStep, exitCode = 1) {
  process.stderr.write(`talaria: ${cause}\n${nextStep ? `         ${nextStep}\n` : ''}`);
  process.exit(exitCode);
}

/** Says what is happening now, one line each. */
export const say = (text) => { process.stdout.write(`${text}\n`); };

/**
 * Runs a program to its end with its output kept. `onLine` is told every line as it comes.
 * Resolves with `{ code, output }`; `code` is null when it died by a signal, -1 when it could not be started.
 */
export function run(program, args, { cwd = root, env = process.env, onLine, timeoutMs } = {}) {
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], shell: windows && !program.includes('\\') });
    let output = '';
    const timer = timeoutMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), timeoutMs);
    for (const stream of [child.stdout, child.stderr]) {
      let rest = '';
      stream.setEncoding('utf8');
      stream.on('data', (text) => {
        output += text;
        const lines = (rest + text).split('\n');
        rest = lines.pop() ?? '';
        if (onLine) for (const line of lines) onLine(line);
      });
    }
    child.on('error', (error) => { clearTimeout(timer); resolve({ code: -1, output: output + String(error) }); });
    child.on('close', (code) => { clearTimeout(timer); resolve({ code, output }); });
  });
}

/**
 * Becomes another program as far as that is possible: same terminal, signals handed on, its exit code is ours (128 + number for a
 * death by signal).
 */
export function become(program, args, env = process.env) {
  const child = spawn(program, args, { stdio: 'inherit', env });
  /** Ctrl-C reaches the child from the terminal itself; it decides how to end and we wait for it. */
  const ignore = () => undefined;
  process.on('SIGINT', ignore);
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => fail(`${program} could not be started: ${error.message}`, 'Run `npm ci` and try again.'));
  return new Promise((resolve) => {
    child.on('close', (code, signal) => resolve(code ?? 128 + (SIGNAL_NUMBERS[signal] ?? 15)));
  });
}

const SIGNAL_NUMBERS = { SIGHUP: 1, SIGINT: 2, SIGQUIT: 3, SIGABRT: 6, SIGKILL: 9, SIGSEGV: 11, SIGTERM: 15 };
