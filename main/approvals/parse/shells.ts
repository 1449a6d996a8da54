/** Shells: their `-c` text, their input, and what the two are called. */
import type { Inner, Input, Invocation } from './model.ts';
import { type Option, type OptionSpec, readOptions } from './options.ts';
import { blockText, type Field, UNKNOWN } from './text.ts';

const POSIX_SHELLS = new Set(['sh', 'bash', 'zsh', 'ksh', 'dash', 'ash', 'mksh', 'pdksh', 'ksh93', 'rbash', 'rzsh', 'yash', 'hush', 'posh', 'fish', 'csh', 'tcsh', 'elvish', 'nu', 'xonsh', 'osh', 'git-shell', 'git-bash']);

export const isShell = (name: string): boolean => POSIX_SHELLS.has(name) || /^(?:ba|z|k|da)sh-?\d[\d.]*$/.test(name);

/** Whether a path is the standard input, in any spelling. */
export const isInputFile = (text: string): boolean => /^(?:\/dev\/(?:stdin|fd\/0)|\/proc\/(?:self|thread-self)\/fd\/0)$/.test(text.replaceAll(/\/(?:\.?\/)+/g, '/'));
/** Whether a path is some other open file of the shell: `/dev/fd/3`. */
export const isOpenFile = (text: string): boolean => !isInputFile(text) && /^\/(?:dev|proc\/(?:self|thread-self))\/fd\//.test(text.replaceAll(/\/(?:\.?\/)+/g, '/'));

const SHELL_OPTIONS: OptionSpec = {
  short: 'oO', long: ['rcfile', 'init-file', 'init-command', 'command', 'features', 'debug-level'],
  longFlags: ['login', 'norc', 'noprofile', 'posix', 'verbose', 'restricted', 'version', 'help', 'no-config', 'private'],
};

export interface ShellCall {
  /** The text behind `-c`. */
  readonly script: Field | undefined;
  readonly flag: Option | undefined;
  /** The script file, when one is named. */
  readonly file: Field | undefined;
  /** Words after the script: `$0`, `$1`… for `-c`; `$1`… for a file. */
  readonly rest: readonly Field[];
  /** Reads commands from its standard input: no `-c`, no file. */
  readonly readsInput: boolean;
}

/** Reads the arguments of a shell. Every bundle with a `c` in it counts, as in bash. */
export function readShell(command: Invocation): ShellCall {
  // A leading `+x` is an option too, and bash takes `-c`'s text only after all options.
  const argv = command.argv.filter((field, index) => index === 0 || !(/^\+[a-zA-Z]+$/.test(field.text) || /^\+[oO]$/.test(command.argv[index - 1]?.text ?? '')));
  const { options, operands } = readOptions(argv, SHELL_OPTIONS);
  const flag = options.find((option) => (option.long ? ['command', 'init-command'].includes(option.name) : option.name === 'c' || (command.name === 'fish' && option.name === 'C')));
  if (flag !== undefined) {
    const script = flag.long ? flag.value : operands[0];
    return { script, flag, file: undefined, rest: flag.long ? operands : operands.slice(1), readsInput: false };
  }
  const forced = options.some((option) => !option.long && option.name === 's');
  const asks = options.some((option) => option.long && ['version', 'help'].includes(option.name));
  const first = operands[0];
  if (asks) return { script: undefined, flag: undefined, file: undefined, rest: [], readsInput: false };
  const readsInput = forced || first === undefined || first.text === '-' || isInputFile(first.text);
  return { script: undefined, flag: undefined, file: readsInput ? undefined : first, rest: operands.slice(readsInput ? 0 : 1), readsInput };
}

/** The script behind `<(echo …)`, when the line spells it. */
export function printedScript(field: Field): Inner | undefined {
  const output = field.substitutions.find((substitution) => substitution.kind === 'reads')?.output;
  return output === undefined ? undefined : { kind: 'script', text: blockText(output, field.start, field.end) };
}

/** What commands of a script that is itself the input can still read: some rest of it. */
export const REST_OF_SCRIPT: Input = { kind: 'heredoc', literal: { text: UNKNOWN, segments: [] }, substitutions: [] };

/** The scripts that a shell is given as text. */
export function shellScripts(command: Invocation): Inner[] {
  if (!isShell(command.name)) return [];
  const call = readShell(command);
  if (call.script !== undefined) return [{ kind: 'script', text: call.script, positional: call.rest.slice(1), ...(call.rest[0] === undefined ? {} : { self: call.rest[0] }) }];
  const printed = call.file === undefined ? undefined : printedScript(call.file);
  if (printed !== undefined) return [printed];
  const { input } = command;
  if (call.readsInput && input?.kind === 'file') {
    const redirected = printedScript(input.target);
    return redirected === undefined ? [] : [redirected];
  }
  if (!call.readsInput || input === undefined || input.kind === 'file' || input.literal === undefined) return [];
  return [{ kind: 'script', text: input.literal, positional: call.rest, input: REST_OF_SCRIPT }];
}
