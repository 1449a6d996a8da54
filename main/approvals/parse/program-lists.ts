/** find, fd, xargs and parallel: programs that run a command for each item of a list. */
import type { Inner, Input, Invocation } from './model.ts';
import { readOptions } from './options.ts';
import { type Field, HOME, isUnknown, joinTexts, madeField, UNKNOWN } from './text.ts';

const FIND_ACTIONS = new Set(['-exec', '-execdir', '-ok', '-okdir', '-x', '-X', '--exec', '--exec-batch']);

/** The commands behind find's `-exec` family and fd's `-x`. */
export function findCommands(command: Invocation): Inner[] {
  const found: Inner[] = [];
  // What is found below an absolute folder is known that far: `find /etc … -exec sed -i … {}` edits files there.
  const start = command.argv.slice(1).find((field) => !/^-(?:[HLP]|O\d)$/.test(field.text));
  const place = start !== undefined && (start.text.startsWith('/') || start.text.startsWith(HOME)) && !/fd/.test(command.name) ? `${start.text.replace(/\/+$/, '')}/` : '';
  for (let index = 1; index < command.argv.length; index++) {
    if (!FIND_ACTIONS.has(command.argv[index]?.text ?? '')) continue;
    const rest = command.argv.slice(index + 1);
    const stop = rest.findIndex((field, at) => field.text === ';' || (field.text === '+' && rest[at - 1]?.text === '{}'));
    const fields = stop === -1 ? rest : rest.slice(0, stop);
    if (fields.length > 0) found.push({ kind: 'argv', fields: replaceMark(fields, '{}', place) });
    // Not every find replaces `{}` inside a longer word.
    if (fields.some((field) => field.text.length > 2 && field.text.includes('{}'))) found.push({ kind: 'argv', fields });
    index += fields.length;
  }
  return found;
}

/** Where the tool puts the name of an item, only the running tool knows the text. */
function replaceMark(fields: readonly Field[], mark: string, place = ''): Field[] {
  if (mark === '') return [...fields];
  return fields.map((field) => (field.text.includes(mark) ? { ...field, text: field.text.replaceAll(mark, () => `${place}${UNKNOWN}`), segments: [{ at: 0, start: field.start, end: field.end, linear: false }] } : field));
}

/** The words that come in over the input, when the line spells them. */
function inputWords(input: Input | undefined, command: Invocation, separator: RegExp): Field[] | undefined {
  if (input === undefined || input.kind === 'file' || input.literal === undefined || isUnknown(input.literal.text)) return undefined;
  const { text, segments } = input.literal;
  const start = segments[0]?.start ?? command.start;
  const end = segments.at(-1)?.end ?? command.end;
  return text.split(separator).filter((word) => word !== '').slice(0, 64).map((word) => madeField(word.replace(/^(["'])(.*)\1$/, '$2'), start, end));
}

/** The command of xargs with the words that it will add. */
export function xargsCommands(command: Invocation): Inner[] {
  const { options, operands } = readOptions(command.argv, {
    short: 'adEILnPsJRS', attached: 'eil', flags: '0oprtx',
    long: ['arg-file', 'delimiter', 'max-args', 'max-procs', 'max-chars', 'process-slot-var'], longFlags: ['null', 'no-run-if-empty', 'open-tty', 'interactive', 'verbose', 'exit', 'show-limits', 'replace', 'max-lines', 'eof'],
  });
  const first = operands[0];
  if (first === undefined) return [];
  const replace = options.find((option) => option.name === 'I' || option.name === 'i' || option.name === 'replace' || option.name === 'J');
  const separator = options.some((option) => option.name === '0' || option.name === 'null') ? /\0|\n/ : replace === undefined ? /\s+/ : /\n/;
  const spelled = inputWords(command.input, command, separator);
  const words = spelled !== undefined && spelled.length > 0 ? spelled : [madeField(UNKNOWN, first.start, command.end)].map((field) => ({ ...field, splits: true }));
  const closed: Input = { kind: 'pipe', producers: command.input?.kind === 'pipe' ? command.input.producers : { from: 0, to: 0, also: [] }, literal: undefined };
  if (replace === undefined) return [{ kind: 'argv', fields: [...operands, ...words], input: closed }];
  const mark = replace.value?.text ?? '{}';
  return words.slice(0, 8).map((word) => ({ kind: 'argv', input: closed, fields: operands.map((field) => (mark !== '' && field.text.includes(mark) ? { ...field, text: field.text.replaceAll(mark, () => word.text), segments: [{ at: 0, start: field.start, end: field.end, linear: false }] } : field)) }));
}

/** The command of GNU parallel, as words and, since parallel hands it to a shell, as text. */
export function parallelCommands(command: Invocation): Inner[] {
  const { operands, options } = readOptions(command.argv, {
    short: 'jIanLNPSdsECTW', flags: '0kmqruvXtz', long: ['jobs', 'arg-file', 'max-args', 'max-procs', 'sshlogin', 'delimiter', 'colsep', 'timeout', 'joblog', 'results', 'delay', 'retries', 'workdir', 'halt', 'load', 'tmpdir', 'env', 'tagstring', 'nice', 'memfree', 'shuf'],
    longFlags: ['bar', 'progress', 'keep-order', 'dry-run', 'verbose', 'null', 'line-buffer', 'lb', 'tag', 'will-cite', 'eta', 'quote', 'pipe', 'ungroup', 'no-notice', 'xargs'],
  });
  const marks = operands.findIndex((field) => /^:::?:?\+?$/.test(field.text));
  const words = marks === -1 ? operands : operands.slice(0, marks);
  // Behind `::::` stand files with the items in them, which only the running shell can read.
  const inFiles = marks !== -1 && operands.slice(marks).some((field) => /^::::\+?$/.test(field.text));
  const items = inFiles ? undefined : marks === -1 ? inputWords(command.input, command, /\n/) : operands.slice(marks).filter((field) => !/^:::?:?\+?$/.test(field.text));
  if (words.length === 0 && options.some((option) => /^(?:version|help|V|h|citation|bibtex|number-of-c\w+)$/.test(option.name))) return [];
  if (words.length === 0) {
    const lines = items ?? [madeField(UNKNOWN, command.start, command.end)];
    return lines.map((text) => ({ kind: 'script', text }));
  }
  const first = words[0] ?? madeField('', command.start, command.end);
  const extra = items ?? [{ ...madeField(UNKNOWN, first.start, command.end), splits: true }];
  const placed = words.some((field) => /\{(?:\.|\/{1,2}|\/\.|#|%|\d+)?\}/.test(field.text));
  const argv: Inner = placed ? { kind: 'argv', fields: replaceMark(words, '{}') } : { kind: 'argv', fields: [...words, ...extra] };
  const filled = extra.slice(0, 8).map((item): Inner => ({ kind: 'script', text: joinTexts(words.map((field) => ({ ...field, text: field.text.replace(/\{(?:\.|\/{1,2}|\/\.|#|%|\d+)?\}/g, () => item.text), segments: [{ at: 0, start: field.start, end: field.end, linear: false }] })), ' ') }));
  if (/\s/.test(first.text)) return filled;
  return placed ? [argv, ...filled] : [argv];
}
