/** The terminal manager: owns every process. Tools see `run`, `start`, `process`; screens see terminals. */
import { mkdirSync } from 'node:fs';
import type { AskCredential, Environment } from '../../environments/base.ts';
import type { LocalMachine } from '../../environments/local.ts';
import { AppError } from '../../preload/contract/errors.ts';
import type { SessionId, TerminalId } from '../../preload/contract/ids.ts';
import type { Terminal } from '../../preload/contract/terminal.ts';
import type { FileService, HomePaths, JsonObject, ProcessAction, RunRequest, RunResult, StartRequest, StartedProcess, TerminalService } from '../../tools/context.ts';
import type { Clock, ConfigStore, EventBus, Ids, Log, Storage, Terminals } from '../ports.ts';
import { watchAttention } from './attention.ts';
import { Background } from './background.ts';
import { endFields, waitForOutcome } from './foreground.ts';
import { tellHandOver } from './hand-over.ts';
import { Launcher } from './launcher.ts';
import type { LiveTerminal } from './live-terminal.ts';
import { Notices } from './notices.ts';
import { Places, type EnvironmentFactory, type PlacesOptions, type TaskOverrides } from './places.ts';
import { reattach } from './reattach.ts';
import { Shelf } from './shelf.ts';
import { SudoPasswords } from './sudo.ts';
import { screenOf, textOf } from './texts.ts';
import { shellTitle, titleOf } from './titles.ts';
import { unlessAborted } from './unless-aborted.ts';
import { UsageMeter } from './usage.ts';

export interface TerminalsOptions {
  readonly storage: Pick<Storage, 'terminals'>;
  readonly config: Pick<ConfigStore, 'get' | 'env'>;
  readonly events: EventBus;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly paths: HomePaths;
  redact(text: string, mode?: 'output' | 'file' | 'environment'): string;
  /** Backends by name; the first is what a user's own shell runs in when the chosen one is unknown. */
  readonly environments: ReadonlyMap<Environment['backend'], EnvironmentFactory>;
  /** See `PlacesOptions`. */
  readonly backendFor?: PlacesOptions['backendFor'];
  /** Asks the person on whose behalf a command runs; absent = nobody can be asked. */
  readonly ask?: AskCredential;
  /** Told secrets that must not be written anywhere. */
  readonly onSecret?: (value: string) => void;
  /** Shared part of all local environments; closed with the manager. */
  readonly machine: LocalMachine;
}

/** Size of a terminal that nobody looks at (hermes-runtime 5.5). */
const AGENT_COLS = 120;
const AGENT_ROWS = 30;
/** Task of a person's shell that belongs to no chat. */
const USER_TASK = 'user';

/** Whose command it is: the person's own `!command` goes through the same tool as the agent's. */
export interface StartedBy { readonly startedBy?: 'agent' | 'user' }

export class Manager implements Terminals, TerminalService, FileService {
  readonly #options: TerminalsOptions;
  readonly #places: Places;
  readonly #shelf: Shelf;
  readonly #notices = new Notices();
  readonly #background: Background;
  readonly #usage: UsageMeter;
  readonly #launcher: Launcher;
  readonly #sudo: SudoPasswords;
  #closing: Promise<void> | undefined;

  constructor(options: TerminalsOptions) {
    this.#options = options;
    mkdirSync(options.paths.outputs, { recursive: true, mode: 0o700 });
    this.#places = new Places({
      ...options, isBusy: (environment) => this.#launcher.runsIn(environment),
    });
    const redact = (text: string) => options.redact(text, 'output');
    this.#shelf = new Shelf({ ...options, redact });
    this.#launcher = new Launcher({ ...options, redact, shelf: this.#shelf });
    this.#sudo = new SudoPasswords(options);
    this.#usage = new UsageMeter(options.clock, redact);
    this.#background = new Background({ ...options, redact, shelf: this.#shelf, notices: this.#notices, maxWaitMs: () => this.#timeoutMs(), reattach: (entry, row) => reattach(entry, row, { places: this.#places, launcher: this.#launcher }) });
  }

  /** Adopts and sweeps what an earlier host left. Resolves when done; everything else works meanwhile. */
  recover(): Promise<void> {
    return this.#background.recover();
  }

  #timeoutMs(): number {
    const seconds = Number(this.#places.setting('TERMINAL_TIMEOUT', 'terminal.timeout') ?? 180);
    return (Number.isFinite(seconds) && seconds > 0 ? seconds : 180) * 1_000;
  }

  // --- what tools may do -------------------------------------------------------------------------------------------

  async run(request: RunRequest & StartedBy): Promise<RunResult> {
    const began = this.#options.clock.monotonic();
    const environment = await unlessAborted(this.#places.environment(request.taskId, request.onOutput === undefined ? undefined : (text) => request.onOutput?.(text)), request.signal);
    const { cwd, notes } = await this.#places.directory(environment, request.taskId, request.workdir);
    const pty = request.pty === true ? { cols: AGENT_COLS, rows: AGENT_ROWS } : undefined;
    const { process, over } = await this.#sudo.start(environment, request, (command, env) => environment.start({
      command, env, cwd, shell: 'command', ...(request.stdin === undefined ? {} : { stdin: request.stdin }), ...(pty === undefined ? {} : { pty }),
    }));
    const live = this.#launcher.launch({
      process, environment, id: this.#options.ids.terminal(), kind: 'foreground', taskId: request.taskId, sessionId: request.sessionId, callId: request.toolCallId,
      command: request.command, title: titleOf(request.command), cwd, cols: AGENT_COLS, rows: AGENT_ROWS, takesInput: pty !== undefined, startedBy: request.startedBy ?? 'agent',
    });
    request.onStarted?.(live.row.id);
    const forgotten = over(live);
    const outcome = await waitForOutcome(live, request, this.#options.clock);
    const after = live.result?.cwd;
    if (outcome.kind === 'ended' && after !== undefined && request.workdir === undefined) this.#places.moved(request.taskId, after);
    if (outcome.kind === 'attention') this.#background.promote(live);
    const path = live.capture.path;
    return {
      output: live.capture.text(), totalChars: live.capture.totalChars, omittedChars: live.capture.omittedChars,
      ...(live.capture.omittedChars > 0 && path !== undefined ? { fullOutputPath: path } : {}), ...endFields(live, outcome), ...await live.screenField(),
      terminalId: live.row.id, durationMs: this.#options.clock.monotonic() - began, cwd: request.workdir === undefined ? after ?? cwd : cwd, notes,
      ...(process.recreated === true ? { environmentRecreated: true } : {}), ...(outcome.kind === 'ended' && await forgotten ? { sudoForgotten: true } : {}),
    };
  }

  async start(request: StartRequest & StartedBy): Promise<StartedProcess> {
    const environment = await this.#places.environment(request.taskId);
    const { cwd, notes } = await this.#places.directory(environment, request.taskId, request.workdir);
    const pty = request.pty === true ? { cols: AGENT_COLS, rows: AGENT_ROWS } : undefined;
    const { process, over } = await this.#sudo.start(environment, request, (command, env) => environment.start({
      command, cwd, shell: 'plain', keepStdin: true, survive: true, env: { PYTHONUNBUFFERED: '1', ...env }, ...(pty === undefined ? {} : { pty }),
    }));
    const live = this.#launcher.launch({
      process, environment, id: this.#options.ids.process(), kind: 'background', taskId: request.taskId, sessionId: request.sessionId, callId: request.toolCallId,
      command: request.command, title: titleOf(request.command), cwd, cols: AGENT_COLS, rows: AGENT_ROWS, takesInput: true, startedBy: request.startedBy ?? 'agent',
    });
    void over(live);
    watchAttention(live, this.#options.clock, () => undefined);
    this.#background.track(live, { notify: request.notifyOnComplete === true, watchPatterns: request.notifyOnComplete === true ? [] : request.watchPatterns ?? [] });
    return { processId: live.row.id, terminalId: live.row.id, pid: process.pid, notes };
  }

  process(action: ProcessAction, signal: AbortSignal): Promise<JsonObject> {
    return this.#background.answer(action, signal);
  }

  cwd(taskId: string): string {
    return this.#places.cwd(taskId);
  }

  backend(taskId: string): string {
    return this.#places.backend(taskId);
  }

  openPlaces(taskId?: string): ReturnType<Places['present']> {
    return this.#places.present(taskId);
  }

  environment(taskId: string): Promise<Environment> {
    return this.#places.environment(taskId);
  }

  /** Directory or backend of one task, until `unregisterTask` (Hermes' `register_task_env_overrides`). */
  registerTask(taskId: string, overrides: TaskOverrides): void {
    this.#places.register(taskId, overrides);
  }

  /** A task's next command gets a new place on this machine (without a name every task's): what is allowed there has changed. */
  renew(taskId?: string): void {
    this.#places.renew(taskId);
  }

  unregisterTask(taskId: string): Promise<void> {
    return this.#places.unregister(taskId);
  }

  // --- what screens may do -----------------------------------------------------------------------------------------

  list(): Terminal[] {
    return this.#shelf.list();
  }

  get(id: TerminalId): Terminal | undefined {
    return this.#shelf.get(id);
  }

  async open(options: { readonly cwd?: string; readonly sessionId?: SessionId; readonly cols: number; readonly rows: number }): Promise<Terminal> {
    const taskId = options.sessionId ?? USER_TASK;
    const environment = await this.#places.environment(taskId);
    const { cwd } = await this.#places.directory(environment, taskId, options.cwd);
    const { cols, rows } = options;
    const process = await environment.start({ command: '', cwd, shell: 'interactive', pty: { cols, rows } });
    const live = this.#launcher.launch({
      process, environment, id: this.#options.ids.terminal(), kind: 'user', taskId, sessionId: options.sessionId, callId: undefined, command: '', title: shellTitle(cwd, this.list()), cwd, cols, rows, takesInput: true, startedBy: 'user',
    });
    watchAttention(live, this.#options.clock, () => undefined);
    return live.snapshotRow();
  }

  async attach(id: TerminalId, send: (bytes: Uint8Array) => void): ReturnType<Terminals['attach']> {
    const live = this.#shelf.live(id);
    if (live !== undefined) return live.attach(send);
    const terminal = this.#existing(id);
    return { terminal, snapshot: this.#shelf.history(id), ack: () => undefined, detach: () => undefined };
  }

  #existing(id: TerminalId): Terminal {
    const terminal = this.#shelf.get(id);
    if (terminal === undefined) throw new AppError('not-found', 'there is no such terminal');
    return terminal;
  }

  #running(id: TerminalId): LiveTerminal {
    const live = this.#shelf.live(id);
    if (live?.running === true) return live;
    this.#existing(id);
    throw new AppError('terminal/gone', 'the program in this terminal has ended');
  }

  write(id: TerminalId, data: string): void {
    const live = this.#running(id);
    live.writeAs('user', data);
    if (live.row.secretInput) this.#options.onSecret?.(data);
  }

  resize(id: TerminalId, cols: number, rows: number): void {
    this.#shelf.live(id)?.resize(cols, rows);
  }

  drive(id: TerminalId, driver: 'agent' | 'user'): Terminal {
    const live = this.#running(id);
    if (live.row.readOnly && driver === 'user') throw new AppError('terminal/read-only', 'this command takes no input', { hint: 'It can be stopped, but not typed into.' });
    if (live.row.driver === driver) return live.snapshotRow();
    live.row.driver = driver;
    live.changed();
    if (live.row.kind !== 'user') void tellHandOver(live, this.#notices, this.#options.redact).catch((error: unknown) => this.#options.log.warn('the model could not be told who drives', { id, error }));
    return live.snapshotRow();
  }

  async kill(id: TerminalId, how: 'interrupt' | 'terminate' | 'kill'): Promise<Terminal> {
    const live = this.#shelf.live(id);
    if (live?.running === true && how === 'interrupt') live.interrupt();
    else if (live?.running === true) await this.#background.killLive(live, how === 'kill' ? 'SIGKILL' : 'SIGTERM');
    else await this.#background.killDetached(id);
    return this.#existing(id);
  }

  rename(id: TerminalId, title: string): Terminal {
    const live = this.#shelf.live(id);
    if (live === undefined) return this.#shelf.amend(id, { title });
    live.row.title = title;
    live.changed();
    return live.snapshotRow();
  }

  dismiss(id: TerminalId): void {
    this.#shelf.dismiss(id);
    this.#background.forget(id);
  }

  text(id: TerminalId): ReturnType<Terminals['text']> {
    return textOf(this.#shelf, id, (text) => this.#options.redact(text));
  }

  screen(id: TerminalId): Promise<string> {
    return screenOf(this.#shelf, id, (text) => this.#options.redact(text));
  }

  processes(): ReturnType<Terminals['processes']> {
    return Promise.resolve(this.#usage.measure([...this.#shelf.localRoots(), ...this.#background.detachedRoots()]));
  }

  drainNotices(sessionId: SessionId): string[] {
    return this.#notices.drain(sessionId);
  }

  tell(sessionId: SessionId, text: string): void {
    this.#notices.addQuietly(sessionId, { processId: '', kind: 'other', text });
  }

  onNotice(listener: (sessionId: SessionId) => void): () => void {
    return this.#notices.onNotice(listener);
  }

  async stopForeground(sessionId: SessionId): Promise<void> {
    const own = this.#shelf.allLive().filter((live) => live.row.sessionId === sessionId && live.row.kind === 'foreground' && live.running);
    await Promise.all(own.map((live) => live.end({ why: 'abort', signal: 'SIGINT', graceMs: 1_000 })));
  }

  /** Ends everything that runs, keeps what was captured, and leaves no process behind. Safe to call twice. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await Promise.all(this.#shelf.allLive().filter((live) => live.running).map((live) => live.end({ why: 'abort', signal: 'SIGTERM', graceMs: 1_000 })));
    await this.#places.close();
    const survivors = await this.#options.machine.close();
    if (survivors.length > 0) this.#options.log.warn('processes outlived the end of the app', { survivors });
    await this.#shelf.close();
    await this.#background.close();
    await this.#launcher.cleaned();
  }
}
