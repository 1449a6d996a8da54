/** make: recipes and shells that its words and input spell. */
import type { Inner, Invocation, ProgramReader } from './model.ts';
import { blockText, type Field, sliceField } from './text.ts';

/** Lines of a makefile on the command line or the input that are read. */
const MAX_LINES = 200;

const script = (text: Field): Inner[] => [{ kind: 'script', text }];

function make(command: Invocation): Inner[] {
  const found: Inner[] = [];
  for (const [index, field] of command.argv.slice(1).entries()) {
    const match = /^(?:SHELL|\.SHELLFLAGS|[A-Z_]*CC|CXX|AR|MAKE|PAGER|INSTALL)\??:?=/.exec(field.text);
    if (match !== null) found.push(...script(sliceField(field, match[0].length)));
    const text = field.text.startsWith('--eval=') ? sliceField(field, 7) : command.argv[index]?.text === '--eval' || command.argv[index]?.text === '-E' ? field : undefined;
    if (text !== undefined) found.push(...recipes(text.text, text.start, text.end));
  }
  return found;
}

/** A makefile on the input: its recipes and `$(shell …)`. */
function makefileInput(command: Invocation): Inner[] {
  const { input } = command;
  if (input === undefined || input.kind === 'file' || input.literal === undefined) return [];
  if (!command.argv.some((field) => /^(?:-\w*f|--(?:make)?file=?)-?$|^\/dev\/stdin$/.test(field.text))) return [];
  const { start, end } = command;
  return recipes(input.literal.text, start, end);
}

/** The lines of a makefile that make hands to a shell. */
function recipes(makefile: string, start: number, end: number): Inner[] {
  return makefile.split('\n').slice(0, MAX_LINES).flatMap((line): Inner[] => {
    const run = /^\t[@+-]*(.+)/.exec(line)?.[1] ?? /^[^#\t=:]+::?[^=;]*;\s*(.+)/.exec(line)?.[1] ?? /\$\(shell\s+([^)]*)\)/.exec(line)?.[1];
    return run === undefined ? [] : [{ kind: 'script', text: blockText(run.replaceAll('$$', '$'), start, end) }];
  });
}

export const makePrograms: readonly [string, ProgramReader][] = ['make', 'gmake', 'bmake'].map((name) => [name, (command) => [...make(command), ...makefileInput(command)]]);
