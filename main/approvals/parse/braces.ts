/** Brace expansion (`{a,b}`, `{1..9}`) on the source text of one word, quote-aware, bounded. */

/** More results than this and the word is treated as unknown: bash itself would make that many arguments. */
export const MAX_RESULTS = 128;

/**
 * The source texts that bash would make of a word; `undefined` when there would be more than {@link MAX_RESULTS}.
 * The results still carry their quotes and expansions.
 */
export function expandBraces(word: string): string[] | undefined {
  return expand(word, 0);
}

function expand(word: string, depth: number): string[] | undefined {
  if (depth > 16) return undefined;
  for (let open = nextUnquoted(word, 0, '{'); open !== -1; open = nextUnquoted(word, open + 1, '{')) {
    if (word[open - 1] === '$') {
      open = closingBrace(word, open) ?? open;
      continue;
    }
    const close = closingBrace(word, open);
    if (close === undefined) continue;
    const inside = word.slice(open + 1, close);
    const choices = range(inside) ?? splitCommas(inside);
    if (choices === undefined) continue;
    const tails = expand(word.slice(close + 1), depth + 1);
    if (tails === undefined) return undefined;
    const results: string[] = [];
    for (const choice of choices) {
      const middles = expand(choice, depth + 1);
      if (middles === undefined) return undefined;
      for (const middle of middles) {
        for (const tail of tails) {
          if (results.length >= MAX_RESULTS) return undefined;
          results.push(word.slice(0, open) + middle + tail);
        }
      }
    }
    return results;
  }
  return [word];
}

/** How many words bash would make of one, counted without making them; the nested depth that {@link expandBraces} follows. */
export function expandedCount(word: string, depth = 0): number {
  let count = 1;
  if (depth > 16) return count;
  for (let open = nextUnquoted(word, 0, '{'); open !== -1; open = nextUnquoted(word, open + 1, '{')) {
    const close = closingBrace(word, open);
    if (close === undefined) continue;
    if (word[open - 1] !== '$') {
      const inside = word.slice(open + 1, close);
      const ends = /^(-?\d{1,9})\.\.(-?\d{1,9})(?:\.\.(-?\d{1,9}))?$/.exec(inside);
      const choices = ends === null ? (range(inside) ?? splitCommas(inside)) : undefined;
      if (ends !== null) count *= Math.floor(Math.abs(Number(ends[2]) - Number(ends[1])) / Math.max(1, Math.abs(Number(ends[3] ?? 1)))) + 1;
      else if (choices !== undefined) count *= choices.reduce((sum, choice) => sum + expandedCount(choice, depth + 1), 0);
    }
    open = close;
  }
  return count;
}

function range(inside: string): string[] | undefined {
  const numbers = /^(-?\d{1,9})\.\.(-?\d{1,9})(?:\.\.(-?\d{1,9}))?$/.exec(inside);
  if (numbers !== null) return steps(Number(numbers[1]), Number(numbers[2]), Number(numbers[3] ?? 1), String);
  const letters = /^([A-Za-z])\.\.([A-Za-z])(?:\.\.(-?\d{1,9}))?$/.exec(inside);
  if (letters === null) return undefined;
  const code = (letter: string | undefined): number => letter?.charCodeAt(0) ?? 0;
  return steps(code(letters[1]), code(letters[2]), Number(letters[3] ?? 1), (value) => String.fromCharCode(value));
}

function steps(from: number, to: number, step: number, show: (value: number) => string): string[] {
  const size = Math.max(1, Math.abs(step));
  const count = Math.min(MAX_RESULTS + 1, Math.floor(Math.abs(to - from) / size) + 1);
  return Array.from({ length: count }, (_, index) => show(from + index * size * (to < from ? -1 : 1)));
}

function splitCommas(inside: string): string[] | undefined {
  const pieces: string[] = [];
  let from = 0;
  let level = 0;
  scan(inside, 0, (character, index) => {
    if (character === '{') level++;
    else if (character === '}') level--;
    else if (character === ',' && level === 0) {
      pieces.push(inside.slice(from, index));
      from = index + 1;
    }
    return false;
  });
  if (pieces.length === 0) return undefined;
  pieces.push(inside.slice(from));
  return pieces;
}

function closingBrace(word: string, open: number): number | undefined {
  let level = 0;
  const found = scan(word, open, (character) => {
    if (character === '{') level++;
    else if (character === '}') level--;
    return level === 0;
  });
  return found === -1 ? undefined : found;
}

function nextUnquoted(word: string, from: number, wanted: string): number {
  return scan(word, from, (character) => character === wanted);
}

/** Calls `visit` for each character outside quotes, escapes and substitutions from `from` on, until it answers true. */
function scan(word: string, from: number, visit: (character: string, index: number) => boolean): number {
  let quote = '';
  for (let index = from; index < word.length; index++) {
    const character = word[index] ?? '';
    if (character === '\\' && quote !== "'") index++;
    else if (quote !== '') {
      if (character === quote) quote = '';
    } else if (character === "'" || character === '"' || character === '`') quote = character;
    else if (character === '(' && word[index - 1] === '$') {
      const close = word.indexOf(')', index);
      if (close === -1) return -1;
      index = close;
    } else if (visit(character, index)) return index;
  }
  return -1;
}
