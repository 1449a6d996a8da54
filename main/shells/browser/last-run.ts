/** Port and cookie of the last run, so that windows which are still open find the app again after it was started anew. */
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import writeFileAtomic from 'write-file-atomic';

const LastRun = z.object({ port: z.int().min(1).max(65_535), cookie: z.string().regex(/^[0-9a-f]{64}$/), savedAt: z.number() });
export type LastRun = z.infer<typeof LastRun>;

/** A window that was left open over a weekend comes back; one of last month asks for a fresh link. */
const KEPT_MS = 7 * 24 * 3_600_000;

/** Undefined when there was none, it is too old, or the file cannot be read. */
export async function readLastRun(path: string, now: number): Promise<LastRun | undefined> {
  try {
    const parsed = LastRun.safeParse(JSON.parse(await readFile(path, 'utf8')));
    return parsed.success && now - parsed.data.savedAt < KEPT_MS ? parsed.data : undefined;
  } catch {
    return undefined; // the first run, or a file of something else: a new port and a new cookie do as well
  }
}

/** Only its owner may read it: who has the cookie can run commands here. */
export async function writeLastRun(path: string, run: LastRun): Promise<void> {
  await writeFileAtomic(path, JSON.stringify(run), { mode: 0o600 });
}
