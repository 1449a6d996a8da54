/** Which commands a stored text or glob may stand for: one program with its words, nothing that chains, redirects or substitutes (hermes-runtime 4.7). */

const OPERATORS = new Set([';', '&', '|', '<', '>', '\n', '\r', '`', '(', ')']);
/** Options whose argument is a program of its own: behind them quoted operators count as operators. */
const RUNS_TEXT = /(?:^|\s)(?:-[A-Za-z]*[ceE][A-Za-z]*|--(?:command|eval|exec|execute|expression|print|run|init-file|rcfile)(?:=|\s|$))/;
/** Characters that are not seen as they are: a stored rule never matches what hides them. */
// eslint-disable-next-line no-control-regex, no-misleading-character-class -- invisible characters are what this expression is for
const HIDDEN = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\ufff9-\ufffb]/;

/** False whenever it is not plain to see that the text is one simple command. */
export function isSimpleCommand(command: string): boolean {
  if (HIDDEN.test(command)) return false;
  let quote: '"' | "'" | undefined;
  let quotedOperator = false;
  for (let index = 0; index < command.length; index += 1) {
    const letter = command[index] ?? '';
    if (quote === "'") {
      if (letter === "'") quote = undefined;
      else if (OPERATORS.has(letter) || letter === '$') quotedOperator = true;
    } else if (quote === '"') {
      if (letter === '"') quote = undefined;
      else if (letter === '$' || letter === '`') return false;
      else if (letter === '\\') index += 1;
      else if (OPERATORS.has(letter)) quotedOperator = true;
    } else if (letter === '\\') {
      if (command[index + 1] === '\n' || command[index + 1] === undefined) return false;
      if (OPERATORS.has(command[index + 1] ?? '')) quotedOperator = true;
      index += 1;
    } else if (letter === '"' || letter === "'") {
      if (command[index - 1] === '$') return false;
      quote = letter;
    } else if (OPERATORS.has(letter) || (letter === '$' && (command[index + 1] === '(' || command[index + 1] === '{'))) return false;
  }
  return quote === undefined && !(quotedOperator && RUNS_TEXT.test(command));
}
