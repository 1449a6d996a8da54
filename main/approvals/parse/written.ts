/** Scripts that a line writes into a file and runs from there: `echo reboot > x.sh; sh x.sh`. */
import { literalOutput } from './literal.ts';
import type { Inner, Invocation } from './model.ts';
import { isShell, readShell } from './shells.ts';
import type { Text } from './text.ts';

/** Commands back that are looked at for the writer. */
const MAX_BACK = 40;

const sameFile = (text: string): string => text.replace(/^(?:\.\/)+/, '');

/** The file that the command reads shell text from: a shell's script, `source x`, `./x`. */
function ranFile(command: Invocation): string | undefined {
  const program = command.argv[0]?.text ?? '';
  if (isShell(command.name)) return readShell(command).file?.text ?? (command.input?.kind === 'file' ? command.input.target.text : undefined);
  if (/^(?:source|\.)$/.test(command.name)) return command.argv[1]?.text;
  return program.includes('/') ? program : undefined;
}

/** What the command writes into the file, when the line spells it. */
function writtenText(command: Invocation, file: string): Text | undefined {
  const isFile = (text: string): boolean => sameFile(text) === file;
  const redirected = command.redirects.some((redirect) => redirect.operator !== '<' && (redirect.descriptor ?? 1) === 1 && isFile(redirect.target.text));
  const copied = command.name === 'tee' && command.argv.slice(1).some((field) => isFile(field.text));
  return redirected || copied ? literalOutput(command) : undefined;
}

/** The texts that earlier commands of the line put into the file that this one runs. */
export function writtenScripts(command: Invocation, all: readonly Invocation[]): Inner[] {
  const ran = ranFile(command);
  if (ran === undefined || ran === '') return [];
  const file = sameFile(ran);
  // A script that runs itself has nothing new to say the second time.
  for (let outer = all[command.parent ?? -1]; outer !== undefined; outer = all[outer.parent ?? -1]) {
    if (sameFile(ranFile(outer) ?? '') === file) return [];
  }
  const found: Inner[] = [];
  for (let index = command.index - 1; index >= 0 && command.index - index <= MAX_BACK; index--) {
    const writer = all[index];
    const text = writer === undefined ? undefined : writtenText(writer, file);
    if (text !== undefined) found.push({ kind: 'script', text });
  }
  return found;
}
