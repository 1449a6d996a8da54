import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { coerceToolArgs, numberFrom } from '../../../main/calls/coerce.ts';
import { coerceNestedArgs } from '../../../main/calls/coerce-nested.ts';
import type { SchemaNode } from '../../../main/calls/schema-shape.ts';
import { anySchema, anyValue } from './schema-arbitraries.ts';

const object = (properties: SchemaNode): SchemaNode => ({ type: 'object', properties });
const size = { type: 'object', properties: { kind: { const: 'size' }, n: { type: 'integer' } } };
const flag = { type: 'object', properties: { kind: { enum: ['flag', 'switch'] }, n: { type: 'boolean' } } };

describe('texts become what their place accepts', () => {
  test.each<[string, SchemaNode, Record<string, unknown>, Record<string, unknown>]>([
    ['under names that are not known', object({ m: { type: 'object', additionalProperties: { type: 'integer' } } }), { m: { x: '3' } }, { m: { x: 3 } }],
    ['but not where a pattern decides', object({ m: { type: 'object', patternProperties: { '^x': { type: 'string' } }, additionalProperties: { type: 'integer' } } }), { m: { x: '3' } }, { m: { x: '3' } }],
    ['by place in a list', object({ l: { type: 'array', prefixItems: [{ type: 'integer' }], items: { type: 'boolean' } } }), { l: ['3', 'true'] }, { l: [3, true] }],
    ['in all parts of a whole', { allOf: [object({ n: { type: 'integer' } }), object({ m: { type: 'boolean' } })] }, { n: '5', m: 'true' }, { n: 5, m: true }],
    ['where numbers are fixed', object({ c: { enum: [1, 2] }, d: { const: true } }), { c: '2', d: 'true' }, { c: 2, d: true }],
    ['not where one fixed value is that text', object({ c: { enum: [1, '2'] } }), { c: '2' }, { c: '2' }],
    ['in the alternative that its kind tells', object({ o: { oneOf: [size, flag] } }), { o: { kind: 'switch', n: 'true' } }, { o: { kind: 'switch', n: true } }],
    ['in none when nothing tells', object({ o: { oneOf: [size, flag] } }), { o: { n: '1' } }, { o: { n: '1' } }],
    ['not where an alternative takes anything', object({ o: { anyOf: [{ type: 'array', items: { type: 'integer' } }, {}] } }), { o: ['1'] }, { o: ['1'] }],
    ['not where another alternative fixes nothing', object({ o: { anyOf: [size, flag, { type: 'object' }] } }), { o: { kind: 'size', n: '1' } }, { o: { kind: 'size', n: '1' } }],
    ['with digits in groups', object({ n: { type: 'integer' } }), { n: '10_000' }, { n: 10_000 }],
  ])('%s', (_what, schema, args, expected) => {
    expect(coerceNestedArgs(args, schema, () => undefined)).toEqual(expected);
  });

  test('an own __proto__ among names that are not known is data like any other', () => {
    const args = JSON.parse('{"m":{"__proto__":"5"}}') as Record<string, unknown>; // cast: an object literal in JSON
    expect(JSON.stringify(coerceNestedArgs(args, object({ m: { type: 'object', additionalProperties: { type: 'integer' } } }), () => undefined))).toBe('{"m":{"__proto__":5}}');
  });
});

describe('what costs nothing', () => {
  test('half a million digits that end in a letter', () => {
    const started = performance.now();
    expect(numberFrom(`${'1'.repeat(500_000)}x`)).toBeUndefined();
    expect(numberFrom(`${'1_'.repeat(250_000)}x`)).toBeUndefined();
    expect(coerceToolArgs({ n: '1'.repeat(500_000) }, object({ n: { type: 'integer' } }))).toEqual({ n: '1'.repeat(500_000) });
    expect(performance.now() - started).toBeLessThan(2_000);
  });

  test('alternatives that refer to each other, twice at each step', () => {
    const both = (name: string): SchemaNode => ({ anyOf: [{ $ref: `#/$defs/${name}` }, { $ref: `#/$defs/${name}` }] });
    const schema = { ...object({ t: both('a') }), $defs: { a: both('b'), b: both('a') } };
    expect(coerceNestedArgs({ t: '5' }, schema, () => undefined)).toEqual({ t: '5' });
    expect(coerceNestedArgs({ t: { t: '5' } }, schema, () => undefined)).toEqual({ t: { t: '5' } });
  });
});

test('whatever the schema, a value that it accepts is never changed, and coercing again changes nothing more', () => {
  const ajv = new Ajv2020({ strict: false, logger: false, validateSchema: false, multipleOfPrecision: 9 });
  let valid = 0;
  fc.assert(fc.property(anySchema, anyValue, (schema, value) => {
    const root = { ...object({ v: schema }), $defs: { any: { type: 'string' } } };
    const given = { v: value };
    const once = coerceNestedArgs(given, root, () => undefined);
    expect(coerceNestedArgs(once, root, () => undefined)).toEqual(once);
    const fits = ajv.validate(root, given);
    ajv.removeSchema(root);
    if (!fits) return;
    valid += 1;
    expect(once).toBe(given);
  }), { numRuns: 120 });
  expect(valid).toBeGreaterThan(20);
});
