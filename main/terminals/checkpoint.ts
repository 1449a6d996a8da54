/**
 * `<home>/processes.json` (hermes-runtime 5.6): what runs in the background, so that a host that comes after a crash can find it again.
 * Several hosts may share the file: each rewrites only its own entries, under a lock.
 */
import { mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import lockfile from 'proper-lockfile';
import writeFileAtomic from 'write-file-atomic';
import { z } from 'zod';
import { startIdentity } from '../../environments/local.ts';
import type { Log } from '../ports.ts';

const Entry = z.looseObject({
  session_id: z.string(),
  /** Redacted. */
  command: z.string(),
  pid: z.number().nullable(),
  pid_scope: z.enum(['host', 'sandbox']),
  host_start_time: z.string().nullable(),
  mark: z.string().optional(),
  /** By which its backend finds it again; only where the backend keeps it running. */
  remote: z.string().optional(),
  cwd: z.string(),
  started_at: z.number(),
  task_id: z.string(),
  session_key: z.string(),
  notify_on_complete: z.boolean(),
  watch_patterns: z.array(z.string()),
  owner_pid: z.number(),
  owner_started_at: z.string().nullable(),
});
export type CheckpointEntry = z.infer<typeof Entry>;
const File = z.array(z.unknown());

/** Another host holds the lock for milliseconds; that of a dead one is taken over after 5 s, so the attempts go on for longer than that. */
const LOCK = { retries: { retries: 60, minTimeout: 20, maxTimeout: 200 }, stale: 5_000, realpath: false } as const;

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

export class Checkpoint {
  readonly #path: string;
  readonly #log: Log;
  readonly owner = { pid: process.pid, started: startIdentity(process.pid) ?? null };
  #own: readonly CheckpointEntry[] = [];
  #writing: Promise<void> = Promise.resolve();
  #again = false;
  #wrote = false;

  constructor(path: string, log: Log) {
    this.#path = path;
    this.#log = log;
  }

  #read(): CheckpointEntry[] {
    let text: string;
    try {
      text = readFileSync(this.#path, 'utf8');
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
    const list = File.safeParse(parseJson(text));
    // Entries that do not say who wrote them, or are not ours to read, are dropped (hermes-runtime 5.6).
    return (list.success ? list.data : []).flatMap((item) => {
      const entry = Entry.safeParse(item);
      return entry.success ? [entry.data] : [];
    });
  }

  /** Replaces this host's entries; rewritten soon, never twice at once. A failure is logged, the processes go on. */
  set(entries: readonly CheckpointEntry[]): void {
    this.#own = entries;
    if (entries.length === 0 && !this.#wrote) return;
    this.#wrote = true;
    if (this.#again) return;
    this.#again = true;
    this.#writing = this.#writing.then(async () => {
      this.#again = false;
      await this.#locked(() => [...this.#read().filter((entry) => entry.owner_pid !== this.owner.pid || entry.owner_started_at !== this.owner.started), ...this.#own]);
    }).catch((error: unknown) => this.#log.error('processes.json cannot be written', { path: this.#path, error }));
  }

  async #locked(change: () => readonly CheckpointEntry[]): Promise<void> {
    mkdirSync(dirname(this.#path), { recursive: true });
    const release = await lockfile.lock(this.#path, LOCK);
    try {
      await writeFileAtomic(this.#path, `${JSON.stringify(change(), null, 1)}\n`, { mode: 0o600, fsync: false });
    } finally {
      await release();
    }
  }

  /** Takes over the entries of hosts that are dead: they leave the file, and are returned. */
  async adopt(): Promise<CheckpointEntry[]> {
    const orphaned = (entry: CheckpointEntry) => startIdentity(entry.owner_pid) !== entry.owner_started_at;
    if (!this.#read().some(orphaned)) return [];
    let taken: CheckpointEntry[] = [];
    await this.#locked(() => {
      const all = this.#read();
      taken = all.filter(orphaned);
      return all.filter((entry) => !orphaned(entry));
    });
    return taken;
  }

  /** Resolves when the file says what was set last. */
  async flushed(): Promise<void> {
    await this.#writing;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // a torn or foreign file holds nothing that could be followed
  }
}
