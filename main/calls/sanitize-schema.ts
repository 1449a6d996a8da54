/**
 * Schemas made fit for strict model servers (hermes-runtime 2.5.6): objects say their properties, every node is an object,
 * property names are plain. Renamed properties are mapped back when the model calls.
 */
import type { JsonObject } from '../../tools/context.ts';
import { modernSchema } from './dialect.ts';
import { isRecord, mapSubschemas, nodesAbout, own, ownRecord, pointerPart, type SchemaNode, typesOf } from './schema-shape.ts';

/** What OpenAI-compatible and Anthropic servers accept as a property name. */
const PLAIN_NAME = /^[A-Za-z0-9_.-]{1,64}$/;
/** Deeper ones say nothing. */
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
  if (!isRecord(node) || depth > DEEPEST) return {};
  const clean: Record<string, unknown> = { ...mapSubschemas(node, (child) => sanitizeNode(child, depth + 1)) };
  sanitizeObject(node, clean);
  // Servers refuse a list that does not say what is in it.
  if (typesOf(node).includes('array') && own(node, 'items') === undefined) clean['items'] = {};
  if (typeof own(node, '$ref') === 'string') clean['$ref'] = plainPointer(node['$ref']);
  return clean as JsonObject; // cast: only JSON went in, and only JSON nodes were put in its place
}

function sanitizeObject(node: SchemaNode, clean: Record<string, unknown>): void {
  const properties = clean['properties'];
  if (isRecord(properties)) {
    const renamed = plainNames(properties);
    const nameOf = (name: string): string => renamed?.get(name) ?? name;
    clean['properties'] = Object.fromEntries(Object.entries(properties).map(([name, item]) => [nameOf(name), typeof item === 'boolean' ? {} : item]));
    const required = own(node, 'required');
    // Strict servers refuse a required name that is no property.
    if (Array.isArray(required)) clean['required'] = required.filter((name) => typeof name === 'string' && Object.hasOwn(properties, name)).map(nameOf);
    else delete clean['required'];
  } else if (typesOf(node).includes('object')) {
    clean['properties'] = {};
    delete clean['required'];
  } else delete clean['properties'];
}

/** A `$ref` that leads through a renamed property, with that property's new name. */
function plainPointer(pointer: unknown): string {
  const parts = String(pointer).split('/');
  return parts.map((part, index) => {
    if (parts[index - 1] !== 'properties') return part;
    const name = pointerPart(part);
    return PLAIN_NAME.test(name) ? part : plainNames({ [name]: true })?.get(name) ?? part;
  }).join('/');
}

/** Parameters as they are sent: always an object with properties. The given schema is not changed. */
export function sanitizeParameters(parameters: SchemaNode | undefined | null): JsonObject {
  const clean = sanitizeNode(modernSchema(parameters ?? {}), 0);
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

/** Every alternative may be the one that the model chose its names from. */
const all = (alternatives: readonly SchemaNode[]): readonly SchemaNode[] => alternatives;

/** Arguments under the names of the tool's own schema again, wherever in it they are described. */
export function restoreNames(value: unknown, schema: SchemaNode, root: SchemaNode = schema, depth = 0): unknown {
  if (depth > DEEPEST || typeof value !== 'object' || value === null) return value;
  return nodesAbout(schema, root, all).reduce<unknown>((at, node) => restoreIn(at, node, root, depth + 1), value);
}

function restoreIn(value: unknown, node: SchemaNode, root: SchemaNode, depth: number): unknown {
  if (Array.isArray(value)) {
    const places = own(node, 'prefixItems');
    const items = own(node, 'items');
    return (value as readonly unknown[]).map((item, index) => { // cast: any[] by Array.isArray
      const place: unknown = Array.isArray(places) && index < places.length ? places[index] : items;
      return isRecord(place) ? restoreNames(item, place, root, depth) : item;
    });
  }
  if (!isRecord(value)) return value;
  const properties = ownRecord(node, 'properties') ?? {};
  const others = ownRecord(node, 'additionalProperties');
  const originals = new Map([...(plainNames(properties) ?? [])].map(([original, plain]) => [plain, original]));
  return Object.fromEntries(Object.entries(value).map(([name, item]) => {
    const original = Object.hasOwn(properties, name) ? name : originals.get(name) ?? name;
    const place = own(properties, original) ?? others;
    return [original, isRecord(place) ? restoreNames(item, place, root, depth) : item];
  }));
}
