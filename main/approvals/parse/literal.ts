/** Output that can be read off the command: `echo rm`, `printf '\x72m'`, `which rm`, `cat <<< x`. */
import type { Field, Text } from './text.ts';
import { blockText, joinTexts } from './text.ts';
import type { Input } from './model.ts';

/** The parts of an invocation that its output depends on. */
interface Producer {
  readonly name: string;
  readonly argv: readonly Field[];
  readonly input: Input | undefined;
  readonly start: number;
  readonly end: number;
}

/** What the command prints, when the line itself says so; markers stand for pieces that only the shell knows. */
export function literalOutput(command: Producer): Text | undefined {
  const operands = command.argv.slice(1);
  switch (command.name) {
    case 'echo':
      return echoed(operands, command);
    case 'printf':
      return printed(operands, command);
    case 'which':
    case 'command':
    case 'type':
      return located(command.name, operands);
    case 'cat':
    case 'tee':
      return command.name === 'tee' || operands.every((field) => field.text === '-') ? inputText(command.input) : undefined;
    default:
      return undefined;
  }
}

function inputText(input: Input | undefined): Text | undefined {
  return input === undefined || input.kind === 'file' ? undefined : input.literal;
}

function echoed(operands: readonly Field[], command: Producer): Text | undefined {
  let from = 0;
  let escapes = false;
  while (/^-[neE]+$/.test(operands[from]?.text ?? '')) {
    escapes = operands[from]?.text.includes('e') ?? false;
    from++;
  }
  const joined = joinTexts(operands.slice(from), ' ');
  if (!escapes) return joined;
  return blockText(unescape(joined.text), command.start, command.end);
}

function printed(operands: readonly Field[], command: Producer): Text | undefined {
  let rest = operands;
  if (rest[0]?.text === '-v') return undefined;
  if (rest[0]?.text === '--') rest = rest.slice(1);
  const format = rest[0];
  if (format === undefined) return undefined;
  const values = rest.slice(1);
  if (!/[%\\]/.test(format.text)) return format;
  if (/^%[sb](?:\\n)?$/.test(format.text) && values.length === 1) {
    const only = values[0];
    if (only !== undefined && !only.text.includes('\\')) return only;
  }
  return blockText(formatted(format.text, values), command.start, command.end);
}

/** Formats once per pass over the values, as printf does; unknown conversions become nothing. */
function formatted(format: string, values: readonly Field[]): string {
  let output = '';
  let used = 0;
  for (let pass = 0; pass < 64; pass++) {
    const before = used;
    output += format.replace(/%(?:%|[-+ 0#]*[\d*]*(?:\.[\d*]+)?([a-zA-Z]))|\\(?:x[0-9a-fA-F]{1,2}|u[0-9a-fA-F]{1,4}|[0-7]{1,3}|.)/gs, (piece, conversion?: string) => {
      if (piece.startsWith('\\')) return unescape(piece);
      if (piece === '%%') return '%';
      const value = values[used++]?.text ?? '';
      if (conversion === 'b') return unescape(value);
      if (conversion === 'c') return value.slice(0, 1);
      return value;
    });
    if (used >= values.length || used === before) break;
  }
  return output;
}

/** Backslash escapes of `echo -e` and printf. */
function unescape(text: string): string {
  return text.replace(/\\(?:x([0-9a-fA-F]{1,2})|[uU]([0-9a-fA-F]{1,6})|0?([0-7]{1,3})|(.))/gs, (_, hex?: string, unicode?: string, octal?: string, other?: string) => {
    if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
    if (unicode !== undefined) return codePoint(Number.parseInt(unicode, 16));
    if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8) & 0xff);
    return ESCAPES.get(other ?? '') ?? `\\${other ?? ''}`;
  });
}

const codePoint = (code: number): string => (code <= 0x10ffff ? String.fromCodePoint(code) : '\uFFFD');

const ESCAPES = new Map([['n', '\n'], ['t', '\t'], ['r', '\r'], ['\\', '\\'], ['a', ''], ['b', ''], ['c', ''], ['e', ''], ['f', ''], ['v', ''], ['"', '"'], ["'", "'"]]);

function located(name: string, operands: readonly Field[]): Text | undefined {
  const flags = operands.filter((field) => field.text.startsWith('-'));
  const words = operands.filter((field) => !field.text.startsWith('-'));
  if (name === 'command' && !flags.some((flag) => /^-[pvV]+$/.test(flag.text) && /v/i.test(flag.text))) return undefined;
  if (name === 'type' && !flags.some((flag) => /[pP]/.test(flag.text))) return undefined;
  return words.length === 1 ? words[0] : undefined;
}
