import { describe, expect, test } from 'vitest';
import { HIGH_WATER_BYTES } from '../../../preload/contract/terminal.ts';
import { View } from '../../../main/terminals/view.ts';
import { handClock } from '../../support/hand-clock.ts';

function open(copy = 'fresh copy') {
  const clock = handClock();
  const sent: string[] = [];
  const busy: boolean[] = [];
  const view = new View({
    send: (bytes) => sent.push(Buffer.from(bytes).toString()), onBusy: (is) => busy.push(is), copy: (begin) => { begin(); return Promise.resolve(copy); },
  }, clock);
  return { clock, sent, busy, view, push: (text: string) => view.push(Buffer.from(text)) };
}

describe('an attached screen', () => {
  test('gets nothing before its snapshot, then what came meanwhile', () => {
    const { view, push, sent, clock } = open();
    push('a');
    clock.advance(100);
    expect(sent).toEqual([]);
    view.start();
    clock.advance(16);
    expect(sent).toEqual(['a']);
  });

  test('gets what comes within 16 ms as one batch', () => {
    const { view, push, sent, clock } = open();
    view.start();
    push('a');
    clock.advance(10);
    push('b');
    clock.advance(5);
    expect(sent).toEqual([]);
    clock.advance(1);
    expect(sent).toEqual(['ab']);
  });

  test('gets a large batch at once, in pieces of at most 200 kB', () => {
    const { view, push, sent } = open();
    view.start();
    push('x'.repeat(450_000));
    expect(sent.map((piece) => piece.length)).toEqual([200_000, 200_000, 50_000]);
  });

  test('holds the program above the high mark and lets it go below the low one', () => {
    const { view, push, busy, clock } = open();
    view.start();
    push('x'.repeat(HIGH_WATER_BYTES + 1));
    clock.advance(16);
    expect(busy).toEqual([true]);
    view.acknowledge(HIGH_WATER_BYTES - 10_000);
    expect(busy).toEqual([true]);
    view.acknowledge(6_000);
    expect(busy).toEqual([true, false]);
  });

  test('that acknowledges nothing for 5 seconds holds nobody up, and is drawn anew when it comes back', async () => {
    const { view, push, busy, sent, clock } = open();
    view.start();
    push('x'.repeat(HIGH_WATER_BYTES + 1));
    clock.advance(16);
    clock.advance(5_000);
    expect(busy).toEqual([true, false]);
    push('lost on it');
    clock.advance(100);
    sent.length = 0;
    view.acknowledge(HIGH_WATER_BYTES + 1);
    push('while copying');
    await Promise.resolve();
    await Promise.resolve();
    clock.advance(16);
    expect(sent.join('')).toBe('\x1bcfresh copywhile copying');
  });

  test('gets the last bytes when the terminal ends, started or not', () => {
    const early = open();
    early.push('end');
    early.view.finish();
    early.view.start();
    expect(early.sent).toEqual(['end']);
    const late = open();
    late.view.start();
    late.push('end');
    late.view.finish();
    expect(late.sent).toEqual(['end']);
  });

  test('gets nothing after it was closed, and leaves no timer', () => {
    const { view, push, sent, busy, clock } = open();
    view.start();
    push('x'.repeat(HIGH_WATER_BYTES + 1));
    view.close();
    push('y');
    clock.advance(10_000);
    expect(sent).toEqual([]);
    expect(busy).toEqual([true, false]);
    expect(clock.pending).toBe(0);
  });
});
