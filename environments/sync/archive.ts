/** Tar archives of a few files, in memory: they travel through a command's input and output. */
import { create, Parser, type ReadEntry } from 'tar';

/**
 * An archive of regular files below `directory`: without owners, times and modes kept. A file that vanished makes it reject.
 * Loaded with the first sync, not with the app.
 */
export async function pack(directory: string, paths: readonly string[]): Promise<Buffer> {
  const archive = create({ cwd: directory, portable: true, noDirRecurse: true, strict: true }, paths.map((path) => `./${path}`));
  return archive.concat();
}

/** Regular files of an archive by path (a leading `./` removed); links, devices and directories are passed over. Rejects for a damaged one. */
export async function unpack(archive: Uint8Array): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>();
  const done = Promise.withResolvers<undefined>();
  const parser = new Parser({
    strict: true,
    onReadEntry: (entry: ReadEntry) => {
      if (entry.type !== 'File' && entry.type !== 'OldFile') {
        entry.resume();
        return;
      }
      const parts: Buffer[] = [];
      entry.on('data', (part) => { parts.push(part); });
      entry.on('end', () => { files.set(entry.path.replace(/^\.\//, ''), Buffer.concat(parts)); });
    },
  });
  parser.on('end', () => done.resolve(undefined));
  parser.on('error', (error: unknown) => done.reject(error instanceof Error ? error : new Error(String(error))));
  parser.end(Buffer.from(archive));
  await done.promise;
  return files;
}
