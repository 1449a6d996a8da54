/** What paths and globs come to on this disk, and how much lies below them; each step looks at the clock. */
import type { Dir } from 'node:fs';
import { lstat, opendir, readdir, readFile, realpath } from 'node:fs/promises';
import { join, normalize } from 'node:path';
import { globMatches, hasGlob } from './parse/glob.ts';
import { isInside } from './standing/coverage.ts';

/** `at`: milliseconds of `performance.now()`. */
export interface Deadline { readonly at: number }

/** The time is up. */
export class Overrun extends Error {}

const MOST_PATHS = 100_000;

const check = ({ at }: Deadline): void => { if (performance.now() > at) throw new Overrun('the time is up'); };

/** The promise, or `Overrun` when the time is up first: a disk that hangs does not hold the look. */
export async function within<Value>(work: Promise<Value>, deadline: Deadline): Promise<Value> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => { late.reject(new Overrun('the time is up')); }, Math.max(0, deadline.at - performance.now()));
  try {
    const value = await Promise.race([work, late.promise]);
    // On a busy machine the clock's own callback may come after what it should have stopped.
    check(deadline);
    return value;
  } finally {
    clearTimeout(timer);
  }
}

/** Undefined for what is not there, or may not be looked at. */
async function quiet<Value>(work: Promise<Value>, deadline: Deadline): Promise<Value | undefined> {
  try {
    return await within(work, deadline);
  } catch (error) {
    if (error instanceof Overrun) throw error;
    return undefined;
  }
}

/** A folder that opens after the deadline is closed again: nobody reads it any more. */
async function openWithin(path: string, deadline: Deadline): Promise<Dir | undefined> {
  const opening = opendir(path);
  try {
    return await quiet(opening, deadline);
  } catch (error) {
    void opening.then((folder) => folder.close(), () => undefined); // it could not be opened at all: nothing to close
    throw error;
  }
}

/** Existing paths that the words come to, as bash expands them: `*` leaves out dot files, matches are sorted, words without one are dropped. */
export async function expandGlobs(operands: readonly { readonly pattern: string; readonly glob: boolean }[], deadline: Deadline): Promise<string[]> {
  const found = new Set<string>();
  for (const { pattern, glob } of operands) {
    const path = normalize(pattern).replace(/(?<=.)\/$/, '');
    const matches = glob ? await expand(path, deadline) : (await quiet(lstat(path), deadline)) === undefined ? [] : [path];
    for (const match of matches) found.add(match);
    if (found.size > MOST_PATHS) throw new Overrun('too many paths');
  }
  return [...found];
}

async function expand(pattern: string, deadline: Deadline): Promise<string[]> {
  let reached = ['/'];
  const segments = pattern.split('/').filter((segment) => segment !== '');
  for (const [index, segment] of segments.entries()) {
    const last = index === segments.length - 1;
    const next: string[] = [];
    for (const folder of reached) {
      check(deadline);
      if (!hasGlob(segment)) {
        const path = join(folder, segment);
        if (!last || (await quiet(lstat(path), deadline)) !== undefined) next.push(path);
        continue;
      }
      const names = (await quiet(readdir(folder), deadline)) ?? [];
      next.push(...names.filter((name) => (segment.startsWith('.') || !name.startsWith('.')) && globMatches(segment, name)).sort().map((name) => join(folder, name)));
      if (next.length > MOST_PATHS) throw new Overrun('too many paths');
    }
    reached = next;
  }
  return reached;
}

/** How many files and directories lie at and below the paths, and their bytes. Links are counted, not followed. Throws `Overrun`. */
export async function sizeOf(paths: readonly string[], deadline: Deadline): Promise<{ count: number; bytes: number }> {
  let count = 0;
  let bytes = 0;
  const open = paths.filter((path) => !paths.some((other) => other !== path && isInside(path, other)));
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    check(deadline);
    const found = await quiet(lstat(path), deadline);
    if (found === undefined) continue;
    count += 1;
    if (!found.isDirectory()) {
      bytes += found.size;
      continue;
    }
    const folder = await openWithin(path, deadline);
    if (folder === undefined) continue;
    for await (const { name } of folder) {
      check(deadline);
      open.push(join(path, name));
    }
  }
  return { count, bytes };
}

/** Mount points at or below the paths, the root itself left out. Empty where the system does not list them. */
export async function mountsAt(paths: readonly string[], deadline: Deadline): Promise<string[]> {
  const list = await quiet(readFile('/proc/self/mountinfo', 'utf8'), deadline);
  if (list === undefined || paths.length === 0) return [];
  const mounts = list.split('\n').flatMap((line) => {
    const point = line.split(' ')[4];
    return point === undefined || point === '/' ? [] : [point.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)))];
  });
  const found = new Set<string>();
  for (const path of paths.slice(0, 200)) {
    const real = await quiet(realpath(path), deadline) ?? path;
    for (const point of mounts) if (isInside(point, real)) found.add(point);
  }
  return [...found];
}
