/** A path inside a skill: it never leaves the skill, neither by its parts nor by links. */
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { SUPPORT_FOLDERS } from './format.ts';
import { isAbsent } from './store.ts';

const MAX_PATH_CHARS = 512;

export type Inside = { readonly path: string; readonly relativePath: string } | { readonly error: string };

/** `folder` has its links resolved. With `support`, only files of the four folders for them will do. */
export async function pathInside(folder: string, given: string, support: boolean): Promise<Inside> {
  const where = support ? `a file under ${SUPPORT_FOLDERS.map((name) => `${name}/`).join(', ')}` : 'a file of the skill, such as references/api.md';
  if (given.trim() === '' || given.length > MAX_PATH_CHARS) return { error: `file_path names ${where}.` };
  if (/[\0\\]/.test(given) || given.startsWith('/') || given.startsWith('~') || /^[a-z]:/i.test(given)) return { error: `file_path '${given.replaceAll('\0', '')}' is refused: it is relative to the skill, with / between its parts. Give ${where}.` };
  const parts = given.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..')) return { error: `file_path '${given}' is refused: it leads out of the skill. Give ${where}.` };
  if (support && (parts.length < 2 || !SUPPORT_FOLDERS.some((name) => name === parts[0]))) return { error: `file_path '${given}' is refused. Give ${where}.` };
  let path = folder;
  for (const part of parts) {
    path = join(path, part);
    try {
      if ((await lstat(path)).isSymbolicLink()) return { error: `file_path '${given}' is refused: '${part}' is a link, and could lead out of the skill.` };
    } catch (error) {
      if (isAbsent(error)) break;
      throw error;
    }
  }
  return { path: join(folder, ...parts), relativePath: parts.join('/') };
}
