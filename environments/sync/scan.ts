/** Which files of the Hermes home a remote backend is given, and which it may give back (hermes-runtime 6.9). */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { pipeline } from 'node:stream/promises';

/** Directories of the home that go over whole. */
export const PUSHED_DIRECTORIES = ['skills', 'cache'] as const;
/** Directories of the home that files come back to. */
export const PULLED_DIRECTORIES = ['cache'] as const;
/** Never written from there: what runs here with the user's rights, or decides what may. */
const PROTECTED = /^(?:skills|plugins|desktop|sandboxes)(?:\/|$)|^(?:config\.yaml|\.env|\.sync\.lock)$/i;
/** Hold keys of model providers and of the backend itself: never handed to a place that the model commands. */
const NEVER_PUSHED = /^(?:config\.yaml|\.env)$/i;

export interface LocalFile {
  readonly mtimeMs: number;
  readonly size: number;
  readonly mode: number;
}

/** A path below the home, in POSIX spelling: neither absolute nor climbing, and without the control characters that lists trip over. */
function isInside(path: string): boolean {
  return path !== '' && !posix.isAbsolute(path) && !path.includes('\\') && !/\p{Cc}/u.test(path) && !path.split('/').some((part) => part === '..' || part === '.' || part === '');
}

/** Listed credential files that may go over: inside of the home, and none of those that never leave it. */
export function pushable(files: readonly string[]): string[] {
  return files.filter((path) => isInside(path) && !NEVER_PUSHED.test(path));
}

/** Whether a file that comes back may be written at this path below the home. `files`: the listed credential files. */
export function isWritable(path: string, files: readonly string[]): boolean {
  if (!isInside(path) || PROTECTED.test(path)) return false;
  return files.includes(path) || PULLED_DIRECTORIES.some((directory) => path.startsWith(`${directory}/`));
}

/**
 * Regular files below `home`, by path. Links are left out: they may lead anywhere. What vanishes while it is looked at, and names with
 * control characters, are left out, too.
 */
export async function scan(home: string, files: readonly string[]): Promise<Map<string, LocalFile>> {
  const found = new Map<string, LocalFile>();
  const look = async (path: string) => {
    const info = await lstat(join(home, path)).catch(() => undefined); // it has just gone, or was never there
    if (info?.isFile() === true) found.set(path, { mtimeMs: info.mtimeMs, size: info.size, mode: info.mode });
  };
  for (const directory of PUSHED_DIRECTORIES) {
    const entries = await readdir(join(home, directory), { recursive: true, withFileTypes: true }).catch(() => []); // there is none
    for (const entry of entries) {
      if (!entry.isFile()) continue;
      const path = posix.join(directory, entry.parentPath.slice(join(home, directory).length).replaceAll('\\', '/').replace(/^\//, ''), entry.name);
      if (isInside(path)) await look(path);
    }
  }
  for (const path of pushable(files)) await look(path);
  return found;
}

/** SHA-256 in hexadecimal; undefined when the file cannot be read. */
export async function hashOf(path: string): Promise<string | undefined> {
  const hash = createHash('sha256');
  try {
    await pipeline(createReadStream(path), hash);
  } catch {
    return undefined; // gone or unreadable: then it is not the one that was pushed
  }
  return hash.digest('hex');
}
