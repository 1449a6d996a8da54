/** Ways models deform what they quote of a file, and what an edit comes to then. */
import { findMatches } from '../../tools/shared/match.ts';
import { replaceMatches } from '../../tools/shared/replace.ts';

export interface Edit { readonly text: string; readonly oldString: string; readonly newString: string; readonly expected: string }

const mapLines = (text: string, change: (line: string) => string): string => text.split('\n').map(change).join('\n');

export const DEFORMATIONS: Readonly<Record<string, (edit: Edit) => Edit>> = {
  'as it is': (edit) => edit,
  'blanks at line ends': (edit) => ({ ...edit, oldString: mapLines(edit.oldString, (line) => `${line}  `) }),
  'all indentation lost': (edit) => {
    const base = Math.min(...edit.newString.split('\n').filter((line) => line.trim() !== '').map((line) => line.length - line.trimStart().length));
    return { ...edit, oldString: mapLines(edit.oldString, (line) => line.slice(base)), newString: mapLines(edit.newString, (line) => line.slice(base)) };
  },
  'indented twice as deep': (edit) => {
    const deeper = (line: string): string => ' '.repeat(line.length - line.trimStart().length) + line;
    return { ...edit, oldString: mapLines(edit.oldString, deeper), newString: mapLines(edit.newString, deeper) };
  },
  'file with CRLF': (edit) => ({ ...edit, text: edit.text.replaceAll('\n', '\r\n'), expected: edit.expected.replaceAll('\n', '\r\n') }),
  'quote with CRLF': (edit) => ({ ...edit, oldString: edit.oldString.replaceAll('\n', '\r\n'), newString: edit.newString.replaceAll('\n', '\r\n') }),
  'blank lines around the quote': (edit) => ({ ...edit, oldString: `\n${edit.oldString}\n\n`, newString: `\n${edit.newString}\n\n` }),
  'tabs for spaces': (edit) => {
    const tabs = (line: string): string => line.replace(/^( {2})+/, (run) => '\t'.repeat(run.length / 2));
    return { ...edit, oldString: mapLines(edit.oldString, tabs), newString: mapLines(edit.newString, tabs) };
  },
  'smart quotes in the file': (edit) => {
    const curl = (text: string): string => text.replaceAll("'", '\u2019');
    // What the edit adds is as the model wrote it; what was there stays curly.
    return { ...edit, text: curl(edit.text), expected: curl(edit.expected) };
  },
  'line ends written as \\n': (edit) => ({
    ...edit, oldString: edit.oldString.replaceAll('\n', '\\n'), newString: edit.newString.replaceAll('\n', '\\n'),
  }),
};

/** The text after the edit; undefined when it is refused. */
export function applied(edit: Edit): string | undefined {
  const match = findMatches(edit.text, edit.oldString);
  if (match?.ranges.length !== 1) return undefined;
  const replaced = replaceMatches(edit.text, match, edit.newString);
  return 'refused' in replaced ? undefined : replaced.text;
}
