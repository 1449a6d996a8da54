/**
 * The shell of a backend that is reached over channels: one bash per command inside it, state carried by a snapshot that lives there, the
 * whole tree ended by a script that runs beside it. A backend brings a `Transport`; everything else is here, once.
 */
import { randomBytes } from 'node:crypto';
import { EnvironmentError, type InputState, type RunningProcess, type StartSpec } from '../base.ts';
import type { Transport } from './remote/channel.ts';
import { scriptFiles, type FileOperations } from './remote/files.ts';
import { followChannel, type ProcessControl } from './remote/process.ts';
import { followAgain } from './remote/follow-again.ts';
import { KEEP_FOLLOW, KEEP_START, parseHandle, type Handle } from './remote/keep.ts';
import { abandoned, LEFT_BEHIND, newMark, type RemoteOwner } from './remote/owner.ts';
import { BOOTSTRAP, END_TREE, INPUT_STATE, OUTER, SIGNAL } from './remote/scripts.ts';
import { loginScript, MAX_COMMAND_ARGUMENT_BYTES, wrapCommand } from './wrapper.ts';

const PTY_TERM = 'xterm-256color';
const CLOSE_GRACE_MS = 1_000;
/** A root that no process has: only the mark counts. */
const NO_PROCESS = -1;
const NONCE_BYTES = 12;
const SNAPSHOT_GONE = 98;
/** One round of waiting in `END_TREE`, looking up the processes included. */
const ROUND_MS = 70;
/** Wrapper and options beside the command, in the length of one command line. */
const WRAPPER_BYTES = 8 * 1024;

/** What the backend says about itself when it is opened. */
export interface RemoteFacts {
  readonly directory: string;
  readonly home: string;
  readonly user: string;
  readonly shell: string;
  readonly host: string;
  readonly tmpdir: string;
  readonly cwd: string;
}

export interface RemoteShellOptions {
  readonly transport: Transport;
  /** For every program: forwarded variables. */
  readonly env?: Readonly<Record<string, string>>;
  /** Absent where what runs inside ends with the backend itself. */
  readonly owner?: RemoteOwner;
}

export class RemoteShell implements ProcessControl {
  readonly #options: RemoteShellOptions;
  readonly #running = new Set<RunningProcess>();
  /** Out of reach since the connection was lost; ended on close, when it is back. */
  readonly #lost = new Map<string, number>();
  #swept = false;
  readonly files: FileOperations;
  #opening: Promise<RemoteFacts> | undefined;
  #serial = 0;
  #closed = false;
  readonly #closing = new AbortController();

  constructor(options: RemoteShellOptions) {
    this.#options = options;
    this.files = scriptFiles((script, args, stdin) => this.script(script, args, stdin));
  }

  /** Concurrent callers share one opening; a failed one is tried again by the next. Throws `EnvironmentError`. */
  open(): Promise<RemoteFacts> {
    if (this.#closed) return Promise.reject(new EnvironmentError('closed', 'this terminal environment was closed'));
    this.#opening ??= this.#open().catch((error: unknown) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }

  /** What lives there is gone (another container, a cleaned /tmp): the next call prepares anew. */
  forget(): void {
    this.#opening = undefined;
  }

  async #open(): Promise<RemoteFacts> {
    const { owner } = this.#options;
    const { exitCode, output } = await this.script(BOOTSTRAP, [loginScript(), owner === undefined ? '' : `remote.${owner.home}.${owner.self}`]);
    const [directory, home, user, shell, host, tmpdir, cwd] = output.toString().split('\0');
    if (exitCode !== 0 || directory === undefined || home === undefined || user === undefined || shell === undefined || host === undefined || tmpdir === undefined || cwd === undefined) {
      throw new EnvironmentError('failed', `the shell there could not be prepared: ${output.toString().trim().slice(-500) || `code ${String(exitCode)}`}`, {
        hint: 'It needs bash, coreutils and a temporary directory that can be written to.',
      });
    }
    if (!this.#swept && owner !== undefined) {
      this.#swept = true;
      await this.#sweep(owner);
    }
    return { directory, home, user, shell, host, tmpdir, cwd };
  }

  /** Ends what hosts of this home that are gone left running, and takes their directories away. */
  async #sweep(owner: RemoteOwner): Promise<void> {
    const { output } = await this.script(LEFT_BEHIND, [owner.home]);
    const { marks, directories } = abandoned(output.toString(), owner);
    await Promise.all(marks.map((mark) => this.endTree(mark, NO_PROCESS, 'SIGTERM', CLOSE_GRACE_MS)));
    if (directories.length > 0) await this.script('exec rm -rf -- "$@"', directories);
  }

  /** Runs one of our scripts to its end. stdin is written to it and closed. */
  async script(script: string, args: readonly string[], stdin?: Uint8Array): Promise<{ exitCode: number | null; output: Buffer }> {
    const running = await this.#twice(async () => {
      const directory = stdin === undefined ? undefined : (await this.open()).directory;
      return this.#launch(['bash', '--noprofile', '--norc', '-c', script, 'bash', ...args], {
        base: directory === undefined ? '' : `${directory}/in-${this.#serial++}`, snapshot: directory === undefined ? '' : `${directory}/snap.sh`,
        clean: false, env: {}, mark: newMark(this.#options.owner), ...(stdin === undefined ? {} : { stdin }),
      });
    });
    const parts: Uint8Array[] = [];
    running.onOutput((bytes) => parts.push(bytes));
    const end = await running.ended;
    if (end.why === 'lost') throw new EnvironmentError('unreachable', end.detail ?? 'the connection was lost');
    return { exitCode: end.exitCode, output: Buffer.concat(parts) };
  }

  async start(spec: StartSpec): Promise<RunningProcess> {
    const running = await this.#twice(() => this.#start(spec));
    this.#watch(running);
    return running;
  }

  #watch(running: RunningProcess): void {
    this.#running.add(running);
    void running.ended.then(({ why }) => {
      this.#running.delete(running);
      if (why === 'lost' && running.mark !== undefined && running.pid !== null) this.#lost.set(running.mark, running.pid);
    });
  }

  /** When a cleaner of /tmp has taken the snapshot, or the machine was started anew, the state is made anew and the work done again. */
  async #twice(work: () => Promise<RunningProcess | undefined>): Promise<RunningProcess> {
    const first = await work();
    if (first !== undefined) return first;
    this.forget();
    const second = await work();
    if (second === undefined) throw new EnvironmentError('failed', 'the directory for the terminal state vanishes as soon as it is made');
    return second;
  }

  async #start(spec: StartSpec): Promise<RunningProcess | undefined> {
    const { directory, shell, tmpdir } = await this.open();
    const mark = newMark(this.#options.owner);
    const pty = spec.pty;
    const env = pty === undefined ? { TERM: 'dumb' } : { TERM: PTY_TERM, COLORTERM: 'truecolor' };
    const input = pty === undefined ? { ...(spec.stdin === undefined ? {} : { stdin: spec.stdin }), keepStdin: spec.keepStdin ?? false } : { typed: spec.stdin };
    if (spec.shell === 'interactive') {
      const program = ['bash', '--noprofile', '--norc', '-c', 'builtin cd -- "$1" 2>/dev/null; exec "$2" -l -i', 'bash', spec.cwd, shell];
      return this.#launch(program, { base: '', snapshot: '', clean: false, env: { ...env, ...spec.env }, mark, ...input, ...(pty === undefined ? {} : { pty }) });
    }
    const snapshot = `${directory}/snap.sh`;
    const base = `${directory}/c${this.#serial++}-${randomBytes(3).toString('hex')}`;
    const carry = spec.shell === 'command';
    let commandFile: string | undefined;
    if (Buffer.byteLength(spec.command) * 2 + WRAPPER_BYTES > Math.min(this.#options.transport.maxArgumentBytes, MAX_COMMAND_ARGUMENT_BYTES)) {
      commandFile = `${base}.command`;
      await this.files.writeFile(commandFile, Buffer.from(spec.command), { mode: 0o600 });
    }
    const args = wrapCommand({
      snapshot, cwd: spec.cwd, command: spec.command, pty: pty !== undefined, report: 'file', env: spec.env ?? {},
      ...(commandFile === undefined ? {} : { commandFile }), ...(carry ? { reportTo: `${base}.cwd`, nextSnapshot: `${base}.sh` } : {}),
    });
    if (spec.survive === true && pty === undefined && spec.stdin === undefined && this.#options.owner !== undefined) return this.#keep(tmpdir, snapshot, ['bash', ...args]);
    return this.#launch(['bash', ...args], { base, snapshot, clean: true, env, mark, ...input, ...(pty === undefined ? {} : { pty }) });
  }

  async #launch(program: readonly string[], how: {
    readonly base: string; readonly snapshot: string; readonly clean: boolean; readonly env: Readonly<Record<string, string>>; readonly mark: string;
    readonly stdin?: string | Uint8Array; readonly typed?: string | Uint8Array | undefined; readonly keepStdin?: boolean; readonly pty?: { readonly cols: number; readonly rows: number };
  }): Promise<RunningProcess | undefined> {
    const nonce = randomBytes(16).toString('hex');
    const given = how.stdin === undefined ? undefined : Buffer.from(how.stdin);
    const keep = how.pty !== undefined || how.keepStdin === true;
    const stdin = keep ? 'keep' : given === undefined ? 'none' : String(given.length);
    const size = how.pty === undefined ? '' : `${how.pty.rows} ${how.pty.cols}`;
    const channel = await this.#options.transport.launch(
      ['bash', '--noprofile', '--norc', '-c', OUTER, 'bash', nonce, stdin, size, how.base, how.snapshot, how.clean ? 'clean' : '', ...program],
      { env: { ...this.#options.env, ...how.env, TALARIA_MARK: how.mark }, input: stdin !== 'none', ...(how.pty === undefined ? {} : { pty: how.pty }) },
    );
    const written = how.typed ?? given;
    return followChannel(channel, { nonce, mark: how.mark, pty: how.pty !== undefined, control: this, ...(written === undefined ? {} : { stdin: written }) });
  }

  async #keep(tmpdir: string, snapshot: string, program: readonly string[]): Promise<RunningProcess | undefined> {
    const nonce = randomBytes(NONCE_BYTES).toString('hex');
    const handle = { directory: `${tmpdir}/talaria-keep-${nonce}`, mark: `keep.${nonce}` };
    const { exitCode, output } = await this.script(KEEP_START, [handle.directory, handle.mark, snapshot, ...program]);
    if (exitCode === SNAPSHOT_GONE) return undefined;
    const pid = Number(output.toString().trim());
    if (exitCode !== 0 || !Number.isInteger(pid)) throw new EnvironmentError('failed', `the background command could not be started there: ${output.toString().trim().slice(-500)}`, { hint: 'It needs setsid, mkfifo and a temporary directory that can be written to.' });
    return this.#follow({ ...handle, pid });
  }

  /** Undefined when nothing of it is there any more. */
  async reattach(text: string): Promise<RunningProcess | undefined> {
    const handle = parseHandle(text);
    if (handle === undefined) return undefined;
    await this.open();
    const { output } = await this.script('stat -c %s -- "$1/log" 2>/dev/null || echo 0', [handle.directory]);
    const running = await this.#follow(handle);
    if (running === undefined) return undefined;
    this.#watch(running);
    return { ...running, replayed: Number(output.toString().trim()) };
  }

  /** Over all connections, until it ends or is not found again. */
  async #follow(handle: Handle): Promise<RunningProcess | undefined> {
    const first = await this.#followOnce(handle, 0);
    if (first === undefined) return undefined;
    const again = followAgain(first, {
      closing: this.#closing.signal, follow: (from) => this.open().then(() => this.#followOnce(handle, from)),
      endTree: async ({ signal, graceMs }) => this.endTree(handle.mark, handle.pid, signal ?? 'SIGTERM', graceMs ?? CLOSE_GRACE_MS),
    });
    return { ...again, handle: JSON.stringify(handle) };
  }

  async #followOnce(handle: Handle, from: number): Promise<RunningProcess | undefined> {
    const nonce = randomBytes(16).toString('hex');
    const channel = await this.#options.transport.launch(['bash', '--noprofile', '--norc', '-c', KEEP_FOLLOW, 'bash', nonce, handle.directory, String(from)], { env: { ...this.#options.env, TALARIA_MARK: newMark(this.#options.owner) }, input: true });
    const running = await followChannel(channel, { nonce, mark: handle.mark, pty: false, control: this });
    if (running === undefined) return undefined;
    const closeStdin = (): void => {
      running.closeStdin();
      this.script('kill -s USR1 "$1"', [String(handle.pid)]).catch(() => undefined); // a connection that is lost is told by the end of the process
    };
    const end: RunningProcess['end'] = async (options) => {
      const survivors = await running.end(options);
      // Whoever follows may have been cut off before it could.
      if (survivors.length === 0) await this.script('exec rm -rf -- "$1"', [handle.directory]).catch(() => undefined); // a connection that is lost was told by the end
      return survivors;
    };
    return { ...running, end, closeStdin };
  }

  async endTree(mark: string, pid: number, first: 'SIGINT' | 'SIGTERM' | 'SIGKILL', graceMs: number): Promise<readonly number[]> {
    const polite = first === 'SIGINT' ? ['INT', 'TERM'] : first === 'SIGTERM' ? ['TERM'] : [];
    const rounds = Math.max(1, Math.round(graceMs / Math.max(1, polite.length) / ROUND_MS));
    const { output } = await this.script(END_TREE, [mark, String(pid), polite.join(' '), String(rounds)]);
    return output.toString().split(/\s+/).filter((word) => /^\d+$/.test(word)).map(Number);
  }

  async signal(pid: number, name: 'SIGINT' | 'SIGTERM' | 'SIGKILL'): Promise<void> {
    await this.script(SIGNAL, [String(pid), name.slice(3)]);
  }

  async inputState(pid: number): Promise<InputState> {
    const { output } = await this.script(INPUT_STATE, [String(pid)]);
    const said = output.toString().trim();
    return said === 'secret' || said === 'line' || said === 'raw' ? said : 'busy';
  }

  /** What runs goes on there; nobody looks for it from here any more. */
  leave(): void {
    this.#closing.abort();
  }

  /** Ends what runs and takes the private directory away. Safe to call twice. */
  async close(): Promise<void> {
    if (this.#closed) return;
    const opened = await this.#opening?.catch(() => undefined); // never opened: nothing to take away
    await Promise.all([...this.#running].map((running) => running.end({ why: 'abort', signal: 'SIGTERM', graceMs: CLOSE_GRACE_MS })));
    this.leave();
    if (opened !== undefined) await Promise.all([...this.#lost].map(([mark, pid]) => this.endTree(mark, pid, 'SIGTERM', CLOSE_GRACE_MS)));
    if (opened !== undefined) await this.script('exec rm -rf -- "$1"', [opened.directory]);
    this.#closed = true;
  }
}
