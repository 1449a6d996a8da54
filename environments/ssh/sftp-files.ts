/** File operations over SFTP; what it cannot do (whole trees, missing parents of a rename), and a server without it, go through the shell. */
import { randomBytes } from 'node:crypto';
import { posix } from 'node:path';
import type { SFTPWrapper, Stats } from 'ssh2';
import { EnvironmentError, type FileStat } from '../base.ts';
import type { FileOperations } from '../shell.ts';
import type { Connections } from './connection.ts';

const STATUS = { noSuchFile: 2, denied: 3, failure: 4 } as const;
/** OpenSSH takes 256 kB at once; several are on their way at the same time, so that the distance costs little. */
const CHUNK_BYTES = 32 * 1024;
const IN_FLIGHT = 32;
const NEW_FILE_MODE = 0o666;
const PRIVATE_MODE = 0o600;
const MODE_BITS = 0o7777;
const FILE_MS = 8_000;

type Callback<T> = (error: Error | null | undefined, value: T) => void;

function codeOf(error: unknown): number | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'number' ? error.code : undefined;
}

function failure(path: string, cause: unknown): EnvironmentError {
  if (cause instanceof EnvironmentError) return cause;
  const code = codeOf(cause);
  if (code === STATUS.noSuchFile) return new EnvironmentError('not-found', `${path}: no such file or directory`, { cause });
  if (code === STATUS.denied) return new EnvironmentError('denied', `${path}: permission denied`, { cause });
  const said = cause instanceof Error ? cause.message : String(cause);
  // What comes without a code of the protocol is no answer of the server.
  return code === undefined ? new EnvironmentError('unreachable', `${path}: the connection was lost while it was read or written (${said})`, { cause }) : new EnvironmentError('failed', `${path}: ${said}`, { cause });
}

/** `whole`: the operations through the shell, used where SFTP has none and where the server offers no SFTP. */
export function sftpFiles(connections: Connections, whole: FileOperations): FileOperations {
  let current: Promise<SFTPWrapper> | undefined;
  let unavailable = false;
  /** Temporary files that a lost connection left: taken away over the next one. */
  const leftovers = new Set<string>();

  async function open(): Promise<SFTPWrapper> {
    const { channel, connection } = await connections.sftp();
    const drop = (): void => { current = undefined; };
    channel.once('close', drop);
    channel.once('end', drop);
    channel.on('error', drop); // its requests fail with it
    connection.onLost.add(drop);
    for (const path of leftovers) channel.unlink(path, () => { leftovers.delete(path); }); // one that is gone already is as good
    return channel;
  }

  /** One request; a server that stops answering fails it in time. */
  async function ask<T>(start: (sftp: SFTPWrapper, done: Callback<T>) => void): Promise<T> {
    current ??= open().catch((error: unknown) => {
      current = undefined;
      throw error;
    });
    const sftp = await current;
    return new Promise<T>((resolve, reject) => {
      const timer = setTimeout(() => reject(new EnvironmentError('unreachable', `the server did not answer within ${FILE_MS / 1_000} s while a file was read or written`)), FILE_MS);
      start(sftp, (error, value) => {
        clearTimeout(timer);
        if (error === undefined || error === null) resolve(value);
        else reject(error);
      });
    });
  }

  /** By SFTP, or where the server has none by the shell. */
  async function either<T>(path: string, bySftp: () => Promise<T>, byShell: () => Promise<T>): Promise<T> {
    if (!unavailable) {
      try {
        return await bySftp();
      } catch (error) {
        if (!(error instanceof EnvironmentError) || error.code !== 'missing') throw failure(path, error);
        unavailable = true;
      }
    }
    return byShell();
  }

  const statOf = (path: string) => ask<Stats>((sftp, done) => { sftp.stat(path, done); });
  const linkStatOf = (path: string) => ask<Stats>((sftp, done) => { sftp.lstat(path, done); });
  const missingAsUndefined = async <T>(work: Promise<T>): Promise<T | undefined> => work.catch((error: unknown) => {
    if (codeOf(error) === STATUS.noSuchFile) return undefined;
    throw error;
  });

  /** Several pieces at once; stops at the first that fails. */
  async function inPieces(length: number, piece: (at: number, size: number) => Promise<unknown>): Promise<void> {
    let next = 0;
    const worker = async (): Promise<void> => {
      while (next < length) {
        const at = next;
        next += CHUNK_BYTES;
        await piece(at, Math.min(CHUNK_BYTES, length - at));
      }
    };
    await Promise.all(Array.from({ length: Math.min(IN_FLIGHT, Math.ceil(length / CHUNK_BYTES)) }, worker));
  }

  async function read(path: string, maxBytes: number | undefined): Promise<Uint8Array> {
    const found = await statOf(path);
    if (found.isDirectory()) throw new EnvironmentError('not-a-file', `${path}: is a directory`);
    if (!found.isFile()) throw new EnvironmentError('not-a-file', `${path}: is not a regular file`);
    if (maxBytes !== undefined && found.size > maxBytes) throw new EnvironmentError('too-large', `${path}: ${found.size} bytes, more than the limit`);
    const handle = await ask<Buffer>((sftp, done) => { sftp.open(path, 'r', done); });
    try {
      // Files of /proc say 0 and hold more; others may grow while they are read.
      if (found.size === 0) return await readToEnd(handle, path, maxBytes);
      const bytes = Buffer.alloc(found.size);
      const gaps: number[] = [];
      await inPieces(found.size, async (at, size) => {
        if (await readPiece(handle, bytes, at, size) < size) gaps.push(at);
      });
      return gaps.length > 0 ? await readToEnd(handle, path, maxBytes) : bytes;
    } finally {
      await close(handle);
    }
  }

  /** Bytes read; fewer than asked for only at the end. */
  async function readPiece(handle: Buffer, into: Buffer, at: number, size: number): Promise<number> {
    for (let got = 0; ;) {
      const more = await ask<number>((sftp, done) => {
        sftp.read(handle, into, at + got, size - got, at + got, (error, count) => {
          if (error !== undefined && codeOf(error) === 1) done(undefined, 0); // end of file
          else done(error, count);
        });
      });
      got += more;
      if (more === 0 || got === size) return got;
    }
  }

  async function readToEnd(handle: Buffer, path: string, maxBytes: number | undefined): Promise<Buffer> {
    const parts: Buffer[] = [];
    for (let total = 0; ;) {
      const piece = Buffer.alloc(CHUNK_BYTES);
      const at = total;
      const count = await ask<number>((sftp, done) => {
        sftp.read(handle, piece, 0, CHUNK_BYTES, at, (error, got) => {
          if (error !== undefined && codeOf(error) === 1) done(undefined, 0); // end of file
          else done(error, got);
        });
      });
      if (count === 0) return Buffer.concat(parts);
      parts.push(piece.subarray(0, count));
      total += count;
      if (maxBytes !== undefined && total > maxBytes) throw new EnvironmentError('too-large', `${path}: more than the limit of ${maxBytes} bytes`);
    }
  }

  async function close(handle: Buffer): Promise<void> {
    await ask<undefined>((sftp, done) => { sftp.close(handle, (error) => done(error, undefined)); });
  }

  async function makeParents(directory: string): Promise<void> {
    if (await missingAsUndefined(statOf(directory)) !== undefined) return;
    await makeParents(posix.dirname(directory));
    await ask<undefined>((sftp, done) => { sftp.mkdir(directory, (error) => done(error, undefined)); }).catch(async (error: unknown) => {
      // Somebody else may have made it meanwhile.
      if ((await missingAsUndefined(statOf(directory)))?.isDirectory() !== true) throw error;
    });
  }

  async function write(path: string, bytes: Uint8Array, mode: number | undefined): Promise<void> {
    const before = await missingAsUndefined(statOf(path));
    if (before?.isDirectory() === true) throw new EnvironmentError('not-a-file', `${path}: is a directory`);
    if (before !== undefined && !before.isFile()) throw new EnvironmentError('not-a-file', `${path}: is not a regular file`);
    // The way by a temporary name would go round a file's own write protection.
    if (before !== undefined) await close(await ask<Buffer>((sftp, done) => { sftp.open(path, 'r+', done); }));
    const directory = posix.dirname(path);
    await makeParents(directory);
    const temporary = posix.join(directory, `.talaria-${randomBytes(6).toString('hex')}.tmp`);
    const keeps = mode ?? (before === undefined ? undefined : before.mode & MODE_BITS);
    const handle = await ask<Buffer>((sftp, done) => { sftp.open(temporary, 'wx', { mode: keeps === undefined ? NEW_FILE_MODE : PRIVATE_MODE }, done); });
    try {
      const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      await inPieces(bytes.length, (at, size) => ask<undefined>((sftp, done) => { sftp.write(handle, buffer, at, size, at, (error) => done(error, undefined)); }));
      if (before !== undefined) await own(handle, before);
      if (keeps !== undefined) await ask<undefined>((sftp, done) => { sftp.fsetstat(handle, { mode: keeps }, (error) => done(error, undefined)); });
      await close(handle);
      await ask<undefined>((sftp, done) => { sftp.ext_openssh_rename(temporary, path, (error) => done(error, undefined)); });
    } catch (error) {
      if (codeOf(error) === undefined) {
        leftovers.add(temporary);
        throw error;
      }
      await ask<undefined>((sftp, done) => { sftp.unlink(temporary, (problem) => done(problem, undefined)); }).catch(() => undefined); // the first failure is what is told
      throw await diskFull(directory, error) ? new EnvironmentError('failed', `${path}: no space left on the disk`, { cause: error }) : error;
    }
  }

  /** Owner and group of the file that is replaced, where that is allowed. */
  async function own(handle: Buffer, { uid, gid }: Stats): Promise<void> {
    await ask<undefined>((sftp, done) => { sftp.fsetstat(handle, { uid, gid }, (error) => done(error, undefined)); })
      .catch((error: unknown) => { if (codeOf(error) === undefined) throw error; }); // only root may give files away
  }

  /** The protocol has one code for all failures of a write. */
  async function diskFull(directory: string, error: unknown): Promise<boolean> {
    if (codeOf(error) !== STATUS.failure) return false;
    const room = await ask<{ readonly f_bavail?: unknown; readonly f_favail?: unknown }>((sftp, done) => { sftp.ext_openssh_statvfs(directory, (problem, found: object) => done(problem, found)); }).catch(() => undefined); // a server without it
    return room !== undefined && [room.f_bavail, room.f_favail].some((left) => left === 0 || left === 0n);
  }

  return {
    ...whole,
    readFile: (path, options) => either(path, () => read(path, options?.maxBytes), () => whole.readFile(path, options)),
    writeFile: (path, bytes, options) => either(path, async () => write(await whole.realpath(path), bytes, options?.mode), () => whole.writeFile(path, bytes, options)),
    stat: (path) => either(path, async (): Promise<FileStat | undefined> => {
      const target = await missingAsUndefined(statOf(path));
      if (target === undefined) return undefined;
      const link = (await linkStatOf(path)).isSymbolicLink();
      return { kind: target.isFile() ? 'file' : target.isDirectory() ? 'directory' : 'other', size: target.size, mode: target.mode & MODE_BITS, mtimeMs: target.mtime * 1_000, link };
    }, () => whole.stat(path)),
    list: (path) => either(path, async () => {
      const entries = await ask<readonly { readonly filename: string }[]>((sftp, done) => { sftp.readdir(path, done); }).catch(async (error: unknown) => {
        if ((await missingAsUndefined(statOf(path)))?.isDirectory() === false) throw new EnvironmentError('not-a-directory', `${path}: is not a directory`);
        throw error;
      });
      return entries.map(({ filename }) => filename).filter((name) => name !== '.' && name !== '..').sort();
    }, () => whole.list(path)),
  };
}
