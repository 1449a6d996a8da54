import { expect, test } from 'vitest';
import { Breaker } from '../../../main/mcp/breaker.ts';
import { Limit } from '../../../main/mcp/limit.ts';
import { handClock } from '../../support/hand-clock.ts';

test('a limit is over after its time, and leaves no timer when it is ended before', () => {
  const clock = handClock();
  const limit = new Limit(clock, 1_000);
  clock.advance(999);
  expect(limit.isOver).toBe(false);
  clock.advance(1);
  expect(limit.isOver).toBe(true);
  const other = new Limit(clock, 1_000);
  other.end();
  expect(clock.pending).toBe(0);
});

test('time in which a person is asked does not count, however many questions overlap', async () => {
  const clock = handClock();
  const limit = new Limit(clock, 1_000);
  clock.advance(600);
  const [first, second] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
  const answers = [limit.paused(first.promise), limit.paused(second.promise)];
  clock.advance(60_000);
  first.resolve('one');
  expect(await answers[0]).toBe('one');
  clock.advance(60_000);
  second.resolve('two');
  expect(await answers[1]).toBe('two');
  expect(limit.isOver).toBe(false);
  clock.advance(399);
  expect(limit.isOver).toBe(false);
  clock.advance(1);
  expect(limit.isOver).toBe(true);
});

test('after five failures in a row a server is left alone for half a minute, then one call is let through to see', () => {
  const clock = handClock();
  const breaker = new Breaker(clock);
  for (let failure = 0; failure < 5; failure += 1) {
    expect(breaker.tryPass()).toBe(0);
    breaker.failed();
  }
  expect(breaker.tryPass()).toBe(30_000);
  clock.advance(10_000);
  expect(breaker.tryPass()).toBe(20_000);
  clock.advance(20_000);
  expect(breaker.tryPass()).toBe(0);
  expect(breaker.tryPass(), 'a second call while the first one probes').toBeGreaterThan(0);
  breaker.failed();
  expect(breaker.tryPass()).toBe(30_000);
  clock.advance(30_000);
  expect(breaker.tryPass()).toBe(0);
  breaker.succeeded();
  for (let call = 0; call < 10; call += 1) expect(breaker.tryPass()).toBe(0);
});

test('a success in between starts the count anew, and a call that a person stopped is no verdict', () => {
  const breaker = new Breaker(handClock());
  for (let round = 0; round < 10; round += 1) {
    breaker.failed();
    breaker.failed();
    breaker.succeeded();
  }
  expect(breaker.tryPass()).toBe(0);
  for (let failure = 0; failure < 5; failure += 1) breaker.failed();
  breaker.gaveUp();
  expect(breaker.tryPass()).toBe(30_000);
});
