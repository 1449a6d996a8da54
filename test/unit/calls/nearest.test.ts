import fc from 'fast-check';
import { expect, test } from 'vitest';
import { editDistance, nearestNames } from '../../../main/calls/nearest.ts';

test.each([['abc', 'abc', 0], ['abc', 'acb', 1], ['', 'abc', 3], ['kitten', 'sitting', 3], ['read', 'raed', 1]])('from %s to %s are %d edits', (a, b, edits) => {
  expect(editDistance(a, b)).toBe(edits);
});

test.each([
  ['readFile', ['read_file', 'write_file'], ['read_file']], ['file_path', ['path', 'limit'], ['path']], ['search', ['web_search', 'x_search', 'terminal'], ['web_search', 'x_search']],
  ['zzz', ['read_file'], []], ['x'.repeat(200), ['x'], []], ['termnal', ['terminal'], ['terminal']],
])('%s is near %j: %j', (given, candidates, expected) => {
  expect(nearestNames(given, candidates)).toEqual(expected);
});

test('a distance is the same both ways and none only for equal words', () => {
  fc.assert(fc.property(fc.string({ maxLength: 12 }), fc.string({ maxLength: 12 }), (a, b) => {
    expect(editDistance(a, b)).toBe(editDistance(b, a));
    expect(editDistance(a, b) === 0).toBe(a === b);
  }));
});

test.each<[string, string[], string[]]>([
  ['functions.web_search', ['web_search', 'terminal'], ['web_search']], ['default_api:read-file', ['read_file'], ['read_file']],
  ['', ['h'], []], ['é', ['a'], []], ['東', ['größe', '京'], []], ['A', ['a'], ['a']], ['Größe', ['größe'], ['größe']],
])('%j is near %j: %j, whatever letters and signs they are made of', (given, candidates, expected) => {
  expect(nearestNames(given, candidates)).toEqual(expected);
});
