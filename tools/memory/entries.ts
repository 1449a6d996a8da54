/** Memory entries and the three ways to change them (hermes-runtime 7.4). Pure. */

export const SEPARATOR = '\n§\n';
const PREVIEW_CHARS = 80;

export interface Operation { readonly action: 'add' | 'replace' | 'remove'; readonly content: string; readonly oldText: string }
export type Change =
  | { readonly kind: 'changed'; readonly entries: readonly string[]; readonly message: string }
  | { readonly kind: 'same'; readonly message: string }
  | { readonly kind: 'refused'; readonly error: string; readonly matches?: readonly string[] };

export function parseEntries(text: string): string[] {
  return text.replaceAll('\r\n', '\n').split(SEPARATOR).map((entry) => entry.trim()).filter((entry) => entry !== '');
}

export function joinEntries(entries: readonly string[]): string {
  return entries.join(SEPARATOR);
}

/** Characters as the limit counts them. */
export function sizeOf(entries: readonly string[]): number {
  return joinEntries(entries).length;
}

export function usage(chars: number, limit: number): string {
  const percent = limit > 0 ? Math.floor((chars / limit) * 100) : 100;
  return `${String(percent)}% — ${chars.toLocaleString('en-US')}/${limit.toLocaleString('en-US')} chars`;
}

/** True when the text is not what this tool would have written: somebody edited it in a way that a write would lose. */
export function hasDrifted(text: string, limit: number): boolean {
  const entries = parseEntries(text);
  return joinEntries(entries) !== text.trim() || entries.some((entry) => entry.length > limit);
}

function preview(entry: string): string {
  return entry.length <= PREVIEW_CHARS ? entry : `${entry.slice(0, PREVIEW_CHARS)}…`;
}

/** Which entry `oldText` means: several identical ones count as the first. */
function find(entries: readonly string[], oldText: string): number | Change {
  const matches = entries.filter((entry) => entry.includes(oldText));
  if (matches.length === 0) return { kind: 'refused', error: `No entry contains '${preview(oldText)}'. Use a piece of the entry's own text as old_text.` };
  if (new Set(matches).size > 1) {
    return { kind: 'refused', error: `Several entries contain '${preview(oldText)}'. Use a longer piece that only one has.`, matches: matches.map(preview) };
  }
  return entries.findIndex((entry) => entry.includes(oldText));
}

/** One change, before any limit is looked at. */
export function applyOperation(entries: readonly string[], operation: Operation): Change {
  const content = operation.content.trim();
  const oldText = operation.oldText.trim();
  if (operation.action === 'add') {
    if (content === '') return { kind: 'refused', error: 'content is empty: say what to remember.' };
    if (entries.includes(content)) return { kind: 'same', message: 'Entry already exists (no duplicate added).' };
    return { kind: 'changed', entries: [...entries, content], message: 'Entry added.' };
  }
  if (oldText === '') return { kind: 'refused', error: 'old_text is empty: give a piece of the entry to change.' };
  if (operation.action === 'replace' && content === '') return { kind: 'refused', error: 'content is empty. Use remove to delete an entry.' };
  const place = find(entries, oldText);
  if (typeof place !== 'number') return place;
  if (operation.action === 'remove') return { kind: 'changed', entries: entries.toSpliced(place, 1), message: 'Entry removed.' };
  if (entries[place] === content) return { kind: 'same', message: 'The entry already says this.' };
  return { kind: 'changed', entries: entries.toSpliced(place, 1, content), message: 'Entry replaced.' };
}
