/** The command lines behind `search_files`, and what their output says. */
import { shellQuote } from '../shared/paths.ts';

export interface ContentHit { readonly path: string; readonly line: number; readonly content: string; /** False for a context line. */ readonly match: boolean }

interface Query { readonly pattern: string; readonly path: string; readonly glob: string | undefined; readonly around: number }

/** Of lines that are looked at again because all of them were too much: twice what is shown of one. */
const NARROW_COLUMNS = 1_000;

/** The same for files whose lines are so long (built scripts, data) that whole ones are more than can be kept; its output is in the form of grep. */
export function narrowCommand(ripgrep: string, { pattern, path, glob, around }: Query): string {
  return `${ripgrep} --no-config --color never --null -nH --no-heading --max-columns ${String(NARROW_COLUMNS)} --max-columns-preview --hidden --sort path -C ${String(around)} ${globsOf(glob)} -e ${shellQuote(pattern)} -- ${shellQuote(path)}`;
}

function globsOf(glob: string | undefined): string {
  return [...(glob === undefined ? [] : [glob]), ...SECRET_GLOBS, '!.git'].map((each) => `-g ${shellQuote(each)}`).join(' ');
}

/** Project secrets are not searched, for the same reason read_file refuses them. */
const SECRET_GLOBS = ['!.env', '!.env.local', '!.env.development', '!.env.production', '!.env.test', '!.env.staging', '!.envrc'];

export function contentCommand(ripgrep: string | undefined, { pattern, path, glob, around }: Query): string {
  if (ripgrep !== undefined) {
    return `${ripgrep} --no-config --json --hidden --sort path -C ${String(around)} ${globsOf(glob)} -e ${shellQuote(pattern)} -- ${shellQuote(path)}`;
  }
  const name = glob?.replace(/^.*\//, '');
  const include = name === undefined ? '' : `--include=${shellQuote(name)} `;
  // grep keeps files that no option names, unless the first such option is an include.
  const grep = `grep -rnHIZE -C ${String(around)} ${include}--exclude-dir=.git --exclude='.env' --exclude='.env.*' --exclude=.envrc -e ${shellQuote(pattern)} -- ${shellQuote(path)}`;
  return `if echo x | grep -qIZ x 2>/dev/null; then ${grep}; else ${plainGrep({ pattern, path, glob: name, around })}; fi`;
}

/** The same by what busybox has: matching files first, all at once, then the lines of each, in the form of GNU grep. */
function plainGrep({ pattern, path, glob, around }: Query): string {
  const wanted = shellQuote(pattern);
  return [
    `echo | grep -qE -e ${wanted}; [ $? -le 1 ] || exit 2`,
    `find ${shellQuote(path)} \\( -name .git -o -name .env -o -name '.env.*' -o -name .envrc \\) -prune -o -type f ${glob === undefined ? '' : `-name ${shellQuote(glob)} `}-print0 | xargs -0 -r grep -lE -e ${wanted} -- 2>/dev/null | sort | while IFS= read -r f`,
    // A file with a NUL at its beginning is no text.
    `do [ "$(head -c 4096 -- "$f" | wc -c)" = "$(head -c 4096 -- "$f" | tr -d '\\000' | wc -c)" ] || continue`,
    `grep -nE -C ${String(around)} -e ${wanted} -- "$f" | while IFS= read -r l`,
    `do printf '%s\\0%s\\n' "$f" "$l"`, 'done', 'done',
  ].join('; ');
}

/** Newest first, NUL-separated absolute paths. A pattern without wildcards is looked for anywhere in the name. */
export function filesCommand(ripgrep: string | undefined, { pattern, path, glob }: Query): string {
  const name = /[*?[{]/.test(pattern) ? pattern : `*${pattern}*`;
  if (ripgrep !== undefined) {
    const globs = [name, ...(glob === undefined ? [] : [glob])].map((each) => `--iglob ${shellQuote(each)}`).join(' ');
    return `${ripgrep} --no-config --files --hidden --null --sortr modified -g '!.git' ${globs} -- ${shellQuote(path)}`;
  }
  const test = name.includes('/') ? `-ipath ${shellQuote(name.startsWith('*') ? name : `*/${name}`)}` : `-iname ${shellQuote(name)}`;
  const found = `find ${shellQuote(path)} -name .git -prune -o -type f ${test}`;
  const plain = `${found} -print0 | xargs -0 -r stat -c '%Y %n' -- | sort -rn | sed 's/^[0-9]* //' | tr '\\n' '\\000'`;
  return `if find / -maxdepth 0 -printf '' 2>/dev/null; then ${found} -printf '%T@ %p\\0' | sort -zrn | cut -zd' ' -f2-; else ${plain}; fi`;
}

interface RipgrepText { readonly text?: string; readonly bytes?: string }
interface RipgrepEvent { readonly type: string; readonly data?: { readonly path?: RipgrepText; readonly lines?: RipgrepText; readonly line_number?: number | null } }

const textOf = (value: RipgrepText | undefined): string =>
  value?.text ?? (value?.bytes === undefined ? '' : Buffer.from(value.bytes, 'base64').toString('utf8'));

export function parseRipgrep(output: string): ContentHit[] {
  const hits: ContentHit[] = [];
  for (const line of output.split('\n')) {
    if (!line.startsWith('{')) continue;
    let event: RipgrepEvent;
    try {
      event = JSON.parse(line) as RipgrepEvent; // ripgrep's documented JSON Lines form
    } catch (error) {
      if (error instanceof SyntaxError) continue; // the line at the cut
      throw error;
    }
    if (event.type !== 'match' && event.type !== 'context') continue;
    hits.push({ path: textOf(event.data?.path), line: event.data?.line_number ?? 0, content: textOf(event.data?.lines).replace(/\r?\n$/, ''), match: event.type === 'match' });
  }
  return hits;
}

/** `path NUL line:content` for matches, `path NUL line-content` for context, `--` between groups. */
export function parseGrep(output: string): ContentHit[] {
  const hits: ContentHit[] = [];
  for (const line of output.split('\n')) {
    const parts = /^([^\0]+)\0(\d+)([:-])(.*)$/s.exec(line);
    if (parts === null) continue;
    hits.push({ path: parts[1] ?? '', line: Number(parts[2]), content: (parts[4] ?? '').replace(/\r$/, ''), match: parts[3] === ':' });
  }
  return hits;
}
