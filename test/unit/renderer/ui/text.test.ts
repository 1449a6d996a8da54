import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatBytes, formatDuration, formatTicking, formatWhen, plural } from '../../../../renderer/ui/format.ts';
import { escapeOf, hasInvisible, splitInvisible } from '../../../../renderer/ui/invisible.ts';

describe('a duration', () => {
  test.each([
    [-5, '0 ms'], [0, '0 ms'], [999, '999 ms'], [1_000, '1.0 s'], [3_449, '3.4 s'], [9_999, '9.9 s'], [48_900, '48 s'], [59_999, '59 s'],
    [125_000, '2 min 05 s'], [3_720_000, '1 h 02 min'], [273_600_000, '3 d 4 h'],
  ])('of %i ms is %s', (time, words) => {
    expect(formatDuration(time)).toBe(words);
  });

  test('that is still counted shows whole seconds', () => {
    expect([0, 999, 1_000, 9_900, 61_500].map(formatTicking)).toEqual(['0 s', '0 s', '1 s', '9 s', '1 min 01 s']);
  });
});

describe('a moment', () => {
  const now = new Date(2026, 2, 10, 15, 30).getTime();
  test.each([
    [new Date(2026, 2, 10, 0, 5), '00:05'], [new Date(2026, 2, 9, 23, 59), 'yesterday'], [new Date(2026, 2, 6, 12), 'Fri'],
    [new Date(2026, 0, 3, 12), '3 Jan'], [new Date(2024, 10, 3, 12), '3 Nov 2024'], [new Date(2026, 2, 11, 9, 0), '09:00'],
  ])('%s is %s', (then, words) => {
    expect(formatWhen(then.getTime(), now)).toBe(words);
  });
});

test('sizes and counts read as a person writes them', () => {
  expect([0, 812, 4_100, 9_960, 999_700, 12_000_000].map(formatBytes)).toEqual(['0 B', '812 B', '4.1 kB', '10 kB', '1.0 MB', '12 MB']);
  expect([plural(1, 'command'), plural(1_200, 'command'), plural(2, 'entry', 'entries')]).toEqual(['1 command', '1,200 commands', '2 entries']);
});

describe('text that hides something', () => {
  test.each([
    ['rm \u202egnp.exe', '\\u202e', 'text direction override'],
    ['ls\u200b -la', '\\u200b', 'zero-width character'],
    ['a\u00a0b', '\\xa0', 'no-break space'],
    ['\u001b[31mred', '\\x1b', 'escape'],
    ['x\r', '\\x0d', 'control character'],
    ['tag\u{e0041}', '\\u{e0041}', 'invisible tag character'],
    ['broken \ud800', '\\ud800', 'broken character'],
    ['a\u2028b', '\\u2028', 'line separator'],
    ['x\u0338\u0338\u0338\u0338', '\\u0338', 'piled-up mark'],
    ['rm x\ufe0f', '\\ufe0f', 'invisible character'],
    ['a\u{1d173}b', '\\u{1d173}', 'invisible character'],
    ['a\ue0b0b', '\\ue0b0', 'invisible character'],
  ])('%j shows %s', (text, escape, name) => {
    expect(splitInvisible(text)).toContainEqual({ kind: 'escape', text: escape, name });
    expect(hasInvisible(text)).toBe(true);
  });

  test('leaves ordinary text alone, in any script', () => {
    for (const text of ['ls -la\n\tgrep "x"', 'Grüße, 日本語, עברית, हिन्दी, emoji 👍️', '']) {
      expect(splitInvisible(text)).toEqual(text === '' ? [] : [{ kind: 'plain', text }]);
      expect(hasInvisible(text)).toBe(false);
    }
  });

  test('loses no character, whatever the text', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => {
      const shown = splitInvisible(text).map((piece) => (piece.kind === 'plain' ? piece.text : unescape(piece.text))).join('');
      expect(shown).toBe(text);
    }));
  });

  test('is written as source would write it', () => {
    expect(['\u0000', '\u00ff', '\u200b', '\u{10ffff}'].map(escapeOf)).toEqual(['\\x00', '\\xff', '\\u200b', '\\u{10ffff}']);
  });
});

function unescape(escape: string): string {
  return String.fromCodePoint(Number.parseInt(/[0-9a-f]{2,6}/.exec(escape)?.[0] ?? '', 16));
}
