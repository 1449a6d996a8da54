/** Which directory a project's rules hold in. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The nearest directory upwards that is a git work tree, but never the home directory or the root itself; else the directory as it is. */
export function projectRoot(cwd: string, home: string | undefined): string {
  for (let directory = cwd; directory !== home && dirname(directory) !== directory; directory = dirname(directory)) {
    if (existsSync(join(directory, '.git'))) return directory;
  }
  return cwd;
}
