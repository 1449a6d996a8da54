/**
 * Turns what a person or a model typed into a query that FTS5 always accepts. Words are joined by AND; AND, OR, NOT, "phrases" and prefix* are
 * understood; what is left over of them (an open quote, a dangling operator, brackets) is dropped, and hyphenated words become phrases.
 */
import { UNSPACED } from './migrations/001-first.ts';

export interface Term { readonly text: string; readonly prefix: boolean }
/** `joins[i]` stands between `terms[i]` and `terms[i + 1]`. */
export interface SearchQuery { readonly terms: readonly Term[]; readonly joins: readonly ('AND' | 'OR' | 'NOT')[] }

/** More words than this only narrow a search to nothing. */
const MOST_TERMS = 32;
const MOST_CHARS = 1_000;
/** The index by pieces knows texts of this many letters and more. */
const PIECE_LETTERS = 3;

const LEXEME = /"([^"]*)("|$)(\*)?|([^\s"()]+)/gu;
const HAS_WORD = /[\p{L}\p{N}\p{Co}]/u;
const UNSPACED_LETTER = new RegExp(UNSPACED, 'u');

/** Undefined when nothing searchable is left. */
export function parseQuery(input: string): SearchQuery | undefined {
  const terms: Term[] = [];
  const joins: ('AND' | 'OR' | 'NOT')[] = [];
  let join: 'AND' | 'OR' | 'NOT' = 'AND';
  for (const [, phrase, , star, word] of input.slice(0, MOST_CHARS).replaceAll('\0', ' ').matchAll(LEXEME)) {
    if (word === 'AND' || word === 'OR' || word === 'NOT') {
      if (join !== 'NOT') join = word;
      continue;
    }
    const text = phrase ?? word?.replace(/\*+$/u, '') ?? '';
    if (!HAS_WORD.test(text)) continue;
    if (terms.length > 0) joins.push(join);
    join = 'AND';
    terms.push({ text, prefix: star !== undefined || word?.endsWith('*') === true });
    if (terms.length === MOST_TERMS) break;
  }
  return terms.length === 0 ? undefined : { terms, joins };
}

/** True when words cannot be cut at spaces in this query: it is looked up by pieces. */
export const isUnspaced = (query: SearchQuery): boolean => query.terms.some((term) => UNSPACED_LETTER.test(term.text));

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;

function joined(query: SearchQuery, write: (term: Term) => string): string {
  return query.terms.map((term, index) => (index === 0 ? write(term) : `${query.joins[index - 1] ?? 'AND'} ${write(term)}`)).join(' ');
}

/** For the index by words. `open` lets the last word be unfinished. */
export function wordsExpression(query: SearchQuery, open = false): string {
  const last = query.terms.at(-1);
  return joined(query, (term) => quoted(term.text) + (term.prefix || (open && term === last) ? ' *' : ''));
}

/** Matches nothing: no text holds this character. */
const NOTHING = quoted('\uffff'.repeat(PIECE_LETTERS));

/**
 * For the index by pieces, where a term is found inside words too. Undefined when a word is too short to be looked up and `expand`
 * (pieces that start with a short text) is not given.
 */
export function piecesExpression(query: SearchQuery, expand?: (start: string) => readonly string[]): string | undefined {
  const isShort = (term: Term): boolean => [...term.text].length < PIECE_LETTERS;
  if (expand === undefined && query.terms.some(isShort)) return undefined;
  return joined(query, (term) => {
    if (!isShort(term)) return quoted(term.text);
    const pieces = expand?.(term.text.toLowerCase()) ?? [];
    return pieces.length === 0 ? NOTHING : `(${pieces.map(quoted).join(' OR ')})`;
  });
}
