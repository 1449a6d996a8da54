/**
 * Arguments as models send them, made into what the schema asks for. `coerceToolArgs` is Hermes' rules A to D
 * (hermes-runtime 3.2) and nothing else; `coerce-nested.ts` goes further.
 */
import { accepts, allowsNull, isRecord, own, ownRecord, typesOf, type SchemaNode } from './schema-shape.ts';

export type Arguments = Record<string, unknown>;
/** Told of each change: where (`urls`, `todos[0].id`) and in words what happened. */
export type CoercionTrace = (path: string, change: string) => void;

/** What Python's float() takes, without names for infinities and not-a-number; digits may be grouped (`10_000`). */
const NUMBER_TEXT = /^[+-]?(?:\d+(?:_\d+)*(?:\.(?:\d+(?:_\d+)*)?)?|\.\d+(?:_\d+)*)(?:e[+-]?\d+)?$/i;

const quiet: CoercionTrace = () => undefined;

/** The number a text stands for; undefined when it is none or would not keep its digits as an integer. */
export function numberFrom(text: string): number | undefined {
  const grouped = text.trim();
  if (!NUMBER_TEXT.test(grouped)) return undefined;
  const trimmed = grouped.replaceAll('_', '');
  const value = Number(trimmed);
  if (!Number.isFinite(value)) return undefined;
  // A long id sent as digits must not silently become its neighbour.
  if (/^[+-]?\d+$/.test(trimmed) && !Number.isSafeInteger(value) && BigInt(trimmed) !== BigInt(value)) return undefined;
  return value === 0 ? 0 : value;
}

export function booleanFrom(text: string): boolean | undefined {
  const word = text.trim().toLowerCase();
  if (word === 'true') return true;
  return word === 'false' ? false : undefined;
}

/** The array or object a text holds as JSON; undefined when it holds anything else. */
export function containerFrom(text: string, kind: 'array' | 'object'): unknown {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    // Not JSON: the text stays what it is.
    return undefined;
  }
  return (kind === 'array' ? Array.isArray(parsed) : isRecord(parsed)) ? parsed : undefined;
}

function isBlankObject(text: string, schema: SchemaNode): boolean {
  return text.trim() === '' && !Array.isArray(own(schema, 'required'));
}

/** Rule B for one type name: the converted value, or the same text. */
function coerceTo(text: string, type: string, schema: SchemaNode): unknown {
  switch (type) {
    case 'integer': {
      const value = numberFrom(text);
      return value !== undefined && Number.isInteger(value) ? value : text;
    }
    case 'number': return numberFrom(text) ?? text;
    case 'boolean': return booleanFrom(text) ?? text;
    case 'object': return isBlankObject(text, schema) ? {} : containerFrom(text, 'object') ?? text;
    case 'array': return containerFrom(text, 'array') ?? text;
    case 'null': return text.trim().toLowerCase() === 'null' ? null : text;
    default: return text;
  }
}

function coerceText(text: string, schema: SchemaNode): unknown {
  if (allowsNull(schema) && text.trim().toLowerCase() === 'null') return null;
  for (const type of typesOf(schema)) {
    const value = coerceTo(text, type, schema);
    if (value !== text) return value;
  }
  return text;
}

/** Rule D: containers that arrived as text become containers, however deep. Same identity when nothing changed. */
function repairContainers(value: unknown, schema: SchemaNode, path: string, trace: CoercionTrace): unknown {
  let current = value;
  if (typeof value === 'string') {
    current = parseContainer(value, schema);
    if (current === value) return value;
    trace(path, `text became ${Array.isArray(current) ? 'a list' : 'an object'}`);
  }
  if (Array.isArray(current)) {
    const items = ownRecord(schema, 'items');
    return items === undefined ? current : mapList(current, (item, index) => repairContainers(item, items, `${path}[${String(index)}]`, trace));
  }
  if (isRecord(current)) {
    const properties = ownRecord(schema, 'properties');
    return properties === undefined ? current : mapProperties(current, properties, (item, node, key) => repairContainers(item, node, `${path}.${key}`, trace));
  }
  return current;
}

function parseContainer(text: string, schema: SchemaNode): unknown {
  const trimmed = text.trim();
  if (trimmed.startsWith('[') && accepts(schema, 'array')) return containerFrom(trimmed, 'array') ?? text;
  if (trimmed.startsWith('{') && accepts(schema, 'object')) return containerFrom(trimmed, 'object') ?? text;
  if (trimmed === '' && accepts(schema, 'object') && isBlankObject(text, schema)) return {};
  return text;
}

export function mapList(list: readonly unknown[], change: (item: unknown, index: number) => unknown): readonly unknown[] {
  let changed: unknown[] | undefined;
  for (const [index, item] of list.entries()) {
    const next = change(item, index);
    if (next !== item) (changed ??= [...list])[index] = next;
  }
  return changed ?? list;
}

/** Applies `change` to the own properties that the schema knows. */
function mapProperties(
  record: Readonly<Record<string, unknown>>, properties: SchemaNode, change: (item: unknown, node: SchemaNode, key: string) => unknown,
): Readonly<Record<string, unknown>> {
  let changed: Record<string, unknown> | undefined;
  for (const key of Object.keys(record)) {
    const node = ownRecord(properties, key);
    if (node === undefined) continue;
    const next = change(record[key], node, key);
    if (next !== record[key]) changed = { ...(changed ?? record), [key]: next };
  }
  return changed ?? record;
}

function coerceArgument(value: unknown, schema: SchemaNode, path: string, trace: CoercionTrace): unknown {
  const expected = own(schema, 'type');
  let current = value;
  if (typeof value === 'string') {
    current = coerceText(value, schema);
    if (current !== value) trace(path, `text ${brief(value)} became ${words(current)}`);
  }
  if (expected === 'array' && current !== null && current !== undefined && !Array.isArray(current)) {
    const kind = typeof current === 'string' && current.trimStart().startsWith('[') ? 'string, which is no JSON list,' : typeof current;
    trace(path, `a single ${kind} was put into a list`);
    current = [current];
  }
  const container = (Array.isArray(current) && accepts(schema, 'array')) || (isRecord(current) && accepts(schema, 'object'));
  return container ? repairContainers(current, schema, path, trace) : current;
}

export function brief(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}

export function words(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}

/**
 * Arguments coerced by the tool's `parameters`. The same object when nothing changed; a new one otherwise, the given one is
 * never written to. Keys the schema does not know are left alone; without properties nothing happens.
 */
export function coerceToolArgs(args: Arguments, parameters: SchemaNode | undefined, trace: CoercionTrace = quiet): Arguments {
  const properties = parameters === undefined ? undefined : ownRecord(parameters, 'properties');
  if (properties === undefined) return args;
  return mapProperties(args, properties, (value, node, key) => coerceArgument(value, node, key, trace));
}

/** Anything that is not an object of arguments counts as none. */
export function asArguments(args: unknown): Arguments {
  return isRecord(args) ? args : {};
}
