/** Text of a model, a command or a tool made safe for a terminal: nothing in it moves the cursor, changes a colour or hides. */

/** Control and format characters (bidirectional overrides, zero-width ones, tags), separators that look like none, lone surrogates, private use; tab and newline stay. */
const HIDDEN = /(?![\t\n])[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
/** The same, but the joiners inside an emoji are part of it. */
const HIDDEN_IN_PROSE = /(?!(?<=\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)[\ufe0f\u200d])(?![\t\n])[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

const escapeName = new Map([['\r', '\\r'], ['\u001b', '\\e'], ['\0', '\\0'], ['\b', '\\b'], ['\u0007', '\\a']]);

const named = (character: string): string =>
  `‹${escapeName.get(character) ?? `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`}›`;

/** The same text with every hidden character written out as `‹U+202E›` or `‹\e›`; tabs and newlines stay. For commands: nothing is let through. */
export function visible(text: string): string {
  return text.replace(HIDDEN, named);
}

/** For what a model writes to be read: emoji stay whole. */
export function visibleProse(text: string): string {
  return text.replace(HIDDEN_IN_PROSE, named);
}

/** One line of it: newlines are written out too. For titles, paths and reasons. */
export function visibleLine(text: string): string {
  return visibleProse(text).replaceAll('\n', '‹\\n›').replaceAll('\t', ' ');
}
