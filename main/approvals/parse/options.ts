/** Reading of command-line options with their arities, as getopt does it. */
import { type Field, sliceField } from './text.ts';

/** How a program reads its options. Letters and names not listed here count as flags, with a doubt. */
export interface OptionSpec {
  /** Short options that take a value, attached or as the next word. */
  readonly short?: string;
  /** Short options whose value can only be attached (`-i[suffix]`): never eats the next word. */
  readonly attached?: string;
  /** Short options that may be followed by digits in the same word, after which other letters go on. */
  readonly digits?: string;
  /** Short options known to take no value. */
  readonly flags?: string;
  /** Long options (without dashes) that take a value, attached by `=` or as the next word. */
  readonly long?: readonly string[];
  /** Long options known to take none. */
  readonly longFlags?: readonly string[];
  /** Long options may be spelled with one dash (`-exec`), as find, java and PowerShell do. */
  readonly singleDash?: boolean;
  /** Go on after the first operand, as GNU programs do. */
  readonly permute?: boolean;
}

/** An option as met: `name` is one letter or the long name as typed, without dashes. */
export interface Option {
  readonly name: string;
  readonly long: boolean;
  readonly value: Field | undefined;
  readonly field: Field;
}

export interface ReadOptions {
  readonly options: readonly Option[];
  readonly operands: readonly Field[];
  /** Set when an option was met whose arity is not known. */
  readonly doubt: boolean;
}

/** Reads `argv` from index `from`. */
export function readOptions(argv: readonly Field[], spec: OptionSpec, from = 1): ReadOptions {
  const options: Option[] = [];
  const operands: Field[] = [];
  let doubt = false;
  for (let index = from; index < argv.length; index++) {
    const field = argv[index];
    if (field === undefined) break;
    const text = field.text;
    if (text === '--') {
      operands.push(...argv.slice(index + 1));
      break;
    }
    if (text.length < 2 || !text.startsWith('-')) {
      operands.push(...(spec.permute === true ? [field] : argv.slice(index)));
      if (spec.permute === true) continue;
      break;
    }
    const next = argv[index + 1];
    if (text.startsWith('--') || spec.singleDash === true) {
      const read = readLong(field, next, spec);
      options.push(read.option);
      doubt ||= read.doubt;
      if (read.tookNext) index++;
      continue;
    }
    const read = readShort(field, next, spec);
    options.push(...read.options);
    doubt ||= read.doubt;
    if (read.tookNext) index++;
  }
  return { options, operands, doubt };
}

function readLong(field: Field, next: Field | undefined, spec: OptionSpec): { option: Option; tookNext: boolean; doubt: boolean } {
  const dashes = field.text.startsWith('--') ? 2 : 1;
  const equals = field.text.indexOf('=');
  const name = field.text.slice(dashes, equals === -1 ? undefined : equals);
  if (equals !== -1) return { option: { name, long: true, value: sliceField(field, equals + 1), field }, tookNext: false, doubt: false };
  const isFlag = spec.longFlags?.includes(name) === true;
  const takes = !isFlag && spec.long?.some((known) => known === name || (name.length >= 3 && known.startsWith(name))) === true;
  if (takes) return { option: { name, long: true, value: next, field }, tookNext: next !== undefined, doubt: false };
  return { option: { name, long: true, value: undefined, field }, tookNext: false, doubt: !isFlag };
}

function readShort(field: Field, next: Field | undefined, spec: OptionSpec): { options: Option[]; tookNext: boolean; doubt: boolean } {
  const options: Option[] = [];
  let doubt = false;
  for (let at = 1; at < field.text.length; at++) {
    const name = field.text[at] ?? '';
    const rest = at + 1 < field.text.length ? sliceField(field, at + 1) : undefined;
    if (spec.short?.includes(name) === true) {
      options.push({ name, long: false, value: rest ?? next, field });
      return { options, tookNext: rest === undefined && next !== undefined, doubt };
    }
    if (spec.attached?.includes(name) === true) {
      options.push({ name, long: false, value: rest, field });
      return { options, tookNext: false, doubt };
    }
    options.push({ name, long: false, value: undefined, field });
    if (spec.digits?.includes(name) === true) {
      while (/\d/.test(field.text[at + 1] ?? '')) at++;
      continue;
    }
    if (spec.flags?.includes(name) !== true) doubt = true;
  }
  return { options, tookNext: false, doubt };
}
