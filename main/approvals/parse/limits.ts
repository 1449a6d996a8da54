/** Bounds on what is read at all (hermes-runtime 4.2); over them a command is refused unread. */

/** Whole text. */
const MAX_CHARS = 128_000;
/** Text without any separator. */
const MAX_UNSEPARATED_CHARS = 4096;
/** Separators in the whole text. */
const MAX_SEPARATORS = 25_000;
/** Opening brackets that wait for their closing ones; deeper text is re-read once per level by the parser. */
const MAX_OPEN = 200;

const SEMICOLON = 59;
const AMPERSAND = 38;
const BAR = 124;
const LINE_FEED = 10;

/** Why a command is too costly to read, in words; undefined when it is not. One pass over the text. */
export function overLimit(command: string): string | undefined {
  if (command.length > MAX_CHARS) return `longer than ${String(MAX_CHARS)} characters`;
  let separators = 0;
  let run = 0;
  let longest = 0;
  let open = 0;
  for (let index = 0; index < command.length; index++) {
    const code = command.charCodeAt(index);
    if (code === SEMICOLON || code === AMPERSAND || code === BAR || code === LINE_FEED) {
      separators++;
      run = 0;
      continue;
    }
    if (++run > longest) longest = run;
    if (code === 40 || code === 123) open++;
    else if ((code === 41 || code === 125) && open > 0) open--;
    if (open > MAX_OPEN) return 'brackets nested too deeply';
  }
  if (longest > MAX_UNSEPARATED_CHARS) return `more than ${String(MAX_UNSEPARATED_CHARS)} characters without a separator`;
  return separators >= MAX_SEPARATORS ? `${String(MAX_SEPARATORS)} separators or more` : undefined;
}
