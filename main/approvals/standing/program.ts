/** Which file a program name stands for, for rules that hold for one file. */
import { accessSync, constants } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import type { RuleContext } from './coverage.ts';

/** `which` looks a bare name up on PATH. A name with a slash is looked at where the command would start. */
export function programIn(which: ((program: string) => string | undefined) | undefined): RuleContext['resolve'] {
  return (program, cwd) => {
    if (which === undefined || program === '') return undefined;
    if (!program.includes('/') || isAbsolute(program)) return which(program);
    if (cwd === undefined) return undefined;
    const path = join(cwd, program);
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {
      // Not there, or not to be run: the rule then names no file.
      return undefined;
    }
  };
}
