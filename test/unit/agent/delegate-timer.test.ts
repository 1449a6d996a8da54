import { expect, test } from 'vitest';
import { createWorkTimer } from '../../../main/agent/delegate-timer.ts';
import { handClock } from '../../support/hand-clock.ts';

test('time in which a sub-agent waits for a person does not count', () => {
  const clock = handClock();
  const timer = createWorkTimer(clock, 10);
  clock.advance(6_000);
  timer.waits(true);
  timer.waits(true);
  clock.advance(3_600_000);
  expect(timer.signal.aborted).toBe(false);
  timer.waits(false);
  timer.waits(false);
  clock.advance(3_999);
  expect(timer.signal.aborted).toBe(false);
  clock.advance(1);
  expect(timer.signal.aborted).toBe(true);
});

test('without a limit nothing is counted, and a cancelled timer leaves nothing behind', () => {
  const clock = handClock();
  const unlimited = createWorkTimer(clock, undefined);
  unlimited.waits(false);
  expect(clock.pending).toBe(0);
  const timer = createWorkTimer(clock, 1);
  timer.cancel();
  expect(clock.pending).toBe(0);
  clock.advance(5_000);
  expect(timer.signal.aborted).toBe(false);
});
