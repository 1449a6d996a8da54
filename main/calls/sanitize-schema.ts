/**
 * Schemas made fit for strict model servers (hermes-runtime 2.5.6): objects say their properties, every node is an object,
 * property names are plain. Renamed properties are mapped back when the model calls.
 */
import type { JsonObject } from '../../tools/context.ts';
import { isRecord, own, type SchemaNode } from './schema-shape.ts';

/** What OpenAI-compatible and Anthropic servers accept as a property name. */
const PLAIN_NAME = /^[A-Za-z0-9_.-]{1,64}$/;
const TYPE_NAMES: ReadonlySet<string> = new Set(['null', 'boolean', 'integer', 'number', 'string', 'array', 'object']);
const NODE_KEYS = ['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'contains', 'propertyNames'] as const;
const LIST_KEYS = ['anyOf', 'oneOf', 'allOf', 'prefixItems'] as const;
const MAP_KEYS = ['$defs', 'definitions', 'patternProperties', 'dependentSchemas'] as const;
const DEEPEST = 64;

/** Original property name → the name the model sees, when they differ. The same for the same names, always. */
export function plainNames(properties: SchemaNode): ReadonlyMap<string, string> | undefined {
  let renamed: Map<string, string> | undefined;
  let taken: Set<string> | undefined;
  for (const name of Object.keys(properties)) {
    if (PLAIN_NAME.test(name)) continue;
    renamed ??= new Map();
    taken ??= new Set(Object.keys(properties).filter((other) => PLAIN_NAME.test(other)));
    const base = name.replaceAll(/[^A-Za-z0-9_.-]/g, '_').slice(0, 60) || '_';
    let plain = base;
    for (let number = 2; taken.has(plain); number += 1) plain = `${base}_${String(number)}`;
    taken.add(plain);
    renamed.set(name, plain);
  }
  return renamed;
}

function sanitizeNode(node: unknown, depth: number): JsonObject {
  if (typeof node === 'string') {
    return node === 'object' ? { type: 'object', properties: {} } : TYPE_NAMES.has(node) ? { type: node } : { description: node };
  }
  if (!isRecord(node) || depth > DEEPEST) return {};
  const clean: Record<string, unknown> = { ...node };
  for (const key of NODE_KEYS) {
    const child = own(node, key);
    if (Array.isArray(child)) clean[key] = child.map((item) => sanitizeNode(item, depth + 1));
    else if (child !== undefined && typeof child !== 'boolean') clean[key] = sanitizeNode(child, depth + 1);
  }
  for (const key of LIST_KEYS) {
    const list = own(node, key);
    if (Array.isArray(list)) clean[key] = list.map((item) => sanitizeNode(item, depth + 1));
  }
  for (const key of MAP_KEYS) {
    const map = own(node, key);
    if (isRecord(map)) clean[key] = Object.fromEntries(Object.entries(map).map(([name, item]) => [name, sanitizeNode(item, depth + 1)]));
  }
  sanitizeObject(node, clean, depth);
  return clean as JsonObject; // cast: only JSON went in, and only JSON nodes were put in its place
}

function sanitizeObject(node: SchemaNode, clean: Record<string, unknown>, depth: number): void {
  const { type } = node;
  const isObject = type === 'object' || (Array.isArray(type) && type.includes('object'));
  const properties = own(node, 'properties');
  if (isRecord(properties)) {
    const renamed = plainNames(properties);
    const nameOf = (name: string): string => renamed?.get(name) ?? name;
    clean['properties'] = Object.fromEntries(Object.entries(properties).map(([name, item]) => [nameOf(name), sanitizeNode(item, depth + 1)]));
    const required = own(node, 'required');
    // Strict servers refuse a required name that is no property.
    if (Array.isArray(required)) clean['required'] = required.filter((name) => typeof name === 'string' && Object.hasOwn(properties, name)).map(nameOf);
    else delete clean['required'];
  } else if (isObject) {
    clean['properties'] = {};
    delete clean['required'];
  } else if (properties !== undefined) {
    delete clean['properties'];
  }
}

/** Parameters as they are sent: always an object with properties. The given schema is not changed. */
export function sanitizeParameters(parameters: SchemaNode | undefined | null): JsonObject {
  const clean = sanitizeNode(parameters ?? {}, 0);
  const { $schema: _dialect, type: _type, properties, ...rest } = clean;
  return { type: 'object', properties: properties ?? {}, ...rest };
}

/** Whether any property below was renamed: only then must arguments be mapped back. */
export function hasRenames(schema: unknown, depth = 0): boolean {
  if (depth > DEEPEST) return false;
  if (Array.isArray(schema)) return schema.some((item) => hasRenames(item, depth + 1));
  if (!isRecord(schema)) return false;
  const properties = own(schema, 'properties');
  if (isRecord(properties) && plainNames(properties) !== undefined) return true;
  return Object.values(schema).some((item) => hasRenames(item, depth + 1));
}

/** Arguments under the names of the tool's own schema again. Same identity when nothing was renamed. */
export function restoreNames(value: unknown, schema: SchemaNode, depth = 0): unknown {
  if (depth > DEEPEST) return value;
  const branches = [...LIST_KEYS.flatMap((key) => { const list = own(schema, key); return Array.isArray(list) ? list.filter(isRecord) : []; })];
  let current = branches.reduce<unknown>((at, branch) => restoreNames(at, branch, depth + 1), value);
  const items = own(schema, 'items');
  if (Array.isArray(current) && isRecord(items)) return current.map((item) => restoreNames(item, items, depth + 1));
  const properties = own(schema, 'properties');
  if (!isRecord(current) || !isRecord(properties)) return current;
  const originals = new Map([...(plainNames(properties) ?? [])].map(([original, plain]) => [plain, original]));
  current = Object.fromEntries(Object.entries(current).map(([name, item]) => {
    const original = originals.get(name) ?? name;
    const node = own(properties, original);
    return [original, isRecord(node) ? restoreNames(item, node, depth + 1) : item];
  }));
  return current;
}
