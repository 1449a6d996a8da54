import fc from 'fast-check';
import { expect, test } from 'vitest';
import { splitText, takeFiles } from '../../../main/gateway/text.ts';

test('pieces keep the limit, lose no word and tear no character, whatever the text', () => {
  fc.assert(fc.property(fc.string({ unit: 'grapheme', maxLength: 400 }), fc.integer({ min: 60, max: 120 }), (text, limit) => {
    const pieces = splitText(text, limit);
    expect(pieces.every((piece) => piece.length <= limit && piece !== '' && piece.isWellFormed())).toBe(true);
    const words = (each: string): string => each.replaceAll('```', '').replaceAll(/\s/g, '');
    expect(words(pieces.join(''))).toBe(words(text));
  }), { numRuns: 300 });
});

test('a block of code that is cut is closed, and opened again in the next piece', () => {
  const pieces = splitText(`Look:\n\`\`\`\n${'line of code\n'.repeat(20)}\`\`\`\nDone.`, 100);
  expect(pieces.length).toBeGreaterThan(2);
  expect(pieces.every((piece) => (piece.match(/```/g) ?? []).length % 2 === 0)).toBe(true);
});

test('blocks in any order and form: the limit holds, every word is there, and each piece closes what it opens', () => {
  const lines = fc.array(fc.constantFrom('```', '```python', '````', '~~~', '``````````````', '  ```js', 'some words of a text', 'x'.repeat(70), '', '``` and words', `\`\`\`${'y'.repeat(30)}`), { maxLength: 40 });
  fc.assert(fc.property(lines, fc.integer({ min: 60, max: 200 }), (given, limit) => {
    const text = given.join('\n');
    const pieces = splitText(text, limit);
    expect(pieces.every((piece) => piece.length <= limit)).toBe(true);
    const count = (each: string, what: RegExp): number => (each.match(what) ?? []).length;
    for (const what of [/x/g, /words of a text/g, /and words/g]) expect(count(pieces.join('\n'), what)).toBe(count(text, what));
  }), { numRuns: 300 });
});

test('it is opened again in its language, with its own marks, and what looks like a mark inside it is not one', () => {
  const code = '```not a mark\n'.repeat(12);
  const pieces = splitText(`Look:\n\`\`\`\`python\n${code}\`\`\`\`\nDone.`, 100);
  expect(pieces.length).toBeGreaterThan(2);
  for (const piece of pieces.slice(1, -1)) expect(piece).toMatch(/^````python\n[^]*\n````$/);
  expect(pieces.at(-1)).toMatch(/^````python\n[^]*\n````\nDone\.$/);
  expect(pieces.every((piece) => piece.length <= 100)).toBe(true);
});

test('MEDIA lines become files, in quotation marks or not; the mark for documents counts for all of them', () => {
  expect(takeFiles('Here:\nMEDIA:/tmp/a b.png\n  MEDIA: `/tmp/c.ogg`\nDone.')).toEqual({ text: 'Here:\n\nDone.', files: [{ path: '/tmp/a b.png', asDocument: false }, { path: '/tmp/c.ogg', asDocument: false }] });
  expect(takeFiles('[[as_document]]\nMEDIA:/tmp/a.png')).toEqual({ text: '', files: [{ path: '/tmp/a.png', asDocument: true }] });
  expect(takeFiles('The word MEDIA:/x inside a line stays.')).toEqual({ text: 'The word MEDIA:/x inside a line stays.', files: [] });
});
