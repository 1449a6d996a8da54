/** Finds ripgrep where an environment's commands run. */
import type { EnvironmentForTools } from '../../environments/base.ts';
import { shellQuote } from './paths.ts';

/** How to call ripgrep in this backend: the bundled one on this machine, else the one on its PATH, else undefined. */
export async function ripgrepFor(environment: EnvironmentForTools): Promise<string | undefined> {
  if (environment.describe().backend === 'local') {
    const { rgPath } = await import('@vscode/ripgrep');
    const unpacked = rgPath.replace(/\bapp\.asar\b(?!\.unpacked)/, 'app.asar.unpacked');
    if (await environment.stat(unpacked) !== undefined) return shellQuote(unpacked);
  }
  const found = await environment.exec({ command: 'command -v rg', timeoutMs: 10_000, maxBytes: 1_000 });
  return found.exitCode === 0 ? 'rg' : undefined;
}
