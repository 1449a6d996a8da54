/**
 * Beyond Hermes' rules: a text at any depth whose position does not accept text becomes what the position accepts, through
 * `$ref` and alternatives. A value that the schema accepts is never touched.
 */
import { type Arguments, booleanFrom, brief, type CoercionTrace, containerFrom, mapList, mapProperties, numberFrom, words } from './coerce.ts';
import { branchesOf, followRef, isRecord, kindOf, own, ownRecord, type SchemaNode, typesOf } from './schema-shape.ts';

/** Schemas and arguments nest at most this deep here; deeper values pass untouched. */
const DEEPEST = 32;

/** All type names a position accepts; undefined when the schema does not say (then anything goes). */
function acceptedTypes(schema: SchemaNode, root: SchemaNode, depth = 0): ReadonlySet<string> | undefined {
  const node = followRef(schema, root);
  if (node === undefined || depth > DEEPEST) return undefined;
  if (own(node, 'enum') !== undefined || own(node, 'const') !== undefined) return undefined;
  const own_ = typesOf(node);
  if (own_.length > 0) return new Set(node['nullable'] === true ? [...own_, 'null'] : own_);
  const alternatives = branchesOf(node, ['anyOf', 'oneOf']);
  if (alternatives.length > 0) {
    const all = new Set<string>();
    for (const branch of alternatives) {
      const types = acceptedTypes(branch, root, depth + 1);
      if (types === undefined) return undefined;
      for (const type of types) all.add(type);
    }
    return all;
  }
  const parts = branchesOf(node, ['allOf']).map((part) => acceptedTypes(part, root, depth + 1)).filter((types) => types !== undefined);
  return parts.length === 1 ? parts[0] : undefined;
}

function convert(text: string, types: ReadonlySet<string>): unknown {
  if (types.has('string')) return text;
  const value = numberFrom(text);
  if (value !== undefined && (types.has('number') || (types.has('integer') && Number.isInteger(value)))) return value;
  if (types.has('boolean')) {
    const truth = booleanFrom(text);
    if (truth !== undefined) return truth;
  }
  if (types.has('null') && text.trim().toLowerCase() === 'null') return null;
  for (const kind of ['array', 'object'] as const) {
    const parsed = types.has(kind) ? containerFrom(text, kind) : undefined;
    if (parsed !== undefined) return parsed;
  }
  return text;
}

/** The node that describes a container: itself, or the only alternative of that kind. */
function describing(schema: SchemaNode, key: 'items' | 'properties', kind: string, root: SchemaNode): SchemaNode | undefined {
  const node = followRef(schema, root);
  if (node === undefined) return undefined;
  if (ownRecord(node, key) !== undefined) return node;
  const fitting = branchesOf(node).map((branch) => followRef(branch, root))
    .filter((branch) => branch !== undefined && (typesOf(branch).includes(kind) || own(branch, key) !== undefined));
  return fitting.length === 1 ? fitting[0] : undefined;
}

function repair(value: unknown, schema: SchemaNode, root: SchemaNode, path: string, trace: CoercionTrace, depth: number): unknown {
  if (depth > DEEPEST) return value;
  let current = value;
  if (typeof value === 'string') {
    const types = acceptedTypes(schema, root);
    current = types === undefined ? value : convert(value, types);
    if (current === value) return value;
    trace(path, `text ${brief(value)} became ${words(current)}`);
  }
  const kind = kindOf(current);
  if (Array.isArray(current)) {
    const items = describing(schema, 'items', kind, root);
    const node = items === undefined ? undefined : ownRecord(items, 'items');
    return node === undefined ? current : mapList(current, (item, index) => repair(item, node, root, `${path}[${String(index)}]`, trace, depth + 1));
  }
  if (isRecord(current)) {
    const described = describing(schema, 'properties', kind, root);
    const properties = described === undefined ? undefined : ownRecord(described, 'properties');
    return properties === undefined ? current
      : mapProperties(current, properties, (item, node, key) => repair(item, node, root, path === '' ? key : `${path}.${key}`, trace, depth + 1));
  }
  return current;
}

/** Same object when nothing changed. Idempotent. */
export function coerceNestedArgs(args: Arguments, parameters: SchemaNode | undefined, trace: CoercionTrace): Arguments {
  if (parameters === undefined) return args;
  const repaired = repair(args, parameters, parameters, '', trace, 0);
  return isRecord(repaired) ? repaired : args;
}
