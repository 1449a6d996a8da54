/** Clears away stores that nobody has used for long, and the oldest when all together are too large. */
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock, ConfigStore } from '../ports.ts';

const DAY_MS = 24 * 3_600_000;
const KEEP_DAYS = 30;
const MOST_MEGABYTES = 1_024;

async function sizeOf(directory: string): Promise<number> {
  let bytes = 0;
  for (const name of await readdir(directory, { recursive: true })) {
    const found = await stat(join(directory, name)).catch(() => undefined); // git is at work in it
    bytes += found?.isFile() === true ? found.size : 0;
  }
  return bytes;
}

/** `checkpoints.keep_days` and `checkpoints.max_total_mb` of config.yaml. */
export async function tidy(directory: string, clock: Pick<Clock, 'now'>, config: Pick<ConfigStore, 'get'>): Promise<void> {
  const number = (path: string, otherwise: number): number => {
    const value = config.get(path);
    return typeof value === 'number' && value > 0 ? value : otherwise;
  };
  const names = await readdir(directory).catch(() => []); // nothing was ever kept
  const stores = (await Promise.all(names.filter((name) => /^[0-9a-f]{24}$/.test(name)).map(async (name) => {
    const path = join(directory, name);
    const used = await stat(join(path, 'checkpoints.json')).catch(() => stat(path));
    return { path, usedAt: used.mtimeMs, bytes: await sizeOf(path) };
  }))).sort((a, b) => b.usedAt - a.usedAt);
  const oldest = clock.now() - number('checkpoints.keep_days', KEEP_DAYS) * DAY_MS;
  let bytes = 0;
  for (const { path, usedAt, bytes: size } of stores) {
    bytes += size;
    if (usedAt < oldest || bytes > number('checkpoints.max_total_mb', MOST_MEGABYTES) * 1024 * 1024) await rm(path, { recursive: true, force: true });
  }
}
