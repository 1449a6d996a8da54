import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Explainer } from '../../../main/calls/explain-arguments.ts';
import { describeProblems } from '../../../main/calls/validate.ts';
import type { SchemaNode } from '../../../main/calls/schema-shape.ts';
import { anySchema, anyValue } from './schema-arbitraries.ts';
import { bench, contextOf, parsed, tool } from './support.ts';

async function problemsOf(parameters: SchemaNode, args: Record<string, unknown>): Promise<unknown> {
  const { calls, registry } = bench();
  registry.register(tool('t', { schema: { description: 'x', parameters: parameters as never } })); // cast: JSON, written below
  return parsed(await calls.handleFunctionCall('t', args, contextOf()))['problems'];
}
const object = (properties: SchemaNode, more: SchemaNode = {}): SchemaNode => ({ type: 'object', properties, ...more });
const source = {
  anyOf: [object({ kind: { const: 'file' }, path: { type: 'string' } }, { required: ['kind', 'path'] }), object({ kind: { const: 'url' }, url: { type: 'string' } }, { required: ['kind', 'url'] })],
};
const referenced = { ...object({ source: { anyOf: [{ $ref: '#/$defs/file' }, { $ref: '#/$defs/url' }] } }), $defs: { file: source.anyOf[0], url: source.anyOf[1] } };

describe('what a model is told', () => {
  test.each<[string, SchemaNode, Record<string, unknown>, object]>([
    ['the alternative that was meant', object({ source }), { source: { kind: 'file', pth: '/a' } }, { path: 'source.path', expected: 'string (required)', got: "nothing; 'pth' was sent instead", did_you_mean: ['path'] }],
    ['the same behind references', referenced, { source: { kind: 'url' } }, { path: 'source.url', expected: 'string (required)', got: 'nothing' }],
    ['all kinds there are, when none was meant', object({ source }), { source: { kind: 'fil', path: '/a' } }, { path: 'source.kind', expected: 'one of "file", "url"', got: 'string "fil"', allowed: ['file', 'url'], did_you_mean: ['file'] }],
    ['the ways to do it, when several are as near', object({ a: {}, b: {} }, { anyOf: [{ required: ['a'] }, { required: ['b'] }] }), {}, { path: '', expected: 'an object with a or an object with b', got: 'object {}' }],
    ['that two ways at once are one too many', object({ a: {}, b: {} }, { oneOf: [{ required: ['a'] }, { required: ['b'] }] }), { a: 1, b: 2 }, { path: '', expected: 'exactly one of: an object with a; an object with b', got: 'object {"a":1,"b":2}, which fits 2 of them' }],
    ['what is not wanted', object({ a: { not: { type: 'string' } } }), { a: 'x' }, { path: 'a', expected: 'not string', got: 'string "x"' }],
    ['what is not wanted together', object({ a: {}, b: {} }, { not: { required: ['a', 'b'] } }), { a: 1, b: 2 }, { path: '', expected: 'not an object with a and b', got: 'object {"a":1,"b":2}' }],
    ['what stands behind a reference', { ...object({ n: { $ref: '#/$defs/count' } }, { required: ['n'] }), $defs: { count: { type: 'integer', minimum: 1 } } }, {}, { path: 'n', expected: 'integer (required)', got: 'nothing' }],
    ['both ends of a range', object({ n: { type: 'integer', minimum: 1, maximum: 5 } }), { n: 9 }, { path: 'n', expected: 'a number >= 1 and <= 5', got: 'integer 9' }],
    ['lengths in words', object({ a: { type: 'string', minLength: 3 } }), { a: '🦊' }, { path: 'a', expected: 'text of at least 3 characters', got: 'string "🦊"' }],
    ['numbers of items', object({ l: { type: 'array', items: {}, minItems: 1 } }), { l: [] }, { path: 'l', expected: 'at least 1 item', got: 'array []' }],
    ['which item came twice', object({ l: { type: 'array', items: {}, uniqueItems: true } }), { l: [1, 2, 1] }, { path: 'l[2]', expected: 'no item twice', got: 'integer 1 again' }],
    ['what a member brings along', object({ a: {}, b: { type: 'string' } }, { dependentRequired: { a: ['b'] } }), { a: 1 }, { path: 'b', expected: 'string (required)', got: 'nothing' }],
    ['what a condition asks for', object({ a: {}, b: {} }, { if: { properties: { a: { const: 1 } } }, then: { required: ['b'] } }), { a: 1 }, { path: 'b', expected: 'a value (required)', got: 'nothing' }],
    ['nothing of letters that are alike in nothing', object({ a: {} }, { additionalProperties: false }), { é: 1 }, { path: 'é', expected: 'one of the known names: a', got: 'an unknown name' }],
  ])('%s', async (_what, schema, args, expected) => {
    expect(await problemsOf(schema, args)).toEqual([expected]);
  });

  test('of many values the nearest, and how many more there are', async () => {
    const zones = Array.from({ length: 3_000 }, (_, number) => `Region/City${String(number)}`);
    const [problem] = await problemsOf(object({ zone: { enum: zones } }), { zone: 'Region/Cty2' }) as { expected: string; allowed: string[]; did_you_mean: string[] }[]; // cast: the shape of problems
    expect(problem?.allowed[0]).toBe('Region/City2');
    expect(problem?.allowed).toHaveLength(24);
    expect(problem?.expected).toMatch(/or 2976 others$/);
    expect(problem?.did_you_mean).toContain('Region/City2');
  });

  test('eight problems at most, each once', async () => {
    const args = { list: Array.from({ length: 100 }, () => 'x') };
    expect(await problemsOf(object({ list: { type: 'array', items: { type: 'integer' } } }), args)).toHaveLength(8);
    expect(describeProblems('t', [{ path: '', expected: 'a', got: 'b' }])).toBe('Invalid arguments for t: arguments: expected a, got b. Nothing was run; call it again with corrected arguments.');
  });

  test('that the schema does not fit, where no reason is known', async () => {
    const schema = object({ a: {} }, { allOf: [{ properties: { b: {} } }], unevaluatedProperties: false });
    expect(await problemsOf(schema, { c: 1 })).toEqual([{ path: '', expected: expect.stringMatching(/^arguments that fit the schema \(unevaluatedProperties/) as string, got: 'object {"c":1}' }]);
  });
});

describe('laws', () => {
  test('a value is found wrong here exactly when the check finds it wrong', () => {
    const ajv = new Ajv2020({ strict: false, logger: false, validateSchema: false, multipleOfPrecision: 9 });
    let wrong = 0;
    fc.assert(fc.property(anySchema, anyValue, (schema, given) => {
      const root = { ...schema, $defs: { any: { type: 'string' } } };
      const fits = ajv.validate(root, given);
      ajv.removeSchema(root);
      if (!fits) wrong += 1;
      expect(new Explainer(root).explain(given, root, '').length === 0).toBe(fits);
    }), { numRuns: 150 });
    expect(wrong).toBeGreaterThan(30);
  });

  test('alternatives within alternatives, and references in a circle, end', () => {
    let deep: SchemaNode = { type: 'integer' };
    for (let depth = 0; depth < 30; depth += 1) deep = { anyOf: [deep, deep] };
    new Explainer(deep).explain('x', deep, '');
    const circle = { anyOf: [{ $ref: '#' }, { $ref: '#' }] };
    new Explainer(circle).explain('x', circle, '');
  });
});
