import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { graceMs, nextRun, parseSchedule } from '../../../main/schedules/parse.ts';

const NOW = Date.parse('2026-11-30T10:00:00Z');
const MINUTE = 60_000;
const next = (text: string, timezone = 'Europe/Berlin', now = NOW): string => {
  const at = nextRun(parseSchedule(text, now, timezone).spec, now);
  return at === undefined ? 'never' : new Date(at).toISOString();
};

describe('forms of a schedule, in Berlin on a Monday at 11:00', () => {
  test.each([
    ['30m', '2026-11-30T10:30:00.000Z'], ['in 30m', '2026-11-30T10:30:00.000Z'], ['in 2 hours', '2026-11-30T12:00:00.000Z'], ['1d', '2026-12-01T10:00:00.000Z'],
    ['every 2h', '2026-11-30T12:00:00.000Z'], ['Every 30 Minutes', '2026-11-30T10:30:00.000Z'], ['hourly', '2026-11-30T11:00:00.000Z'], ['every day', '2026-12-01T10:00:00.000Z'],
    ['daily at 9am', '2026-12-01T08:00:00.000Z'], ['every day at 18:30', '2026-11-30T17:30:00.000Z'], ['every monday at 18:30', '2026-11-30T17:30:00.000Z'], ['weekdays at 8', '2026-12-01T07:00:00.000Z'],
    ['mon, wed and fri at 7pm', '2026-11-30T18:00:00.000Z'], ['every weekend at noon', '2026-12-05T11:00:00.000Z'], ['sundays at midnight', '2026-12-05T23:00:00.000Z'], ['friday', '2026-12-04T08:00:00.000Z'],
    ['tomorrow at 9:00', '2026-12-01T08:00:00.000Z'], ['at 17:00', '2026-11-30T16:00:00.000Z'], ['at 9:00', '2026-12-01T08:00:00.000Z'], ['today at 11pm', '2026-11-30T22:00:00.000Z'],
    ['2026-12-24T18:00', '2026-12-24T17:00:00.000Z'], ['2026-12-24 18:00:00', '2026-12-24T17:00:00.000Z'], ['2026-12-24T18:00:00+02:00', '2026-12-24T16:00:00.000Z'], ['2026-12-24T18:00:00Z', '2026-12-24T18:00:00.000Z'],
    ['0 9 * * 1-5', '2026-12-01T08:00:00.000Z'], ['*/5 * * * *', '2026-11-30T10:05:00.000Z'], ['@daily', '2026-11-30T23:00:00.000Z'],
  ])('%s → %s', (text, at) => {
    expect(next(text)).toBe(at);
  });

  test('a time without an offset is the configured zone\'s, not this computer\'s', () => {
    expect(next('2026-12-24T18:00', 'Asia/Tokyo')).toBe('2026-12-24T09:00:00.000Z');
    expect(next('daily at 9', 'America/New_York')).toBe('2026-11-30T14:00:00.000Z');
  });

  test('an hour that is skipped or doubled by summer time comes once', () => {
    const spring = Date.parse('2027-03-27T12:00:00Z');
    expect(next('30 2 * * *', 'Europe/Berlin', spring)).toBe('2027-03-28T01:00:00.000Z');
    const { spec } = parseSchedule('30 2 * * *', spring, 'Europe/Berlin');
    const autumn = nextRun(spec, Date.parse('2027-10-30T12:00:00Z')) ?? 0;
    expect(new Date(nextRun(spec, autumn) ?? 0).toISOString()).toBe('2027-11-01T01:30:00.000Z');
  });

  test.each([
    ['', 'A schedule is missing'], ['soon', 'not a schedule that is understood'], ['every 10s', 'one minute is the least'], ['61 * * * *', 'no valid cron line'], ['* * * *', 'not a schedule'], ['* * * * * *', 'not a schedule'],
    ['0 0 30 2 *', 'never comes'], ['2020-01-01', 'is over'], ['2026-02-30', 'no date that exists'], ['at 25:00', 'not a time of day'], ['daily at 13pm', 'not a time of day'], ['today at 9:00', 'is over'], ['500d', 'too long'], ['0s', 'too short'],
  ])('%s is refused: %s', (text, words) => {
    expect(() => parseSchedule(text, NOW, 'Europe/Berlin')).toThrow(words);
  });
});

test('an interval keeps its grid however late it is asked', () => {
  const { spec } = parseSchedule('every 2h', NOW, 'UTC');
  expect(nextRun(spec, NOW + 7 * 60 * MINUTE + 1)).toBe(NOW + 8 * 60 * MINUTE);
  expect(nextRun(spec, NOW + 8 * 60 * MINUTE)).toBe(NOW + 10 * 60 * MINUTE);
});

test('grace is half the time to the next run, from two minutes to two hours', () => {
  expect(graceMs(parseSchedule('every 1m', NOW, 'UTC').spec, NOW + MINUTE)).toBe(2 * MINUTE);
  expect(graceMs(parseSchedule('every 1h', NOW, 'UTC').spec, NOW)).toBe(30 * MINUTE);
  expect(graceMs(parseSchedule('every 3d', NOW, 'UTC').spec, NOW)).toBe(120 * MINUTE);
  expect(graceMs(parseSchedule('in 1h', NOW, 'UTC').spec, NOW)).toBe(120 * MINUTE);
});

test('whatever is written, the answer is a moment still to come or a sentence', () => {
  const words = fc.constantFrom('every', 'in', 'at', 'on', 'daily', 'monday', 'weekdays', '2h', '30m', '9', '18:30', '9am', 'tomorrow', '*', '0', '*/5', '2026-12-24T18:00', 'noon', ',', 'and', '99', '@daily', '-1', '1e9d');
  fc.assert(fc.property(fc.array(fc.oneof(words, fc.string({ maxLength: 6 })), { maxLength: 6 }), (parts) => {
    const text = parts.join(' ');
    try {
      expect(nextRun(parseSchedule(text, NOW, 'Europe/Berlin').spec, NOW)).toBeGreaterThan(NOW);
    } catch (error) {
      expect(error).toMatchObject({ name: 'ScheduleError' });
    }
  }), { numRuns: 2_000 });
});
