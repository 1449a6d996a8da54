import { describe, expect, test } from 'vitest';
import { WatchBreaker, Watcher } from '../../../main/terminals/watch.ts';

const WINDOW = 15_000;

describe('watching for patterns', () => {
  test('a line that contains a pattern is told, others are not', () => {
    const watcher = new Watcher(['ready', 'ERROR']);
    expect(watcher.push('starting\nserver ready on 80\n', 0)).toEqual([{ kind: 'match', pattern: 'ready', lines: ['server ready on 80'], suppressed: 0 }]);
    expect(watcher.hit).toBe(true);
  });

  test('a pattern is text, not a regular expression', () => {
    expect(new Watcher(['a.c']).push('abc\n', 0)).toEqual([]);
    expect(new Watcher(['a.c']).push('a.c\n', 0)).toHaveLength(1);
  });

  test('a line that comes in pieces is matched once it is whole', () => {
    const watcher = new Watcher(['ready']);
    expect(watcher.push('server rea', 0)).toEqual([]);
    expect(watcher.push('dy\n', 0)).toHaveLength(1);
  });

  test('a line matches one pattern only', () => {
    expect(new Watcher(['b', 'a']).push('ab\n', 0)).toMatchObject([{ pattern: 'b', lines: ['ab'] }]);
  });

  test('what matches within 15 seconds of an event is counted and told with the next', () => {
    const watcher = new Watcher(['x']);
    watcher.push('x\n', 0);
    expect(watcher.push('x\nx\n', 1_000)).toEqual([]);
    expect(watcher.push('x last\n', WINDOW)).toEqual([{ kind: 'match', pattern: 'x', lines: ['x last'], suppressed: 2 }]);
  });

  test('at most 20 lines and 2,000 characters are told', () => {
    const [many] = new Watcher(['x']).push('x\n'.repeat(30), 0);
    expect(many).toMatchObject({ suppressed: 10 });
    expect(many?.kind === 'match' ? many.lines : []).toHaveLength(20);
    const [long] = new Watcher(['x']).push(`${'x'.repeat(5_000)}\n`, 0);
    expect(long?.kind === 'match' ? long.lines.join('').length : 0).toBe(2_000);
  });

  test('three windows in a row with dropped matches switch watching off', () => {
    const watcher = new Watcher(['x']);
    const kinds: string[] = [];
    for (let window = 0; window < 6; window++) {
      for (const event of [...watcher.push('x\n', window * WINDOW), ...watcher.push('x\n', window * WINDOW + 1)]) kinds.push(event.kind);
    }
    expect(kinds).toEqual(['match', 'match', 'match', 'disabled']);
    expect(watcher.active).toBe(false);
  });

  test('a quiet window clears the strikes', () => {
    const watcher = new Watcher(['x']);
    const kinds: string[] = [];
    for (let window = 0; window < 7; window++) {
      for (const event of watcher.push('x\n', window * WINDOW)) kinds.push(event.kind);
      if (window % 2 === 0) for (const event of watcher.push('x\n', window * WINDOW + 1)) kinds.push(event.kind);
    }
    expect(kinds).not.toContain('disabled');
  });

  test('the eighth delivered match is the last', () => {
    const watcher = new Watcher(['x']);
    const kinds = Array.from({ length: 10 }, (_, window) => watcher.push('x\n', window * WINDOW).map((event) => event.kind)).flat();
    expect(kinds).toEqual([...Array.from({ length: 8 }, () => 'match'), 'disabled']);
  });

  test('nothing is told after the end', () => {
    const watcher = new Watcher(['x']);
    watcher.stop();
    expect(watcher.push('x\n', 0)).toEqual([]);
  });

  test('no pattern watches nothing', () => {
    expect(new Watcher(['']).active).toBe(false);
  });
});

describe('the breaker over all processes', () => {
  test('more than 15 events in 10 seconds trip it once and silence the rest', () => {
    const breaker = new WatchBreaker();
    const answers = Array.from({ length: 18 }, (_, index) => breaker.ask(index));
    expect(answers).toEqual([...Array.from({ length: 15 }, () => 'pass'), 'tripped', 'silent', 'silent']);
  });

  test('after 30 seconds it passes again and says once how many it swallowed', () => {
    const breaker = new WatchBreaker();
    for (let index = 0; index < 18; index++) breaker.ask(0);
    expect(breaker.released(29_999)).toBeUndefined();
    expect(breaker.released(30_000)).toBe(3);
    expect(breaker.released(30_001)).toBeUndefined();
    expect(breaker.ask(30_001)).toBe('pass');
  });

  test('15 events in every 10 seconds go on for ever', () => {
    const breaker = new WatchBreaker();
    expect(Array.from({ length: 60 }, (_, index) => breaker.ask(index * 700)).every((answer) => answer === 'pass')).toBe(true);
  });
});
