/**
 * Finds characters that a person cannot see, or that reorder what is seen: controls, bidirectional marks, zero-width and
 * tag characters, fillers, odd spaces, lone surrogates. A command that is about to be approved must not hide any of them.
 */

export type TextPiece =
  | { readonly kind: 'plain'; readonly text: string }
  | { readonly kind: 'escape'; readonly text: string; readonly name: string };

/** Code points, from and to. Newline and tab are left out: they keep their usual look. */
const INVISIBLE_RANGES: readonly (readonly [from: number, to: number])[] = [
  [0x00, 0x08], [0x0b, 0x1f], [0x7f, 0x9f], // C0 and C1 controls, delete
  [0xa0, 0xa0], [0x1680, 0x1680], [0x2000, 0x200a], [0x202f, 0x202f], [0x205f, 0x205f], [0x3000, 0x3000], // spaces that are not the space
  [0xad, 0xad], [0x034f, 0x034f], [0x061c, 0x061c], [0x115f, 0x1160], [0x17b4, 0x17b5], [0x180b, 0x180f], [0x3164, 0x3164], [0xffa0, 0xffa0], // soft hyphen, joiners, fillers
  [0x200b, 0x200f], [0x2028, 0x202e], [0x2060, 0x206f], [0xfe00, 0xfe0d], [0xfeff, 0xfeff], [0xfff9, 0xfffb], // zero width, bidi, variation, annotation
  [0xd800, 0xdfff], // surrogates without a partner
  [0xe0000, 0xe0fff], // tags and further variation selectors
];

const hex = (code: number): string => `\\u{${code.toString(16)}}`;
/** More marks than languages put on one letter: piled up they cover the lines above and below. */
const PILED_MARK = '(?<=\\p{Mn}{3})\\p{Mn}';
/** What Unicode itself calls formatting or ignorable, and private use, which each font draws as it likes. A variation selector behind an emoji is part of it. */
const FORMATTING = '(?![\\ufe0e\\ufe0f])[\\p{Cf}\\p{Co}\\p{Default_Ignorable_Code_Point}]|(?<!\\p{Extended_Pictographic}|\\p{Emoji_Modifier})[\\ufe0e\\ufe0f]';
const INVISIBLE = new RegExp(`[${INVISIBLE_RANGES.map(([from, to]) => `${hex(from)}-${hex(to)}`).join('')}]|${FORMATTING}|${PILED_MARK}`, 'gu');

const NAMES: readonly (readonly [from: number, to: number, name: string])[] = [
  [0x1b, 0x1b, 'escape'], [0x00, 0x1f, 'control character'], [0x7f, 0x9f, 'control character'],
  [0x202a, 0x202e, 'text direction override'], [0x2066, 0x2069, 'text direction isolate'], [0x200e, 0x200f, 'text direction mark'],
  [0x061c, 0x061c, 'text direction mark'], [0x200b, 0x200d, 'zero-width character'], [0x2060, 0x2064, 'zero-width character'],
  [0xfeff, 0xfeff, 'zero-width character'], [0x2028, 0x2029, 'line separator'], [0xe0000, 0xe007f, 'invisible tag character'],
  [0xa0, 0xa0, 'no-break space'], [0x1680, 0x1680, 'odd space'], [0x2000, 0x200a, 'odd space'], [0x202f, 0x202f, 'odd space'],
  [0x205f, 0x205f, 'odd space'], [0x3000, 0x3000, 'odd space'], [0xd800, 0xdfff, 'broken character'],
];

/** `\x1b`, `\u202e`, `\u{e0041}`: how the character would be written in source. */
export function escapeOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code <= 0xff) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code <= 0xffff ? `\\u${code.toString(16).padStart(4, '0')}` : `\\u{${code.toString(16)}}`;
}

/** The text cut where something invisible stands; joined `plain` texts and unescaped escapes give the input back. */
export function splitInvisible(text: string): readonly TextPiece[] {
  const pieces: TextPiece[] = [];
  let from = 0;
  for (const match of text.matchAll(INVISIBLE)) {
    if (match.index > from) pieces.push({ kind: 'plain', text: text.slice(from, match.index) });
    pieces.push({ kind: 'escape', text: escapeOf(match[0]), name: nameOf(match[0]) });
    from = match.index + match[0].length;
  }
  if (from < text.length) pieces.push({ kind: 'plain', text: text.slice(from) });
  return pieces;
}

/** True when `splitInvisible` would show at least one escape. */
export function hasInvisible(text: string): boolean {
  return text.search(INVISIBLE) !== -1;
}

function nameOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return NAMES.find(([from, to]) => code >= from && code <= to)?.[2] ?? (/(?!\p{Default_Ignorable_Code_Point})\p{Mn}/u.test(character) ? 'piled-up mark' : 'invisible character');
}
