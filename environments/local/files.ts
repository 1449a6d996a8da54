/** File operations of the local backend. Errors carry a code of ours, a cause and the path. */
import { access, constants, lstat, mkdir, readdir, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import writeFileAtomic from 'write-file-atomic';
import { EnvironmentError, type EnvironmentErrorCode, type EnvironmentForTools, type FileStat } from '../base.ts';

const CODES = new Map<string, EnvironmentErrorCode>([
  ['ENOENT', 'not-found'], ['EACCES', 'denied'], ['EPERM', 'denied'], ['EROFS', 'denied'], ['EEXIST', 'exists'], ['ENOTEMPTY', 'exists'],
  ['EISDIR', 'not-a-file'], ['ENOTDIR', 'not-a-directory'],
]);
const WORDS = new Map<EnvironmentErrorCode, string>([
  ['not-found', 'no such file or directory'], ['denied', 'permission denied'], ['exists', 'already exists'],
  ['not-a-file', 'is a directory'], ['not-a-directory', 'is not a directory'],
]);

function systemCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

function asEnvironmentError(error: unknown, path: string): EnvironmentError {
  if (error instanceof EnvironmentError) return error;
  const system = systemCode(error);
  const code = CODES.get(system) ?? 'failed';
  const full = system === 'ENOSPC' ? 'no space left on the disk' : system === 'ENAMETOOLONG' ? 'the name is too long' : system === 'ELOOP' ? 'links lead in a circle' : undefined;
  const words = full ?? WORDS.get(code) ?? (error instanceof Error ? error.message : String(error));
  return new EnvironmentError(code, `${path}: ${words}`, { cause: error });
}

async function telling<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw asEnvironmentError(error, path);
  }
}

const PERMISSION_BITS = 0o7777;

async function statPath(path: string): Promise<FileStat | undefined> {
  try {
    const own = await lstat(path);
    const target = own.isSymbolicLink() ? await stat(path) : own;
    return {
      kind: target.isFile() ? 'file' : target.isDirectory() ? 'directory' : 'other',
      size: target.size, mtimeMs: target.mtimeMs, mode: target.mode & PERMISSION_BITS, link: own.isSymbolicLink(),
    };
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes(systemCode(error))) return undefined;
    throw asEnvironmentError(error, path);
  }
}

/** Canonical form; what does not exist yet stays as given below the nearest ancestor that does. */
async function canonical(path: string): Promise<string> {
  const absolute = resolve(path);
  try {
    return await realpath(absolute);
  } catch (error) {
    if (!['ENOENT', 'ENOTDIR'].includes(systemCode(error)) || dirname(absolute) === absolute) throw asEnvironmentError(error, path);
    return join(await canonical(dirname(absolute)), basename(absolute));
  }
}

async function read(path: string, maxBytes: number | undefined): Promise<Uint8Array> {
  const found = await statPath(path);
  if (found === undefined) throw new EnvironmentError('not-found', `${path}: no such file or directory`);
  if (found.kind === 'directory') throw new EnvironmentError('not-a-file', `${path}: is a directory`);
  // A device or a FIFO has no end, or waits for a writer for ever.
  if (found.kind === 'other') throw new EnvironmentError('not-a-file', `${path}: is not a regular file`);
  if (maxBytes !== undefined && found.size > maxBytes) {
    throw new EnvironmentError('too-large', `${path}: ${found.size} bytes, more than the limit of ${maxBytes}`);
  }
  const bytes = await readFile(path);
  // Files of /proc say 0 and hold more.
  if (maxBytes !== undefined && bytes.length > maxBytes) throw new EnvironmentError('too-large', `${path}: ${bytes.length} bytes, more than the limit of ${maxBytes}`);
  return bytes;
}

async function write(path: string, bytes: Uint8Array, mode: number | undefined): Promise<void> {
  // A link is followed to its end even when the target does not exist yet: the link stays a link.
  const target = await canonical(path);
  const found = await statPath(target);
  if (found !== undefined && found.kind !== 'file') throw new EnvironmentError('not-a-file', `${path}: is ${found.kind === 'directory' ? 'a directory' : 'not a regular file'}`);
  // The way by a temporary name would go round a file's own write protection.
  if (found !== undefined) await access(target, constants.W_OK);
  await mkdir(dirname(target), { recursive: true });
  await writeFileAtomic(target, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), mode === undefined ? {} : { mode });
}

type FileOperations = Pick<EnvironmentForTools, 'readFile' | 'writeFile' | 'stat' | 'list' | 'remove' | 'rename' | 'realpath'>;

export const localFiles: FileOperations = {
  readFile: (path, options) => telling(path, () => read(path, options?.maxBytes)),
  writeFile: (path, bytes, options) => telling(path, () => write(path, bytes, options?.mode)),
  stat: statPath,
  list: (path) => telling(path, async () => (await readdir(path)).sort()),
  remove: (path) => telling(path, () => rm(path, { recursive: true })),
  rename: (from, to) => telling(from, async () => {
    await mkdir(dirname(to), { recursive: true });
    await rename(from, to);
  }),
  realpath: canonical,
};
