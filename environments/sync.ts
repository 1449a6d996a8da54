/**
 * Keeps `~/.hermes` of a remote backend like the one here (hermes-runtime 6.9): skills, cache and listed credential files go over before
 * commands, changed cache and credential files come back when the backend is closed. Problems are told, and never stop a command.
 */
import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { lock } from 'proper-lockfile';
import writeFileAtomic from 'write-file-atomic';
import type { EnvironmentForTools, ExecResult } from './base.ts';
import { quote } from './shell.ts';
import { hashOf, isWritable, PULLED_DIRECTORIES, pushable, scan, type LocalFile } from './sync/scan.ts';

/** hermes-runtime 6.9. */
const INTERVAL_MS = 5_000;
const MAX_PULL_BYTES = 2 * 1024 ** 3;
const PULL_ATTEMPTS = 3;
const FIRST_PULL_WAIT_MS = 2_000;
/** hermes-runtime 6.4 (upload) and 6.1 (download). */
const PUSH_MS = 120_000;
const PULL_MS = 300_000;
/** One command's input; a larger file travels alone. */
const BATCH_BYTES = 8 * 1024 ** 2;
/** A file is held in memory while it travels: larger ones stay here. */
const MAX_FILE_BYTES = 256 * 1024 ** 2;
/** Names in one command line. */
const FETCH_FILES = 250;
const MAX_LIST_BYTES = 16 * 1024 ** 2;
const LOCK = { stale: 60_000, retries: { retries: 20, minTimeout: 50, maxTimeout: 500 } } as const;

export interface SyncClock {
  /** Milliseconds that only grow. */
  now(): number;
  sleep(ms: number): Promise<void>;
}

export interface SyncOptions {
  /** The Hermes home here, absolute. */
  readonly home: string;
  /** Credential files below the home (`terminal.credential_files`). */
  readonly files: readonly string[];
  /** HERMES_FORCE_FILE_SYNC=1: look before every command. */
  readonly force: boolean;
  /** Runs a helper command there. May throw `EnvironmentError`. */
  readonly exec: EnvironmentForTools['exec'];
  /** Home directory there, absolute; asked once it is known. */
  readonly remoteHome: () => string;
  readonly onProblem: (message: string) => void;
  readonly clock?: SyncClock;
}

interface Pushed extends LocalFile { readonly hash: string | undefined }

const systemClock: SyncClock = {
  now: () => performance.now(),
  sleep: (ms) => new Promise((resolve) => { setTimeout(resolve, ms); }),
};

function said(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function explain(result: ExecResult): string {
  if (result.why !== 'exit') return result.detail ?? `it ended by ${result.why}`;
  const text = Buffer.from(result.output).toString().trim().slice(-300);
  return text === '' ? `code ${String(result.exitCode)}` : text;
}

export class FileSync {
  readonly #options: SyncOptions;
  readonly #clock: SyncClock;
  readonly #files: readonly string[];
  #pushed = new Map<string, Pushed>();
  #running: Promise<void> | undefined;
  #last: number | undefined;

  constructor(options: SyncOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#files = pushable(options.files);
  }

  /** The place was made anew: everything has to go over again. */
  forget(): void {
    this.#pushed = new Map();
    this.#last = undefined;
  }

  /** Sends what changed here since the last time, at most every 5 s; concurrent callers share one. Never rejects. */
  push(): Promise<void> {
    const isRecent = this.#last !== undefined && this.#clock.now() - this.#last < INTERVAL_MS;
    if (isRecent && !this.#options.force) return this.#running ?? Promise.resolve();
    this.#running ??= this.#push()
      .catch((error: unknown) => this.#options.onProblem(`Files of ${this.#options.home} could not be sent: ${said(error)}`))
      .finally(() => {
        this.#last = this.#clock.now();
        this.#running = undefined;
      });
    return this.#running;
  }

  async #push(): Promise<void> {
    const { home } = this.#options;
    const found = await scan(home, this.#files);
    const next = new Map<string, Pushed>();
    const changed: string[] = [];
    for (const [path, file] of found) {
      const before = this.#pushed.get(path);
      if (before !== undefined && before.mtimeMs === file.mtimeMs && before.size === file.size) {
        next.set(path, before);
      } else if (file.size <= MAX_FILE_BYTES) {
        changed.push(path);
        next.set(path, { ...file, hash: await hashOf(join(home, path)) });
      }
    }
    const gone = [...this.#pushed.keys()].filter((path) => !next.has(path));
    for (const batch of this.#batches(changed, found)) {
      const { pack } = await import('./sync/archive.ts');
      await this.#must('umask 077; mkdir -p -- "$d" && cd -- "$d" && tar xof -', await pack(home, batch));
    }
    if (gone.length > 0) await this.#must('cd -- "$d" && xargs -0 rm -f --', Buffer.from(gone.map((path) => `./${path}\0`).join('')));
    // Only now: when anything failed, all of it counts as not sent and goes over the next time.
    this.#pushed = next;
  }

  * #batches(paths: readonly string[], files: ReadonlyMap<string, LocalFile>): Generator<string[]> {
    let batch: string[] = [];
    let bytes = 0;
    for (const path of paths) {
      const size = files.get(path)?.size ?? 0;
      if (batch.length > 0 && bytes + size > BATCH_BYTES) {
        yield batch;
        batch = [];
        bytes = 0;
      }
      batch.push(path);
      bytes += size;
    }
    if (batch.length > 0) yield batch;
  }

  /** Brings back what changed there since it was sent. Resolves with the paths that were written; never rejects. */
  async pull(): Promise<readonly string[]> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#pull();
      } catch (error) {
        // A place that does not answer will not answer again in a moment.
        const isUseless = attempt === PULL_ATTEMPTS || (error instanceof Error && 'code' in error && (error.code === 'unreachable' || error.code === 'timeout'));
        if (isUseless) {
          this.#options.onProblem(`Files changed there were not brought back to ${this.#options.home}: ${said(error)}`);
          return [];
        }
        await this.#clock.sleep(FIRST_PULL_WAIT_MS * 2 ** (attempt - 1));
      }
    }
  }

  async #pull(): Promise<readonly string[]> {
    const { home } = this.#options;
    const wanted = [...await this.#listThere()].filter(([path, hash]) => isWritable(path, this.#files) && this.#pushed.get(path)?.hash !== hash);
    if (wanted.length === 0) return [];
    const files = await this.#fetch(wanted.map(([path]) => path));
    await mkdir(home, { recursive: true });
    const release = await lock(home, { ...LOCK, lockfilePath: join(home, '.sync.lock') });
    const written: string[] = [];
    try {
      for (const [path, hash] of wanted) {
        const bytes = files.get(path);
        // Changed again while it was read: half a file is worse than an old one.
        if (bytes === undefined || createHash('sha256').update(bytes).digest('hex') !== hash) continue;
        const here = await hashOf(join(home, path));
        if (here === hash) continue;
        if (here !== undefined && here !== this.#pushed.get(path)?.hash) {
          this.#options.onProblem(`${path} changed on both sides: the one in ${home} was kept, the other was not brought back.`);
          continue;
        }
        await mkdir(dirname(join(home, path)), { recursive: true });
        await writeFileAtomic(join(home, path), bytes, { mode: 0o600 });
        written.push(path);
      }
    } finally {
      await release();
    }
    return written;
  }

  async #fetch(paths: readonly string[]): Promise<Map<string, Buffer>> {
    const { unpack } = await import('./sync/archive.ts');
    const files = new Map<string, Buffer>();
    for (let at = 0; at < paths.length; at += FETCH_FILES) {
      const list = Buffer.from(paths.slice(at, at + FETCH_FILES).map((path) => `./${path}\0`).join(''));
      // Small tars, as of busybox, take no list of names.
      const archive = await this.#must(`cd -- "$d" && mapfile -d "" -t f && tar cf - "\${f[@]}"`, list, { timeoutMs: PULL_MS, maxBytes: MAX_PULL_BYTES });
      for (const [path, bytes] of await unpack(archive)) files.set(path, bytes);
    }
    return files;
  }

  /** SHA-256 by path of what could come back. */
  async #listThere(): Promise<Map<string, string>> {
    const credentials = this.#files.map((path) => `if [ -f ${quote(`./${path}`)} ] && [ ! -L ${quote(`./${path}`)} ]; then printf "%s\\0" ${quote(`./${path}`)}; fi`);
    const directories = PULLED_DIRECTORIES.map((directory) => `if [ -d ./${directory} ]; then find ./${directory} -type f -print0; fi`);
    const output = await this.#must(`cd -- "$d" 2>/dev/null || exit 0; { ${[...directories, ...credentials].join('; ')}; } | xargs -0 -r sha256sum --`, undefined, { timeoutMs: PULL_MS, maxBytes: MAX_LIST_BYTES });
    const found = new Map<string, string>();
    for (const line of output.toString().split('\n')) {
      const [, hash, path] = /^([0-9a-f]{64}) [ *]\.\/(.+)$/.exec(line) ?? []; // a line that starts with a backslash has a name we do not take
      if (hash !== undefined && path !== undefined) found.set(path, hash);
    }
    return found;
  }

  /** Runs a script with the synced directory as `$d`; throws when it does not succeed. */
  async #must(script: string, stdin: Uint8Array | undefined, limits: { readonly timeoutMs: number; readonly maxBytes: number } = { timeoutMs: PUSH_MS, maxBytes: 4_096 }): Promise<Buffer> {
    const result = await this.#options.exec({ command: `d=${quote(`${this.#options.remoteHome()}/.hermes`)}; ${script}`, ...limits, ...(stdin === undefined ? {} : { stdin }) });
    if (result.why === 'lost' || result.why === 'timeout') throw Object.assign(new Error(explain(result)), { code: result.why === 'lost' ? 'unreachable' : 'timeout' });
    if (result.exitCode !== 0) throw new Error(explain(result));
    if (result.truncated) throw new Error(`it is more than ${limits.maxBytes} bytes`);
    return Buffer.from(result.output);
  }
}
