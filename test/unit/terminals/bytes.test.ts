import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LineFeeds, unfinishedTail } from '../../../main/terminals/bytes.ts';

const bytes = (text: string): Uint8Array => Buffer.from(text, 'latin1');
const text = (data: Uint8Array): string => Buffer.from(data).toString('latin1');

describe('line feeds of a pipe', () => {
  test('bare ones gain a carriage return, complete ones stay', () => {
    expect(text(new LineFeeds().convert(bytes('a\nb\r\nc\n\n')))).toBe('a\r\nb\r\nc\r\n\r\n');
  });

  test('a carriage return at the end of one chunk counts for the next', () => {
    const feeds = new LineFeeds();
    expect(text(feeds.convert(bytes('a\r'))) + text(feeds.convert(bytes('\nb\n')))).toBe('a\r\nb\r\n');
  });

  test('a chunk that passed unconverted is remembered', () => {
    const feeds = new LineFeeds();
    feeds.pass(bytes('a\r'));
    expect(text(feeds.convert(bytes('\n')))).toBe('\n');
  });

  test('any split gives the same bytes', () => {
    fc.assert(fc.property(fc.array(fc.constantFrom('\r', '\n', 'x', '\x1b[1m'), { maxLength: 40 }), fc.array(fc.nat(200), { maxLength: 6 }), (parts, cuts) => {
      const whole = parts.join('');
      const split = new LineFeeds();
      let at = 0;
      let pieces = '';
      for (const cut of [...cuts].sort((a, b) => a - b)) {
        pieces += text(split.convert(bytes(whole.slice(at, cut))));
        at = Math.max(at, Math.min(cut, whole.length));
      }
      expect(pieces + text(split.convert(bytes(whole.slice(at))))).toBe(text(new LineFeeds().convert(bytes(whole))));
    }));
  });
});

describe('the unfinished tail of a stream', () => {
  test.each([
    ['plain text', 0], ['', 0], ['done \x1b[31m', 0], ['done \x1b[31mred', 0], ['\x1b', 1], ['x\x1b[', 2], ['x\x1b[38;5;', 7], ['x\x1b]0;title', 9], ['x\x1b]0;title\x07', 0],
    ['x\x1b]0;title\x1b', 10], ['x\x1b]0;title\x1b\\', 0], ['x\x1b(', 2], ['x\x1b(B', 0], ['x\x1bP1$r', 5], ['\x1b7', 0],
    ['caf\xc3', 1], ['\xe2\x82', 2], ['\xe2\x82\xac', 0], ['\xf0\x9f\x98', 3], ['\xf0\x9f\x98\x80', 0], ['x\x80', 0],
  ])('%j has %i bytes of it', (stream, expected) => {
    expect(unfinishedTail(bytes(stream))).toBe(expected);
  });
});
