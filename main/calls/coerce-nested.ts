/**
 * Beyond Hermes' rules: a text at any depth whose position does not accept text becomes what the position accepts, through
 * `$ref` and alternatives. A value that the schema accepts is never touched.
 */
import { type Arguments, booleanFrom, brief, type CoercionTrace, containerFrom, mapList, numberFrom, words } from './coerce.ts';
import { branchesOf, followRef, isRecord, kindOf, nodesAbout, own, ownRecord, type SchemaNode, typesOf } from './schema-shape.ts';

/** Schemas and arguments nest at most this deep here; deeper values pass untouched. */
const DEEPEST = 32;

/** What a fixed list of values, or one value, accepts. */
function kindsOfValues(node: SchemaNode): ReadonlySet<string> | undefined {
  const values = own(node, 'enum');
  if (Array.isArray(values)) return new Set(values.map(kindOf));
  return own(node, 'const') === undefined ? undefined : new Set([kindOf(node['const'])]);
}

/** All type names a position accepts; undefined when the schema does not say (then anything goes). */
function acceptedTypes(schema: SchemaNode, root: SchemaNode, above: ReadonlySet<SchemaNode> = new Set()): ReadonlySet<string> | undefined {
  const node = followRef(schema, root);
  if (node === undefined) return undefined;
  // A reference to where it came from accepts nothing that the others do not.
  if (above.has(node)) return new Set();
  const seen = new Set(above).add(node);
  const values = kindsOfValues(node);
  if (values !== undefined) return values;
  const own_ = typesOf(node);
  if (own_.length > 0) return new Set(node['nullable'] === true ? [...own_, 'null'] : own_);
  const alternatives = branchesOf(node, ['anyOf', 'oneOf']);
  if (alternatives.length > 0) {
    const all = new Set<string>(node['nullable'] === true ? ['null'] : []);
    for (const branch of alternatives) {
      const types = acceptedTypes(branch, root, seen);
      if (types === undefined) return undefined;
      for (const type of types) all.add(type);
    }
    return all;
  }
  return branchesOf(node, ['allOf']).map((part) => acceptedTypes(part, root, seen))
    .reduce((both, types) => (both === undefined || types === undefined ? both ?? types : new Set([...both].filter((type) => types.has(type)))), undefined);
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

/** Whether a value that an alternative fixes (`kind: {const: 'file'}`) is another one in what was given. */
function contradicts(alternative: SchemaNode, value: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(ownRecord(alternative, 'properties') ?? {}).some(([name, node]) => {
    if (!isRecord(node) || !Object.hasOwn(value, name)) return false;
    const values = Object.hasOwn(node, 'const') ? [node['const']] : own(node, 'enum');
    return Array.isArray(values) && !values.includes(value[name]);
  });
}

/** The alternative that a container is meant for, when no other could accept it: by its kind, else by its fixed values. */
const meantBy = (value: unknown) => (alternatives: readonly SchemaNode[]): readonly SchemaNode[] => {
  const kind = kindOf(value);
  const open = alternatives.filter((branch) => {
    const types = kindsOfValues(branch) ?? new Set(typesOf(branch));
    return (types.size === 0 || types.has(kind)) && !(isRecord(value) && contradicts(branch, value));
  });
  return open.length === 1 ? open : [];
};

function repair(value: unknown, schema: SchemaNode, root: SchemaNode, path: string, trace: CoercionTrace, depth: number): unknown {
  if (depth > DEEPEST) return value;
  let current = value;
  if (typeof value === 'string') {
    const types = acceptedTypes(schema, root);
    current = types === undefined ? value : convert(value, types);
    if (current === value) return value;
    trace(path, `text ${brief(value)} became ${words(current)}`);
  }
  if (typeof current !== 'object' || current === null) return current;
  return nodesAbout(schema, root, meantBy(current)).reduce((at, node) => repairInside(at, node, root, path, trace, depth + 1), current);
}

function repairInside(value: object, node: SchemaNode, root: SchemaNode, path: string, trace: CoercionTrace, depth: number): object {
  if (Array.isArray(value)) {
    const list: readonly unknown[] = value;
    const places = own(node, 'prefixItems');
    const items = own(node, 'items');
    if (places === undefined && items === undefined) return list;
    return mapList(list, (item, index) => {
      const place: unknown = Array.isArray(places) && index < places.length ? places[index] : items;
      return isRecord(place) ? repair(item, place, root, `${path}[${String(index)}]`, trace, depth) : item;
    });
  }
  const properties = ownRecord(node, 'properties');
  const others = own(node, 'patternProperties') === undefined ? ownRecord(node, 'additionalProperties') : undefined;
  if (properties === undefined && others === undefined) return value;
  let changed: Record<string, unknown> | undefined;
  for (const [name, item] of Object.entries(value)) {
    const place = properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : others;
    if (!isRecord(place)) continue;
    const next = repair(item, place, root, path === '' ? name : `${path}.${name}`, trace, depth);
    if (next !== item) changed = { ...(changed ?? value), [name]: next };
  }
  return changed ?? value;
}

/** Same object when nothing changed. Idempotent. */
export function coerceNestedArgs(args: Arguments, parameters: SchemaNode | undefined, trace: CoercionTrace): Arguments {
  if (parameters === undefined) return args;
  const repaired = repair(args, parameters, parameters, '', trace, 0);
  return isRecord(repaired) ? repaired : args;
}
