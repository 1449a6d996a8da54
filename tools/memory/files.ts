/** The memory files: read anew before each change, under a lock that other processes see, written in one step. */
import { copyFile, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hasDrifted, joinEntries, parseEntries } from './entries.ts';

export type Target = 'memory' | 'user';
const FILES: Readonly<Record<Target, string>> = { memory: 'MEMORY.md', user: 'USER.md' };
/** A holder that died is passed over after this. */
const STALE_LOCK_MS = 10_000;
const LOCK_RETRIES = { retries: 40, factor: 1.3, minTimeout: 10, maxTimeout: 250 };

/** The file was edited in a way that a write would lose. `backup` is the copy that was made. */
export class DriftError extends Error {
  readonly backup: string;

  constructor(path: string, backup: string) {
    super(`${path} was edited by hand in a form that this tool would not keep. A copy is at ${backup}. Nothing was written: separate the entries by lines with only § between them, each within the limit, then try again.`);
    this.name = 'DriftError';
    this.backup = backup;
  }
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw error;
  }
}

/**
 * Runs `change` on the entries that are on disk now and writes what it returns; undefined writes nothing. Throws DriftError,
 * and what the file system throws.
 */
export async function changeEntries(home: string, target: Target, limit: number, change: (entries: readonly string[]) => readonly string[] | undefined): Promise<void> {
  const { lock } = await import('proper-lockfile');
  const folder = join(home, 'memories');
  const path = join(folder, FILES[target]);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const release = await lock(path, { realpath: false, stale: STALE_LOCK_MS, retries: LOCK_RETRIES });
  try {
    const text = await readText(path);
    if (hasDrifted(text, limit)) {
      const backup = `${path}.bak`;
      await copyFile(path, backup);
      throw new DriftError(path, backup);
    }
    const next = change(parseEntries(text));
    if (next === undefined) return;
    const { default: writeFileAtomic } = await import('write-file-atomic');
    await writeFileAtomic(path, next.length === 0 ? '' : `${joinEntries(next)}\n`, { mode: 0o600 });
  } finally {
    await release();
  }
}
