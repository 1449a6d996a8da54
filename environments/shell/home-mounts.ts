/** What of the home a container sees, read-only: skills, the cache, and credential files that were named (hermes-runtime 6.3). */
import { realpathSync, statSync } from 'node:fs';
import { join, posix, sep } from 'node:path';

const DIRECTORIES = ['skills', 'cache'] as const;

export interface HomeMount {
  readonly host: string;
  /** Absolute path inside, below `~/.hermes` there. */
  readonly inside: string;
}

function kindOf(path: string): 'file' | 'directory' | undefined {
  try {
    const found = statSync(path);
    return found.isFile() ? 'file' : found.isDirectory() ? 'directory' : undefined;
  } catch {
    return undefined; // not there: nothing to show
  }
}

/** `files` are relative to the home; what leads out of it, or is not a file, is left out. */
export function homeMounts(home: string, files: readonly string[], homeInside: string): HomeMount[] {
  const root = kindOf(home) === 'directory' ? realpathSync(home) : home;
  const wanted = [...DIRECTORIES.map((name) => ({ name, kind: 'directory' })), ...files.map((name) => ({ name, kind: 'file' }))];
  return wanted.flatMap(({ name, kind }) => {
    const path = join(root, name);
    if (kindOf(path) !== kind) return [];
    const host = realpathSync(path);
    return host.startsWith(root + sep) ? [{ host, inside: posix.join(homeInside, '.hermes', name) }] : [];
  });
}
