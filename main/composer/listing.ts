/** Names of the files below a folder, asked of the place in which a chat's commands run. No file is opened, and nothing that a repository configures is run. */
import type { EnvironmentForTools } from '../../environments/base.ts';
import { shellQuote } from '../../tools/shared/paths.ts';
import { ripgrepFor } from '../../tools/shared/ripgrep.ts';

/** A repository of 50,000 files lists in some 2 MB; a whole home directory must not fill the memory. */
const MOST_BYTES = 12_000_000;
const MOST_FILES = 200_000;
/** A slow disk or a far host: what came until then is better than nothing. */
const TIMEOUT_MS = 15_000;
/** Stands before the list, so that what a login shell prints is not taken for a file. */
const MARK = '\0talaria-files\0';
/** Between what git lists and what of it is not there any more. */
const GONE_MARK = '\0talaria-gone\0';

export interface Listing {
  /** Relative to the folder, without `./`. */
  readonly files: readonly string[];
  /** False when there are more. */
  readonly whole: boolean;
}

/**
 * Git where the folder is in a repository: `fsmonitor` is a program that the repository names, so it is switched off. Else ripgrep,
 * which knows ignore files too; else find, which knows none.
 */
function listCommand(folder: string, ripgrep: string | undefined): string {
  const git = 'git -c core.fsmonitor=false -c core.untrackedCache=false';
  const walk = ripgrep === undefined
    ? `find . \\( -name .git -o -name node_modules \\) -prune -o -type f -print0 2>/dev/null`
    : `${ripgrep} --no-config --files --null --no-messages --no-require-git 2>/dev/null`;
  return [
    `cd -- ${shellQuote(folder)} || exit 3`,
    `printf '\\0talaria-files\\0'`,
    `if [ "$(GIT_OPTIONAL_LOCKS=0 ${git} rev-parse --is-inside-work-tree 2>/dev/null)" = true ]; then`,
    `{ ${git} ls-files -z -c -o --exclude-standard 2>/dev/null; printf '\\0talaria-gone\\0'; ${git} ls-files -z -d 2>/dev/null; } | head -c ${String(MOST_BYTES)}`,
    `else ${walk} | head -c ${String(MOST_BYTES)}; fi`,
  ].join('\n');
}

/** Names with a line break or another control character cannot be written into a message in one piece. */
const UNWRITABLE = /[\p{Cc}\ufffd]/u;

/** Throws `EnvironmentError` when the place is out of reach; a folder that is not there has no files. */
export async function listFiles(environment: EnvironmentForTools, folder: string): Promise<Listing> {
  const listed = await environment.exec({ command: listCommand(folder, await ripgrepFor(environment)), cwd: '/', timeoutMs: TIMEOUT_MS, maxBytes: MOST_BYTES + 100_000 });
  const printed = Buffer.from(listed.output).toString('utf8');
  const begin = printed.indexOf(MARK);
  if (begin < 0) return { files: [], whole: true };
  const cut = listed.truncated || listed.why !== 'exit' || listed.output.length >= MOST_BYTES;
  const [present = '', absent = ''] = printed.slice(begin + MARK.length).split(GONE_MARK);
  const names = present.split('\0');
  // The last piece is empty, or the first half of a name.
  names.pop();
  const gone = new Set(absent.split('\0'));
  const files = new Set<string>();
  for (const name of names) {
    const path = name.startsWith('./') ? name.slice(2) : name;
    if (path !== '' && !gone.has(path) && !UNWRITABLE.test(path)) files.add(path);
    if (files.size >= MOST_FILES) break;
  }
  return { files: [...files], whole: !cut && files.size < MOST_FILES };
}
