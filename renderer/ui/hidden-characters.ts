/**
 * Characters that a person does not see, or that change what a person sees: controls, bidirectional overrides, zero-width
 * marks, spaces that are not the space bar's, look-alike fillers. Where a decision is taken they are written out.
 */

export interface VisibleRun {
  /** What to draw. For a hidden character: its written-out form, such as `U+202E`. */
  readonly text: string;
  /** Offset of the run in the original text, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
  /** What the character does, in words; undefined for ordinary text. */
  readonly hidden: string | undefined;
}

/** First code point, last code point, what it does. Figures: Unicode 16 General_Category Cc, Cf, Zs and Default_Ignorable_Code_Point. */
const HIDDEN: readonly (readonly [number, number, string])[] = [
  [0x0000, 0x0008, 'control character'],
  [0x000b, 0x000c, 'control character'],
  [0x000d, 0x000d, 'carriage return: later text would be drawn over earlier text'],
  [0x000e, 0x001a, 'control character'],
  [0x001b, 0x001b, 'escape: starts a terminal control sequence'],
  [0x001c, 0x001f, 'control character'],
  [0x007f, 0x009f, 'control character'],
  [0x00a0, 0x00a0, 'no-break space, not a shell separator'],
  [0x00ad, 0x00ad, 'soft hyphen, normally invisible'],
  [0x034f, 0x034f, 'invisible joiner'],
  [0x061c, 0x061c, 'changes the reading direction'],
  [0x115f, 0x1160, 'invisible filler'],
  [0x1680, 0x1680, 'unusual space'],
  [0x17b4, 0x17b5, 'invisible vowel'],
  [0x180b, 0x180f, 'invisible separator'],
  [0x2000, 0x200a, 'unusual space'],
  [0x200b, 0x200d, 'zero width'],
  [0x200e, 0x200f, 'changes the reading direction'],
  [0x2028, 0x2029, 'line separator'],
  [0x202a, 0x202e, 'changes the reading direction'],
  [0x202f, 0x202f, 'unusual space'],
  [0x205f, 0x205f, 'unusual space'],
  [0x2060, 0x2065, 'zero width'],
  [0x2066, 0x2069, 'changes the reading direction'],
  [0x206a, 0x206f, 'zero width'],
  [0x3000, 0x3000, 'wide space'],
  [0x3164, 0x3164, 'invisible filler'],
  [0xd800, 0xdfff, 'half of a broken character'],
  [0xfe00, 0xfe0f, 'variation selector'],
  [0xfeff, 0xfeff, 'zero width'],
  [0xffa0, 0xffa0, 'invisible filler'],
  [0xfff0, 0xfffb, 'invisible annotation'],
  [0x1bca0, 0x1bca3, 'invisible format control'],
  [0x1d173, 0x1d17a, 'invisible format control'],
  [0xe0000, 0xe0fff, 'invisible tag character'],
];

/** What the character does when it is a hidden one. Newline and tab are ordinary. */
function hiddenMeaning(codePoint: number): string | undefined {
  if (codePoint >= 0x20 && codePoint < 0x7f) return undefined;
  return HIDDEN.find(([first, last]) => codePoint >= first && codePoint <= last)?.[2];
}

function writtenOut(codePoint: number): string {
  if (codePoint === 0x0d) return '\\r';
  if (codePoint === 0x1b) return 'ESC';
  return `U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}`;
}

/** Cuts text into ordinary stretches and single hidden characters, in order, without gaps. `offset` is added to every position. */
export function visibleRuns(text: string, offset = 0): VisibleRun[] {
  const runs: VisibleRun[] = [];
  let plainStart = 0;
  const closePlain = (end: number) => {
    if (end > plainStart) runs.push({ text: text.slice(plainStart, end), start: offset + plainStart, end: offset + end, hidden: undefined });
  };
  for (let index = 0; index < text.length;) {
    const codePoint = text.codePointAt(index) ?? 0;
    const length = codePoint > 0xffff ? 2 : 1;
    const hidden = hiddenMeaning(codePoint);
    if (hidden !== undefined) {
      closePlain(index);
      runs.push({ text: writtenOut(codePoint), start: offset + index, end: offset + index + length, hidden });
      plainStart = index + length;
    }
    index += length;
  }
  closePlain(text.length);
  return runs;
}

/** How many hidden characters a text holds. */
export function countHidden(text: string): number {
  let count = 0;
  for (const character of text) if (hiddenMeaning(character.codePointAt(0) ?? 0) !== undefined) count += 1;
  return count;
}
