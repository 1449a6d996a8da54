/** Reading JSON Schemas that come from anywhere: what a position accepts. Never throws on malformed schemas. */

export type SchemaNode = Readonly<Record<string, unknown>>;
export type JsonKind = 'null' | 'boolean' | 'integer' | 'number' | 'string' | 'array' | 'object';

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A node under its own key; what an object inherits (`constructor`) is no property. */
export function own(record: SchemaNode, key: string): unknown {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

export function ownRecord(record: SchemaNode, key: string): SchemaNode | undefined {
  const value = own(record, key);
  return isRecord(value) ? value : undefined;
}

const BRANCH_KEYS = ['anyOf', 'oneOf', 'allOf'] as const;

/** Alternatives and parts of a node, one level deep. */
export function branchesOf(schema: SchemaNode, keys: readonly (typeof BRANCH_KEYS)[number][] = BRANCH_KEYS): SchemaNode[] {
  const found: SchemaNode[] = [];
  for (const key of keys) {
    const branches = schema[key];
    if (Array.isArray(branches)) for (const branch of branches) if (isRecord(branch)) found.push(branch);
  }
  return found;
}

/** Names under `type`: none, one or several. */
export function typesOf(schema: SchemaNode): readonly string[] {
  const { type } = schema;
  if (typeof type === 'string') return [type];
  return Array.isArray(type) ? type.filter((name) => typeof name === 'string') : [];
}

/** By `type`, `nullable`, or an anyOf/oneOf branch of type null. */
export function allowsNull(schema: SchemaNode): boolean {
  return typesOf(schema).includes('null') || schema['nullable'] === true
    || branchesOf(schema, ['anyOf', 'oneOf']).some((branch) => typesOf(branch).includes('null'));
}

/** By `type` or by the `type` of any branch. */
export function accepts(schema: SchemaNode, kind: string): boolean {
  return typesOf(schema).includes(kind) || branchesOf(schema).some((branch) => typesOf(branch).includes(kind));
}

/** The node that a local `$ref` (`#/$defs/…`) points to; the node itself when it has none; undefined when it leads nowhere. */
export function followRef(schema: SchemaNode, root: SchemaNode): SchemaNode | undefined {
  let node: unknown = schema;
  for (let hops = 0; hops < 16; hops += 1) {
    if (!isRecord(node)) return undefined;
    const reference = own(node, '$ref');
    if (typeof reference !== 'string') return node;
    if (!reference.startsWith('#')) return undefined;
    node = reference.slice(1).split('/').slice(1)
      .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
      .reduce<unknown>((at, part) => (isRecord(at) ? own(at, part) : undefined), root);
  }
  return undefined;
}

export function kindOf(value: unknown): JsonKind {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  if (typeof value === 'string' || typeof value === 'boolean') return typeof value as 'string' | 'boolean'; // narrowed by the condition
  return 'object';
}
