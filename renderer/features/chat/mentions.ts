/** Files that are named in a message as `@path`, or `@"path with blanks"`. Pure. */

export interface MentionBegun {
  /** Where the `@` stands, and where what was typed of the path ends. */
  readonly start: number;
  readonly end: number;
  readonly query: string;
}

/** An `@` inside of a word is an address, not a file. */
const BEGUN = /(?:^|[\s([{,;:'`])@(?:"([^"\n]*)|([^\s"@]*))$/;

/** The mention that is being typed before the caret. */
export function mentionAt(text: string, caret: number): MentionBegun | undefined {
  const before = text.slice(0, caret);
  const found = BEGUN.exec(before);
  if (found === null) return undefined;
  const query = found[1] ?? found[2] ?? '';
  return { start: before.lastIndexOf('@', caret - query.length), end: caret, query };
}

/** The path as it stands in a message. */
export function written(path: string): string {
  return /[\s"'`,;:()[\]{}]/.test(path) ? `@"${path.replaceAll('"', '\\"')}"` : `@${path}`;
}

/** The text with the path in place of what was typed of it, and where the caret goes. A folder can be typed on. */
export function withMention(text: string, { start, end }: MentionBegun, path: string): { readonly text: string; readonly caret: number } {
  const word = written(path);
  const after = text.slice(end).replace(/^"/, '');
  const goesOn = word.endsWith('/');
  const gap = goesOn || /^\s/.test(after) ? '' : ' ';
  return { text: text.slice(0, start) + word + gap + after, caret: start + word.length + (goesOn ? 0 : 1) };
}
