/** config.yaml and `.env` of the home, live, behind the `ConfigStore` seam. Other processes (Hermes, the CLI, editors) change the same files. */
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { lock } from 'proper-lockfile';
import writeFileAtomic from 'write-file-atomic';
import { AppError } from '../../preload/contract/errors.ts';
import type { ConfigProblem } from '../../preload/contract/settings.ts';
import type { JsonObject, JsonValue } from '../../tools/context.ts';
import type { Clock, ConfigStore, Log } from '../ports.ts';
import { readConfig, valueAt, withValue } from './document.ts';
import { parseDotEnv } from './dotenv.ts';
import { openLiveFile } from './live-file.ts';
import type { Paths } from './paths.ts';
import { readSettings } from './settings.ts';

const BACKUPS = 3;
/** A lock older than this was left by a process that died, in ms. */
const STALE_LOCK_MS = 10_000;
/** About 12 s of waiting in all before `config/locked`: longer than a stale lock lasts. */
const LOCK_RETRIES = { retries: 60, factor: 1.3, minTimeout: 20, maxTimeout: 250, randomize: true };

export interface LiveConfig extends ConfigStore {
  /** Looks at the disk at once; without it a look may be 10 ms old. */
  refresh(): void;
}

export interface ConfigOptions {
  readonly paths: Pick<Paths, 'home' | 'config' | 'dotEnv' | 'own'>;
  readonly clock: Pick<Clock, 'monotonic' | 'after'>;
  readonly log: Log;
  /** The process environment by default. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Variables that a person entered: they count where neither the environment nor `.env` has them. */
  readonly stored?: { get(name: string): string | undefined; onChange(listener: () => void): () => void };
}

/**
 * What a malformed file still says about rules that forbid: they stay in force, while everything that allows is forgotten.
 * `readable` is what the parser got out of the damaged text, `last` the last valid values.
 */
function onlyDenials(readable: JsonObject, last: JsonObject): JsonObject {
  const deny = [readable, last].flatMap((values) => {
    const rules = valueAt(values, 'approvals.deny');
    return Array.isArray(rules) ? rules as readonly JsonValue[] : rules === undefined || rules === null ? [] : [rules]; // cast: Array.isArray does not narrow readonly arrays
  });
  return deny.length === 0 ? {} : { approvals: { deny: [...new Set(deny)] } };
}

export function openConfig({ paths, clock, log, environment = process.env, stored }: ConfigOptions): LiveConfig {
  const listeners = new Set<() => void>();
  const warned = new Set<string>();
  let values: JsonObject = {};
  let lastValid: JsonObject = {};
  let problem: ConfigProblem | undefined;
  let read: string | undefined;
  let dotEnvText: string | undefined;
  let dotEnv = new Map<string, string>();

  const tell = (): void => {
    for (const listener of [...listeners]) {
      try {
        listener();
      } catch (error) {
        log.error('a listener of the settings failed', { error });
      }
    }
  };
  mkdirSync(paths.home, { recursive: true, mode: 0o700 });
  const file = openLiveFile({ path: paths.config, clock, log, onChange: tell });
  const forget = stored?.onChange(tell);
  const secretsFile = openLiveFile({ path: paths.dotEnv, clock, log, onChange: tell });

  const current = (): JsonObject => {
    const text = file.text();
    if (text === read) return values;
    read = text;
    const result = readConfig(text, paths.config);
    problem = result.problem;
    if (problem === undefined) values = lastValid = result.values;
    else {
      values = onlyDenials(result.values, lastValid);
      log.warn('config.yaml is malformed; defaults are used until it is mended', { ...problem });
    }
    return values;
  };
  const env = (name: string): string | undefined => {
    const own = environment[name];
    if (own !== undefined) return own;
    const text = secretsFile.text();
    if (text !== dotEnvText) {
      dotEnvText = text;
      dotEnv = parseDotEnv(text, environment);
    }
    const written = dotEnv.get(name);
    // A template of a .env holds names without values.
    return written === undefined || written === '' ? stored?.get(name) ?? written : written;
  };
  const warn = (message: string): void => {
    if (warned.has(message)) return;
    warned.add(message);
    log.warn(message);
  };

  const update = async (path: string, change: (value: JsonValue | undefined) => JsonValue | undefined): Promise<JsonValue | undefined> => {
    const release = await lockFile(paths.config, log);
    let next: JsonValue | undefined;
    try {
      const text = existsSync(paths.config) ? readFileSync(paths.config, 'utf8') : '';
      const now = readConfig(text, paths.config);
      if (now.problem !== undefined) {
        const { line, column, message } = now.problem;
        throw new AppError('config/malformed', `config.yaml is malformed${line === null ? '' : ` at line ${line}, column ${column}`}: ${message}`, {
          hint: `Mend ${paths.config} in an editor; it is not overwritten.`,
        });
      }
      const before = valueAt(now.values, path);
      next = change(before);
      if (JSON.stringify(next) !== JSON.stringify(before)) {
        const changed = withValue(text, path, next);
        keepBackup(paths.config, join(paths.own, 'backups'));
        await writeFileAtomic(paths.config, changed, existsSync(paths.config) ? {} : { mode: 0o600 });
      }
    } catch (cause) {
      if (cause instanceof AppError) throw cause;
      throw new AppError('config/write-failed', `${paths.config} could not be written: ${cause instanceof Error ? cause.message : String(cause)}`, {
        hint: 'Check free space and permissions; the old file is unchanged.', cause,
      });
    } finally {
      await release();
    }
    file.refresh();
    return next;
  };

  return {
    home: paths.home,
    get problem() {
      current();
      return problem;
    },
    get: (path) => valueAt(current(), path),
    set: async (path, value) => { await update(path, () => value); },
    update,
    env,
    settings: () => {
      const now = current();
      return readSettings({ get: (path) => valueAt(now, path), env, problem, warn });
    },
    onChange: (listener) => {
      listeners.add(listener);
      return () => { listeners.delete(listener); };
    },
    refresh: () => {
      file.refresh();
      secretsFile.refresh();
    },
    close: () => {
      file.close();
      secretsFile.close();
      forget?.();
      listeners.clear();
    },
  };
}

/** The lock is the folder `<path>.lock` beside the file. Throws `config/locked` when somebody holds it for long. */
async function lockFile(path: string, log: Log): Promise<() => Promise<void>> {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const release = await lock(path, {
      realpath: false, stale: STALE_LOCK_MS, retries: LOCK_RETRIES,
      onCompromised: (error) => log.error('the lock of config.yaml was taken over by another process', { error }),
    });
    return async () => {
      try {
        await release();
      } catch (error) {
        log.warn('the lock of config.yaml was already gone', { error });
      }
    };
  } catch (cause) {
    throw new AppError('config/locked', `${path} is locked by another process`, { hint: `Try again; if nothing else runs, remove ${path}.lock.`, cause });
  }
}

/** Keeps the last three texts as `config.yaml.1` (newest) to `config.yaml.3`. */
function keepBackup(path: string, folder: string): void {
  if (!existsSync(path)) return;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const backup = (number: number): string => join(folder, `config.yaml.${number}`);
  for (let number = BACKUPS - 1; number >= 1; number -= 1) if (existsSync(backup(number))) renameSync(backup(number), backup(number + 1));
  copyFileSync(path, backup(1));
}
