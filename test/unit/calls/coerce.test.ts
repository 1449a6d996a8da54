import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { coerceToolArgs, asArguments } from '../../../main/calls/coerce.ts';
import { coerceNestedArgs } from '../../../main/calls/coerce-nested.ts';
import { ArgumentValidator } from '../../../main/calls/validate.ts';
import type { SchemaNode } from '../../../main/calls/schema-shape.ts';
import { silentLog } from '../../../main/log.ts';

const one = (schema: SchemaNode, value: unknown): unknown => coerceToolArgs({ v: value }, { properties: { v: schema } })['v'];

describe('rule A: a list is wanted', () => {
  test.each([
    ['https://a', ['https://a']], ['["a","b"]', ['a', 'b']], ['null', ['null']], ['[not json', ['[not json']], ['{"a":1}', ['{"a":1}']],
    [5, [5]], [true, [true]], [{ a: 1 }, [{ a: 1 }]], [null, null], [['x'], ['x']], ['', ['']],
  ])('%j becomes %j', (given, expected) => {
    expect(one({ type: 'array', items: { type: 'string' } }, given)).toEqual(expected);
  });

  test('"null" is null where null is allowed', () => {
    expect(one({ type: 'array', nullable: true }, 'null')).toBeNull();
  });

  test('objects as text in a list become objects', () => {
    expect(one({ type: 'array', items: { type: 'object', properties: {} } }, ['{"id":"1"}'])).toEqual([{ id: '1' }]);
    expect(one({ type: 'array', items: { type: 'object' } }, '{"id":"1"}')).toEqual([{ id: '1' }]);
  });

  test('a union that contains array does not wrap', () => {
    expect(one({ type: ['array', 'null'] }, 'x')).toBe('x');
  });
});

describe('rule B: text becomes what is wanted', () => {
  test.each([
    ['integer', '10', 10], ['integer', '3.0', 3], ['integer', '1e3', 1_000], ['integer', ' 7 ', 7], ['integer', '-4', -4], ['integer', '10.5', '10.5'], ['integer', 'ten', 'ten'],
    ['integer', '', ''], ['integer', 'NaN', 'NaN'], ['integer', 'Infinity', 'Infinity'], ['integer', '1e999', '1e999'], ['integer', '0x10', '0x10'],
    ['integer', '9007199254740993', '9007199254740993'],
    ['number', '1.5', 1.5], ['number', '2', 2], ['number', '.5', 0.5], ['number', '5.', 5], ['number', '1,5', '1,5'],
    ['boolean', 'True', true], ['boolean', ' false ', false], ['boolean', '1', '1'], ['boolean', 'yes', 'yes'],
    ['object', '{"a":[1]}', { a: [1] }], ['object', '[1]', '[1]'], ['object', '{oops', '{oops'], ['object', '  ', {}],
    ['null', 'null', null], ['null', 'NULL', null], ['null', 'x', 'x'], ['string', '5', '5'], ['string', '{"a":1}', '{"a":1}'], ['string', 'null', 'null'],
  ])('%s: %j becomes %j', (type, given, expected) => {
    expect(one({ type }, given)).toEqual(expected);
  });

  test('blank text stays where an object must have fields', () => {
    expect(one({ type: 'object', required: ['a'] }, '')).toBe('');
  });

  test.each([
    [{ type: ['integer', 'null'] }], [{ type: 'integer', nullable: true }], [{ anyOf: [{ type: 'integer' }, { type: 'null' }] }], [{ oneOf: [{ type: 'string' }, { type: 'null' }] }], [{ nullable: true }],
  ])('"null" is null by %j', (schema) => {
    expect(one(schema, ' Null ')).toBeNull();
  });

  test('a union takes the first type that changes the text', () => {
    expect([one({ type: ['integer', 'string'] }, '7'), one({ type: ['string', 'boolean', 'integer'] }, 'true'), one({ type: ['integer', 'boolean'] }, 'maybe')]).toEqual([7, true, 'maybe']);
  });

  test('a missing type changes nothing', () => {
    expect([one({}, '7'), one({ anyOf: [{ type: 'integer' }] }, '7')]).toEqual(['7', '7']);
  });
});

describe('rules C and D: containers only, at any depth', () => {
  test('numbers and booleans never become text', () => {
    expect([one({ type: 'string' }, 5), one({ type: 'boolean' }, 1), one({ type: 'integer' }, 1.5)]).toEqual([5, 1, 1.5]);
  });

  test('scalars in containers stay', () => {
    expect(one({ type: 'array', items: { type: 'integer' } }, ['1', '2'])).toEqual(['1', '2']);
  });

  test('text that holds a container becomes one, through lists, objects and branches', () => {
    const schema = { type: 'object', properties: { at: { type: 'array', items: { type: 'number' } }, deep: { anyOf: [{ type: 'null' }, { type: 'object' }] }, note: { type: 'string' }, bad: { type: 'array' } } };
    expect(one(schema, { at: '[0,0,1]', deep: ' {"x":"[1]"} ', note: '[1]', bad: '[1' })).toEqual({ at: [0, 0, 1], deep: { x: '[1]' }, note: '[1]', bad: '[1' });
  });

  test('a container parsed at the top is repaired inside', () => {
    expect(one({ type: 'array', items: { type: 'array', items: { type: 'object' } } }, '["[\\"{}\\"]"]')).toEqual([[{}]]);
  });

  test('blank text at an object position becomes an empty object, unless fields are required', () => {
    expect(one({ type: 'array', items: { type: 'object' } }, [''])).toEqual([{}]);
    expect(one({ type: 'array', items: { type: 'object', required: ['id'] } }, [''])).toEqual(['']);
  });

  test('items that are no schema are left alone', () => {
    expect(one({ type: 'array', items: true }, ['[1]'])).toEqual(['[1]']);
  });
});

describe('the whole', () => {
  test('unknown keys, missing schemas and inherited names are left alone', () => {
    const args = { known: '5', other: '5', constructor: '5' };
    expect(coerceToolArgs(args, { properties: { known: { type: 'integer' } } })).toEqual({ known: 5, other: '5', constructor: '5' });
    expect(coerceToolArgs(args, undefined)).toBe(args);
    expect(coerceToolArgs(args, { type: 'object' })).toBe(args);
  });

  test('the given object is never written to, and comes back itself when nothing changes', () => {
    const args = Object.freeze({ a: '5', b: Object.freeze(['{}']) });
    const schema = { properties: { a: { type: 'integer' }, b: { type: 'array', items: { type: 'object' } } } };
    expect(coerceToolArgs(args, schema)).toEqual({ a: 5, b: [{}] });
    const fine = { a: 5, b: [{}] };
    expect(coerceToolArgs(fine, schema)).toBe(fine);
    expect(coerceToolArgs(fine, schema)['b']).toBe(fine.b);
  });

  test('each change is told', () => {
    const told: string[] = [];
    coerceToolArgs({ limit: '10', urls: 'x', todos: ['{"id":"1"}'] }, { properties: { limit: { type: 'integer' }, urls: { type: 'array' }, todos: { type: 'array', items: { type: 'object' } } } }, (path, change) => told.push(`${path}: ${change}`));
    expect(told).toEqual(['limit: text "10" became 10', 'urls: a single string was put into a list', 'todos[0]: text became an object']);
  });

  test('an own __proto__ key is data like any other', () => {
    const args = JSON.parse('{"__proto__":"5","a":"6"}') as Record<string, unknown>; // cast: an object literal in JSON
    const coerced = coerceToolArgs(args, JSON.parse('{"properties":{"__proto__":{"type":"integer"},"a":{"type":"integer"}}}') as SchemaNode); // cast: see above
    expect(JSON.stringify(coerced)).toBe('{"__proto__":5,"a":6}');
  });

  test('anything but an object counts as no arguments', () => {
    expect([null, undefined, 5, 'x', [1]].map(asArguments)).toEqual([{}, {}, {}, {}, {}]);
  });
});

describe('beyond Hermes: scalars at any depth', () => {
  const nested = (schema: SchemaNode, args: Record<string, unknown>): Record<string, unknown> => coerceNestedArgs(args, schema, () => undefined);

  test('numbers and booleans in lists and objects, through references and alternatives', () => {
    const schema = {
      type: 'object', $defs: { point: { type: 'array', items: { type: 'number' } } },
      properties: { at: { $ref: '#/$defs/point' }, maybe: { anyOf: [{ type: 'integer' }, { type: 'null' }] }, options: { type: 'object', properties: { dry: { type: 'boolean' } } }, list: { anyOf: [{ type: 'null' }, { type: 'array', items: { type: 'integer' } }] } },
    };
    expect(nested(schema, { at: '["1", 2]', maybe: '5', options: { dry: 'true' }, list: ['3'] })).toEqual({ at: [1, 2], maybe: 5, options: { dry: true }, list: [3] });
  });

  test('text that the schema accepts, or says nothing about, stays', () => {
    const schema = { properties: { a: { type: ['integer', 'string'] }, b: {}, c: { enum: ['1'] }, d: { anyOf: [{ type: 'integer' }, {}] }, e: { $ref: '#/nowhere' } } };
    const args = { a: '1', b: '1', c: '1', d: '1', e: '1' };
    expect(nested(schema, args)).toBe(args);
  });

  test('references in a circle end', () => {
    const schema = { $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } }, properties: { x: { $ref: '#/$defs/a' } } };
    expect(nested(schema, { x: '1' })).toEqual({ x: '1' });
  });
});

describe('laws', () => {
  /** Schemas in which a text is never an acceptable value beside something else, so that "valid" is unambiguous. */
  const schema: fc.Arbitrary<SchemaNode> = fc.letrec<{ node: SchemaNode }>((tie) => ({
    node: fc.oneof({ depthSize: 'small' },
      fc.constantFrom({ type: 'integer' }, { type: 'number' }, { type: 'boolean' }, { type: 'string' }, { type: 'null' }, { type: ['integer', 'null'] }),
      fc.record({ type: fc.constant('array'), items: tie('node') }),
      fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('node')).map((properties) => ({ type: 'object', properties })),
    ),
  })).node;
  const value: fc.Arbitrary<unknown> = fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.constantFrom('5', '1.5', 'true', 'null', '[]', '["1"]', '{"a":"1"}', '', ' ', '[', '1e3', '[["2"]]'));
  const args = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), value);
  const parameters = fc.dictionary(fc.constantFrom('a', 'b', 'c'), schema).map((properties) => ({ type: 'object', properties }));

  test('a value the schema accepts is never changed', async () => {
    const validator = new ArgumentValidator(silentLog);
    await validator.warm();
    let valid = 0;
    fc.assert(fc.property(parameters, args, (shape, given) => {
      if (validator.check('t', given, shape).length > 0) return;
      valid += 1;
      expect(coerceToolArgs(given, shape)).toBe(given);
      expect(coerceNestedArgs(given, shape, () => undefined)).toBe(given);
    }), { numRuns: 150 });
    expect(valid).toBeGreaterThan(10);
  });

  test('coercing again changes nothing more', () => {
    fc.assert(fc.property(parameters, args, (shape, given) => {
      const whole = (from: Record<string, unknown>): Record<string, unknown> => coerceNestedArgs(coerceToolArgs(from, shape), shape, () => undefined);
      const once = whole(given);
      expect(whole(once)).toEqual(once);
    }), { numRuns: 300 });
  });

  test('any schema whatever is survived', () => {
    fc.assert(fc.property(fc.dictionary(fc.constantFrom('a', 'b'), fc.jsonValue()), fc.dictionary(fc.constantFrom('a', 'b'), fc.jsonValue()), (properties, given) => {
      coerceNestedArgs(coerceToolArgs(given, { properties }), { properties }, () => undefined);
    }));
  });
});
