/** Parameter expansion (`${v%x}`, `${v/a/b}`, `${v:0:2}` …) on values that are known. */
import type { ParameterOperation, Word } from 'unbash';
import { globMatches, hasGlob } from './glob.ts';
import { UNKNOWN_VALUE, type Value } from './store.ts';
import { isUnknown, UNKNOWN } from './text.ts';

/** Longer values than this are not worked on; they stay unknown. */
const MAX_VALUE_CHARS = 4096;
/** Prefix and suffix removal tries every cut, so its cost is the square of the length. */
const MAX_TRIMMED_CHARS = 128;

/**
 * Applies an operation to a known value. `operand` gives the text of an operand word.
 * Answers {@link UNKNOWN} for what it cannot work out.
 */
export function applyOperation(value: string, operation: ParameterOperation, operand: (word: { text: string; value: string } | undefined) => string): string {
  if (isUnknown(value) || value.length > MAX_VALUE_CHARS) return UNKNOWN;
  switch (operation.type) {
    case 'Remove':
      return remove(value, operation.operator, operand(operation.operand));
    case 'Replace':
      return replace(value, operation.operator, operand(operation.pattern), operand(operation.replacement));
    case 'Slice':
      return slice(value, operand(operation.offset), operation.length === undefined ? undefined : operand(operation.length));
    case 'CaseModification':
      return changeCase(value, operation.operator);
    case 'Transform':
      return transform(value, operand(operation.operand));
    default:
      return UNKNOWN;
  }
}

function remove(value: string, operator: '#' | '##' | '%' | '%%', pattern: string): string {
  if (isUnknown(pattern) || value.length > MAX_TRIMMED_CHARS || pattern.length > MAX_TRIMMED_CHARS) return UNKNOWN;
  const cuts = Array.from({ length: value.length + 1 }, (_, index) => index);
  const front = operator.startsWith('#');
  const shortestFirst = front === (operator.length === 1);
  if (!shortestFirst) cuts.reverse();
  for (const cut of cuts) {
    const piece = front ? value.slice(0, cut) : value.slice(cut);
    if (globMatches(pattern, piece)) return front ? value.slice(cut) : value.slice(0, cut);
  }
  return value;
}

function replace(value: string, operator: '/' | '//' | '/#' | '/%', pattern: string, by: string): string {
  if (isUnknown(pattern) || hasGlob(pattern) || pattern === '') return pattern === '' ? value : UNKNOWN;
  if (operator === '//') return value.replaceAll(pattern, () => by);
  if (operator === '/') return value.replace(pattern, () => by);
  if (operator === '/#') return value.startsWith(pattern) ? by + value.slice(pattern.length) : value;
  return value.endsWith(pattern) ? value.slice(0, value.length - pattern.length) + by : value;
}

function slice(value: string, offset: string, length: string | undefined): string {
  const from = Number(offset.trim() || Number.NaN);
  const count = length === undefined ? undefined : Number(length.trim() || Number.NaN);
  if (!Number.isInteger(from) || (count !== undefined && !Number.isInteger(count))) return UNKNOWN;
  const start = from < 0 ? Math.max(0, value.length + from) : from;
  if (count === undefined) return value.slice(start);
  return count < 0 ? value.slice(start, value.length + count) : value.slice(start, start + count);
}

function changeCase(value: string, operator: '^' | '^^' | ',' | ',,'): string {
  if (operator === '^^') return value.toUpperCase();
  if (operator === ',,') return value.toLowerCase();
  const first = value.slice(0, 1);
  return (operator === '^' ? first.toUpperCase() : first.toLowerCase()) + value.slice(1);
}

function transform(value: string, operator: string): string {
  if (operator === 'U') return value.toUpperCase();
  if (operator === 'L') return value.toLowerCase();
  if (operator === 'u') return changeCase(value, '^');
  return operator === 'Q' || operator === 'P' || operator === 'E' ? value : UNKNOWN;
}

/** `${a[@]:1:2}`: some of the elements, or one unknown when only the shell can count. */
export function slicedList(values: readonly Value[], offset: string, length: string | undefined): readonly Value[] {
  const from = Number(offset.trim() || Number.NaN);
  const count = length === undefined ? values.length : Number(length.trim() || Number.NaN);
  if (!Number.isInteger(from) || !Number.isInteger(count) || count < 0 || values.some((value) => value.text.includes(UNKNOWN))) return [UNKNOWN_VALUE];
  const start = from < 0 ? Math.max(0, values.length + from) : from;
  return values.slice(start, start + count);
}

/** The words behind the operator of `${…}`. */
export function operandsOf(operation: ParameterOperation | undefined): readonly Word[] {
  if (operation === undefined) return [];
  return [...('operand' in operation ? [operation.operand] : []), ...('pattern' in operation ? [operation.pattern] : []), ...('replacement' in operation ? [operation.replacement] : []), ...('offset' in operation ? [operation.offset, operation.length] : [])]
    .filter((word): word is Word => typeof word === 'object' && 'text' in word);
}
