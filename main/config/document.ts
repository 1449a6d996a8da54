/** Reading and changing the text of config.yaml. Hermes reads the same file with a YAML 1.1 parser, so words like `off` count as booleans here too. */
import { isMap, isScalar, isSeq, LineCounter, parseDocument, Scalar, visit, type Document, type Node, type YAMLSeq } from 'yaml';
import { AppError } from '../../preload/contract/errors.ts';
import type { ConfigProblem } from '../../preload/contract/settings.ts';
import type { JsonObject, JsonValue } from '../../tools/context.ts';
import { mergeLines } from './merge-lines.ts';

/** Keeps long lines whole and `{a: 1}` without inner spaces. */
const PRINT = { lineWidth: 0, flowCollectionPadding: false } as const;
/** Plain words that YAML 1.1 (PyYAML) takes for booleans. */
const TRUE_WORD = /^(?:yes|on|true)$/i;
const FALSE_WORD = /^(?:no|off|false)$/i;
/** Plain texts that a YAML 1.1 parser would not read as text: booleans, null, numbers with colons or underscores, dates. */
const SPECIAL = /^(?:y|n|yes|no|on|off|true|false|null|~|[-+.]?[\d_.:]+(?:e[-+]?\d+)?|\d{4}-\d\d?-\d\d?.*|0[xob][\da-f_]+|=|<<)$/i;

export interface ReadConfig {
  readonly values: JsonObject;
  /** Set when the text is not valid; then `values` holds what could be read. */
  readonly problem: ConfigProblem | undefined;
}

function parse(text: string, lines?: LineCounter): Document {
  return parseDocument(text, { merge: true, ...(lines === undefined ? {} : { lineCounter: lines }) });
}

/** `path` only names the file in the problem. Never throws. */
export function readConfig(text: string, path: string): ReadConfig {
  const lines = new LineCounter();
  const document = parse(text, lines);
  visit(document, {
    Scalar: (key, node) => {
      if (key === 'key' || node.type !== 'PLAIN' || typeof node.value !== 'string') return;
      if (TRUE_WORD.test(node.value)) node.value = true;
      else if (FALSE_WORD.test(node.value)) node.value = false;
    },
  });
  const problemAt = (message: string, offset: number | undefined): ConfigProblem => {
    const place = offset === undefined ? undefined : lines.linePos(offset);
    return { path, message, line: place?.line ?? null, column: place?.col ?? null };
  };
  const [error] = document.errors;
  let problem = error === undefined ? undefined : problemAt((error.message.split(/ at line \d|\n/u)[0] ?? error.message).trim(), error.pos[0]);
  let values: JsonObject = {};
  try {
    const whole: unknown = document.toJS({ maxAliasCount: 100 });
    if (typeof whole === 'object' && whole !== null && !Array.isArray(whole)) values = whole as JsonObject; // cast: what toJS makes of YAML's core types
    else if (whole !== null && whole !== undefined) problem ??= problemAt('the file must be a list of `name: value` settings', document.contents?.range?.[0]);
  } catch (cause) {
    problem ??= problemAt(cause instanceof Error ? cause.message : String(cause), undefined);
  }
  return { values, problem };
}

/** The value at a dotted path; undefined when a part of it is absent. */
export function valueAt(values: JsonObject, path: string): JsonValue | undefined {
  let value: JsonValue | undefined = values;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || Array.isArray(value) || !Object.hasOwn(value, name)) return undefined;
    value = (value as JsonObject)[name]; // cast: an object that is no array
  }
  return value;
}

function textNode(value: string): Scalar {
  const node = new Scalar(value);
  if (SPECIAL.test(value)) node.type = 'QUOTE_SINGLE';
  return node;
}

function nodeFor(document: Document, value: JsonValue): Node {
  if (typeof value === 'string') return textNode(value);
  const node = document.createNode(value);
  visit(node, {
    Scalar: (key, scalar) => {
      if (key !== 'key' && typeof scalar.value === 'string' && SPECIAL.test(scalar.value)) scalar.type = 'QUOTE_SINGLE';
    },
  });
  return node;
}

/** Changes a list item by item, so that the comments of items that stay are kept. */
function changeList(document: Document, list: YAMLSeq, wanted: readonly JsonValue[]): void {
  const left = [...list.items];
  list.items = wanted.map((value) => {
    const index = left.findIndex((item) => isScalar(item) && typeof value !== 'object' && item.value === value);
    return index < 0 ? nodeFor(document, value) : left.splice(index, 1)[0];
  });
}

function change(document: Document, names: readonly string[], value: JsonValue | undefined): void {
  if (document.contents === null) document.contents = document.createNode({});
  for (let depth = 1; depth < names.length; depth += 1) {
    const above = names.slice(0, depth);
    const node: unknown = document.getIn(above, true);
    if (isMap(node)) continue;
    if (value === undefined && (node === undefined || (isScalar(node) && node.value === null))) return;
    if (node !== undefined && !(isScalar(node) && node.value === null)) {
      throw new AppError('request/not-possible', `${above.join('.')} in config.yaml is not a group of settings, so ${names.join('.')} cannot be set`, {
        hint: 'Correct it in an editor.',
      });
    }
    document.setIn(above, document.createNode({}));
  }
  const current: unknown = document.getIn(names, true);
  if (value === undefined) document.deleteIn(names);
  else if (isSeq(current) && Array.isArray(value)) changeList(document, current, value as readonly JsonValue[]); // cast: Array.isArray does not narrow readonly arrays
  else if (isScalar(current) && (typeof value !== 'object' || value === null)) {
    current.value = value;
    if (typeof value === 'string') current.type = SPECIAL.test(value) ? 'QUOTE_SINGLE' : 'PLAIN';
  } else document.setIn(names, nodeFor(document, value));
}

/**
 * The text with one value changed; everything else, comments and blanks included, stays as it was written wherever that reads the same.
 * `text` must be valid. Throws `request/not-possible` when the path runs through something that is no group.
 */
export function withValue(text: string, path: string, value: JsonValue | undefined): string {
  const document = parse(text);
  const before = document.toString(PRINT);
  change(document, path.split('.'), value);
  if (isMap(document.contents) && document.contents.items.length === 0 && document.contents.flow !== true && value === undefined) document.contents.flow = true;
  const after = document.toString(PRINT);
  const merged = mergeLines(before, text, after);
  const same = (candidate: string): boolean => {
    const { values, problem } = readConfig(candidate, '');
    return problem === undefined && JSON.stringify(values) === JSON.stringify(readConfig(after, '').values);
  };
  return text.trim() !== '' && same(merged) ? merged : after;
}
