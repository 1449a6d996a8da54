/**
 * Schemas as they come, in the words of JSON Schema 2020-12: servers and plugins write drafts 3 to 7, OpenAPI 3.0 and the type
 * names of their own languages, which model servers refuse and a check cannot read.
 */
import { allowsNull, branchesOf, isRecord, mapSubschemas, own, type SchemaNode, typesOf } from './schema-shape.ts';

const TYPE_NAMES: ReadonlySet<string> = new Set(['null', 'boolean', 'integer', 'number', 'string', 'array', 'object']);
const TYPES_ELSEWHERE: ReadonlyMap<string, string> = new Map([
  ['int', 'integer'], ['long', 'integer'], ['float', 'number'], ['double', 'number'], ['decimal', 'number'], ['str', 'string'], ['text', 'string'],
  ['bool', 'boolean'], ['list', 'array'], ['tuple', 'array'], ['dict', 'object'], ['map', 'object'], ['none', 'null'],
]);
const BOUNDS = [['exclusiveMinimum', 'minimum'], ['exclusiveMaximum', 'maximum']] as const;

/** Undefined for a name that says nothing (`any`). */
function typeName(name: string): string | undefined {
  const plain = name.toLowerCase();
  return TYPE_NAMES.has(plain) ? plain : TYPES_ELSEWHERE.get(plain);
}

function isPlain(type: unknown): boolean {
  return typeof type === 'string' ? TYPE_NAMES.has(type) : Array.isArray(type) && type.length > 0 && type.every((name) => typeof name === 'string' && TYPE_NAMES.has(name));
}

/** A name that says nothing among others leaves the position open to anything. */
function plainType(schema: SchemaNode): string | string[] | undefined {
  const names = typesOf(schema).map(typeName);
  if (names.length === 0 || names.includes(undefined)) return undefined;
  const known = [...new Set(names)].filter((name) => name !== undefined);
  return known.length === 1 ? known[0] : known;
}

/** A node in the place of which a text stands: the name of its type, or its description. */
function fromText(text: string): SchemaNode {
  const name = TYPE_NAMES.has(text) ? text : undefined;
  return name === undefined ? { description: text } : { type: name };
}

function modernNode(given: unknown): SchemaNode {
  if (typeof given === 'string') return fromText(given);
  if (!isRecord(given)) return {};
  const node = mapSubschemas(given, modernNode);
  let changed: Record<string, unknown> | undefined;
  const set = (key: string, value: unknown): void => {
    const { [key]: _before, ...others } = changed ?? node;
    changed = value === undefined ? others : { ...others, [key]: value };
  };
  if (own(node, 'type') !== undefined && !isPlain(node['type'])) set('type', plainType(node));
  if (Array.isArray(own(node, 'items'))) {
    set('prefixItems', node['items']);
    set('items', own(node, 'additionalItems'));
  }
  if (own(node, 'additionalItems') !== undefined) set('additionalItems', undefined);
  for (const [exclusive, bound] of BOUNDS) {
    if (typeof own(node, exclusive) !== 'boolean') continue;
    const limit = own(node, bound);
    set(exclusive, node[exclusive] === true && typeof limit === 'number' ? limit : undefined);
    if (node[exclusive] === true) set(bound, undefined);
  }
  const required = own(node, 'required');
  if (Array.isArray(required)) {
    const names = [...new Set(required.filter((name) => typeof name === 'string'))];
    if (names.length < required.length) set('required', names);
  } else if (required !== undefined) set('required', undefined);
  const values = own(node, 'enum');
  if (values !== undefined && !(Array.isArray(values) && values.length > 0)) set('enum', undefined);
  return changed ?? node;
}

const modern = new WeakMap<SchemaNode, SchemaNode>();

/** The same object when it is in these words already; kept for as long as the given one is. */
export function modernSchema(schema: SchemaNode): SchemaNode {
  let known = modern.get(schema);
  if (known === undefined) modern.set(schema, known = modernNode(schema));
  return known;
}

const NULL: SchemaNode = { type: 'null' };

/** `nullable` of OpenAPI as an alternative, and without the names of documents that are not here: what a check can read. */
export function checkableSchema(given: unknown): SchemaNode {
  if (!isRecord(given)) return {};
  const { $schema: _dialect, id: _id, nullable, ...node }: SchemaNode = mapSubschemas(given, checkableSchema);
  if (nullable !== true || allowsNull(node)) return node;
  const types = typesOf(node);
  const values = own(node, 'enum');
  const withNull = Array.isArray(values) && !values.includes(null) ? { enum: [...values as unknown[], null] } : {}; // cast: any[] by Array.isArray
  if (types.length > 0 && own(node, 'const') === undefined) return { ...node, type: [...new Set([...types, 'null'])], ...withNull };
  for (const key of ['anyOf', 'oneOf'] as const) if (branchesOf(node, [key]).length > 0) return { ...node, [key]: [...branchesOf(node, [key]), NULL], ...withNull };
  if (values !== undefined) return { ...node, ...withNull };
  return Object.keys(node).some((key) => ['$ref', 'allOf', 'const'].includes(key)) ? { anyOf: [node, NULL] } : node;
}
