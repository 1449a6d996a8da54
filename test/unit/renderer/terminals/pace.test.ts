import { describe, expect, test } from 'vitest';
import { Pace } from '../../../../renderer/features/terminals/screen/pace.ts';

/** A parser that takes `msPerKilobyte`, and frames that come when the test says so. */
function machine(msPerKilobyte: number) {
  let time = 0;
  const frames: (() => void)[] = [];
  const parsed: number[] = [];
  const text: string[] = [];
  let work: { readonly bytes: Uint8Array; readonly done: () => void }[] = [];
  const pace = new Pace({
    write: (bytes, done) => { work.push({ bytes, done }); }, now: () => time, nextFrame: (run) => { frames.push(run); },
  });
  return {
    pace, parsed,
    push(content: string): { readonly finished: () => boolean } {
      let finished = false;
      pace.push(Buffer.from(content), () => { finished = true; });
      return { finished: () => finished };
    },
    /** Parses all that was given; returns how long that took. */
    parse(): number {
      const before = time;
      while (work.length > 0) {
        const [first] = work;
        if (first === undefined) break;
        work = work.slice(1);
        time += (first.bytes.length / 1_024) * msPerKilobyte;
        if (first.bytes.length > 0) parsed.push(first.bytes.length);
        text.push(Buffer.from(first.bytes).toString());
        first.done();
      }
      return time - before;
    },
    frame(after = 0): void {
      time += after;
      for (const run of frames.splice(0)) run();
    },
    text: () => text.join(''),
  };
}

describe('output on its way to the parser', () => {
  test('goes through at once when it is little', () => {
    const { push, parse, text } = machine(0.1);
    const echo = push('x');
    parse();
    expect(echo.finished()).toBe(true);
    expect(text()).toBe('x');
  });

  test('takes no more of a frame than its share once its speed is known, and all of it arrives in order', () => {
    const flood = Array.from({ length: 40_000 }, (_, index) => `line ${index}\n`).join('');
    for (const speed of [0.05, 0.5, 2]) {
      const { push, parse, frame, text } = machine(speed);
      const all = push(flood);
      const spent: number[] = [];
      while (!all.finished()) {
        spent.push(parse());
        frame();
      }
      expect(text()).toBe(flood);
      expect(Math.max(...spent.slice(20, -1))).toBeLessThanOrEqual(8);
    }
  });

  test('takes less of a frame while frames come late, and more again once they come in time; a page out of sight changes nothing', () => {
    const { push, parse, frame } = machine(0.5);
    push('y\n'.repeat(4_000_000));
    const share = (frames: number, gap: number): number => {
      let spent = 0;
      for (let turn = 0; turn < frames; turn += 1) {
        spent = parse();
        frame(gap - spent);
      }
      return spent;
    };
    const calm = share(200, 16.7);
    const late = share(10, 25);
    expect(share(10, 1_000)).toBeCloseTo(late, 0);
    const after = share(200, 16.7);
    expect(calm).toBeGreaterThan(2.5);
    expect(late).toBeLessThan(1.5);
    expect(after).toBeGreaterThan(2.5);
  });

  test('is told as done piece by piece, in the order it came', () => {
    const { push, parse, frame } = machine(1);
    const first = push('a'.repeat(20_000));
    const second = push('b');
    parse();
    expect([first.finished(), second.finished()]).toEqual([false, false]);
    for (let turn = 0; turn < 40 && !second.finished(); turn += 1) {
      frame();
      parse();
      expect(second.finished() && !first.finished()).toBe(false);
    }
    expect([first.finished(), second.finished()]).toEqual([true, true]);
  });

  test('that is forgotten for a fresh copy leaves nobody waiting', () => {
    const { pace, push, parse, frame } = machine(1);
    const first = push('a'.repeat(50_000));
    const second = push('b');
    pace.clear();
    parse();
    frame();
    expect([first.finished(), second.finished()]).toEqual([true, true]);
  });
});
