/** The little programs of the suite, brought into the backend they are to run in. */
import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import type { Environment } from '../../environments/base.ts';

export type ProgramName = 'ignores-sigterm' | 'floods-stdout' | 'splits-utf8' | 'leaves-grandchild' | 'double-forks' | 'asks-for-password' | 'process-tree';

/** Path of the program inside the backend, to be run with `sh`. */
export async function bring(environment: Environment, directory: string, name: ProgramName): Promise<string> {
  const path = posix.join(directory, `${name}.sh`);
  await environment.writeFile(path, readFileSync(new URL(`../fixtures/programs/${name}.sh`, import.meta.url)));
  return path;
}
