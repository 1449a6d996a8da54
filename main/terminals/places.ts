/** Where tasks act: one environment per task, its directory between calls, and who shares what (hermes-runtime 5.3, 5.4). */
import { homedir } from 'node:os';
import { posix } from 'node:path';
import { EnvironmentError, type BackendName, type Environment, type EnvironmentDescription } from '../../environments/base.ts';
import { nearestDirectory } from '../../environments/shell.ts';
import { terminalSetting } from '../config/settings.ts';
import type { Clock, ConfigStore, Log } from '../ports.ts';

/** Overrides that give a task an environment of its own; a directory alone never does. */
const ISOLATING = ['docker_image', 'modal_image', 'singularity_image', 'daytona_image', 'env_type'] as const;
/** Values of `terminal.cwd` that mean "not set". */
const UNSET_CWD = new Set(['', '.', './', 'auto', 'cwd']);
/** How often idle environments are looked for, and after how long they are let go (TERMINAL_LIFETIME_SECONDS). */
const REAP_EVERY_MS = 60_000;
const DEFAULT_LIFETIME_S = 300;

export type TaskOverrides = Readonly<Partial<Record<(typeof ISOLATING)[number] | 'cwd', string>>>;
/** Makes a backend's environment; `key` names it over restarts. */
export type EnvironmentFactory = (options: { readonly cwd: string; readonly key: string; readonly overrides: TaskOverrides; readonly onProgress: (text: string) => void }) => Environment | Promise<Environment>;

export interface PlacesOptions {
  readonly environments: ReadonlyMap<BackendName, EnvironmentFactory>;
  readonly config: Pick<ConfigStore, 'get' | 'env'>;
  readonly clock: Clock;
  readonly log: Log;
  /** The backend that the task's chat chose, and who shares its place; undefined = the one set for all. */
  readonly backendFor?: ((taskId: string) => { readonly backend: string; readonly owner: string } | undefined) | undefined;
  /** True while a background process lives in the environment: then it is not let go. */
  isBusy(environment: Environment): boolean;
}

interface Opened { readonly environment: Environment; lastUsed: number }

export class Places {
  readonly #options: PlacesOptions;
  readonly #opened = new Map<string, Promise<Opened>>();
  /** Those of them that are ready. */
  readonly #present = new Map<string, Environment>();
  /** Who wants to know how far a place is with being made. */
  readonly #watching = new Map<string, Set<(text: string) => void>>();
  readonly #cwds = new Map<string, string>();
  readonly #overrides = new Map<string, TaskOverrides>();
  #cancelReap: (() => void) | undefined;
  #closed = false;

  constructor(options: PlacesOptions) {
    this.#options = options;
  }

  /** Variables win over config.yaml, whose `terminal.*` does not count once TERMINAL_ENV is set (hermes-runtime 5.2). */
  setting(variable: string, path: string): string | undefined {
    const value = terminalSetting(this.#options.config, variable, path);
    return value === undefined || value === null || typeof value === 'object' ? undefined : String(value);
  }

  backend(taskId: string): string {
    return this.#overrides.get(taskId)?.env_type ?? this.#options.backendFor?.(taskId)?.backend ?? this.#configured();
  }

  #configured(): string {
    const configured = this.setting('TERMINAL_ENV', 'terminal.backend')?.trim().toLowerCase() ?? '';
    return configured === '' ? 'local' : configured;
  }

  register(taskId: string, overrides: TaskOverrides): void {
    this.#overrides.set(taskId, { ...this.#overrides.get(taskId), ...overrides });
    if (overrides.cwd === '') this.#cwds.delete(taskId);
    else if (overrides.cwd !== undefined) this.#cwds.set(taskId, overrides.cwd);
  }

  /** The next command of a task, or of every task on this machine, gets a new place; what runs goes on in the old one. */
  renew(taskId?: string): void {
    for (const key of this.#opened.keys()) if (taskId === undefined ? key.startsWith('local:') : key === this.#key(taskId)) this.#opened.delete(key);
  }

  /** Forgets a task: overrides, directory, and its own environment. */
  async unregister(taskId: string): Promise<void> {
    const key = this.#key(taskId);
    this.#overrides.delete(taskId);
    this.#cwds.delete(taskId);
    if (key.endsWith(`:${taskId}`)) await this.#release(key);
  }

  /**
   * A container is shared by all tasks, unless one asks for another image; on this machine an environment is a file of variables, so
   * each task has its own and no chat moves another's directory or variables. A chat that chose its backend has a container for itself
   * and the agents it sends out.
   */
  #key(taskId: string): string {
    const backend = this.backend(taskId);
    const overrides = this.#overrides.get(taskId);
    const own = backend === 'local' || ISOLATING.some((name) => overrides?.[name] !== undefined);
    return `${backend}:${own ? taskId : this.#options.backendFor?.(taskId)?.owner ?? 'default'}`;
  }

  defaultCwd(backend: string): string {
    const configured = backend === this.#configured() ? this.setting('TERMINAL_CWD', 'terminal.cwd')?.trim() ?? '' : '';
    if (backend !== 'local') return UNSET_CWD.has(configured) ? '' : configured;
    if (!UNSET_CWD.has(configured)) return configured.replace(/^~(?=$|\/)/, this.#options.config.env('HOME') ?? homedir());
    try {
      return process.cwd();
    } catch {
      return homedir(); // the directory the host was started in is gone
    }
  }

  cwd(taskId: string): string {
    return this.#cwds.get(taskId) ?? this.defaultCwd(this.backend(taskId));
  }

  moved(taskId: string, cwd: string): void {
    this.#cwds.set(taskId, cwd);
  }

  /** Concurrent callers of one task share one creation; each is told how far it is. Throws `EnvironmentError`. */
  async environment(taskId: string, onProgress?: (text: string) => void): Promise<Environment> {
    if (this.#closed) throw new EnvironmentError('closed', 'the host is closing');
    const key = this.#key(taskId);
    const watching = this.#watching.get(key) ?? new Set();
    this.#watching.set(key, watching);
    if (onProgress !== undefined) watching.add(onProgress);
    let opening = this.#opened.get(key);
    if (opening === undefined) {
      opening = this.#open(taskId, key);
      this.#opened.set(key, opening);
      opening.catch(() => this.#opened.delete(key)); // the caller below sees the error; the next call tries again
    }
    const opened = await opening.finally(() => { if (onProgress !== undefined) watching.delete(onProgress); });
    opened.lastUsed = this.#options.clock.monotonic();
    this.#reapLater();
    return opened.environment;
  }

  async #open(taskId: string, key: string): Promise<Opened> {
    const backend = this.backend(taskId);
    const make = this.#options.environments.get(backend as BackendName); // a Map answers undefined for names it does not know
    if (make === undefined) {
      throw new EnvironmentError('missing', `the terminal backend "${backend}" is not known or not part of this version`, {
        hint: `Set terminal.backend (TERMINAL_ENV) to one of: ${[...this.#options.environments.keys()].join(', ')}.`,
      });
    }
    const environment = await make({ cwd: this.cwd(taskId), key, overrides: this.#overrides.get(taskId) ?? {}, onProgress: (text) => { for (const tell of this.#watching.get(key) ?? []) tell(text); } });
    await environment.open();
    this.#present.set(key, environment);
    return { environment, lastUsed: this.#options.clock.monotonic() };
  }

  /** What is open now: everything, or the place of one task. */
  present(taskId?: string): EnvironmentDescription[] {
    const wanted = taskId === undefined ? undefined : this.#key(taskId);
    return [...this.#present].filter(([key]) => wanted === undefined || key === wanted).map(([, environment]) => environment.describe());
  }

  /** Directory for one call: `workdir` relative to the task's, or the task's own; the nearest living one when it is gone, with a note. */
  async directory(environment: Environment, taskId: string, workdir: string | undefined): Promise<{ readonly cwd: string; readonly notes: string[] }> {
    const description = environment.describe();
    const home = description.homeDirectory;
    const own = this.#cwds.get(taskId) ?? (this.defaultCwd(environment.backend) || description.defaultCwd);
    const wanted = workdir === undefined || workdir === '' ? own : posix.resolve(own, workdir.replace(/^~(?=$|\/)/, home));
    const living = await nearestDirectory(environment, posix.resolve(home, wanted.replace(/^~(?=$|\/)/, home)));
    if (living === wanted) return { cwd: living, notes: [] };
    const found = await environment.stat(wanted);
    if (found?.kind === 'directory') return { cwd: wanted, notes: [] };
    // The directory of a chat that began on another machine says nothing about this one.
    if (workdir === undefined && environment.backend !== 'local') {
      this.moved(taskId, description.defaultCwd);
      return { cwd: description.defaultCwd, notes: [`The directory ${wanted} does not exist there; the command ran in ${description.defaultCwd}.`] };
    }
    if (workdir === undefined) this.moved(taskId, living);
    return { cwd: living, notes: [`The directory ${wanted} does not exist (any more); the command ran in ${living}.`] };
  }

  #reapLater(): void {
    if (this.#closed || this.#cancelReap !== undefined) return;
    this.#cancelReap = this.#options.clock.after(REAP_EVERY_MS, () => {
      this.#cancelReap = undefined;
      void this.#reap().catch((error: unknown) => this.#options.log.error('idle terminal environments could not be closed', { error }));
    });
  }

  async #reap(): Promise<void> {
    const configured = Number(this.setting('TERMINAL_LIFETIME_SECONDS', 'terminal.lifetime_seconds') ?? DEFAULT_LIFETIME_S);
    const lifetimeMs = (Number.isFinite(configured) && configured > 0 ? configured : DEFAULT_LIFETIME_S) * 1_000;
    for (const [key, opening] of this.#opened) {
      const { environment, lastUsed } = await opening;
      const idle = this.#options.clock.monotonic() - lastUsed > lifetimeMs && !this.#options.isBusy(environment);
      // A local environment holds no resource, and its variables are the task's memory.
      if (idle && environment.backend !== 'local') await this.#release(key);
    }
    if ([...this.#opened.keys()].some((key) => !key.startsWith('local:'))) this.#reapLater();
  }

  async #release(key: string): Promise<void> {
    const opening = this.#opened.get(key);
    if (opening === undefined) return;
    this.#opened.delete(key);
    this.#present.delete(key);
    await (await opening).environment.close();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelReap?.();
    const opened = [...this.#opened.values()];
    this.#opened.clear();
    this.#present.clear();
    await Promise.all(opened.map(async (opening) => {
      const ready = await opening.catch(() => undefined); // never opened: nothing to close
      await ready?.environment.close();
    }));
  }
}
