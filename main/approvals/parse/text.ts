/** Text that remembers where each piece of it stands in what the model wrote, also after quotes were removed and values put in. */

/** Stands for a value that only the running shell knows. Private-use characters in the input are replaced before parsing. */
export const UNKNOWN = '\uE000';
/** Stands for the home directory: an unquoted leading `~`, `$HOME`, `${HOME}`. */
export const HOME = '\uE001';
/** The private-use characters that this folder gives a meaning; user text never keeps them. */
export const MARKERS = /[\uE000-\uE00F]/g;

/** A piece of a text. `start`/`end` are UTF-16 offsets in the original; `linear` means one unit there for each unit here. */
export interface Segment {
  readonly at: number;
  readonly start: number;
  readonly end: number;
  readonly linear: boolean;
}

/** A string plus the way back to the original. Segments are in order of `at` and cover the text. */
export interface Text {
  readonly text: string;
  readonly segments: readonly Segment[];
}

/** One argument after expansion. */
export interface Field extends Text {
  /** Offsets of the whole word in the original. */
  readonly start: number;
  readonly end: number;
  /** Has an unquoted glob character, so the shell may replace it by file names. */
  readonly glob: boolean;
  /** An unquoted unknown: the shell may make several words of it, or none. */
  readonly splits: boolean;
  /** Every part was literal and unquoted; used to tell reserved words and operators from data. */
  readonly bare: boolean;
  /** Commands whose output is, or is behind, this word. */
  readonly substitutions: readonly Substitution[];
}

/** The commands inside `$(…)`, backticks, `<(…)` or `>(…)`; the items are indices into the walk's list of commands. */
export interface Substitution {
  readonly kind: 'output' | 'reads' | 'writes';
  readonly commands: readonly number[];
  /** What they print, where the line itself says so. */
  readonly output?: string;
}

/** What is parsed at one time: a text and, for offsets in it, the offsets in the original. */
export interface Source {
  readonly text: string;
  /** Maps the start of a range. */
  start(offset: number): number;
  /** Maps the end of a range. */
  end(offset: number): number;
}

/** A source whose offsets are the original's own. */
export function plainSource(text: string): Source {
  return { text, start: (offset) => offset, end: (offset) => offset };
}

/** A source cut out of the original by a normaliser. `map[i]` is the original offset of unit `i`; one more entry marks the end. */
export function mappedSource(text: string, map: Uint32Array): Source {
  return {
    text,
    start: (offset) => map[Math.min(offset, map.length - 1)] ?? 0,
    end: (offset) => (offset === 0 ? (map[0] ?? 0) : (map[Math.min(offset, map.length - 1)] ?? 0)),
  };
}

/** A source made from an argument, such as the script behind `sh -c`. */
export function textSource(text: Text): Source {
  return {
    text: text.text,
    start: (offset) => locate(text.segments, offset, false),
    end: (offset) => locate(text.segments, offset, true),
  };
}

function locate(segments: readonly Segment[], offset: number, isEnd: boolean): number {
  const wanted = isEnd && offset > 0 ? offset - 1 : offset;
  let low = 0;
  let high = segments.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((segments[middle]?.at ?? 0) <= wanted) low = middle;
    else high = middle - 1;
  }
  const segment = segments[low];
  if (segment === undefined) return 0;
  if (!segment.linear) return isEnd ? segment.end : segment.start;
  return Math.min(segment.start + (offset - segment.at), segment.end);
}

/** Joins texts with a separator that belongs to no place of its own. */
export function joinTexts(texts: readonly Text[], separator: string): Text {
  let text = '';
  const segments: Segment[] = [];
  for (const [index, piece] of texts.entries()) {
    if (index > 0) {
      const last = segments.at(-1);
      segments.push({ at: text.length, start: last?.end ?? 0, end: last?.end ?? 0, linear: false });
      text += separator;
    }
    for (const segment of piece.segments) segments.push({ ...segment, at: segment.at + text.length });
    text += piece.text;
  }
  return { text, segments };
}

/** A text that stands, as a whole, for one range of the original. */
export function blockText(text: string, start: number, end: number): Text {
  return { text, segments: [{ at: 0, start, end, linear: false }] };
}

/** The tail of a text from `from` on, as in the value after `--option=`. */
export function sliceText(source: Text, from: number, to = source.text.length): Text {
  const segments: Segment[] = [];
  for (const [index, segment] of source.segments.entries()) {
    const next = source.segments[index + 1]?.at ?? source.text.length;
    if (next <= from && next > segment.at) continue;
    if (segment.at >= to) break;
    const cut = Math.max(0, from - segment.at);
    segments.push({
      at: Math.max(segment.at - from, 0),
      start: segment.linear ? segment.start + cut : segment.start,
      end: segment.end,
      linear: segment.linear,
    });
  }
  return { text: source.text.slice(from, to), segments };
}

/** The tail of a field as a field of its own. */
export function sliceField(field: Field, from: number): Field {
  const tail = sliceText(field, from);
  const first = tail.segments[0];
  return { ...field, ...tail, start: first?.linear === true ? first.start : field.start };
}

/** A field that stands for `text` as a whole, for pieces that no single word of the original spells. */
export function madeField(text: string, start: number, end: number): Field {
  return { ...blockText(text, start, end), start, end, glob: false, splits: false, bare: false, substitutions: [] };
}

export const isUnknown = (text: string): boolean => text.includes(UNKNOWN);
