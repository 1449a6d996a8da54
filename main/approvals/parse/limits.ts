/** Bounds on what is read at all (hermes-runtime 4.2); over them a command is refused unread. */

/** Whole text. */
const MAX_CHARS = 128_000;
/** Text without any separator. */
const MAX_UNSEPARATED_CHARS = 4096;
/** Separators in the whole text. */
const MAX_SEPARATORS = 25_000;
/** Brackets open at one place; the parser itself stops at 256. */
const MAX_OPEN = 200;
/** Substitutions open at one place: the parser reads the text of each again, once per level. */
const MAX_SUBSTITUTIONS = 24;

const SEMICOLON = 59;
const AMPERSAND = 38;
const BAR = 124;
const LINE_FEED = 10;
const OPEN_PARENTHESIS = 40;
const CLOSE_PARENTHESIS = 41;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;
const DOLLAR = 36;
const LESS = 60;
const GREATER = 62;

const isSubstitution = (before: number): boolean => before === DOLLAR || before === LESS || before === GREATER;

/** Why a command is too costly to read, in words; undefined when it is not. One pass over the text. */
export function overLimit(command: string): string | undefined {
  if (command.length > MAX_CHARS) return `longer than ${String(MAX_CHARS)} characters`;
  let separators = 0;
  let run = 0;
  let longest = 0;
  let open = 0;
  let substitutions = 0;
  for (let index = 0; index < command.length; index++) {
    const code = command.charCodeAt(index);
    if (code === SEMICOLON || code === AMPERSAND || code === BAR || code === LINE_FEED) {
      separators++;
      run = 0;
      continue;
    }
    if (++run > longest) longest = run;
    if (code === OPEN_PARENTHESIS || code === OPEN_BRACE) {
      open++;
      if (isSubstitution(command.charCodeAt(index - 1))) substitutions++;
      if (open > MAX_OPEN || substitutions > MAX_SUBSTITUTIONS) return 'brackets nested too deeply';
    } else if (code === CLOSE_PARENTHESIS || code === CLOSE_BRACE) {
      if (open > 0) open--;
      if (substitutions > open) substitutions = open;
    }
  }
  if (longest > MAX_UNSEPARATED_CHARS) return `more than ${String(MAX_UNSEPARATED_CHARS)} characters without a separator`;
  return separators >= MAX_SEPARATORS ? `${String(MAX_SEPARATORS)} separators or more` : undefined;
}
