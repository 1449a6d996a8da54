/** What shell builtins do to the variables, arguments and directory of the line. */
import type { Invocation } from './model.ts';
import type { Scope, Value } from './scope.ts';
import { type Field, HOME, isUnknown, sliceText, UNKNOWN } from './text.ts';

const valueOf = (field: Field): Value => ({ text: field.text, substitutions: field.substitutions, glob: field.glob });

/** Records the effect of one command, if it is a builtin that has one. */
export function applyBuiltin(command: Invocation, scope: Scope, maybe: boolean): void {
  const operands = command.argv.slice(1);
  switch (command.name) {
    case 'export':
    case 'declare':
    case 'typeset':
    case 'local':
    case 'readonly':
      for (const field of operands) assignWord(field, scope, maybe);
      break;
    case 'alias':
      for (const field of operands) {
        const name = /^([^=\s]+)=/.exec(field.text)?.[1];
        if (name !== undefined) scope.aliases.set(name, field.text.slice(name.length + 1));
      }
      break;
    case 'unset':
      for (const field of operands) scope.forget(field.text);
      break;
    case 'read':
    case 'mapfile':
    case 'readarray':
    case 'getopts':
      readInto(command, operands, scope);
      break;
    case 'printf':
      if (operands[0]?.text === '-v' && operands[1] !== undefined) {
        const simple = operands.length === 3 && operands[2] !== undefined && !/[%\\]/.test(operands[2].text);
        const same = operands.length === 4 && operands[2]?.text === '%s' && operands[3] !== undefined;
        const value = simple ? operands[2] : same ? operands[3] : undefined;
        scope.assign(operands[1].text, [value === undefined ? { text: UNKNOWN, substitutions: [] } : valueOf(value)], maybe);
      }
      break;
    case 'set':
      setArguments(operands, scope);
      break;
    case 'shift':
      scope.positional = scope.positional?.slice(Number(operands[0]?.text ?? 1) || 1);
      break;
    case 'cd':
    case 'pushd':
      scope.directory = changedDirectory(operands, scope.directory);
      break;
  }
}

function assignWord(field: Field, scope: Scope, maybe: boolean): void {
  const match = /^([A-Za-z_]\w*)(\+?)=/.exec(field.text);
  if (match?.[1] === undefined) return;
  const value = sliceText(field, match[0].length).text;
  const before = match[2] === '+' ? (scope.variables.get(match[1])?.values[0]?.text ?? '') : '';
  scope.assign(match[1], [{ text: before + value, substitutions: field.substitutions }], maybe);
}

/** `read X <<< rm` gives X a value that stands in the line. */
function readInto(command: Invocation, operands: readonly Field[], scope: Scope): void {
  const names = operands.filter((field) => /^[A-Za-z_]\w*$/.test(field.text)).map((field) => field.text);
  const input = command.input;
  const literal = input === undefined || input.kind === 'file' ? undefined : input.literal?.text;
  const last = names.at(-1);
  if (literal === undefined || isUnknown(literal) || last === undefined || command.name !== 'read') {
    for (const name of names) scope.forget(name);
    return;
  }
  const words = (literal.split('\n')[0] ?? '').trim().split(/\s+/);
  for (const [index, name] of names.entries()) {
    const text = name === last ? words.slice(index).join(' ') : (words[index] ?? '');
    scope.assign(name, [{ text, substitutions: [] }], true);
  }
}

function setArguments(operands: readonly Field[], scope: Scope): void {
  const marker = operands.findIndex((field) => field.text === '--');
  if (marker === -1 && (operands[0]?.text.startsWith('-') ?? true)) return;
  scope.positional = operands.slice(marker + 1).map(valueOf);
}

function changedDirectory(operands: readonly Field[], before: string | undefined): string | undefined {
  const target = operands.find((field) => !/^-[LPe@]+$/.test(field.text) && field.text !== '--')?.text ?? HOME;
  if (isUnknown(target) || target === '-') return undefined;
  if (target.startsWith('/') || target.startsWith(HOME)) return target;
  return before === undefined ? undefined : `${before}/${target}`;
}
