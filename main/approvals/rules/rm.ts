/** How `rm` and its kin read their arguments. */
import type { Invocation } from '../parse/model.ts';
import { type Field, isUnknown } from '../parse/text.ts';

export interface RmCall {
  /** The word that makes it recursive. */
  readonly recursive: Field | undefined;
  readonly long: boolean;
  /** The recursive flag stands behind an operand. */
  readonly late: boolean;
  readonly operands: readonly Field[];
  /** An unquoted unknown among the words, which may be a flag. */
  readonly unknown: Field | undefined;
}

export const RM_NAMES = ['rm', 'grm', 'srm', 'rimraf', 'unlink'];

export function readRm(command: Invocation): RmCall {
  const operands: Field[] = [];
  let recursive: Field | undefined;
  let long = false;
  let late = false;
  let ended = false;
  let unknown: Field | undefined;
  for (const field of command.argv.slice(1)) {
    const { text } = field;
    if (isUnknown(text)) unknown ??= field;
    if (ended || !text.startsWith('-') || text === '-') {
      operands.push(field);
      continue;
    }
    if (text === '--') {
      ended = true;
      continue;
    }
    const isLong = text.startsWith('--');
    const found = isLong ? text.length > 3 && '--recursive'.startsWith(text) : /[rR]/.test(text);
    if (found && recursive === undefined) {
      recursive = field;
      long = isLong;
      late = operands.length > 0;
    }
  }
  if (recursive === undefined && command.name === 'rimraf' && operands.length > 0) recursive = command.argv[0];
  return { recursive, long, late, operands, unknown };
}
