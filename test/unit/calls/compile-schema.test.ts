import { expect, test } from 'vitest';
import { loadCompiler } from '../../../main/calls/compile-schema.ts';
import { ArgumentValidator } from '../../../main/calls/validate.ts';
import { recordingLog } from './support.ts';

const compile = await loadCompiler();
const keywords = (schema: Record<string, unknown>, value: unknown): unknown => compile(schema)(value)?.map(({ keyword }) => keyword);
/** Each level asks the next one twice: 2^40 checks. */
const MULTIPLYING = {
  type: 'object', properties: { t: { $ref: '#/$defs/d0' } },
  $defs: Object.fromEntries(Array.from({ length: 41 }, (_, level) => [`d${String(level)}`, level === 40 ? { type: 'string' } : { allOf: [{ $ref: `#/$defs/d${String(level + 1)}` }, { $ref: `#/$defs/d${String(level + 1)}` }] }])),
};
const BACKTRACKING = { type: 'object', properties: { t: { type: 'string', pattern: '^(a+)+$' } } };
const HOSTILE_TEXT = `${'a'.repeat(60)}!`;

test('patterns, references and unique items are checked like everything else', () => {
  expect(keywords(BACKTRACKING, { t: 'aaa' })).toEqual([]);
  expect(keywords(BACKTRACKING, { t: 'b' })).toEqual(['pattern']);
  expect(keywords({ type: 'object', properties: { t: { $ref: '#/$defs/n' } }, $defs: { n: { type: 'number' } } }, { t: 'x' })).toEqual(['type']);
  expect(keywords({ type: 'array', uniqueItems: true }, [1, 1])).toEqual(['uniqueItems']);
});

test.each([
  ['a pattern that backtracks without end', BACKTRACKING, { t: HOSTILE_TEXT }],
  ['the same as the name of a property', { type: 'object', patternProperties: { '^(a+)+$': { type: 'string' } } }, { [HOSTILE_TEXT]: 1 }],
  ['references that multiply', MULTIPLYING, { t: 'x' }],
])('%s is given up, and the check works again afterwards', (_what, schema, value) => {
  const check = compile(schema);
  expect(check(value)).toBeUndefined();
  expect(compile(BACKTRACKING)({ t: 'aaa' })).toEqual([]);
});

test('arguments that cannot be judged in time are passed on, and the log says so', async () => {
  const { log, lines } = recordingLog();
  const validator = new ArgumentValidator(log);
  await validator.warm();
  expect(validator.check('hostile', { t: HOSTILE_TEXT }, BACKTRACKING)).toEqual([]);
  expect(lines).toEqual([{ level: 'warn', message: expect.stringMatching(/^The arguments of tool 'hostile' could not be checked in time/) as string }]);
  expect(validator.check('hostile', { t: 'b' }, BACKTRACKING)).toMatchObject([{ path: 't' }]);
});
