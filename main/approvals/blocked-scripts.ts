/** Commands too long or too tangled to be judged are kept as script files: the model is told to run the file instead (hermes-runtime 4.2). */
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from '../ports.ts';
import type { Evaluation } from './review.ts';

/** Hermes keeps them for a week. */
const KEPT_MS = 7 * 24 * 3_600_000;

/** Saves the text in `folder` (made when missing), removes what is older than a week, and returns the file's path. Throws what the disk throws. */
function saveBlockedScript(folder: string, command: string, now: number, unique: string): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (name.startsWith('blocked-') && now - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? now) > KEPT_MS) rmSync(path, { force: true });
  }
  const file = join(folder, `blocked-${Math.floor(now / 1_000)}-${unique}.sh`);
  writeFileSync(file, command.endsWith('\n') ? command : `${command}\n`, { mode: 0o600, flag: 'wx' });
  return file;
}

/** Where a command was put that nothing but its size or tangle stands against; undefined for any other, and when it could not be saved. `hex` makes the name unique. */
export function savedScript({ tool, command }: { readonly tool: string; readonly command: string }, evaluation: Evaluation, { folder, now, hex, log }: { readonly folder: string; readonly now: number; readonly hex: string; readonly log: Log }): string | undefined {
  if (tool !== 'terminal' || evaluation.kind !== 'block' || evaluation.why !== 'floor' || evaluation.findings.some((finding) => finding.class !== 'limit')) return undefined;
  try {
    return saveBlockedScript(folder, command, now, hex);
  } catch (error) {
    log.warn('a blocked command could not be saved as a script', { error });
    return undefined;
  }
}
