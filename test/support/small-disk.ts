/** A folder on a file system of its own that is quickly full. Only root may mount one. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface SmallDisk { readonly folder: string; remove(): Promise<void> }

/** False where nothing can be mounted; the reason is printed. */
export async function canMount(): Promise<boolean> {
  try {
    await (await mountSmallDisk(16)).remove();
    return true;
  } catch (error) {
    console.log(`skipped: a small disk cannot be mounted here: ${error instanceof Error ? error.message.trim().split('\n').at(-1) ?? '' : String(error)}`);
    return false;
  }
}

export async function mountSmallDisk(kilobytes: number): Promise<SmallDisk> {
  const folder = await mkdtemp(join(tmpdir(), 'talaria-small-'));
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${kilobytes}k,mode=0777`, 'tmpfs', folder]);
  } catch (error) {
    await rm(folder, { recursive: true });
    throw error;
  }
  return {
    folder,
    remove: async () => {
      await run('umount', ['--lazy', folder]);
      await rm(folder, { recursive: true });
    },
  };
}
