/** Reads a tar archive that another machine made: regular files only, and no path that leads out of it. */
import type { ReadEntry } from 'tar';
import type { KeptFile } from './capture.ts';

export async function readArchive(bytes: Uint8Array, mostFileBytes: number): Promise<{ readonly files: KeptFile[]; readonly skipped: { path: string; why: string }[] }> {
  const { Parser } = await import('tar');
  const files: KeptFile[] = [];
  const skipped: { path: string; why: string }[] = [];
  const parser = new Parser({ strict: false });
  const done = Promise.withResolvers<undefined>();
  parser.on('entry', (entry: ReadEntry) => {
    const path = entry.path.replace(/^(?:\.\/)+/, '');
    const isFile = entry.type === 'File' || entry.type === 'OldFile' || entry.type === 'ContiguousFile';
    const leadsOut = path.startsWith('/') || path.split('/').some((part) => part === '..' || part === '.git');
    if (!isFile || leadsOut || path === '' || entry.size > mostFileBytes) {
      if (isFile && path !== '') skipped.push({ path, why: leadsOut ? 'it leads out of the directory' : `too large (${entry.size} bytes)` });
      entry.resume();
      return;
    }
    const parts: Buffer[] = [];
    entry.on('data', (part: Buffer) => { parts.push(part); });
    entry.on('end', () => { files.push({ path, bytes: Buffer.concat(parts), mode: (entry.mode ?? 0o644) & 0o7777 }); });
  });
  parser.on('end', () => { done.resolve(undefined); });
  parser.on('error', (error: unknown) => { done.reject(error); });
  parser.end(Buffer.from(bytes));
  await done.promise;
  return { files, skipped };
}
