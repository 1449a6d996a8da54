/**
 * Finds characters that a person cannot see, or that reorder what is seen: controls, bidirectional marks, zero-width and
 * tag characters, fillers, odd spaces, lone surrogates. A command that is about to be approved must not hide any of them.
 */

export type TextPiece =
  | { readonly kind: 'plain'; readonly text: string }
  | { readonly kind: 'escape'; readonly text: string; readonly name: string };

/** Everything except newline and tab, which keep their usual look. */
const INVISIBLE = new RegExp(
  [
    '[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f]', // C0 and C1 controls, delete
    '[\\u00a0\\u1680\\u2000-\\u200a\\u202f\\u205f\\u3000]', // spaces that are not the space
    '[\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u3164\\uffa0]', // soft hyphen, joiners, fillers
    '[\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufe00-\\ufe0d\\ufeff\\ufff9-\\ufffb]', // zero width, bidi, variation, annotation
    '[\\u{e0000}-\\u{e0fff}]', // tags and further variation selectors
    '\\p{Surrogate}',
  ].join('|'),
  'gu',
);

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
  return NAMES.find(([from, to]) => code >= from && code <= to)?.[2] ?? 'invisible character';
}
