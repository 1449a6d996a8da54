/** One bare repository per directory that was changed: what was kept of it, and the list of checkpoints. */
import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import lockfile from 'proper-lockfile';
import writeFileAtomic from 'write-file-atomic';
import { z } from 'zod';
import { Checkpoint, type CheckpointId } from '../../preload/contract/checkpoints.ts';
import { runGit, type GitRun } from './git.ts';

/** Left out when a whole directory is kept, beside what its own .gitignore names: made anew by a command, or secret. */
const EXCLUDED = [
  'node_modules/', '.venv/', 'venv/', '__pycache__/', '*.pyc', '.mypy_cache/', '.pytest_cache/', '.ruff_cache/', '.tox/', 'target/', 'dist/', 'build/', '.next/', '.nuxt/',
  '.cache/', '.gradle/', 'coverage/', '.DS_Store', '*.log', '.env', '.env.*', '.envrc', '.git/',
] as const;
const LOCK = { retries: { retries: 60, minTimeout: 10, maxTimeout: 200 }, stale: 10_000, realpath: false } as const;
const INIT_MS = 10_000;
/** References dropped before their objects are cleared away. */
const DROPS_PER_CLEARING = 20;
const CLEAR_MS = 120_000;

const Entry = Checkpoint.extend({
  /** Files that were not there: putting back means taking away. */
  created: z.array(z.string()),
  /** Paths kept as whole directories. */
  trees: z.array(z.string()),
  /** Permission bits that git does not keep. */
  modes: z.record(z.string(), z.number()),
});
export type Entry = z.infer<typeof Entry>;
const List = z.object({ backend: z.string(), root: z.string(), dropped: z.number(), entries: z.array(Entry) });
type StoredList = z.infer<typeof List>;

export function refOf(id: CheckpointId): string {
  return `refs/checkpoints/${id}`;
}

export interface StorePlace { readonly backend: string; readonly root: string }

export class Store {
  readonly directory: string;
  readonly #git: string;
  readonly #exclude: readonly string[];

  constructor(directory: string, git: string, exclude: readonly string[] = []) {
    this.directory = directory;
    this.#git = git;
    this.#exclude = exclude;
  }

  /** Patterns that whole directories are kept without. */
  get excluded(): readonly string[] {
    return [...EXCLUDED, ...this.#exclude];
  }

  git(args: readonly string[], how: GitRun): Promise<Buffer> {
    return runGit(this.#git, this.directory, args, how);
  }

  async #prepare(place: StorePlace): Promise<void> {
    await mkdir(join(this.directory, 'info'), { recursive: true, mode: 0o700 });
    await this.git(['init', '--bare', '-q', '--template='], { timeoutMs: INIT_MS });
    // Bytes are kept as they are, whatever the attributes of the directory say, and no hook is run.
    await appendFile(join(this.directory, 'config'), '[core]\n\thooksPath = /dev/null\n\tautocrlf = false\n\tfsmonitor = false\n\tquotePath = false\n[gc]\n\tauto = 0\n');
    await writeFile(join(this.directory, 'info', 'attributes'), '* -text -filter -ident -working-tree-encoding\n');
    await this.#write({ ...place, dropped: 0, entries: [] });
  }

  async #read(): Promise<StoredList | undefined> {
    let text: string;
    try {
      text = await readFile(join(this.directory, 'checkpoints.json'), 'utf8');
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
      throw error;
    }
    return List.parse(JSON.parse(text));
  }

  async #write(list: StoredList): Promise<void> {
    await writeFileAtomic(join(this.directory, 'checkpoints.json'), JSON.stringify(list), { mode: 0o600, fsync: false });
  }

  /** Empty when there is no such store. Throws when its list is damaged. */
  async list(): Promise<readonly Entry[]> {
    return (await this.#read())?.entries ?? [];
  }

  /** Runs `work` while no other host or call changes this store; makes the store when it is new. */
  async locked<T>(place: StorePlace, work: () => Promise<T>): Promise<T> {
    await mkdir(this.directory, { recursive: true, mode: 0o700 });
    const release = await lockfile.lock(this.directory, LOCK);
    try {
      if (await this.#read() === undefined) await this.#prepare(place);
      await writeFile(join(this.directory, 'info', 'exclude'), `${this.excluded.join('\n')}\n`);
      return await work();
    } finally {
      await release();
    }
  }

  /** Inside `locked`: adds a checkpoint whose reference exists, and drops the oldest beyond `most`. */
  async add(entry: Entry, most: number): Promise<void> {
    const list = await this.#read();
    if (list === undefined) throw new Error('a checkpoint is added to a store that was not made');
    const entries = [...list.entries, entry].slice(-most);
    const gone = list.entries.filter((old) => !entries.includes(old));
    await this.#write({ ...list, entries, dropped: (list.dropped + gone.length) % DROPS_PER_CLEARING });
    if (gone.length === 0) return;
    await this.git(['update-ref', '--stdin'], { input: gone.map(({ id }) => `delete ${refOf(id)}\n`).join(''), timeoutMs: INIT_MS });
    if (list.dropped + gone.length >= DROPS_PER_CLEARING) await this.git(['gc', '-q', '--prune=now'], { timeoutMs: CLEAR_MS });
  }
}
