import { describe, expect, test } from 'vitest';
import { argumentsOf, fieldsOf, initialValues, prettyResult } from '../../../../renderer/features/toolsets/try-model.ts';

const schema = {
  type: 'object', required: ['path', 'mode'],
  properties: {
    limit: { type: 'integer', default: 500, description: 'Lines.' }, path: { type: 'string', description: 'File.' }, mode: { type: 'string', enum: ['replace', 'patch'], default: 'replace' },
    deep: { type: ['boolean', 'null'] }, names: { type: 'array', items: { type: 'string' } }, edits: { type: 'array', items: { type: 'object' } }, where: { anyOf: [{ type: 'number' }, { type: 'null' }] }, any: {},
  },
};

describe('the fields of a form', () => {
  test('follow the schema, the needed ones first', () => {
    expect(fieldsOf(schema).map(({ name, kind, required }) => [name, kind, required])).toEqual([
      ['path', 'text', true], ['mode', 'choice', true], ['limit', 'number', false], ['deep', 'boolean', false], ['names', 'lines', false], ['edits', 'json', false], ['where', 'number', false], ['any', 'json', false],
    ]);
  });
  test('hold the default only where a value is needed', () => {
    expect(initialValues(fieldsOf(schema))).toMatchObject({ mode: '"replace"', limit: '' });
  });
  test.each([[{}], [{ type: 'object' }], [{ properties: null }], [{ properties: { a: true }, required: 'a' }]])('survive a schema such as %j', (odd) => {
    expect(fieldsOf(odd).every(({ kind }) => kind === 'json')).toBe(true);
  });
});

describe('the arguments', () => {
  const fields = fieldsOf(schema);
  test('are of the types of the schema, and what is empty is left out', () => {
    expect(argumentsOf(fields, { path: ' a b ', mode: '"patch"', limit: '2e1', deep: 'false', names: 'x\n\ny', edits: '[{"a":1}]', where: '', any: ' ' })).toEqual({
      kind: 'ok', args: { path: ' a b ', mode: 'patch', limit: 20, deep: false, names: ['x', 'y'], edits: [{ a: 1 }] },
    });
  });
  test('with a mistake name its field', () => {
    expect(argumentsOf(fields, { limit: 'ten', edits: '[{' })).toMatchObject({ kind: 'bad', problems: { limit: 'This is no number.', edits: expect.stringMatching(/^This is no JSON: /) as string } });
  });
  test('a field called __proto__ is an argument like any other', () => {
    const odd = fieldsOf({ properties: JSON.parse('{"__proto__":{"type":"string"}}') as object });
    expect(Object.entries((argumentsOf(odd, Object.fromEntries([['__proto__', 'x']])) as { args: object }).args)).toEqual([['__proto__', 'x']]); // the case that has no mistake
  });
});

test('an answer in JSON is indented, any other stands as it is', () => {
  expect(prettyResult('{"a":1}')).toEqual({ text: '{\n  "a": 1\n}', language: 'json' });
  expect(prettyResult('{"a":')).toEqual({ text: '{"a":', language: '' });
});
