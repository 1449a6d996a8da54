import { expect, test } from 'vitest';
import { CardGuard, STILL_MS } from '../../../../renderer/features/approvals/guard.ts';

const place = { top: 100, left: 20, width: 400 };

function guardAt(start = 0) {
  let time = start;
  const guard = new CardGuard(() => time);
  guard.notePlace(place);
  return { guard, wait: (ms: number) => { time += ms; } };
}

test('a card accepts nothing in its first 400 ms', () => {
  const { guard, wait } = guardAt();
  expect(guard.accepts(place, true)).toBe(false);
  wait(STILL_MS - 1);
  expect(guard.accepts(place, true)).toBe(false);
  wait(1);
  expect(guard.accepts(place, true)).toBe(true);
});

test('a card that moved accepts nothing for 400 ms again', () => {
  const { guard, wait } = guardAt();
  wait(1_000);
  expect(guard.notePlace({ ...place, top: 160 })).toBe(true);
  expect(guard.accepts({ ...place, top: 160 }, true)).toBe(false);
  wait(STILL_MS);
  expect(guard.accepts({ ...place, top: 160 }, true)).toBe(true);
});

test('a move that is only found at the moment of the click refuses that click', () => {
  const { guard, wait } = guardAt();
  wait(1_000);
  expect(guard.accepts({ ...place, top: 300 }, true)).toBe(false);
});

test('a redraw within a pixel or two is not a move', () => {
  const { guard, wait } = guardAt();
  wait(1_000);
  expect(guard.accepts({ ...place, top: 101.5 }, true)).toBe(true);
});

test('the click that brings the window to the front does not count, nor does one right after it', () => {
  const { guard, wait } = guardAt();
  wait(1_000);
  expect(guard.accepts(place, false)).toBe(false);
  expect(guard.accepts(place, true)).toBe(false);
  wait(STILL_MS);
  expect(guard.accepts(place, true)).toBe(true);
});

test('a key pressed before the card stood still does not count, however late it is delivered', () => {
  const { guard, wait } = guardAt();
  wait(1_000);
  expect(guard.accepts(place, true, STILL_MS - 1)).toBe(false);
  expect(guard.accepts(place, true, STILL_MS)).toBe(true);
});
