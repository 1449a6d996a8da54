/** File operations by scripts, for backends without a file protocol of their own. */
import { randomBytes } from 'node:crypto';
import { posix } from 'node:path';
import { EnvironmentError, type EnvironmentForTools, type FileStat } from '../../base.ts';
import { FILE_CODES, LIST, READ_FILE, REALPATH, REMOVE, RENAME, STAT, WRITE_FILE } from './scripts.ts';

export type FileOperations = Pick<EnvironmentForTools, 'readFile' | 'writeFile' | 'stat' | 'list' | 'remove' | 'rename' | 'realpath'>;

/** Runs a script inside the backend and collects it. */
export type RunScript = (script: string, args: readonly string[], stdin?: Uint8Array) => Promise<{ readonly exitCode: number | null; readonly output: Buffer }>;

const TYPE_MASK = 0o170000;
const REGULAR = 0o100000;
const DIRECTORY = 0o040000;
const LINK = 0o120000;
const PERMISSION_BITS = 0o7777;

function failure(path: string, exitCode: number | null, output: Buffer): EnvironmentError {
  const said = output.toString().trim().slice(0, 500);
  switch (exitCode) {
    case FILE_CODES.notFound: return new EnvironmentError('not-found', `${path}: no such file or directory`);
    case FILE_CODES.isDirectory: return new EnvironmentError('not-a-file', `${path}: is a directory`);
    case FILE_CODES.notRegular: return new EnvironmentError('not-a-file', `${path}: is not a regular file`);
    case FILE_CODES.notADirectory: return new EnvironmentError('not-a-directory', `${path}: is not a directory`);
    case FILE_CODES.denied: return new EnvironmentError('denied', `${path}: permission denied`);
    case FILE_CODES.tooLarge: return new EnvironmentError('too-large', `${path}: ${said} bytes, more than the limit`);
    case FILE_CODES.full: return new EnvironmentError('failed', `${path}: no space left on the disk there, not even for the way to it`, { hint: 'Make room in the temporary directory there.' });
    default:
      if (/permission denied|read-only file system|not permitted/i.test(said)) return new EnvironmentError('denied', `${path}: permission denied`);
      if (/no space left/i.test(said)) return new EnvironmentError('failed', `${path}: no space left on the disk`);
      if (/not a directory/i.test(said)) return new EnvironmentError('not-a-directory', `${path}: is not a directory`);
      return new EnvironmentError('failed', `${path}: ${said === '' ? `the helper ended with code ${String(exitCode)}` : said}`);
  }
}

/** `%f %s %Y %y` of stat: mode in hexadecimal, size, seconds, and a date with the fraction. */
function parseLine(line: string): { type: number; mode: number; size: number; mtimeMs: number } {
  const [mode = '', size = '', seconds = '', ...date] = line.split(' ');
  const bits = Number.parseInt(mode, 16);
  const fraction = /\.(\d{3})/.exec(date.join(' '))?.[1] ?? '0';
  return { type: bits & TYPE_MASK, mode: bits & PERMISSION_BITS, size: Number(size), mtimeMs: Number(seconds) * 1_000 + Number(fraction) };
}

export function scriptFiles(run: RunScript): FileOperations {
  async function ask(path: string, script: string, args: readonly string[], stdin?: Uint8Array): Promise<Buffer> {
    const { exitCode, output } = await run(script, args, stdin);
    if (exitCode !== 0) throw failure(path, exitCode, output);
    return output;
  }
  const realpath = async (path: string) => (await ask(path, REALPATH, [posix.resolve('/', path)])).toString();

  return {
    realpath,
    async readFile(path, options) {
      const limit = options?.maxBytes;
      const bytes = await ask(path, READ_FILE, [path, limit === undefined ? '' : String(limit)]);
      // Files of /proc say 0 and hold more.
      if (limit !== undefined && bytes.length > limit) throw new EnvironmentError('too-large', `${path}: more than the limit of ${limit} bytes`);
      return bytes;
    },
    async writeFile(path, bytes, options) {
      const mode = options?.mode === undefined ? '' : options.mode.toString(8);
      await ask(path, WRITE_FILE, [posix.resolve('/', path), mode, randomBytes(6).toString('hex')], bytes);
    },
    async stat(path): Promise<FileStat | undefined> {
      const { exitCode, output } = await run(STAT, [path]);
      if (exitCode === FILE_CODES.notFound) return undefined;
      if (exitCode !== 0) throw failure(path, exitCode, output);
      const [own = '', target = ''] = output.toString().split('\n');
      const { type, size, mode, mtimeMs } = parseLine(target);
      return { kind: type === REGULAR ? 'file' : type === DIRECTORY ? 'directory' : 'other', size, mode, mtimeMs, link: parseLine(own).type === LINK };
    },
    list: async (path) => (await ask(path, LIST, [path])).toString().split('\0').slice(0, -1).sort(),
    remove: async (path) => { await ask(path, REMOVE, [path]); },
    rename: async (from, to) => { await ask(from, RENAME, [from, to]); },
  };
}
