/** The local backend: the user's own machine and account. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { accessSync, constants, existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { hostname, tmpdir, userInfo } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { EnvironmentError, type Environment, type EnvironmentDescription, type RunningProcess, type StartSpec } from './base.ts';
import { execOn, filterEnvironment, MAX_COMMAND_ARGUMENT_BYTES, scriptFiles, WITHOUT_TERMINALS, wrapCommand, type RunScript } from './shell.ts';
import type { ReportFiles } from './local/ending.ts';
import { FifoPool } from './local/fifos.ts';
import { localFiles } from './local/files.ts';
import { resolveLogin, type Login } from './local/login.ts';
import { startPipe } from './local/pipe-process.ts';
import { scopeOf } from './local/orphans.ts';
import { MARK_VARIABLE, readProcess } from './local/proc.ts';
import { startPty } from './local/pty-process.ts';
import { checkWorkspace, sandboxArguments, sandboxWords, type Sandbox } from './local/sandbox.ts';
import { endTree } from './local/tree.ts';

export interface LocalOptions {
  /** The host's own environment, unfiltered. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Names let through the filter (`terminal.env_passthrough`). */
  readonly passthrough?: readonly string[];
  /** Home folder the host serves: strays are only swept by a host of the same home. */
  readonly home?: string;
  readonly initFiles?: readonly string[];
  readonly sourceBashrc?: boolean;
  /** Told how the login environment was obtained, once. */
  readonly onLogin?: (from: Login['from'], milliseconds: number) => void;
}

/** Between the polite signal and SIGKILL when an environment is closed. */
const CLOSE_GRACE_MS = 1_000;
const FOLDER_PREFIX = 'talaria-shell-';
const STALE_AFTER_MS = 24 * 3_600_000;
const PTY_TERM = 'xterm-256color';
const SANDBOX_CHECK_MS = 5_000;

/** Folders of hosts that were killed: their process is gone, and nothing in them has changed for a day. */
async function removeStaleFolders(tmpdir_: string): Promise<void> {
  const names = await readdir(tmpdir_).catch(() => []); // an unreadable temporary folder is told by the mkdtemp that follows
  for (const name of names) {
    const pid = Number(/^talaria-shell-(\d+)-/.exec(name)?.[1] ?? Number.NaN);
    if (!Number.isInteger(pid) || readProcess(pid) !== undefined) continue;
    const path = join(tmpdir_, name);
    const found = await stat(path).catch(() => undefined); // another host removed it meanwhile
    if (found !== undefined && Date.now() - found.mtimeMs > STALE_AFTER_MS) await rm(path, { recursive: true, force: true });
  }
}

function findProgram(name: string, path: string): string | undefined {
  return path.split(delimiter).map((directory) => join(directory, name)).find((candidate) => {
    try {
      accessSync(candidate, constants.X_OK);
      return true;
    } catch {
      return false; // not here: the next directory
    }
  });
}

/**
 * What all local environments of one host share: the login environment (resolved once), pipes, and the mark that every process
 * started here carries, by which strays are found.
 */
export class LocalMachine {
  readonly #options: LocalOptions;
  readonly #env: Readonly<Record<string, string>>;
  /** Begins every mark of this host: its pid and start time, whose home it serves, and a nonce. */
  readonly markPrefix: string;
  #prepared: Promise<{ directory: string; fifos: FifoPool; bash: string; login: Login }> | undefined;

  constructor(options: LocalOptions) {
    this.#options = options;
    this.#env = filterEnvironment(options.env, options.passthrough);
    this.markPrefix = `${process.pid}-${readProcess(process.pid)?.started ?? '0'}-${scopeOf(options.home ?? '')}-${randomBytes(6).toString('hex')}.`;
  }

  get homeDirectory(): string {
    return this.#env['HOME'] ?? userInfo().homedir;
  }

  get tmpdir(): string {
    return this.#env['TMPDIR'] ?? this.#env['TMP'] ?? this.#env['TEMP'] ?? tmpdir();
  }

  get userShell(): string {
    const shell = this.#env['SHELL'] ?? userInfo().shell ?? '';
    return existsSync(shell) ? shell : '/bin/bash';
  }

  /** Concurrent callers share one preparation; a failed one is tried again by the next. */
  prepare(): Promise<{ directory: string; fifos: FifoPool; bash: string; login: Login }> {
    this.#prepared ??= this.#prepare().catch((error: unknown) => {
      this.#prepared = undefined;
      throw error;
    });
    return this.#prepared;
  }

  async #prepare() {
    if (process.platform === 'win32') {
      throw new EnvironmentError('missing', 'the local terminal needs a POSIX system', { hint: 'Run Talaria inside WSL, or choose the docker or ssh backend in the settings.' });
    }
    const bash = findProgram('bash', this.#env['PATH'] ?? '') ?? findProgram('bash', '/bin:/usr/bin:/usr/local/bin');
    if (bash === undefined) {
      throw new EnvironmentError('missing', 'bash was not found on PATH', { hint: 'Install bash, or choose another terminal backend in the settings.' });
    }
    await removeStaleFolders(this.tmpdir);
    const directory = await mkdtemp(join(this.tmpdir, `${FOLDER_PREFIX}${process.pid}-`));
    const fifos = new FifoPool(directory);
    const began = performance.now();
    const [login] = await Promise.all([
      resolveLogin({
        shell: this.userShell, bash, env: this.#env, cwd: existsSync(this.homeDirectory) ? this.homeDirectory : '/', directory,
        mark: this.newMark(), initFiles: this.#options.initFiles ?? [], sourceBashrc: this.#options.sourceBashrc ?? false,
      }),
      fifos.prepare(),
    ]);
    this.#options.onLogin?.(login.from, performance.now() - began);
    return { directory, fifos, bash, login };
  }

  newMark(): string {
    return `${this.markPrefix}${randomBytes(8).toString('hex')}`;
  }

  /** Ends everything this machine object ever started and that still lives. Resolves with survivors. */
  async close(): Promise<readonly number[]> {
    const survivors = await endTree({ pid: null, started: undefined, mark: this.markPrefix }, { first: 'SIGTERM', graceMs: CLOSE_GRACE_MS });
    const prepared = await this.#prepared?.catch(() => undefined); // its user was told; nothing to clean then
    this.#prepared = undefined;
    await prepared?.fifos.close();
    return survivors;
  }
}

/** One task's environment on this machine: its own snapshot and so its own variables, functions and directory. */
export function createLocalEnvironment(machine: LocalMachine, options: { readonly cwd: string; readonly sandbox?: Sandbox }): Environment {
  const id = randomBytes(6).toString('hex');
  const running = new Set<RunningProcess>();
  let opening: Promise<{ snapshot: string; box: string }> | undefined;
  let closed = false;
  let serial = 0;

  async function open() {
    const { directory, login } = await machine.prepare();
    const box = options.sandbox === undefined ? directory : join(directory, `box-${id}`);
    if (options.sandbox !== undefined) await prepareBox(options.sandbox, box);
    const snapshot = join(box, `hermes-snap-${id}.sh`);
    if (login.snapshot !== undefined) await copyFile(login.snapshot, snapshot);
    else await writeFile(snapshot, '', { mode: 0o600 });
    return { snapshot, box };
  }

  /** A wall that cannot be made is an error: nothing runs without it. */
  async function prepareBox(sandbox: Sandbox, box: string): Promise<void> {
    checkWorkspace(sandbox.policy);
    await mkdir(join(box, 'tmp'), { recursive: true, mode: 0o700 });
    const walls = sandboxArguments(sandbox.policy, { directory: dirname(box), box, tmpdir: machine.tmpdir });
    try {
      await promisify(execFile)(sandbox.bubblewrap, [...walls, 'true'], { timeout: SANDBOX_CHECK_MS, cwd: '/' });
    } catch (cause) {
      throw new EnvironmentError('missing', `the sandbox cannot be made: ${cause instanceof Error ? cause.message.trim() : String(cause)}`, { cause, hint: 'Allow user namespaces for bubblewrap on this machine, or switch the sandbox of this chat off.' });
    }
  }

  /** The program and its arguments, behind the wall where there is one. */
  function walled(box: string, directory: string, program: string, args: readonly string[]): { readonly program: string; readonly args: readonly string[] } {
    const { sandbox } = options;
    if (sandbox === undefined) return { program, args };
    return { program: sandbox.bubblewrap, args: [...sandboxArguments(sandbox.policy, { directory, box, tmpdir: machine.tmpdir }), program, ...args] };
  }

  function opened() {
    if (closed) throw new EnvironmentError('closed', 'this terminal environment was closed');
    opening ??= open().catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    return opening;
  }

  async function start(spec: StartSpec): Promise<RunningProcess> {
    let { snapshot, box } = await opened();
    const { directory, fifos, bash, login } = await machine.prepare();
    // A cleaner of /tmp may have taken the snapshot: without it the command would run in an empty environment.
    if (!existsSync(snapshot)) {
      opening = undefined;
      ({ snapshot, box } = await opened());
    }
    const mark = machine.newMark();
    const shared = { ...(spec.shell === 'interactive' || login.snapshot === undefined ? login.env : minimalEnvironment(login.env)), [MARK_VARIABLE]: mark };
    const cleanUp: string[] = [];
    let program = bash;
    let args: readonly string[];
    let report: ReportFiles | undefined;
    if (spec.shell === 'interactive') {
      // Through bash, so that the line discipline knows UTF-8 before the user's shell starts.
      program = bash;
      args = ['--noprofile', '--norc', '-c', `${WITHOUT_TERMINALS}; stty iutf8 2>/dev/null; builtin cd -- "$1" 2>/dev/null; exec "$2" -i`, 'bash', spec.cwd, machine.userShell];
    } else {
      const name = `${id}-${serial++}`;
      report = spec.shell === 'command' ? { cwd: join(box, `${name}.cwd`), snapshot, nextSnapshot: join(box, `${name}.sh`) } : undefined;
      let commandFile: string | undefined;
      if (Buffer.byteLength(spec.command) > MAX_COMMAND_ARGUMENT_BYTES) {
        // Not in the box: a command there could have put a link in its place.
        commandFile = join(directory, `${name}.command`);
        await writeFile(commandFile, spec.command, { mode: 0o600 });
        cleanUp.push(commandFile);
      }
      args = wrapCommand({
        snapshot, cwd: spec.cwd, command: spec.command, pty: spec.pty !== undefined, report: 'file',
        env: spec.env ?? {}, ...(commandFile === undefined ? {} : { commandFile }), ...(report === undefined ? {} : { reportTo: report.cwd, nextSnapshot: report.nextSnapshot }),
      });
    }
    ({ program, args } = walled(box, directory, program, args));
    const process_ = spec.pty === undefined
      ? await startPipe(fifos, {
        program, args, mark, report, cleanUp, env: { ...shared, TERM: 'dumb', ...(spec.shell === 'interactive' ? spec.env : {}) },
        stdin: spec.stdin, keepStdin: spec.keepStdin ?? false,
      })
      : startPty({
        program, args, mark, report, cleanUp, env: { ...shared, TERM: PTY_TERM, COLORTERM: 'truecolor', ...(spec.shell === 'interactive' ? spec.env : {}) },
        cols: spec.pty.cols, rows: spec.pty.rows, stdin: spec.stdin,
      });
    running.add(process_);
    void process_.ended.then(() => running.delete(process_));
    return process_;
  }

  /** File operations of a walled environment stand behind the same wall. */
  async function runScript(script: string, given: readonly string[], stdin?: Uint8Array): ReturnType<RunScript> {
    const { box } = await opened();
    const { directory, fifos, bash, login } = await machine.prepare();
    const mark = machine.newMark();
    const { program, args } = walled(box, directory, bash, ['--noprofile', '--norc', '-c', script, 'bash', ...given]);
    const helper = await startPipe(fifos, { program, args, mark, report: undefined, cleanUp: [], stdin, keepStdin: false, env: { ...minimalEnvironment(login.env), [MARK_VARIABLE]: mark } });
    const parts: Uint8Array[] = [];
    helper.onOutput((bytes) => parts.push(bytes));
    const { exitCode } = await helper.ended;
    return { exitCode, output: Buffer.concat(parts) };
  }

  return {
    backend: 'local',
    ...(options.sandbox === undefined ? localFiles : scriptFiles(runScript)),
    describe: (): EnvironmentDescription => ({
      backend: 'local', host: hostname(), user: userInfo().username, homeDirectory: machine.homeDirectory, defaultCwd: options.cwd,
      isolated: false, mounts: [], tmpdir: machine.tmpdir, ...(options.sandbox === undefined ? {} : { sandbox: sandboxWords(options.sandbox.policy) }),
    }),
    open: async () => { await opened(); },
    start,
    exec: (spec) => execOn(start, spec, options.cwd),
    close: async (how) => {
      if (closed) return;
      closed = true;
      if (how?.keep === true) return;
      await Promise.all([...running].map((process_) => process_.end({ why: 'abort', signal: 'SIGTERM', graceMs: CLOSE_GRACE_MS })));
    },
  };
}

/** With a snapshot to source, bash itself needs only this; anything more would resurrect what a command has unset. */
function minimalEnvironment(env: Readonly<Record<string, string>>): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name of ['PATH', 'HOME', 'LANG', 'LC_ALL']) {
    const value = env[name];
    if (value !== undefined) kept[name] = value;
  }
  return kept;
}

export { readAdoptedOutput } from './local/adopted-output.ts';
export { findOrphans, isLookedAfter } from './local/orphans.ts';
export { sandboxWords, type Sandbox, type SandboxPolicy } from './local/sandbox.ts';
export { endTree, membersOf } from './local/tree.ts';
export { listProcesses, readProcess, startIdentity, type ProcessRow } from './local/proc.ts';
export { describeProcesses, type ProcessUsage } from './local/usage.ts';
