/**
 * Finds the place an edit means, from strict to lenient (hermes-runtime 7.1, match chain). The first strategy that finds
 * anything wins. Lenient strategies never change a line that the edit did not quote exactly.
 */

export type Strategy =
  | 'exact' | 'line-trimmed' | 'whitespace-normalised' | 'indentation-flexible' | 'escape-normalised' | 'trimmed-boundary'
  | 'unicode-normalised' | 'block-anchor' | 'context-aware';

/** A range of UTF-16 units in the searched text. */
export interface Range { readonly start: number; readonly end: number }

export interface Match {
  readonly strategy: Strategy;
  readonly ranges: readonly Range[];
  /** What was searched for; blank borders dropped and line ends fitted where the strategy did so. */
  readonly needle: string;
}

/** Strategies that compare by likeness: never for `replace_all`, and only with every changed line quoted exactly. */
export const SIMILARITY_STRATEGIES: ReadonlySet<Strategy> = new Set<Strategy>(['block-anchor', 'context-aware']);

/** Middle likeness a block anchor needs: one candidate / several (hermes-runtime 7.1). */
const ANCHOR_LIKENESS_SINGLE = 0.5;
const ANCHOR_LIKENESS_SEVERAL = 0.7;
const CONTEXT_LIKENESS = 0.8;

export interface Line { readonly text: string; readonly start: number; readonly end: number }

/** Lines with their offsets; `text` is without its line end, `end` is where the line end begins. */
export function linesOf(text: string): Line[] {
  const lines: Line[] = [];
  let start = 0;
  for (const raw of text.split('\n')) {
    const content = raw.endsWith('\r') ? raw.slice(0, -1) : raw;
    lines.push({ text: content, start, end: start + content.length });
    start += raw.length + 1;
  }
  return lines;
}

export function findMatches(text: string, needle: string): Match | undefined {
  return findExact(text, needle)
    ?? byLines(text, needle, 'line-trimmed', (lines) => lines.map((line) => line.trim()))
    ?? byLines(text, needle, 'whitespace-normalised', (lines) => lines.map((line) => line.replace(/\s+/g, ' ').trim()))
    ?? withinLine(text, needle)
    ?? byLines(text, needle, 'indentation-flexible', dedent)
    ?? escapes(text, needle)
    ?? trimmedBoundary(text, needle)
    ?? unicode(text, needle)
    ?? blockAnchor(text, needle)
    ?? contextAware(text, needle);
}

function occurrences(text: string, needle: string): Range[] {
  const ranges: Range[] = [];
  if (needle === '') return ranges;
  for (let at = text.indexOf(needle); at !== -1; at = text.indexOf(needle, at + needle.length)) ranges.push({ start: at, end: at + needle.length });
  return ranges;
}

const found = (strategy: Strategy, ranges: readonly Range[], needle: string): Match | undefined =>
  (ranges.length > 0 ? { strategy, ranges, needle } : undefined);

/** Exact, where the text of a file with CRLF line ends counts as exact for a needle with LF. */
function findExact(text: string, needle: string): Match | undefined {
  const direct = found('exact', occurrences(text, needle), needle);
  if (direct !== undefined || !text.includes('\r\n')) return direct;
  const windows = needle.replaceAll('\r\n', '\n').replaceAll('\n', '\r\n');
  return found('exact', occurrences(text, windows), windows);
}

/** The needle's lines; a final line end is no line of its own. */
function needleLines(needle: string): string[] {
  const lines = linesOf(needle).map((line) => line.text);
  if (lines.length > 1 && lines.at(-1) === '') lines.pop();
  return lines;
}

function byLines(text: string, needle: string, strategy: Strategy, normalise: (lines: readonly string[]) => string[]): Match | undefined {
  return byWantedLines(text, needleLines(needle), strategy, normalise);
}

/**
 * The same chain for a block of whole lines, as patch hunks quote them: no match begins or ends inside a line, and blank lines
 * at the block's end count.
 */
export function findLineMatches(text: string, wanted: readonly string[]): Match | undefined {
  const trim = (lines: readonly string[]): string[] => lines.map((line) => line.trim());
  const folded = foldUnicode(text);
  return byWantedLines(text, wanted, 'exact', (lines) => [...lines])
    ?? byWantedLines(text, wanted, 'line-trimmed', (lines) => lines.map((line) => line.trimEnd()))
    ?? byWantedLines(text, wanted, 'line-trimmed', trim)
    ?? byWantedLines(text, wanted, 'whitespace-normalised', (lines) => lines.map((line) => line.replace(/\s+/g, ' ').trim()))
    ?? byWantedLines(folded, wanted.map(foldUnicode), 'unicode-normalised', trim)
    ?? blockAnchor(text, wanted.join('\n'))
    ?? contextAware(text, wanted.join('\n'));
}

/** Whole-line ranges where the normalised lines are equal; the range covers the line ends inside, not the last one. */
function byWantedLines(text: string, plain: readonly string[], strategy: Strategy, normalise: (lines: readonly string[]) => string[]): Match | undefined {
  const wanted = normalise(plain);
  if (wanted.every((line) => line.trim() === '')) return undefined;
  const lines = linesOf(text);
  const whole = strategy === 'indentation-flexible' ? undefined : normalise(lines.map((line) => line.text));
  const ranges: Range[] = [];
  for (let first = 0; first + wanted.length <= lines.length; first += 1) {
    const window = whole === undefined
      ? normalise(lines.slice(first, first + wanted.length).map((line) => line.text))
      : whole.slice(first, first + wanted.length);
    if (!wanted.every((line, index) => line === window[index])) continue;
    ranges.push(rangeOfLines(lines, first, wanted.length));
    first += wanted.length - 1;
  }
  return found(strategy, ranges, plain.join('\n'));
}

function rangeOfLines(lines: readonly Line[], first: number, count: number): Range {
  return { start: lines[first]?.start ?? 0, end: lines[first + count - 1]?.end ?? 0 };
}

/** A part of one line, with runs of blanks taken as equal. */
function withinLine(text: string, needle: string): Match | undefined {
  const words = needle.trim().split(/\s+/);
  if (needle.includes('\n') || words.length < 2) return undefined;
  const pattern = new RegExp(words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('[^\\S\\r\\n]+'), 'g');
  return found('whitespace-normalised', Array.from(text.matchAll(pattern), (hit) => ({ start: hit.index, end: hit.index + hit[0].length })), needle.trim());
}

function dedent(lines: readonly string[]): string[] {
  const filled = lines.filter((line) => line.trim() !== '');
  const common = Math.min(...filled.map((line) => line.length - line.trimStart().length));
  return lines.map((line) => (line.trim() === '' ? '' : line.slice(common)));
}

export function resolveEscapes(text: string): string {
  return text.replace(/\\([ntr"'\\])/g, (_, letter: string) => ({ n: '\n', t: '\t', r: '\r' })[letter] ?? letter);
}

function escapes(text: string, needle: string): Match | undefined {
  const resolved = resolveEscapes(needle);
  if (resolved === needle) return undefined;
  const match = findExact(text, resolved);
  return match && { ...match, strategy: 'escape-normalised', needle };
}

function trimmedBoundary(text: string, needle: string): Match | undefined {
  const trimmed = needle.trim();
  if (trimmed === '' || trimmed === needle) return undefined;
  const match = findExact(text, trimmed);
  return match && { ...match, strategy: 'trimmed-boundary' };
}

const FOLDS: ReadonlyMap<string, string> = new Map([
  ...Array.from('\u2018\u2019\u201a\u201b\u2032').map((from): [string, string] => [from, "'"]),
  ...Array.from('\u201c\u201d\u201e\u201f\u2033').map((from): [string, string] => [from, '"']),
  ...Array.from('\u2010\u2011\u2012\u2013\u2014\u2015\u2212').map((from): [string, string] => [from, '-']),
  ...Array.from('\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000').map((from): [string, string] => [from, ' ']),
]);

/** Smart quotes, dashes and odd spaces as their plain forms; the length stays, so offsets do. */
export function foldUnicode(text: string): string {
  return text.replace(/[\u00a0\u2000-\u200a\u2010-\u201f\u202f\u2032\u2033\u205f\u2212\u3000]/g, (char) => FOLDS.get(char) ?? char);
}

function unicode(text: string, needle: string): Match | undefined {
  const folded = foldUnicode(text);
  const wanted = foldUnicode(needle);
  if (folded === text && wanted === needle) return undefined;
  const match = findExact(folded, wanted) ?? byLines(folded, wanted, 'line-trimmed', (lines) => lines.map((line) => line.trim()));
  return match && { ...match, strategy: 'unicode-normalised', needle };
}

/** Share of letter pairs two lines have in common, 0 to 1. */
export function likeness(a: string, b: string): number {
  if (a === b) return 1;
  if (a.length < 2 || b.length < 2) return 0;
  const counts = new Map<string, number>();
  for (let index = 0; index < a.length - 1; index += 1) {
    const pair = a.slice(index, index + 2);
    counts.set(pair, (counts.get(pair) ?? 0) + 1);
  }
  let shared = 0;
  for (let index = 0; index < b.length - 1; index += 1) {
    const pair = b.slice(index, index + 2);
    const left = counts.get(pair) ?? 0;
    if (left > 0) { shared += 1; counts.set(pair, left - 1); }
  }
  return (2 * shared) / (a.length + b.length - 2);
}

function windowLikeness(lines: readonly Line[], first: number, wanted: readonly string[]): number[] {
  return wanted.map((line, index) => likeness(line.trim(), (lines[first + index]?.text ?? '').trim()));
}

function blockAnchor(text: string, needle: string): Match | undefined {
  const wanted = needleLines(needle);
  if (wanted.length < 3) return undefined;
  const lines = linesOf(text);
  const [head, tail] = [(wanted[0] ?? '').trim(), (wanted.at(-1) ?? '').trim()];
  if (head === '' || tail === '') return undefined;
  const candidates: { readonly range: Range; readonly middle: number }[] = [];
  for (let first = 0; first + wanted.length <= lines.length; first += 1) {
    if ((lines[first]?.text ?? '').trim() !== head || (lines[first + wanted.length - 1]?.text ?? '').trim() !== tail) continue;
    const scores = windowLikeness(lines, first, wanted).slice(1, -1);
    candidates.push({ range: rangeOfLines(lines, first, wanted.length), middle: scores.reduce((sum, score) => sum + score, 0) / scores.length });
  }
  const needed = candidates.length > 1 ? ANCHOR_LIKENESS_SEVERAL : ANCHOR_LIKENESS_SINGLE;
  return found('block-anchor', candidates.filter(({ middle }) => middle >= needed).map(({ range }) => range), wanted.join('\n'));
}

function contextAware(text: string, needle: string): Match | undefined {
  const wanted = needleLines(needle);
  if (wanted.length < 2) return undefined;
  const lines = linesOf(text);
  const ranges: Range[] = [];
  for (let first = 0; first + wanted.length <= lines.length; first += 1) {
    // The borders are checked first: most windows fail there, and a long file has many.
    if (likeness((wanted[0] ?? '').trim(), (lines[first]?.text ?? '').trim()) < CONTEXT_LIKENESS) continue;
    const scores = windowLikeness(lines, first, wanted);
    if (wanted.every((line, index) => line.trim() === '' || (scores[index] ?? 0) >= CONTEXT_LIKENESS)) ranges.push(rangeOfLines(lines, first, wanted.length));
  }
  return found('context-aware', ranges, wanted.join('\n'));
}

/** Up to three sections of the text most like the needle, for a message after no match: `L12: …`. */
export function closestSections(text: string, needle: string): string[] {
  const wanted = needleLines(needle);
  const first = wanted.find((line) => line.trim() !== '')?.trim() ?? '';
  const lines = linesOf(text);
  return lines
    .map((line, index) => ({ index, score: likeness(line.text.trim(), first) }))
    .filter(({ score }) => score > 0.3)
    .sort((a, b) => b.score - a.score || a.index - b.index)
    .slice(0, 3)
    .map(({ index }) => lines.slice(index, index + Math.min(wanted.length, 6)).map((line, offset) => `L${String(index + offset + 1)}: ${line.text.slice(0, 200)}`).join('\n'));
}
