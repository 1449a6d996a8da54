/** Puts the new text where a match was found, keeping from the file whatever the edit did not mean to change. */
import { diffArrays, diffChars } from 'diff';
import { type Match, type Range, SIMILARITY_STRATEGIES, foldUnicode, linesOf, resolveEscapes } from './match.ts';
import { dominantEol, withEol } from './eol.ts';

export type Replaced = { readonly text: string } | { readonly refused: string };

/** Replaces every range of the match; ranges are in order and do not overlap. */
export function replaceMatches(text: string, match: Match, newString: string): Replaced {
  const pieces: string[] = [];
  let at = 0;
  for (const range of match.ranges) {
    const piece = pieceFor(text, match, range, newString);
    if ('refused' in piece) return piece;
    pieces.push(text.slice(at, range.start), piece.text);
    at = range.end;
    // Whole lines that go away take their line end with them.
    if (newString === '' && match.strategy !== 'exact' && isWholeLines(text, range)) at += /^\r?\n/.exec(text.slice(at))?.[0].length ?? 0;
  }
  pieces.push(text.slice(at));
  return { text: pieces.join('') };
}

function pieceFor(text: string, match: Match, range: Range, newString: string): Replaced {
  const region = text.slice(range.start, range.end);
  const drift = escapeDrift(match.needle, newString, region);
  if (drift !== undefined) return { refused: drift };
  const eol = region.includes('\n') ? dominantEol(region) : dominantEol(text);
  switch (match.strategy) {
    case 'exact':
      return { text: text.includes('\r\n') ? withEol(newString, eol) : newString };
    case 'escape-normalised':
      return { text: withEol(resolveEscapes(newString), eol) };
    case 'trimmed-boundary':
      return { text: withEol(newString.trim(), eol) };
    case 'unicode-normalised':
      return { text: withEol(keepFolded(region, foldUnicode(match.needle), foldUnicode(newString), newString), eol) };
    case 'whitespace-normalised':
      if (!match.needle.includes('\n') && !isWholeLines(text, range)) return { text: newString.trim() };
      return mergeLines(region, match, newLinesOf(newString, match), eol);
    default:
      return mergeLines(region, match, newLinesOf(newString, match), eol);
  }
}

/** Replaces one whole-line range by other lines (none = the lines go, with their line end). Returns the range actually replaced. */
export function replaceLines(
  text: string, match: Match, range: Range, after: readonly string[],
): { readonly end: number; readonly text: string } | { readonly refused: string } {
  const region = text.slice(range.start, range.end);
  const merged = mergeLines(region, match, after, dominantEol(region.includes('\n') ? region : text));
  if ('refused' in merged) return merged;
  if (after.length > 0) return { end: range.end, text: merged.text };
  return { end: range.end + (/^\r?\n/.exec(text.slice(range.end))?.[0].length ?? 0), text: '' };
}

function isWholeLines(text: string, { start, end }: Range): boolean {
  return (start === 0 || text[start - 1] === '\n') && (end === text.length || text[end] === '\n' || text[end] === '\r');
}

/** The lines of the new text; a final line end that the quoted text did not have is no line of its own. */
function newLinesOf(newString: string, match: Match): string[] {
  const lines = withEol(newString, '\n').split('\n');
  if (lines.length > 1 && lines.at(-1) === '' && !match.needle.endsWith('\n')) lines.pop();
  return lines;
}

/** A model that quotes too much writes \" in both texts where the file has "; that would end up in the file. */
function escapeDrift(needle: string, newString: string, region: string): string | undefined {
  for (const escape of [`\\'`, '\\"']) {
    if (needle.includes(escape) && newString.includes(escape) && !region.includes(escape)) {
      return `old_string and new_string both contain ${escape}, but the file does not: the quotes were escaped once too often. Send the text as it stands in the file.`;
    }
  }
  return undefined;
}

/** Characters the edit left alone stay as the file has them (a curly quote stays curly). */
function keepFolded(region: string, foldedNeedle: string, foldedNew: string, newString: string): string {
  if (foldedNeedle.length !== region.length) return newString;
  let at = 0;
  let result = '';
  for (const part of diffChars(foldedNeedle, foldedNew)) {
    if (part.added) { result += part.value; continue; }
    if (!part.removed) result += region.slice(at, at + part.value.length);
    at += part.value.length;
  }
  return result;
}

/**
 * Line by line: lines the edit kept come from the file, new lines get the file's indentation. For likeness matches every
 * line that goes away must stand in the file exactly as quoted, and none that is there may be quoted for another, else the edit is refused.
 */
function mergeLines(region: string, match: Match, newLines: readonly string[], eol: '\n' | '\r\n'): Replaced {
  const fileLines = linesOf(region).map((line) => line.text);
  const oldLines = match.needle.split('\n');
  const indent = indentationMap(oldLines, fileLines);
  const isLikeness = SIMILARITY_STRATEGIES.has(match.strategy);
  const standing = new Set(fileLines.map((line) => line.trim()));
  const result: string[] = [];
  let at = 0;
  // Lines just taken away: the lines put in their place stand at their depth.
  let gone: { readonly quoted: string; readonly inFile: string }[] = [];
  for (const part of diffArrays(oldLines, [...newLines], { comparator: (a, b) => a.trimEnd() === b.trimEnd() })) {
    if (part.added) {
      result.push(...part.value.map((line, index) => {
        const pair = gone[index];
        const sameDepth = pair !== undefined && pair.quoted.trim() !== '' && line.trim() !== '' && indentOf(pair.quoted) === indentOf(line);
        return sameDepth ? indentOf(pair.inFile) + line.trimStart() : reindent(line, indent);
      }));
      continue;
    }
    gone = [];
    for (const line of part.value) {
      const inFile = fileLines[at] ?? '';
      at += 1;
      if (isLikeness && line.trim() !== '' && line.trim() !== inFile.trim() && standing.has(line.trim())) {
        return { refused: `The closest place has its lines in another order, or old_string has one too many or too few. It has:\n${line}\nbut not where old_string has it. Read the file again and quote its lines exactly.` };
      }
      if (!part.removed) { result.push(inFile); continue; }
      gone.push({ quoted: line, inFile });
      if (isLikeness && line.trim() !== inFile.trim()) {
        return { refused: `The closest place differs in a line this edit would change. The file has:\n${inFile}\nwhere old_string has:\n${line}\nRead the file again and quote its lines exactly.` };
      }
    }
  }
  return { text: result.join(eol) };
}

const indentOf = (line: string): string => line.slice(0, line.length - line.trimStart().length);

/** The model's indentation → the file's, from the lines that matched. */
function indentationMap(oldLines: readonly string[], fileLines: readonly string[]): ReadonlyMap<string, string> {
  const map = new Map<string, string>();
  oldLines.forEach((line, index) => {
    if (line.trim() !== '' && !map.has(indentOf(line))) map.set(indentOf(line), indentOf(fileLines[index] ?? ''));
  });
  return map;
}

function reindent(line: string, map: ReadonlyMap<string, string>): string {
  if (line.trim() === '') return line.trim();
  const own = indentOf(line);
  const known = map.get(own);
  if (known !== undefined) return known + line.slice(own.length);
  const bases = [...map.keys()].sort((a, b) => b.length - a.length);
  const base = bases.find((candidate) => own.startsWith(candidate));
  if (base !== undefined) return (map.get(base) ?? '') + convertUnits(own.slice(base.length), map) + line.slice(own.length);
  // Shallower than anything quoted: move it by as much as the shallowest quoted line moved.
  const shallowest = bases.at(-1) ?? '';
  const target = map.get(shallowest) ?? '';
  const shift = target.length - shallowest.length;
  return target.slice(0, Math.max(0, own.length + shift)) + line.slice(own.length);
}

/** Deeper steps in spaces become tabs where the file indents by tabs, and the other way round. */
function convertUnits(extra: string, map: ReadonlyMap<string, string>): string {
  const file = [...map.values()].join('');
  if (extra === '' || file === '') return extra;
  if (file.includes('\t') && !extra.includes('\t')) {
    const unit = stepOf([...map.keys()]);
    return '\t'.repeat(Math.max(1, Math.round(extra.length / unit)));
  }
  if (!file.includes('\t') && extra.includes('\t')) return extra.replaceAll('\t', ' '.repeat(stepOf([...map.values()])));
  return extra;
}

/** The smallest indentation step seen in spaces; four when nothing tells. */
function stepOf(indents: readonly string[]): number {
  const widths = [...new Set(indents.map((indent) => indent.length))].filter((width) => width > 0).sort((a, b) => a - b);
  const steps = widths.map((width, index) => width - (widths[index - 1] ?? 0)).filter((step) => step > 1);
  return steps.length > 0 ? Math.min(...steps) : 4;
}
