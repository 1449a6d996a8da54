/** Interpreters of other languages: where their program text comes from, and what shell text stands in it. */
import type { Inner, Invocation } from './model.ts';
import { type Option, type OptionSpec, readOptions } from './options.ts';
import { isInputFile } from './shells.ts';
import { blockText, type Field, type Text } from './text.ts';

interface Interpreter extends OptionSpec {
  /** Options (letters or long names) whose value is program text. */
  readonly code: readonly string[];
  /** Options after which nothing is read from the input: `-m module`. */
  readonly instead?: readonly string[];
  /** Sub-commands whose operand is program text: `deno eval`. */
  readonly verbs?: readonly string[];
  /** Sub-commands in front of the file, where a dash means the input: `deno run -`. */
  readonly runs?: readonly string[];
  /** Without a file it starts a prompt of its own only on a terminal, so piped text is run. */
  readonly readsInput?: boolean;
}

const PYTHON: Interpreter = { short: 'cmWXQ', flags: 'bBdEhiIOPqRsSuvVx', long: ['check-hash-based-pycs'], code: ['c'], instead: ['m', 'V', 'h', 'version', 'help'], readsInput: true };
const NODE: Interpreter = {
  short: 'eprC', flags: 'civh', code: ['e', 'p', 'eval', 'print'], instead: ['v', 'version', 'h', 'help', 'test', 'run'], readsInput: true,
  long: ['eval', 'print', 'require', 'import', 'loader', 'experimental-loader', 'conditions', 'env-file', 'input-type', 'title'],
};
const INTERPRETERS = new Map<string, Interpreter>([
  ['python', PYTHON], ['pypy', PYTHON], ['ipython', { ...PYTHON, long: ['c'] }], ['py', PYTHON], ['jython', PYTHON], ['micropython', PYTHON],
  ['node', NODE], ['nodejs', NODE], ['tsx', NODE], ['ts-node', NODE], ['iojs', NODE], ['qjs', NODE],
  ['bun', { short: 'epr', flags: 'bivh', long: ['eval', 'print', 'cwd', 'config', 'preload'], code: ['e', 'p', 'eval', 'print'], instead: ['v', 'version', 'help'], runs: ['run'] }],
  ['deno', { long: ['config'], code: [], verbs: ['eval'], runs: ['run'] }],
  ['perl', { short: 'eEI', attached: 'CDFiMmVxd', digits: '0l', flags: 'acfnpsStTuUvwWXgh', code: ['e', 'E'], instead: ['v', 'V', 'h'], readsInput: true }],
  ['raku', { short: 'eI', code: ['e'], readsInput: true }],
  ['ruby', { short: 'eIrCEK', attached: 'Fix', digits: '0TW', flags: 'acdhlnpsSUvwy', code: ['e'], instead: ['v', 'version', 'h', 'help'], readsInput: true }],
  ['php', { short: 'rBREFfdctzSl', flags: 'aeimnqsvwh', long: ['run', 'file', 'define', 'process-code', 'process-begin', 'process-end'], code: ['r', 'B', 'R', 'E', 'run', 'process-code'], instead: ['v', 'version', 'i', 'm', 'l', 'S', 't', 'h'], readsInput: true }],
  ['lua', { short: 'el', flags: 'iEvW', code: ['e'], instead: ['v'], readsInput: true }], ['luajit', { short: 'ejl', code: ['e'], instead: ['v'], readsInput: true }],
  ['irb', { short: 'rIE', flags: 'dfwU', code: [], readsInput: true }], ['pry', { short: 'erI', code: ['e'], readsInput: true }],
  ['tclsh', { code: [], readsInput: true }], ['wish', { code: [], readsInput: true }], ['expect', { short: 'c', code: ['c'], readsInput: true }],
  ['rscript', { short: 'e', code: ['e'], readsInput: true }], ['r', { short: 'ef', code: ['e'], longFlags: ['vanilla', 'no-save', 'slave'] }],
  ['julia', { short: 'eELp', long: ['eval', 'print', 'load', 'project'], code: ['e', 'E', 'eval', 'print'], instead: ['v', 'version'], readsInput: true }],
  ['elixir', { short: 'er', long: ['eval', 'rpc-eval'], code: ['e', 'eval'] }], ['erl', { singleDash: true, long: ['eval'], code: ['eval'] }],
  ['osascript', { short: 'el', code: ['e'], readsInput: true }], ['groovy', { short: 'e', code: ['e'] }], ['scala', { short: 'e', code: ['e'] }],
  ['kotlin', { short: 'e', code: ['e'] }], ['swift', { short: 'e', code: ['e'] }], ['ghc', { short: 'e', code: ['e'] }], ['ghci', { short: 'e', code: ['e'] }], ['runghc', { code: [], readsInput: true }],
  ['racket', { short: 'e', code: ['e'] }], ['guile', { short: 'cs', code: ['c'] }], ['clojure', { short: 'e', code: ['e'] }], ['clj', { short: 'e', code: ['e'] }],
  ['bb', { short: 'ef', code: ['e'] }], ['crystal', { code: [], verbs: ['eval'] }], ['jrunscript', { short: 'ef', code: ['e'] }],
  ['coffee', { short: 'er', flags: 'cpwislntbjv', long: ['eval', 'require'], code: ['e', 'eval'] }], ['jshell', { singleDash: true, long: ['R', 'J', 'startup', 'class-path'], code: [], readsInput: true }],
]);

export interface InterpreterCall {
  readonly code: Field | undefined;
  readonly flag: Option | undefined;
  readonly file: Field | undefined;
  /** Runs what it reads from its standard input. */
  readonly readsInput: boolean;
}

export function interpreterOf(name: string): Interpreter | undefined {
  return INTERPRETERS.get(name) ?? INTERPRETERS.get(name.replace(/w?[\d.]+w?$|w$/, ''));
}

/** Reads the arguments of an interpreter; undefined when `command` is none. */
export function readInterpreter(command: Invocation): InterpreterCall | undefined {
  const interpreter = interpreterOf(command.name);
  if (interpreter === undefined) return undefined;
  const { options, operands } = readUntilCode(command.argv, interpreter);
  const flag = options.find((option) => interpreter.code.includes(option.name));
  const first = operands[0];
  if (flag !== undefined) return { code: flag.value ?? flag.field, flag, file: undefined, readsInput: false };
  if (first !== undefined && interpreter.verbs?.includes(first.text) === true) return { code: operands.slice(1).find((field) => !field.text.startsWith('-')) ?? first, flag: undefined, file: undefined, readsInput: false };
  if (first !== undefined && interpreter.runs !== undefined && ['-', ...interpreter.runs].includes(first.text)) {
    const file = first.text === '-' ? first : operands.slice(1).find((field) => field.text === '-' || !field.text.startsWith('-'));
    const fromInput = file !== undefined && (file.text === '-' || isInputFile(file.text));
    return { code: undefined, flag: undefined, file: fromInput ? undefined : file, readsInput: fromInput };
  }
  const instead = options.some((option) => interpreter.instead?.includes(option.name) === true);
  const stdin = first === undefined || first.text === '-' || isInputFile(first.text);
  return { code: undefined, flag: undefined, file: stdin ? undefined : first, readsInput: interpreter.readsInput === true && stdin && !instead };
}

/** Options behind `-m module` or a script file are that program's own. */
function readUntilCode(argv: readonly Field[], interpreter: Interpreter): { options: readonly Option[]; operands: readonly Field[] } {
  const read = readOptions(argv, interpreter);
  const module = read.options.findIndex((option) => option.name === 'm' && interpreter.short?.includes('m') === true);
  return module === -1 ? read : { options: read.options.slice(0, module + 1), operands: read.operands };
}

/** Calls that hand text to a shell or start a program, in the languages above. */
const RUN_CALL = /(?:\b(?:system|exec\w*|spawn\w*|[pP]open\d?|run|call|check_output|check_call|getoutput|getstatusoutput|shell_exec|passthru|proc_open|qx|Command|doShellScript|do shell script|os\.execute|start_process)\b\s*|`|%x)\s*[([{,]*\s*/g;
/** Program texts are short; a longer one is asked about in any case. */
const MAX_CODE_CHARS = 20_000;
const MAX_SCRIPTS = 20;

/** The shell texts found in program text. */
export function scriptsInCode(code: Text): Inner[] {
  const found: Inner[] = [];
  const { text } = code;
  if (text.length > MAX_CODE_CHARS) return found;
  const { start, end } = code.segments[0] ?? { start: 0, end: 0 };
  const last = code.segments.at(-1)?.end ?? end;
  for (const match of text.matchAll(RUN_CALL)) {
    if (found.length >= MAX_SCRIPTS) break;
    const from = match.index + match[0].length;
    const strings = match[0].startsWith('`') ? backticked(text, match.index) : /^(?:qx|%x)/.test(match[0]) ? delimited(text, match.index + 2) : literalsAt(text, from);
    if (strings.length === 0) continue;
    found.push({ kind: 'script', text: blockText(strings.join(' '), start, last) });
  }
  return found;
}

function backticked(text: string, open: number): string[] {
  const close = text.indexOf('`', open + 1);
  return close === -1 ? [] : [text.slice(open + 1, close)];
}

const CLOSING = new Map([['(', ')'], ['[', ']'], ['{', '}'], ['<', '>']]);

/** Perl's `qx(…)` and Ruby's `%x(…)`, with any mark around the text. */
function delimited(text: string, from: number): string[] {
  const open = from + (/^\s*/.exec(text.slice(from, from + 10))?.[0].length ?? 0);
  const mark = text[open] ?? '';
  const close = /[\s\w]/.test(mark) ? -1 : text.indexOf(CLOSING.get(mark) ?? mark, open + 1);
  return close === -1 ? [] : [text.slice(open + 1, close)];
}

/** The string literals of an argument list, up to the end of the list. */
function literalsAt(text: string, from: number): string[] {
  const strings: string[] = [];
  let index = from;
  while (strings.length < 16) {
    const literal = /^(?:\s|,|\[|\+|[rbuf](?=["'])|q(?=[{(]))*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|[{(]([^{}()]*)[)}])/s.exec(text.slice(index, index + 2000));
    if (literal === null) break;
    strings.push(literal[1] ?? literal[2] ?? literal[3] ?? '');
    index += literal[0].length;
  }
  return strings.filter((piece) => piece !== '');
}

/** Tcl's commands that start programs take bare words. */
function tclScripts(code: Text): Inner[] {
  const { start, end } = code.segments[0] ?? { start: 0, end: 0 };
  return [...code.text.slice(0, MAX_CODE_CHARS).matchAll(/\b(?:spawn|exec|system|open\s+\{?\s*\|)\s+([^;\n\]}]+)/g)].slice(0, MAX_SCRIPTS).map((match) => ({ kind: 'script', text: blockText(match[1] ?? '', start, code.segments.at(-1)?.end ?? end) }));
}

/** The shell text inside the code that an interpreter is given. */
export function interpreterScripts(command: Invocation): Inner[] {
  const call = readInterpreter(command);
  if (call === undefined) return [];
  const scripts = (code: Text): Inner[] => (/^(?:expect|tclsh|wish)/.test(command.name) ? tclScripts(code) : scriptsInCode(code));
  if (call.code !== undefined) return scripts(call.code);
  const { input } = command;
  return call.readsInput && input !== undefined && input.kind !== 'file' && input.literal !== undefined ? scripts(input.literal) : [];
}
