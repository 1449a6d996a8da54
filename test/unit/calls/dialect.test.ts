import { describe, expect, test } from 'vitest';
import { checkableSchema, modernSchema } from '../../../main/calls/dialect.ts';
import { restoreNames, sanitizeParameters } from '../../../main/calls/sanitize-schema.ts';
import type { SchemaNode } from '../../../main/calls/schema-shape.ts';
import { bench, contextOf, parsed, tool } from './support.ts';

const object = (properties: SchemaNode, more: SchemaNode = {}): SchemaNode => ({ type: 'object', properties, ...more });

async function call(parameters: SchemaNode, args: Record<string, unknown>): Promise<{ result: Record<string, unknown>; warnings: number }> {
  const { calls, registry, lines } = bench();
  registry.register(tool('t', { schema: { description: 'x', parameters: parameters as never }, handler: (given) => JSON.stringify({ got: given }) })); // cast: JSON, written below
  const result = parsed(await calls.handleFunctionCall('t', args, contextOf()));
  return { result, warnings: lines.filter(({ level }) => level === 'warn').length };
}

describe('schemas of other dialects are checked like ours', () => {
  test.each<[string, SchemaNode, Record<string, unknown>, string | undefined]>([
    ['a list by places of draft 7', object({ p: { type: 'array', items: [{ type: 'string' }, { type: 'integer' }], additionalItems: false } }), { p: ['a', 'b'] }, 'p[1]: expected integer'],
    ['and no item more than it has places', object({ p: { type: 'array', items: [{ type: 'string' }], additionalItems: false } }), { p: ['a', 'b'] }, 'p[1]: expected nothing here'],
    ['a limit that is not in its range, of draft 4', { id: 'http://x', $schema: 'http://json-schema.org/draft-04/schema#', ...object({ n: { type: 'integer', minimum: 0, exclusiveMinimum: true } }) }, { n: 0 }, 'n: expected a number > 0'],
    ['a limit that is in its range', object({ n: { type: 'integer', minimum: 0, exclusiveMinimum: false } }), { n: 0 }, undefined],
    ['required of draft 3', object({ n: { type: 'integer', required: true } }), { n: 'x' }, 'n: expected integer'],
    ['type names of other languages', object({ n: { type: 'int' }, l: { type: 'list', items: { type: 'str' } }, d: { type: 'DICT' }, a: { type: 'any' } }), { n: 1, l: [2], d: {}, a: 'x' }, 'l[0]: expected string'],
    ['null beside fixed values of OpenAPI', object({ a: { type: 'string', nullable: true, enum: ['x'] } }), { a: null }, undefined],
    ['null beside alternatives', object({ a: { anyOf: [{ type: 'string' }], nullable: true } }), { a: null }, undefined],
    ['null beside a reference', { ...object({ a: { $ref: '#/definitions/s', nullable: true } }), definitions: { s: { type: 'string' } } }, { a: null }, undefined],
    ['and nothing but null besides', object({ a: { anyOf: [{ type: 'string' }], nullable: true } }), { a: 5 }, 'a: expected string or null, got integer 5'],
    ['a pattern of another engine', object({ a: { type: 'string', pattern: '(?i)abc' }, b: { type: 'integer' } }), { a: 'x', b: 'y' }, 'b: expected integer'],
    ['a step that is no binary fraction', object({ a: { type: 'number', multipleOf: 0.1 } }), { a: 0.3 }, undefined],
    ['text in the place of schemas', object({ a: 'string', b: 'what it is' }), { a: 5 }, 'a: expected string'],
    ['no value at all to choose from', object({ a: { enum: [] } }), { a: 5 }, undefined],
  ])('%s', async (_what, schema, args, message) => {
    const { result, warnings } = await call(schema, args);
    expect(warnings).toBe(0);
    if (message === undefined) expect(result['got']).toEqual(args);
    else expect(result['error']).toContain(message);
  });

  test('a schema of ours stays the same object', () => {
    const schema = object({ a: { type: ['string', 'null'] }, b: { anyOf: [{ type: 'integer' }, { $ref: '#/$defs/x' }] } }, { required: ['a'], $defs: { x: { type: 'array', items: {} } } });
    expect(modernSchema(schema)).toBe(schema);
    expect(checkableSchema(schema)).toEqual(schema);
  });
});

describe('what is sent', () => {
  test.each<[SchemaNode, SchemaNode]>([
    [object({ a: { type: 'array' } }), object({ a: { type: 'array', items: {} } })],
    [object({ a: { type: 'array', items: [{ type: 'int' }] } }), object({ a: { type: 'array', prefixItems: [{ type: 'integer' }], items: {} } })],
    [object({ a: { type: 'any', enum: [] }, b: { type: ['FLOAT', 'none'] } }), object({ a: {}, b: { type: ['number', 'null'] } })],
    [object({ a: {} }, { required: ['a', 'a'] }), object({ a: {} }, { required: ['a'] })],
    [object({ a: true }), object({ a: {} })],
    [{ ...object({ a: { $ref: '#/properties/die%20Größe/items' } }) }, object({ a: { $ref: '#/properties/die_20Gr__e/items' } })],
  ])('%j as %j', (given, sent) => {
    expect(sanitizeParameters(given)).toEqual(sent);
  });
});

describe('renamed properties are found again', () => {
  const size = object({ größe: { type: 'integer' } }, { required: ['größe'] });
  test.each<[string, SchemaNode, unknown, unknown]>([
    ['behind a reference', { ...object({ n: { $ref: '#/$defs/n' } }), $defs: { n: size } }, { n: { gr__e: '3' } }, { n: { größe: 3 } }],
    ['under names that are not known', object({ m: { type: 'object', additionalProperties: size } }), { m: { x: { gr__e: 3 } } }, { m: { x: { größe: 3 } } }],
    ['by place in a list', object({ l: { type: 'array', prefixItems: [{ type: 'string' }, size], items: size } }), { l: ['a', { gr__e: 1 }, { gr__e: 2 }] }, { l: ['a', { größe: 1 }, { größe: 2 }] }],
    ['in a part, and in an alternative', object({ p: { allOf: [size] }, q: { anyOf: [{ type: 'null' }, size] } }), { p: { gr__e: 1 }, q: { gr__e: 2 } }, { p: { größe: 1 }, q: { größe: 2 } }],
    ['in a list by places of draft 7', object({ l: { type: 'array', items: [size] } }), { l: [{ gr__e: 1 }] }, { l: [{ größe: 1 }] }],
    ['under their own names too', object({ größe: { type: 'integer' } }), { größe: 1 }, { größe: 1 }],
  ])('%s', async (_what, schema, args, got) => {
    expect((await call(schema, args as Record<string, unknown>)).result).toEqual({ got }); // cast: arguments, written above
  });

  test('references in a circle end', () => {
    const circle: SchemaNode = { anyOf: [{ $ref: '#' }, { $ref: '#' }], properties: { ä: { $ref: '#' } } };
    expect(restoreNames({ _: { _: 1 } }, circle)).toEqual({ ä: { ä: 1 } });
  });
});
