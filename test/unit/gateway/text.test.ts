import fc from 'fast-check';
import { expect, test } from 'vitest';
import { splitText, takeFiles } from '../../../main/gateway/text.ts';

test('pieces keep the limit, lose no word and tear no character, whatever the text', () => {
  fc.assert(fc.property(fc.string({ unit: 'grapheme', maxLength: 400 }), fc.integer({ min: 20, max: 120 }), (text, limit) => {
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

test('MEDIA lines become files, in quotation marks or not; the mark for documents counts for all of them', () => {
  expect(takeFiles('Here:\nMEDIA:/tmp/a b.png\n  MEDIA: `/tmp/c.ogg`\nDone.')).toEqual({ text: 'Here:\n\nDone.', files: [{ path: '/tmp/a b.png', asDocument: false }, { path: '/tmp/c.ogg', asDocument: false }] });
  expect(takeFiles('[[as_document]]\nMEDIA:/tmp/a.png')).toEqual({ text: '', files: [{ path: '/tmp/a.png', asDocument: true }] });
  expect(takeFiles('The word MEDIA:/x inside a line stays.')).toEqual({ text: 'The word MEDIA:/x inside a line stays.', files: [] });
});
