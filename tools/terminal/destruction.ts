/** Which files a command line changes or removes, as far as its words say: they are kept before it runs. Never decides what may run. */
import { posix } from 'node:path';
import type { Command, Word } from 'unbash';
import { basename, parseLine, simpleCommands } from './commands.ts';

const HERE = '.';
/** Words in front of the program that is meant; what follows them is looked at. */
const WRAPPERS = new Set(['sudo', 'doas', 'env', 'command', 'builtin', 'nice', 'time', 'timeout', 'nohup', 'ionice', 'stdbuf']);
/** All operands change or go. */
const CHANGES_OPERANDS = new Set(['rm', 'unlink', 'shred', 'truncate', 'mv', 'tee', 'chmod', 'rmdir']);
/** Only the last operand changes. */
const CHANGES_LAST = new Set(['cp', 'install', 'rsync', 'ln']);
const EDITORS = new Set(['sed', 'perl', 'ruby']);
/** Change files of the directory that nobody names. */
const CHANGES_HERE = new Set(['patch', 'unzip', 'xargs', 'cpio']);
const GIT_CHANGES = new Set(['reset', 'checkout', 'clean', 'restore', 'stash', 'rebase', 'merge', 'pull', 'cherry-pick', 'revert', 'switch', 'am', 'apply', 'rm', 'mv']);
const OVERWRITES = new Set(['>', '>|', '&>']);
/** More are not named one by one: the directory is kept. */
const MOST_TARGETS = 100;

type Part = NonNullable<Word['parts']>[number];

/** The text of a word up to its first part that only the shell knows; `whole` when there is none. */
function knownText(word: Word): { readonly text: string; readonly whole: boolean } {
  if (word.parts === undefined) return { text: word.value, whole: true };
  let text = '';
  const plain = (part: Part | { readonly type: string }): string | undefined => {
    if (part.type === 'Literal' || part.type === 'SingleQuoted' || part.type === 'AnsiCQuoted') return (part as { readonly value: string }).value; // these three carry their text
    if (part.type !== 'DoubleQuoted') return undefined;
    const inner = (part as Extract<Part, { type: 'DoubleQuoted' }>).parts.map(plain); // narrowed by `type`
    return inner.includes(undefined) ? undefined : inner.join('');
  };
  for (const part of word.parts) {
    const value = plain(part);
    if (value === undefined) return { text, whole: false };
    text += value;
  }
  return { text, whole: true };
}

/** A path of the word: itself, or the directory in which its pattern looks. Undefined: it cannot be told. */
function pathOf(word: Word): string | undefined {
  const { text, whole } = knownText(word);
  if (whole) return text === '' ? undefined : text;
  const slash = text.lastIndexOf('/');
  if (slash > 0) return text.slice(0, slash);
  // A pattern of this very directory; a variable may hold anything.
  return word.parts?.every((part) => part.type !== 'SimpleExpansion' && part.type !== 'ParameterExpansion' && part.type !== 'CommandExpansion') === true ? HERE : undefined;
}

function operands(words: readonly Word[]): Word[] {
  const found: Word[] = [];
  let onlyOperands = false;
  for (const word of words) {
    if (!onlyOperands && word.value === '--') onlyOperands = true;
    else if (onlyOperands || !word.value.startsWith('-') || word.value === '-') found.push(word);
  }
  return found;
}

function paths(words: readonly Word[]): string[] {
  return words.map((word) => pathOf(word) ?? HERE);
}

function targetsOf(words: readonly Word[]): string[] {
  const at = words.findIndex((word) => !WRAPPERS.has(basename(word.value)) && !word.value.startsWith('-') && !/^\w+=|^\d+[smhd]?$/.test(word.value));
  const [program, ...rest] = at === -1 ? [] : words.slice(at);
  if (program === undefined) return [];
  const name = basename(program.value);
  const values = rest.map((word) => word.value);
  if (CHANGES_OPERANDS.has(name)) return paths(operands(rest).slice(name === 'chmod' ? 1 : 0));
  if (CHANGES_LAST.has(name)) return paths(operands(rest).slice(-1));
  if (CHANGES_HERE.has(name)) return name === 'xargs' && targetsOf(rest.filter((word) => !word.value.startsWith('-'))).length === 0 && !values.some((value) => CHANGES_OPERANDS.has(basename(value))) ? [] : [HERE];
  if (EDITORS.has(name) && values.some((value) => /^-[a-zA-Z]*i|^--in-place/.test(value))) return paths(operands(rest).filter((word) => !/^[sy]?[/|#].*[/|#]|^\d*[dp]$/.test(word.value)));
  if (name === 'dd') return values.flatMap((value) => (value.startsWith('of=') ? [value.slice(3)] : []));
  if (name === 'tar') return values.some((value) => /^-?[a-zA-Z]*x|^--extract/.test(value)) ? [HERE] : [];
  if (name === 'find') return values.some((value) => value === '-delete' || value === '-exec' || value === '-execdir') ? paths(rest.slice(0, Math.max(0, rest.findIndex((word) => /^[-(!]/.test(word.value))))).concat(HERE).slice(0, 1) : [];
  if (name === 'git') {
    const verb = values.findIndex((value, index) => !value.startsWith('-') && !['-C', '-c'].includes(values[index - 1] ?? ''));
    const elsewhere = values.indexOf('-C');
    return GIT_CHANGES.has(values[verb] ?? '') ? paths(elsewhere === -1 || elsewhere > verb ? [] : rest.slice(elsewhere + 1, elsewhere + 2)).concat(HERE).slice(0, 1) : [];
  }
  return [];
}

function redirectTargets(command: Command): string[] {
  return command.redirects.flatMap((redirect) => {
    if (redirect.type !== 'Redirect' || redirect.target === undefined || !OVERWRITES.has(redirect.operator)) return [];
    return [pathOf(redirect.target) ?? HERE];
  });
}

/** Texts of the lines that run within a word: `$(…)`, backticks, `<(…)`. Within quotes too. */
function linesWithin(word: Word): string[] {
  const found: string[] = [];
  const visit = (part: Part | Extract<Part, { type: 'DoubleQuoted' }>['parts'][number]): void => {
    if (part.type === 'CommandExpansion' || part.type === 'ProcessSubstitution') found.push(part.text.replace(/^(?:[$<>]\(|`)([\s\S]*)[)`]$/, '$1'));
    else if (part.type === 'DoubleQuoted') for (const inner of part.parts) visit(inner);
  };
  for (const part of word.parts ?? []) visit(part);
  return found;
}

/** Lines within lines are followed this far: reading deeper nests takes time, and nobody writes them. */
const DEEPEST_LINE = 3;

/**
 * Paths (relative to the directory of the line, absolute, or with a leading `~`) that running `line` may change: files, or directories
 * in which something may change. Empty when it changes nothing that its words name, or when the line cannot be read.
 */
export function destructionTargets(line: string, depth = 0): string[] {
  const script = parseLine(line);
  if (script === undefined) return [];
  const found = new Set<string>();
  let directory = HERE;
  for (const command of simpleCommands(script.commands)) {
    const words = [...(command.name === undefined ? [] : [command.name]), ...command.suffix.filter((item) => item.type === 'Word')];
    if (words[0]?.value === 'cd' || words[0]?.value === 'pushd') {
      const [to] = operands(words.slice(1));
      const known = to === undefined ? '~' : pathOf(to);
      directory = known === undefined ? directory : /^[/~]/.test(known) ? known : posix.join(directory, known);
      continue;
    }
    const assigned = command.prefix.flatMap((item) => (item.type === 'Assignment' && item.value.type === 'Word' ? [item.value] : []));
    const within = depth >= DEEPEST_LINE ? [] : [...assigned, ...words].flatMap(linesWithin);
    for (const target of [...within.flatMap((inner) => destructionTargets(inner, depth + 1)), ...targetsOf(words), ...redirectTargets(command)]) {
      const path = /^[/~]/.test(target) ? target : posix.join(directory, target);
      if (!path.startsWith('/dev/') && !path.startsWith('/proc/')) found.add(path.length > 1 ? path.replace(/\/$/, '') : path);
    }
  }
  return found.size > MOST_TARGETS ? [directory] : [...found];
}
