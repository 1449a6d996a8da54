/** awk, sed, vim, emacs and the like: languages of their own that can start a shell. */
import type { Inner, Invocation, ProgramReader } from './model.ts';
import { readOptions } from './options.ts';
import { blockText, type Field, UNKNOWN } from './text.ts';

/** Programs in words of a command line are short; longer ones are not read. */
const MAX_PROGRAM_CHARS = 10_000;
/** Scripts taken out of one program. */
const MAX_SCRIPTS = 50;

const textScript = (text: string, field: Field): Inner => ({ kind: 'script', text: blockText(text, field.start, field.end) });

/** String literals of awk that reach a shell: `system("x")`, `"x" | getline`, `print | "x"`. Anything else handed to one is unknown. */
function awk(command: Invocation): Inner[] {
  const { options, operands } = readOptions(command.argv, { short: 'FvfEieIlWmM', long: ['field-separator', 'assign', 'file', 'source', 'exec', 'include', 'load'] });
  const programs = options.filter((option) => option.name === 'e' || option.name === 'source').flatMap((option) => option.value ?? []);
  const fromFile = options.some((option) => ['f', 'file', 'E', 'exec'].includes(option.name));
  const first = operands[0];
  if (programs.length === 0 && !fromFile && first !== undefined) programs.push(first);
  return programs.flatMap(awkScripts);
}

/** A file that a program text opens for writing: the redirection that it amounts to. */
export const writesFile = (file: string, field: Field): Inner[] => (file === '' || file.includes(UNKNOWN) ? [] : [textScript(`: > '${file.replaceAll("'", "'\\''")}'`, field)]);

function awkScripts(program: Field): Inner[] {
  const found: Inner[] = [];
  if (program.text.length > MAX_PROGRAM_CHARS) return /system|\||getline/.test(program.text) ? [textScript(UNKNOWN, program)] : [];
  const { text } = program;
  const code = text.replace(/\/(?:[^/\\\n]|\\.)+\/(?=\s*[{,)&|])/g, '//');
  for (const match of code.matchAll(/\bsystem\s*\(\s*([^)]*)/g)) found.push(textScript(awkValue(match[1] ?? ''), program));
  for (const match of code.matchAll(/(?<!\|)\|&?(?!\|)\s*("(?:[^"\\]|\\.)*"|\w+)/g)) if (match[1] !== 'getline') found.push(textScript(awkValue(match[1] ?? ''), program));
  for (const match of code.matchAll(/("(?:[^"\\]|\\.)*"|\w+)\s*\|&?\s*getline/g)) found.push(textScript(awkValue(match[1] ?? ''), program));
  for (const match of code.matchAll(/>\s*"([^"\n]+)"/g)) found.push(...writesFile(match[1] ?? '', program));
  return found.length > MAX_SCRIPTS ? [...found.slice(0, MAX_SCRIPTS), textScript(UNKNOWN, program)] : found;
}

/** A concatenation of literals and other things as a text with unknown places. */
function awkValue(expression: string): string {
  let value = '';
  for (const match of expression.matchAll(/"((?:[^"\\]|\\.)*)"|[^\s"]+/g)) value += match[1] === undefined ? UNKNOWN : match[1].replace(/\\(.)/g, '$1');
  return value;
}

function sed(command: Invocation): Inner[] {
  const { options, operands } = readOptions(command.argv, { short: 'efl', attached: 'i', flags: 'nErsuzb', long: ['expression', 'file', 'line-length'], permute: true });
  const programs = options.filter((option) => option.name === 'e' || option.name === 'expression').flatMap((option) => option.value ?? []);
  const first = operands[0];
  if (programs.length === 0 && !options.some((option) => option.name === 'f' || option.name === 'file') && first !== undefined) programs.push(first);
  return programs.flatMap(sedScripts);
}

/** GNU sed's `e` command and the `e` flag of `s`. A program too long to read counts as one that may do either. */
function sedScripts(program: Field): Inner[] {
  const found: Inner[] = [];
  const { text } = program;
  if (text.length > MAX_PROGRAM_CHARS) return [textScript(UNKNOWN, program)];
  let index = 0;
  const lineEnd = (): number => (text.indexOf('\n', index) === -1 ? text.length : text.indexOf('\n', index));
  while (index < text.length) {
    const letter = text[index] ?? '';
    if (letter === '/') index = section(text, index, '/') + 1;
    else if (letter === '\\') index = section(text, index + 1, text[index + 1] ?? '') + 1;
    else if (letter === 's' || letter === 'y') {
      const mark = text[index + 1] ?? '';
      const middle = section(text, index + 1, mark);
      const close = section(text, middle, mark);
      const flags = /^[\w]*/.exec(text.slice(close + 1, close + 20))?.[0] ?? '';
      const whole = /^\^?\.\*\$?$/.test(text.slice(index + 2, middle));
      // The replacement may be all that is left of the line; what else stands there is not known.
      if (letter === 's' && flags.includes('e')) found.push(textScript(text.slice(middle + 1, close), program), ...(whole ? [] : [textScript(UNKNOWN, program)]));
      if (letter === 's' && flags.includes('w')) {
        const from = close + 1 + flags.indexOf('w') + 1;
        index = close + 1;
        found.push(...writesFile(text.slice(from, lineEnd()).trim(), program));
        index = lineEnd() + 1;
      } else index = close + 1 + flags.length;
    } else if (letter === 'e') {
      const run = text.slice(index + 1, lineEnd()).trim();
      found.push(textScript(run === '' ? UNKNOWN : run, program));
      index = lineEnd() + 1;
    } else if (letter === 'w' || letter === 'W') {
      found.push(...writesFile(text.slice(index + 1, lineEnd()).trim(), program));
      index = lineEnd() + 1;
    } else if (/[aicrRbtT:#]/.test(letter)) index = lineEnd() + 1;
    else index++;
  }
  return found;
}

/** Where the section that opens at `open` ends: the next unescaped `mark`. */
function section(text: string, open: number, mark: string): number {
  for (let index = open + 1; index < text.length; index++) {
    if (text[index] === '\\') index++;
    else if (text[index] === mark) return index;
  }
  return text.length;
}

/** vim's `:!cmd`, `:call system("cmd")`, `:r !cmd`; also what `-c`, `--cmd`, `+` give. */
function vim(command: Invocation): Inner[] {
  const found: Inner[] = [];
  for (const [index, field] of command.argv.entries()) {
    const next = command.argv[index + 1];
    const given = field.text === '-c' || field.text === '--cmd' ? next : field.text.startsWith('+') ? field : undefined;
    if (given === undefined) continue;
    const match = /(?:^|[|+:%]|\br(?:ead)?\s|\bw(?:rite)?\s|\bsil(?:ent)?!?\s|exe(?:cute)?\s+["'])\s*:?!+\s*(.+)$/s.exec(given.text) ?? /(?:system(?:list)?|termopen|jobstart|term_start)\(\s*["'](.*?)["']/s.exec(given.text) ?? /(?:^|[|+:])\s*ter[minal]*!?\s+(.+)$/s.exec(given.text);
    const removes = /\bdelete\(\s*["'](.*?)["']\s*(,\s*["']rf["'])?/.exec(given.text);
    if (removes?.[1] !== undefined) found.push(textScript(`rm ${removes[2] === undefined ? '' : '-r'} '${removes[1]}'`, given));
    if (match?.[1] !== undefined) found.push(textScript(match[1], given));
    else if (/\b(?:lua|luado|py3?|pythonx?|perl|ruby|system|exec?u?t?e?)\b\s*\S/.test(given.text)) found.push(textScript(UNKNOWN, given));
  }
  return found;
}

function emacs(command: Invocation): Inner[] {
  const found: Inner[] = [];
  for (const [index, field] of command.argv.entries()) {
    const code = /^--?(?:eval|execute)$/.test(field.text) ? command.argv[index + 1] : /^--eval=/.test(field.text) ? field : undefined;
    const match = code === undefined ? null : /(?:shell-command(?:-to-string)?|call-process-shell-command|async-shell-command)\s+"((?:[^"\\]|\\.)*)"/.exec(code.text);
    if (code !== undefined) found.push(textScript(match?.[1] ?? UNKNOWN, code));
  }
  return found;
}

/** Lines of ed's and ex's input that they hand to a shell: `!cmd`, `r !cmd`, `w !cmd`. */
export function lineEditor(command: Invocation): Inner[] {
  const { input } = command;
  if (input === undefined || input.kind === 'file' || input.literal === undefined) return [];
  const { start, end } = command;
  return input.literal.text.split('\n').flatMap((line): Inner[] => {
    const run = /^[\d,.$%;]*(?:[rwe]|sil(?:ent)?!?)?\s*!(.+)/.exec(line)?.[1];
    return run === undefined ? [] : [{ kind: 'script', text: blockText(run, start, end) }];
  });
}

const entries = (names: string, reader: ProgramReader): [string, ProgramReader][] => names.split(' ').map((name) => [name, reader]);

export const editorPrograms: readonly [string, ProgramReader][] = [
  ...entries('awk gawk mawk nawk original-awk busybox-awk', awk),
  ...entries('sed gsed', sed),
  ...entries('vim vi nvim ex view gvim vimdiff rvim', (command) => [...vim(command), ...lineEditor(command)]),
  ...entries('emacs emacsclient', emacs),
];
