/** Files that a reply names: which may leave this machine, and why another may not; and texts too long for a message. */
import { createHash } from 'node:crypto';
import { mkdir, realpath, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, isAbsolute, join } from 'node:path';
import type { HomePaths } from '../../tools/context.ts';

/** Telegram's limit for bots; the others take less or as much. */
const MAX_FILE_BYTES = 50 * 1024 * 1024;
const SECRET_FOLDERS = ['.ssh', '.aws', '.gnupg', '.kube', '.docker', '.azure', '.config/gh', '.config/gcloud'];
const SECRET_FILES = /^(?:\.env(?:\..+)?|\.envrc|\.netrc|\.pgpass|\.npmrc|\.pypirc|\.git-credentials|id_(?:rsa|ed25519|ecdsa|dsa))$/;

const isInside = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);

/** Undefined when it may be sent. Links are followed first: one cannot lead round the list. */
export async function fileRefusal(path: string, paths: HomePaths): Promise<string | undefined> {
  if (!isAbsolute(path)) return `'${path}' is not an absolute path`;
  try {
    const real = await realpath(path);
    const facts = await stat(real);
    if (!facts.isFile()) return `'${path}' is not a file`;
    if (facts.size > MAX_FILE_BYTES) return `'${path}' has ${String(Math.ceil(facts.size / 1_048_576))} MB; at most 50 MB can be sent`;
    if (facts.size === 0) return `'${path}' is empty`;
    const home = await realpath(paths.home);
    const own = isInside(real, home) && ![paths.cache, paths.outputs].some((folder) => isInside(real, folder.replace(paths.home, home)));
    const secret = own || SECRET_FILES.test(basename(real)) || SECRET_FOLDERS.some((folder) => isInside(real, join(homedir(), folder)));
    return secret ? `'${path}' may hold credentials and is never sent` : undefined;
  } catch (error) {
    return `'${path}' cannot be read here${error instanceof Error && 'code' in error ? ` (${String(error.code)})` : ''}`;
  }
}

/** The path of the file. The same text has the same file, however often it is delivered. */
export async function keepLong(inbox: string, text: string): Promise<string> {
  await mkdir(inbox, { recursive: true, mode: 0o700 });
  const path = join(inbox, `long-${createHash('sha256').update(text).digest('hex').slice(0, 16)}.txt`);
  await writeFile(path, text, { mode: 0o600 });
  return path;
}
