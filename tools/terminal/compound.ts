/** `A && B &` puts the whole list into a subshell of its own; `A && { B & }` puts only B there, which is what is meant (hermes-runtime 5.4). */
import { parseLine } from './commands.ts';

/**
 * The line with every top-level `A && B &` rewritten to `A && { B & }`. Lines that do not parse, and lists with here-documents, stay as
 * they are. Applying it twice changes nothing more.
 */
export function rewriteCompoundBackground(line: string): string {
  const script = parseLine(line);
  if (script === undefined) return line;
  let result = line;
  // From the end, so that earlier positions stay right.
  for (const statement of [...script.commands].reverse()) {
    const list = statement.command;
    if (statement.background !== true || list.type !== 'AndOr') continue;
    const last = list.commands.at(-1);
    const ampersand = result.indexOf('&', list.end);
    if (last === undefined || ampersand === -1 || result.slice(list.end, ampersand).trim() !== '') continue;
    if (result.slice(statement.pos, statement.end).includes('<<')) continue;
    const rest = result.slice(ampersand + 1);
    const separator = /^[ \t]*(?:$|[\n;)#])/.test(rest) ? '' : ';';
    result = `${result.slice(0, last.pos)}{ ${result.slice(last.pos, last.end)} & }${separator}${rest}`;
  }
  return result;
}
