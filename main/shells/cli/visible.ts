/** Text of a model, a command or a tool made safe for a terminal: nothing in it moves the cursor, changes a colour or hides. */

/**
 * Control characters (C0 without tab and newline, DEL, C1), bidirectional overrides and isolates, zero-width and other invisible
 * format characters, line and paragraph separators, tag characters, lone surrogates.
 */
// eslint-disable-next-line no-control-regex -- they are what is looked for
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb]|[\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]|\p{Surrogate}/gu;

const escapeName = new Map([['\r', '\\r'], ['\u001b', '\\e'], ['\0', '\\0'], ['\b', '\\b'], ['\u0007', '\\a']]);

/** The same text with every hidden character written out as `‹U+202E›` or `‹\e›`; tabs and newlines stay. */
export function visible(text: string): string {
  return text.replace(HIDDEN, (character) => `‹${escapeName.get(character) ?? `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`}›`);
}

/** One line of it: newlines are written out too. For titles, paths and reasons. */
export function visibleLine(text: string): string {
  return visible(text).replaceAll('\n', '‹\\n›').replaceAll('\t', ' ');
}
