/** Files that the runtime itself keeps on its own machine and names to the model: whole outputs of commands, results that were too long. */
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { posix } from 'node:path';
import type { EnvironmentForTools } from '../../environments/base.ts';
import type { HomePaths } from '../context.ts';

/**
 * The bytes of such a file, for a chat that works in a container or on another machine, where the path that it was told does not exist.
 * Undefined for every other path, and where the chat reaches the file itself. Throws when it is larger than `maxBytes`.
 */
export async function readKeptFile(environment: EnvironmentForTools, paths: HomePaths, path: string, maxBytes: number): Promise<Uint8Array | undefined> {
  if (environment.describe().backend === 'local') return undefined;
  const folders = [paths.outputs, posix.join(paths.cache, 'spillover')];
  if (!folders.includes(posix.dirname(path))) return undefined;
  // No link is followed: only what stands in these folders is meant.
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(() => undefined); // removed after its time, or never there: told as missing
  if (file === undefined) return undefined;
  try {
    const stat = await file.stat();
    if (!stat.isFile()) return undefined;
    if (stat.size > maxBytes) throw new Error(`The file has ${String(stat.size)} bytes, too many to load. Run the command again with its output cut down (grep, head, tail), or into a file where the chat works.`);
    return await file.readFile();
  } finally {
    await file.close();
  }
}
