/** Which directory a changed path belongs to: that of its project, of the chat, or its own. */
import { lstat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { posix } from 'node:path';

/** Holding everything of these would hold the machine. */
const WIDE = new Set(['/', '/bin', '/boot', '/dev', '/etc', '/home', '/lib', '/opt', '/proc', '/root', '/run', '/srv', '/sys', '/tmp', '/usr', '/usr/local', '/var', '/var/tmp', '/Users', '/private/tmp']);

export function isWide(directory: string): boolean {
  return WIDE.has(directory) || directory === homedir();
}

export function isInside(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory === '/' ? '/' : `${directory}/`);
}

async function holdsGit(directory: string): Promise<boolean> {
  try {
    await lstat(posix.join(directory, '.git'));
    return true;
  } catch {
    return false; // none here, or not ours to see
  }
}

/** `local` says whether paths are of this machine: only then is a project looked for. */
export async function rootOf(path: string, kind: 'file' | 'directory', options: { readonly cwd: string; readonly local: boolean }): Promise<string> {
  const own = kind === 'directory' ? path : posix.dirname(path);
  if (options.local) {
    for (let candidate = own; candidate !== '/' && !isWide(candidate); candidate = posix.dirname(candidate)) {
      if (await holdsGit(candidate)) return candidate;
    }
  }
  return isInside(path, options.cwd) && !isWide(options.cwd) ? options.cwd : own;
}
