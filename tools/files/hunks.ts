/** Applies the hunks of one file in order, each at the first fitting place after the one before. */
import { SIMILARITY_STRATEGIES, closestSections, findLineMatches, linesOf } from '../shared/match.ts';
import { replaceLines } from '../shared/replace.ts';
import type { Hunk } from './v4a.ts';
import { dominantEol } from '../shared/eol.ts';

export type Applied = { readonly text: string } | { readonly error: string };

export function applyHunks(text: string, hunks: readonly Hunk[], path: string): Applied {
  let done = '';
  let rest = text;
  for (const [index, hunk] of hunks.entries()) {
    const place = placeOf(rest, hunk) ?? (done === '' ? undefined : { again: true });
    if (place !== undefined && 'again' in place) {
      // Hunks out of order: look above, too.
      const whole = applyHunks(done + rest, [hunk], path);
      if ('error' in whole) return { error: `Hunk ${String(index + 1)}: ${whole.error}` };
      done = '';
      rest = whole.text;
      continue;
    }
    if (place === undefined) {
      const closest = closestSections(text, hunk.before.join('\n'));
      return { error: `Hunk ${String(index + 1)} of '${path}' does not fit: its context was not found.${closest.length > 0 ? ` Closest:\n${closest.join('\n---\n')}` : ''}` };
    }
    if ('error' in place) return { error: `Hunk ${String(index + 1)} of '${path}': ${place.error}` };
    done += rest.slice(0, place.start) + place.text;
    rest = rest.slice(place.end);
  }
  return { text: done + rest };
}

type Place = { readonly start: number; readonly end: number; readonly text: string } | { readonly error: string };

function placeOf(rest: string, hunk: Hunk): Place | undefined {
  const from = afterHint(rest, hunk.hint);
  if (hunk.before.length === 0) return insertion(rest, from, hunk);
  for (const offset of from === undefined || from === 0 ? [0] : [from, 0]) {
    const tail = rest.slice(offset);
    const match = findLineMatches(tail, hunk.before);
    const [first, ...others] = match?.ranges ?? [];
    if (match === undefined || first === undefined) continue;
    const vague = hunk.hint === '' || from === undefined || SIMILARITY_STRATEGIES.has(match.strategy);
    if (others.length > 0 && vague) {
      return { error: `its context fits ${String(match.ranges.length)} places; add more context or an "@@ line above @@" hint that is in the file.` };
    }
    const replaced = replaceLines(tail, match, first, hunk.after);
    if ('refused' in replaced) return { error: replaced.refused };
    return { start: offset + first.start, end: offset + replaced.end, text: replaced.text };
  }
  return undefined;
}

/** Offset of the hinted line; undefined when the hint is not in the text; 0 when there is none. */
function afterHint(text: string, hint: string): number | undefined {
  if (hint === '') return 0;
  const lines = linesOf(text);
  const hinted = lines.find((line) => line.text.trim() === hint) ?? lines.find((line) => line.text.includes(hint));
  // From the hinted line itself: it may be the first context line, too.
  return hinted?.start;
}

function insertion(rest: string, from: number | undefined, hunk: Hunk): Place {
  if (from === undefined) return { error: `the hint "${hunk.hint}" was not found, and without context lines nothing else says where to insert.` };
  const eol = dominantEol(rest);
  const added = hunk.after.join(eol);
  if (hunk.hint === '') {
    const open = rest !== '' && !rest.endsWith('\n');
    return { start: rest.length, end: rest.length, text: `${open ? eol : ''}${added}${eol}` };
  }
  const lineEnd = rest.indexOf('\n', from);
  const at = lineEnd === -1 ? rest.length : lineEnd + 1;
  return { start: at, end: at, text: `${lineEnd === -1 ? eol : ''}${added}${eol}` };
}
