import { expect, test } from 'vitest';
import { contentOf, fieldsOf } from '../../../main/mcp/form.ts';

const schema = {
  type: 'object' as const, required: ['name', 'level'],
  properties: {
    name: { type: 'string' as const, title: 'Name', minLength: 2, maxLength: 4 },
    site: { type: 'string' as const, format: 'uri' as const },
    when: { type: 'string' as const, format: 'date-time' as const },
    level: { type: 'integer' as const, minimum: 1, maximum: 3, default: 2 },
    loud: { type: 'boolean' as const, default: true },
    pet: { type: 'string' as const, enum: ['c', 'd'], enumNames: ['Cat', 'Dog'] },
    tags: { type: 'array' as const, minItems: 1, maxItems: 2, items: { anyOf: [{ const: 'x', title: 'Ex' }, { const: 'y', title: 'Why' }, { const: 'z', title: 'Zed' }] } },
  },
};

test('every kind of property becomes a field with its label, default and choices', () => {
  expect(fieldsOf(schema)).toEqual([
    { kind: 'text', name: 'name', label: 'Name', description: '', required: true, format: null, default: '' },
    { kind: 'text', name: 'site', label: 'site', description: '', required: false, format: 'uri', default: '' },
    { kind: 'text', name: 'when', label: 'when', description: '', required: false, format: 'date-time', default: '' },
    { kind: 'number', name: 'level', label: 'level', description: '', required: true, integer: true, default: 2 },
    { kind: 'switch', name: 'loud', label: 'loud', description: '', required: false, default: true },
    { kind: 'choice', name: 'pet', label: 'pet', description: '', required: false, choices: [{ value: 'c', label: 'Cat' }, { value: 'd', label: 'Dog' }], default: '' },
    { kind: 'choices', name: 'tags', label: 'tags', description: '', required: false, choices: [{ value: 'x', label: 'Ex' }, { value: 'y', label: 'Why' }, { value: 'z', label: 'Zed' }], default: [] },
  ]);
});

const right = { name: 'Ada', level: 1 };

test('what fits is handed on, what was left empty is left out, and names that nobody asked for do not pass', () => {
  expect(contentOf(schema, { ...right, site: '', loud: false, tags: ['x', 'z'], admin: true })).toEqual({ kind: 'ok', content: { ...right, loud: false, tags: ['x', 'z'] } });
  expect(contentOf(schema, JSON.parse('{"name":"Ada","level":1,"__proto__":"x"}') as Record<string, string>)).toEqual({ kind: 'ok', content: right });
});

test.each([
  [{ level: 1 }, "'Name' has to be filled in."], [{ ...right, name: 'A' }, "'Name' needs at least 2 characters."], [{ ...right, name: '👩👩👩👩👩' }, "'Name' takes at most 4 characters."],
  [{ ...right, site: 'example' }, "'site' has to be a whole address"], [{ ...right, when: '2026-01-31' }, "'when' has to be a time"], [{ ...right, level: 4 }, "'level' must not be more than 3."],
  [{ ...right, level: 0 }, "'level' must not be less than 1."], [{ ...right, level: '2' }, "'level' has to be a number."], [{ ...right, loud: 'yes' }, "'loud' has to be yes or no."],
  [{ ...right, pet: 'Cat' }, "'pet' has no choice 'Cat'."], [{ ...right, tags: [] }, "'tags' needs at least 1 of its choices."], [{ ...right, tags: ['x', 'y', 'z'] }, "'tags' takes at most 2 of its choices."],
  [{ ...right, tags: ['q'] }, "'tags' has no choice 'q'."], [{ ...right, tags: 'x' }, "'tags' has to be a list."], [{ ...right, name: 3 }, "'Name' has to be text."],
])('%j is refused: %s', (values, words) => {
  expect(contentOf(schema, values)).toMatchObject({ kind: 'wrong', message: expect.stringContaining(words) as string });
});
