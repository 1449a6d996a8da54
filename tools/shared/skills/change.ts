/** Changes of skill files: one at a time across processes, written in one step, checked after the write and taken back when the check fails. */
import { mkdir, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { contentProblem } from './format.ts';
import { isAbsent, skillsFolder } from './store.ts';
import { findThreat } from './threats.ts';

/** A holder that died is passed over after this. */
const STALE_LOCK_MS = 10_000;
const LOCK_RETRIES = { retries: 40, factor: 1.3, minTimeout: 10, maxTimeout: 250 };

/** The last change of each home. Those of this process queue up: the lock between processes gives up after some seconds. */
const lastChanges = new Map<string, Promise<unknown>>();

/** Runs `work` with the skills folder (links resolved; made when absent) while nobody else changes it. Throws an error of code `ELOCKED` when another process does not let go of it. */
export function withSkills<Result>(home: string, work: (root: string) => Promise<Result>): Promise<Result> {
  const change = (lastChanges.get(home) ?? Promise.resolve()).then(() => locked(home, work));
  lastChanges.set(home, change.catch(() => undefined)); // the caller hears of it; the next one only waits
  return change;
}

async function locked<Result>(home: string, work: (root: string) => Promise<Result>): Promise<Result> {
  const { lock } = await import('proper-lockfile');
  await mkdir(skillsFolder(home), { recursive: true, mode: 0o700 });
  const root = await realpath(skillsFolder(home));
  const release = await lock(root, { lockfilePath: join(root, '.lock'), stale: STALE_LOCK_MS, retries: LOCK_RETRIES });
  try {
    return await work(root);
  } finally {
    await release();
  }
}

/**
 * Writes a file, reads it back and checks it: a SKILL.md must be one, and no file may hold what a skill must not. On a problem everything
 * is as before, folders made for it included, and the problem is returned in words. Throws what the file system throws, also with everything as before.
 */
export async function publish(path: string, text: string): Promise<string | undefined> {
  const before = await readOld(path);
  const made = await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const { default: writeFileAtomic } = await import('write-file-atomic');
  const takeBack = async (): Promise<void> => {
    if (before !== undefined) await writeFileAtomic(path, before);
    else await rm(made ?? path, { recursive: true, force: true });
  };
  try {
    await writeFileAtomic(path, text);
    const problem = await problemOf(path);
    if (problem !== undefined) await takeBack();
    return problem;
  } catch (error) {
    await takeBack();
    throw error;
  }
}

async function problemOf(path: string): Promise<string | undefined> {
  const text = await readFile(path, 'utf8');
  const wrong = basename(path) === 'SKILL.md' ? await contentProblem(text) : undefined;
  if (wrong !== undefined) return wrong;
  const threat = findThreat(text);
  return threat === undefined ? undefined : `Blocked by the security scan: the text holds ${threat}. Write the skill without it.`;
}

async function readOld(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

/** Moves a skill's folder out of the way; returns where it is kept. */
export async function archive(root: string, folder: string, now: Date): Promise<string> {
  const kept = join(root, '.archive', `${basename(folder)}-${now.toISOString().replaceAll(/[:.]/g, '-')}`);
  await mkdir(dirname(kept), { recursive: true, mode: 0o700 });
  await rename(folder, kept);
  return kept;
}

/** Puts an archived skill back where it was. False when something stands there now. */
export async function unarchive(kept: string, folder: string): Promise<boolean> {
  await mkdir(dirname(folder), { recursive: true, mode: 0o700 });
  if (await isThere(folder)) return false;
  await rename(kept, folder);
  return true;
}

export async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (isAbsent(error)) return false;
    throw error;
  }
}
