import { expect, test } from 'vitest';
import type { FormField } from '../../../preload/contract/mcp.ts';
import { fieldWords, readField } from '../../../main/gateway/fields.ts';

const base = { name: 'x', label: 'X', description: '', required: true };
const choices = [{ value: 'a', label: 'Apple' }, { value: 'b', label: 'Pear' }];
const TEXT: FormField = { ...base, kind: 'text', format: null, default: '' };
const WHOLE: FormField = { ...base, kind: 'number', integer: true, default: null };
const PART: FormField = { ...base, kind: 'number', integer: false, default: 2 };
const SWITCH: FormField = { ...base, kind: 'switch', default: false };
const ONE: FormField = { ...base, kind: 'choice', choices, default: '' };
const MANY: FormField = { ...base, required: false, kind: 'choices', choices, default: [] };

test.each<[FormField, string, unknown]>([
  [TEXT, '12', '12'], [WHOLE, '12', 12], [WHOLE, '-3', -3], [PART, '1,5', 1.5], [PART, '/skip', 2], [SWITCH, 'Yes', true], [SWITCH, '2', false], [SWITCH, '/skip', false],
  [ONE, '2', 'b'], [ONE, 'apple', 'a'], [ONE, 'b', 'b'], [MANY, '1, pear,1', ['a', 'b']], [MANY, '/skip', undefined],
])('%j reads %s', (field, text, value) => {
  expect(readField(field, text, undefined)).toEqual({ value });
});

test.each<[FormField, string, RegExp]>([
  [TEXT, '/skip', /has to be filled in/], [WHOLE, '1.5', /no whole number/], [WHOLE, 'many', /no whole number/], [PART, '1.5.2', /no number/], [PART, 'Infinity', /no number/],
  [SWITCH, 'perhaps', /yes or no/], [ONE, '3', /no choice '3'/], [ONE, '0', /no choice/], [MANY, '1, plum', /no choice 'plum'/],
])('%j refuses %s', (field, text, words) => {
  expect(readField(field, text, undefined)).toEqual({ problem: expect.stringMatching(words) as string });
});

test('what was entered before is kept by /skip, and told in words', () => {
  expect(readField(TEXT, '/skip', 'before')).toEqual({ value: 'before' });
  expect(fieldWords(MANY, ['b'])).toBe('X (optional)\n1. Apple\n2. Pear\nChoose by numbers, such as 1, 3.\n/skip keeps: Pear');
  expect(fieldWords(TEXT, undefined)).toBe('X\nWrite the answer.');
});
