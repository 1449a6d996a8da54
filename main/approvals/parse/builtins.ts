/** What shell builtins do to the variables, arguments and directory of the line. */
import type { Invocation } from './model.ts';
import type { Scope } from './scope.ts';
import { UNKNOWN_VALUE, type Value } from './store.ts';
import { type Field, HOME, isUnknown, sliceText } from './text.ts';

/** More lines than this and what is read counts as unknown in any case. */
const MAX_LINES = 100;

const valueOf = (field: Field): Value => ({ text: field.text, substitutions: field.substitutions, glob: field.glob });

/** Records the effect of one command, if it is a builtin that has one. */
export function applyBuiltin(command: Invocation, scope: Scope): void {
  const operands = command.argv.slice(1);
  switch (command.name) {
    case 'export':
    case 'declare':
    case 'typeset':
    case 'local':
    case 'readonly':
      declared(command.name, operands, scope);
      break;
    case 'alias':
      for (const field of operands) {
        const name = /^([^=\s]+)=/.exec(field.text)?.[1];
        if (name !== undefined) scope.alias(name, field.text.slice(name.length + 1));
      }
      break;
    case 'hash': {
      const path = operands.findIndex((field) => field.text === '-p');
      const [file, name] = path === -1 ? [] : operands.slice(path + 1);
      if (file !== undefined && name !== undefined) scope.alias(name.text, file.text);
      break;
    }
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
        scope.assign(operands[1].text, [value === undefined ? UNKNOWN_VALUE : valueOf(value)]);
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
      scope.store.directory = changedDirectory(operands, scope.store.directory);
      break;
    case 'popd':
      scope.store.directory = undefined;
      break;
  }
}

/** `export NAME=value`, `local NAME`, `declare -n NAME=target`. */
function declared(builtin: string, operands: readonly Field[], scope: Scope): void {
  const flags = operands.filter((field) => /^[-+][A-Za-z]+$/.test(field.text)).map((field) => field.text);
  const isReference = flags.some((flag) => flag.startsWith('-') && flag.includes('n')) && builtin !== 'export';
  const exports = builtin === 'export' ? !flags.includes('-n') : flags.some((flag) => flag.startsWith('-') && flag.includes('x')) ? true : flags.some((flag) => flag.startsWith('+') && flag.includes('x')) ? false : undefined;
  for (const field of operands) {
    const match = /^([A-Za-z_]\w*)(?:(\+?)=)?/.exec(field.text);
    if (match?.[1] === undefined) continue;
    const [{ length }, name, append] = match;
    const assigns = append !== undefined;
    if (builtin === 'local' || builtin === 'declare' || builtin === 'typeset') scope.keepLocal(name);
    if (isReference && assigns) scope.store.refer(name, field.text.slice(length));
    else if (assigns) assignWord(name, field, length, append === '+', scope);
    if (exports !== undefined) scope.export(name, exports);
  }
}

function assignWord(name: string, field: Field, length: number, appends: boolean, scope: Scope): void {
  const value = sliceText(field, length).text;
  const before = appends ? (scope.store.get(name)?.values[0]?.text ?? '') : '';
  scope.assign(name, [{ text: before + value, substitutions: field.substitutions }]);
}

/** `read X <<< rm` gives X a value that stands in the line; in a loop, that of each line in turn. */
function readInto(command: Invocation, operands: readonly Field[], scope: Scope): void {
  const names = operands.filter((field) => /^[A-Za-z_]\w*$/.test(field.text)).map((field) => field.text);
  const isArray = operands.some((field) => /^-\w*a$/.test(field.text));
  const input = command.input;
  const literal = input === undefined || input.kind === 'file' ? undefined : input.literal?.text;
  const last = names.at(-1);
  const marks = command.settings.findLast((setting) => setting.name === 'IFS')?.value.text ?? scope.store.get('IFS')?.values[0]?.text ?? ' \t\n';
  if (literal === undefined || isUnknown(literal) || isUnknown(marks) || last === undefined || command.name !== 'read') {
    for (const name of command.name === 'read' && names.length === 0 ? ['REPLY'] : names) scope.forget(name);
    return;
  }
  const lines = literal.replace(/\n$/, '').split('\n').slice(0, MAX_LINES).map((line) => splitLine(line, marks));
  if (isArray) {
    const elements = lines.length === 1 ? (lines[0] ?? []).map((text): Value => ({ text, substitutions: [] })) : [UNKNOWN_VALUE];
    scope.assign(last, elements.slice(0, 1), elements);
    return;
  }
  for (const [index, name] of names.entries()) {
    scope.assign(name, lines.map((words) => ({ text: name === last ? words.slice(index).join(' ') : (words[index] ?? ''), substitutions: [] })));
  }
}

/** The words of a line between the characters of IFS, as `read` sees them; with none of those the line is one word. */
function splitLine(line: string, marks: string): string[] {
  const trimmed = /^[ \t\n]*$/.test(marks) && marks !== '' ? line.trim() : line;
  if (marks === '') return [trimmed];
  const words: string[] = [''];
  for (const letter of trimmed) {
    if (!marks.includes(letter)) words.push(`${words.pop() ?? ''}${letter}`);
    else if (!/\s/.test(letter) || words.at(-1) !== '') words.push('');
  }
  return words;
}

function setArguments(operands: readonly Field[], scope: Scope): void {
  const marker = operands.findIndex((field) => field.text === '--');
  if (marker === -1 && (operands[0]?.text.startsWith('-') ?? true)) return;
  scope.positional = operands.slice(marker + 1).map(valueOf);
}

/** Where `cd` with these operands leads; undefined when only the running shell knows. */
export function changedDirectory(operands: readonly Field[], before: string | undefined): string | undefined {
  const target = operands.find((field) => !/^-[LPe@]+$/.test(field.text) && field.text !== '--')?.text ?? HOME;
  if (isUnknown(target) || target === '-') return undefined;
  if (target.startsWith('/') || target.startsWith(HOME)) return target;
  return before === undefined ? undefined : `${before}/${target}`;
}
