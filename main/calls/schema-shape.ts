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

const LINKS = ['$ref', 'allOf', 'anyOf', 'oneOf'] as const;

/** Where schemas stand in a schema: one, in a list, under names; `items` may be one or a list. */
const PLACES: ReadonlyMap<string, 'one' | 'list' | 'either' | 'named'> = new Map([
  ...['additionalItems', 'additionalProperties', 'unevaluatedItems', 'unevaluatedProperties', 'not', 'if', 'then', 'else', 'contains', 'propertyNames'].map((key) => [key, 'one'] as const),
  ...['anyOf', 'oneOf', 'allOf', 'prefixItems'].map((key) => [key, 'list'] as const), ['items', 'either'],
  ...['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions'].map((key) => [key, 'named'] as const),
]);

/** A node whose direct subschemas went through `change`, those that are true or false apart; the same object when nothing changed. */
export function mapSubschemas(node: SchemaNode, change: (child: unknown) => unknown): SchemaNode {
  let changed: Record<string, unknown> | undefined;
  const each = (child: unknown): unknown => (typeof child === 'boolean' ? child : change(child));
  for (const key of Object.keys(node)) {
    const place = PLACES.get(key);
    if (place === undefined) continue;
    const before = node[key];
    let after = before;
    if (place === 'named') after = isRecord(before) ? mapNamed(before, each) : before;
    else if (Array.isArray(before)) after = place === 'one' ? before : mapAll(before, each);
    else if (place !== 'list') after = each(before);
    if (after !== before) (changed ??= { ...node })[key] = after;
  }
  return changed ?? node;
}

function mapAll(list: readonly unknown[], change: (child: unknown) => unknown): readonly unknown[] {
  const after = list.map(change);
  return after.some((child, index) => child !== list[index]) ? after : list;
}

function mapNamed(map: SchemaNode, change: (child: unknown) => unknown): SchemaNode {
  const before = Object.values(map);
  const after = mapAll(before, change);
  return after === before ? map : Object.fromEntries(Object.keys(map).map((name, index) => [name, after[index]]));
}

/**
 * The nodes that speak of one value: a node and what its `$ref` leads to, the parts of `allOf`, and those alternatives that
 * `choose` picks. Each once, so that references in a circle end.
 */
export function nodesAbout(schema: SchemaNode, root: SchemaNode, choose: (alternatives: readonly SchemaNode[]) => readonly SchemaNode[]): SchemaNode[] {
  if (!LINKS.some((key) => schema[key] !== undefined)) return [schema];
  const found = new Set<SchemaNode>();
  const visit = (node: SchemaNode | undefined): void => {
    if (node === undefined || found.has(node)) return;
    found.add(node);
    if (own(node, '$ref') !== undefined) visit(followRef(node, root));
    for (const part of branchesOf(node, ['allOf'])) visit(part);
    for (const key of ['anyOf', 'oneOf'] as const) {
      const alternatives = branchesOf(node, [key]).map((branch) => followRef(branch, root)).filter((branch) => branch !== undefined);
      for (const chosen of choose(alternatives)) visit(chosen);
    }
  };
  visit(schema);
  return [...found];
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

/** A part of a JSON pointer as the name that it stands for. */
export const pointerPart = (part: string): string => part.replaceAll('~1', '/').replaceAll('~0', '~');

/** The node that a local `$ref` (`#/$defs/…`) points to; the node itself when it has none; undefined when it leads nowhere. */
export function followRef(schema: SchemaNode, root: SchemaNode): SchemaNode | undefined {
  let node: unknown = schema;
  for (let hops = 0; hops < 16; hops += 1) {
    if (!isRecord(node)) return undefined;
    const reference = own(node, '$ref');
    if (typeof reference !== 'string') return node;
    if (!reference.startsWith('#')) return undefined;
    node = reference.slice(1).split('/').slice(1)
      .map(pointerPart)
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
