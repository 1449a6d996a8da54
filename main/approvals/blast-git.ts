/**
 * Which of some files git could not bring back. Asked so that git starts nothing of the repository's own: no hooks, no file system monitor,
 * no filters (`git status` would run them), so that looking at a card never runs what an agent has configured.
 */
import { execFile } from 'node:child_process';
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { Overrun, within, type Deadline } from './blast-files.ts';
import { isInside } from './standing/coverage.ts';

const SAFE = ['--no-optional-locks', '--literal-pathspecs', '-c', 'core.fsmonitor=false', '-c', 'core.untrackedCache=false', '-c', 'core.hooksPath=/dev/null'];
const OUTPUT_BYTES = 8 * 1024 * 1024;
/** More paths do not fit on a command line for sure. */
const MOST_PATHS = 500;

/** What git prints, or undefined when it is missing, fails or takes too long. */
function git(folder: string, args: readonly string[], deadline: Deadline): Promise<string | undefined> {
  const left = Math.floor(deadline.at - performance.now());
  if (left < 1) return Promise.resolve(undefined);
  return new Promise((resolve) => {
    execFile('git', [...SAFE, '-C', folder, ...args], { timeout: left, killSignal: 'SIGKILL', maxBuffer: OUTPUT_BYTES, windowsHide: true, env: { PATH: process.env['PATH'], HOME: process.env['HOME'], LC_ALL: 'C' } },
      (error, stdout) => { resolve(error === null ? stdout : undefined); });
  });
}

const list = (text: string): string[] => text.split('\0').filter((entry) => entry !== '');

/** `path NUL … mtime: S:NS … size: N …` for each file of the index; git's own words (`git ls-files --debug`). */
const INDEXED = /([^\0]+)\0\s+ctime:[^\n]*\n\s+mtime: (\d+):(\d+)\n[^\n]*\n[^\n]*\n\s+size: (\d+)[^\n]*\n/g;

/** Files under `paths` that git does not know, and known ones whose content is in no commit. Null outside a work tree, or when git is missing or too slow. */
export async function gitState(paths: readonly string[], workspace: string | null, deadline: Deadline): Promise<{ untracked: number; dirty: number } | null> {
  const inside = workspace === null ? [] : paths.filter((path) => isInside(path, workspace));
  if (workspace === null || inside.length === 0 || inside.length > MOST_PATHS) return null;
  const [others, indexed, staged] = await Promise.all([
    git(workspace, ['ls-files', '-z', '--others', '--exclude-standard', '--', ...inside], deadline),
    git(workspace, ['ls-files', '-z', '--debug', '--', ...inside], deadline),
    git(workspace, ['diff-index', '--cached', '--name-only', '--no-ext-diff', '-z', 'HEAD', '--', ...inside], deadline),
  ]);
  // A repository without a commit has no HEAD: then everything in the index is in no commit.
  if (others === undefined || indexed === undefined) return null;
  const known = [...indexed.matchAll(INDEXED)].map(([, path = '', seconds, nanoseconds, size]) => ({ path, time: BigInt(seconds ?? 0) * 1_000_000_000n + BigInt(nanoseconds ?? 0), size: Number(size) }));
  const dirty = new Set(staged === undefined ? known.map(({ path }) => path) : list(staged));
  try {
    await within(Promise.all(known.map(async ({ path, time, size }) => {
      const found = await lstat(join(workspace, path), { bigint: true }).catch(() => undefined);
      // Gone already: nothing that could be lost.
      if (found !== undefined && (found.mtimeNs !== time || Number(found.size) !== size)) dirty.add(path);
    })), deadline);
  } catch (error) {
    if (error instanceof Overrun) return null;
    throw error;
  }
  return { untracked: list(others).length, dirty: dirty.size };
}
