/** A three-way merge of texts by lines, for putting one change of a printed document back into the text it was printed from. */
import { diffArrays } from 'diff';

/** One stretch in which a text differs from the base: base lines `from` to `to` (exclusive) became `lines`. */
interface Edit { readonly from: number; readonly to: number; readonly lines: readonly string[] }

/** Lines that differ only in blanks are the same line, so that each of them is an edit of its own. */
const loosely = (line: string): string => line.trim().replaceAll(/\s+/gu, ' ');

function editsOf(base: readonly string[], other: readonly string[]): Edit[] {
  const edits: Edit[] = [];
  let at = 0;
  let otherAt = 0;
  let open: { from: number; to: number; lines: string[] } | undefined;
  for (const part of diffArrays([...base], [...other], { comparator: (a, b) => loosely(a) === loosely(b) })) {
    const count = part.value.length;
    if (!part.added && !part.removed) {
      open = undefined;
      for (let index = 0; index < count; index += 1) {
        const line = other[otherAt + index] ?? '';
        if (base[at + index] !== line) edits.push({ from: at + index, to: at + index + 1, lines: [line] });
      }
      at += count;
      otherAt += count;
      continue;
    }
    if (open === undefined) edits.push(open = { from: at, to: at, lines: [] });
    if (part.removed) {
      at += count;
      open.to = at;
    } else {
      open.lines.push(...other.slice(otherAt, otherAt + count));
      otherAt += count;
    }
  }
  return edits;
}

const overlaps = (a: Edit, b: Edit): boolean => a.from < b.to && b.from < a.to || (a.from === b.from && a.to === b.to);

/** `base` with the edits of both sides; where they touch the same lines those of `theirs` win. */
export function mergeLines(base: string, ours: string, theirs: string): string {
  const lines = base.split('\n');
  const wanted = editsOf(lines, theirs.split('\n'));
  const kept = editsOf(lines, ours.split('\n')).filter((edit) => !wanted.some((other) => overlaps(edit, other)));
  const merged: string[] = [];
  let at = 0;
  for (const edit of [...kept, ...wanted].sort((a, b) => a.from - b.from || a.to - b.to)) {
    merged.push(...lines.slice(at, edit.from), ...edit.lines);
    at = edit.to;
  }
  return [...merged, ...lines.slice(at)].join('\n');
}
