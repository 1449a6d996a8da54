import { expect, test } from 'vitest';
import { mentionAt, withMention, written } from '../../../../renderer/features/chat/mentions.ts';

test.each([
  ['@', { start: 0, end: 1, query: '' }],
  ['see @src/a', { start: 4, end: 10, query: 'src/a' }],
  ['(@src', { start: 1, end: 5, query: 'src' }],
  ['see @"my no', { start: 4, end: 11, query: 'my no' }],
  ['line\n@x', { start: 5, end: 7, query: 'x' }],
  ['mail me@example.com', undefined],
  ['@done and on', undefined],
  ['see @"my notes" ', undefined],
  ['', undefined],
])('%j', (text, begun) => {
  expect(mentionAt(text, text.length)).toEqual(begun);
});

test('only what stands before the caret counts', () => {
  expect(mentionAt('see @abc now', 6)).toEqual({ start: 4, end: 6, query: 'a' });
  expect(mentionAt('see @abc now', 12)).toBeUndefined();
});

test('the path takes the place of what was typed, and the caret stands behind it', () => {
  const text = 'see @comp please';
  expect(withMention(text, { start: 4, end: 9, query: 'comp' }, 'src/composer.tsx')).toEqual({ text: 'see @src/composer.tsx please', caret: 22 });
  expect(withMention('@re', { start: 0, end: 3, query: 're' }, 'README.md')).toEqual({ text: '@README.md ', caret: 11 });
});

test('a folder can be typed on; a path with blanks is quoted whole', () => {
  expect(withMention('@do', { start: 0, end: 3, query: 'do' }, 'docs/')).toEqual({ text: '@docs/', caret: 6 });
  expect(withMention('@"my', { start: 0, end: 4, query: 'my' }, 'my notes.txt')).toEqual({ text: '@"my notes.txt" ', caret: 16 });
  expect(written('a "b".txt')).toBe('@"a \\"b\\".txt"');
});
