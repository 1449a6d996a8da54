/** Takes files into a store, as they are now: named files by their bytes, whole directories through the index or as an archive. */
import { access, constants, lstat } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { EnvironmentError, type Environment } from '../../environments/base.ts';
import { isWide } from './roots.ts';
import type { Store } from './store.ts';
import { readArchive } from './archive.ts';

/** A larger file is not kept, nor more than this of one call. */
const MOST_FILE_BYTES = 10 * 1024 * 1024;
const MOST_CALL_BYTES = 64 * 1024 * 1024;
const MOST_ARCHIVE_BYTES = 32 * 1024 * 1024;
/** More files than this in one directory are not kept: looking at them alone would hold the command up. */
const MOST_FILES = 20_000;
/** Bits that git keeps by itself. */
const USUAL_MODES = new Set([0o644, 0o755]);
const EXECUTABLE = 0o100;

export interface Wanted {
  readonly root: string;
  /** Relative to the root. */
  readonly files: readonly string[];
  /** Relative to the root; empty = the root itself. */
  readonly trees: readonly string[];
}

export interface Captured {
  readonly created: string[];
  readonly skipped: { path: string; why: string }[];
  readonly modes: Record<string, number>;
}

export interface KeptFile { readonly path: string; readonly bytes: Uint8Array; readonly mode: number }

/** Everything a later `store` needs, in memory: once it resolves, the files may change. */
export async function readFiles(environment: Environment, { root, files }: Wanted): Promise<Captured & { readonly kept: KeptFile[] }> {
  const result = { created: [] as string[], skipped: [] as { path: string; why: string }[], modes: {} as Record<string, number>, kept: [] as KeptFile[] };
  let bytes = 0;
  for (const path of files) {
    const found = await environment.stat(posix.join(root, path));
    if (found === undefined) {
      result.created.push(path);
      continue;
    }
    bytes += found.size;
    if (found.kind !== 'file') result.skipped.push({ path, why: 'not a regular file' });
    else if (found.size > MOST_FILE_BYTES || bytes > MOST_CALL_BYTES) result.skipped.push({ path, why: `too large (${found.size} bytes)` });
    else {
      try {
        result.kept.push({ path, bytes: await environment.readFile(posix.join(root, path), { maxBytes: MOST_FILE_BYTES }), mode: found.mode });
        if (!USUAL_MODES.has(found.mode)) result.modes[path] = found.mode;
      } catch (error) {
        if (!(error instanceof EnvironmentError)) throw error;
        result.skipped.push({ path, why: error.message });
      }
    }
  }
  return result;
}

function quotedPath(path: string): string {
  return `"${path.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
}

/** Writes files that were read as one commit under `ref`. */
export async function storeFiles(store: Store, ref: string, kept: readonly KeptFile[], timeoutMs: number): Promise<void> {
  const parts: Uint8Array[] = [Buffer.from(`commit ${ref}\ncommitter Talaria <talaria@localhost> 0 +0000\ndata 0\n`)];
  for (const { path, bytes, mode } of kept) {
    parts.push(Buffer.from(`M ${(mode & EXECUTABLE) === 0 ? '100644' : '100755'} inline ${quotedPath(path)}\ndata ${bytes.length}\n`), bytes, Buffer.from('\n'));
  }
  await store.git(['fast-import', '--quiet', '--force'], { input: Buffer.concat(parts), timeoutMs });
}

/** Files and directories of this machine, through the store's index: what did not change since the last time is not read again. */
export async function storeLocalTrees(store: Store, ref: string, wanted: Wanted, timeoutMs: number): Promise<Captured> {
  const { root, files, trees } = wanted;
  const skipped: { path: string; why: string }[] = [];
  const usable = trees.filter((tree) => {
    if (!isWide(posix.join(root, tree))) return true;
    skipped.push({ path: tree, why: 'it holds far more than one project' });
    return false;
  });
  const specs = usable.map((tree) => `:(literal)${tree === '' ? '.' : tree}`);
  const listed = specs.length === 0 ? '' : (await store.git(['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', ...specs], { workTree: root, timeoutMs })).toString();
  const names = [...new Set([...listed.split('\0').filter((name) => name !== ''), ...files])];
  if (names.length > MOST_FILES) throw new EnvironmentError('too-large', `${names.length} files are more than are kept (${MOST_FILES})`);
  const created: string[] = [];
  const modes: Record<string, number> = {};
  const taken: string[] = [];
  for (const name of names) {
    if (name.endsWith('/')) {
      skipped.push({ path: name, why: 'a repository of its own' });
      continue;
    }
    const found = await lstat(join(root, name)).catch(() => undefined); // gone: the index drops it
    if (found === undefined && files.includes(name)) created.push(name);
    const readable = found === undefined || found.isSymbolicLink() || await access(join(root, name), constants.R_OK).then(() => true, () => false);
    if (!readable) skipped.push({ path: name, why: 'it may not be read' });
    else if (found !== undefined && found.size > MOST_FILE_BYTES) skipped.push({ path: name, why: `too large (${found.size} bytes)` });
    else taken.push(name);
    const mode = found === undefined || !found.isFile() ? 0o644 : found.mode & 0o7777;
    if (!USUAL_MODES.has(mode)) modes[name] = mode;
  }
  await store.git(['update-index', '--add', '--remove', '--replace', '-z', '--stdin'], { workTree: root, input: taken.map((name) => `${name}\0`).join(''), timeoutMs });
  const tree = (await store.git(['write-tree'], { timeoutMs })).toString().trim();
  await store.git(['update-ref', ref, tree], { timeoutMs });
  return { created, skipped, modes };
}

/** Directories elsewhere come as one archive. Throws `EnvironmentError`. */
export async function readRemoteTrees(environment: Environment, store: Store, { root, trees }: Wanted, timeoutMs: number): Promise<{ readonly kept: KeptFile[]; readonly skipped: Captured['skipped'] }> {
  const usable = trees.filter((tree) => !isWide(posix.join(root, tree)));
  const skipped = trees.filter((tree) => !usable.includes(tree)).map((path) => ({ path, why: 'it holds far more than one project' }));
  if (usable.length === 0) return { kept: [], skipped };
  const quote = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`;
  const excludes = store.excluded.map((pattern) => `${pattern.replace(/\/$/, '').includes('/') ? '-path' : '-name'} ${quote(pattern.replace(/\/$/, ''))}`).join(' -o ');
  const from = usable.map((tree) => quote(`./${tree}`)).join(' ');
  // busybox' tar knows neither exclusions nor lists of names.
  const command = `cd -- ${quote(root)} && find ${from} \\( ${excludes} \\) -prune -o -type f -print0 2>/dev/null | xargs -0 -r tar cf - 2>/dev/null`;
  const result = await environment.exec({ command, timeoutMs, maxBytes: MOST_ARCHIVE_BYTES });
  if (result.why !== 'exit' || result.truncated) throw new EnvironmentError('too-large', result.truncated ? `more than ${MOST_ARCHIVE_BYTES / 1024 / 1024} MB would have to be fetched` : 'it took too long to fetch');
  const kept = await readArchive(result.output, MOST_FILE_BYTES);
  return { kept: kept.files, skipped: [...skipped, ...kept.skipped] };
}
