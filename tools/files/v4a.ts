/** The V4A patch form: `*** Begin Patch`, file headers, hunks opened by `@@ hint @@`, lines led by space, `-` or `+`. */

export interface Hunk {
  /** A line of the file above the place, or empty. */
  readonly hint: string;
  /** Context and removed lines, as they should stand in the file. */
  readonly before: readonly string[];
  /** Context and added lines. */
  readonly after: readonly string[];
}

export type FileChange =
  | { readonly kind: 'update'; readonly path: string; readonly moveTo?: string; readonly hunks: readonly Hunk[] }
  | { readonly kind: 'add'; readonly path: string; readonly lines: readonly string[] }
  | { readonly kind: 'delete'; readonly path: string }
  | { readonly kind: 'move'; readonly path: string; readonly moveTo: string };

export type ParsedPatch = { readonly changes: readonly FileChange[] } | { readonly error: string };

const HEADER = /^\*\*\* (Update|Add|Delete|Move) File:\s*(.+?)\s*$/;
const MOVE_TO = /^\*\*\* Move to:\s*(.+?)\s*$/;
const MARKER = /^\*\*\* (Begin Patch|End Patch|End of File)\s*$/;

/** Parses a whole patch; the begin and end markers may be missing. A path with `..` is refused. */
export function parsePatch(patch: string): ParsedPatch {
  const lines = patch.replaceAll('\r\n', '\n').split('\n');
  const changes: FileChange[] = [];
  let at = 0;
  while (at < lines.length) {
    const line = lines[at] ?? '';
    if (line.trim() === '' || MARKER.test(line) || /^```/.test(line)) { at += 1; continue; }
    const header = HEADER.exec(line);
    if (header === null) return { error: `Line ${String(at + 1)} of the patch is not a file header: "${line.slice(0, 120)}". Each file starts with "*** Update File: path" (or Add, Delete, Move).` };
    let end = at + 1;
    while (end < lines.length && !HEADER.test(lines[end] ?? '') && !/^\*\*\* (Begin|End) Patch\s*$/.test(lines[end] ?? '')) end += 1;
    const change = parseChange(header[1] ?? '', header[2] ?? '', lines.slice(at + 1, end));
    if ('error' in change) return change;
    changes.push(change);
    at = end;
  }
  if (changes.length === 0) return { error: 'The patch names no file. Start each file with "*** Update File: path" (or Add, Delete, Move).' };
  const climbing = changes.flatMap((change) => ('moveTo' in change ? [change.path, change.moveTo] : [change.path]))
    .find((path) => path.split('/').includes('..'));
  return climbing === undefined ? { changes } : { error: `Refused: the path '${climbing}' contains "..". Use a path below the working directory or an absolute one.` };
}

function parseChange(verb: string, path: string, body: readonly string[]): FileChange | { readonly error: string } {
  switch (verb) {
    case 'Delete':
      return { kind: 'delete', path };
    case 'Move': {
      const [from, to, ...rest] = path.split(/\s+->\s+/);
      return from === undefined || to === undefined || rest.length > 0
        ? { error: `"*** Move File: ${path}" needs the form "old path -> new path".` }
        : { kind: 'move', path: from, moveTo: to };
    }
    case 'Add':
      return parseAdd(path, body);
    default:
      return parseUpdate(path, body);
  }
}

function parseAdd(path: string, body: readonly string[]): FileChange | { readonly error: string } {
  const lines = [...body];
  while (lines.length > 0 && lines.at(-1)?.trim() === '') lines.pop();
  const bad = lines.find((line) => line !== '' && !line.startsWith('+'));
  if (bad !== undefined && !lines.every((line) => !line.startsWith('+'))) {
    return { error: `In "*** Add File: ${path}" every line starts with "+", but this one does not: "${bad.slice(0, 120)}".` };
  }
  // Some models leave all the plus signs out; then the body is the file.
  return { kind: 'add', path, lines: bad === undefined ? lines.map((line) => line.slice(1)) : lines };
}

function parseUpdate(path: string, body: readonly string[]): FileChange | { readonly error: string } {
  const hunks: Hunk[] = [];
  let moveTo: string | undefined;
  let hint = '';
  let before: string[] = [];
  let after: string[] = [];
  const close = (): void => {
    // Empty lines at the end belong to the patch's layout, not to the file.
    while (before.length > 0 && after.length > 0 && before.at(-1) === '' && after.at(-1) === '' && blankTail) { before.pop(); after.pop(); }
    if (before.length > 0 || after.length > 0) hunks.push({ hint, before, after });
    before = [];
    after = [];
  };
  let blankTail = false;
  for (const line of body) {
    const move = MOVE_TO.exec(line);
    if (move !== null) { moveTo = move[1]; continue; }
    if (MARKER.test(line) || /^(---|\+\+\+) \S/.test(line) && before.length + after.length === 0 || /^```/.test(line)) continue;
    if (line.startsWith('@@')) { close(); hint = hintOf(line); blankTail = false; continue; }
    const text = line.slice(1);
    if (line === '') { before.push(''); after.push(''); blankTail = true; continue; }
    blankTail = false;
    if (line.startsWith('-')) before.push(text);
    else if (line.startsWith('+')) after.push(text);
    else if (line.startsWith(' ')) { before.push(text); after.push(text); }
    else if (line.startsWith('\\ No newline')) continue;
    else return { error: `In the hunk for '${path}' each line starts with a space, "-" or "+", but this one does not: "${line.slice(0, 120)}".` };
  }
  close();
  const changed = hunks.filter((hunk) => hunk.before.join('\n') !== hunk.after.join('\n'));
  if (changed.length === 0 && moveTo === undefined) return { error: `The patch for '${path}' changes nothing: it has no "-" or "+" lines.` };
  return { kind: 'update', path, hunks: changed, ...(moveTo !== undefined && { moveTo }) };
}

/** `@@ hint @@`, `@@ hint` or a unified-diff header, whose line numbers are of no use here. */
function hintOf(line: string): string {
  return line.replace(/^@@+/, '').replace(/@@\s*$/, '').replace(/^\s*-\d+(,\d+)?\s+\+\d+(,\d+)?\s*(@@)?/, '').trim();
}
