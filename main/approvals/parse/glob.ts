/** Matching of shell patterns in linear time (two pointers, no regular expression, so no pattern can be slow). */

type Piece = { readonly kind: 'star' } | { readonly kind: 'any' } | { readonly kind: 'set'; readonly not: boolean; readonly has: string } | { readonly kind: 'char'; readonly char: string };

/** A range such as `a-z` wider than this is cut off: patterns in commands never need more. */
const MAX_RANGE = 256;

function pieces(pattern: string): Piece[] {
  const found: Piece[] = [];
  for (let index = 0; index < pattern.length; index++) {
    const character = pattern[index] ?? '';
    if (character === '*') {
      if (found.at(-1)?.kind !== 'star') found.push({ kind: 'star' });
    } else if (character === '?') found.push({ kind: 'any' });
    else if (character === '[') {
      const not = pattern[index + 1] === '!' || pattern[index + 1] === '^';
      const from = index + (not ? 2 : 1);
      const close = pattern.indexOf(']', from + 1);
      if (close === -1) found.push({ kind: 'char', char: character });
      else {
        found.push({ kind: 'set', not, has: members(pattern.slice(from, close)) });
        index = close;
      }
    } else found.push({ kind: 'char', char: character });
  }
  return found;
}

function members(set: string): string {
  return set.replace(/(.)-(.)/gs, (_, from: string, to: string) => {
    const first = from.charCodeAt(0);
    const count = Math.min(MAX_RANGE, Math.max(0, to.charCodeAt(0) - first + 1));
    return String.fromCharCode(...Array.from({ length: count }, (__, index) => first + index));
  });
}

function matchesOne(piece: Piece, character: string): boolean {
  if (piece.kind === 'any') return true;
  if (piece.kind === 'set') return piece.has.includes(character) !== piece.not;
  return piece.kind === 'char' && piece.char === character;
}

/** Whether the whole of `text` matches a pattern of `*`, `?`, `[…]`, `[!…]` (fnmatch; `*` also crosses `/`). Case counts. */
export function globMatches(pattern: string, text: string): boolean {
  const parts = pieces(pattern);
  let at = 0;
  let index = 0;
  let star = -1;
  let mark = 0;
  while (index < text.length) {
    const piece = parts[at];
    if (piece?.kind === 'star') {
      star = at++;
      mark = index;
    } else if (piece !== undefined && matchesOne(piece, text[index] ?? '')) {
      at++;
      index++;
    } else if (star !== -1) {
      at = star + 1;
      index = ++mark;
    } else return false;
  }
  while (parts[at]?.kind === 'star') at++;
  return at === parts.length;
}

export const hasGlob = (text: string): boolean => /[*?[]/.test(text);
