import { describe, expect, test } from 'vitest';
import type { JobId, ScheduleJob, ScheduleRun } from '../../../../preload/contract/schedules.ts';
import { draftOf, EMPTY_FORM, formOf, lastRuns, nextWords, problemsOf, runWords } from '../../../../renderer/features/schedules/model.ts';

const NOW = new Date(2026, 10, 30, 10, 0).getTime();
const MINUTE = 60_000;
const job: ScheduleJob = {
  id: 'job_0000000001' as JobId, name: 'news', prompt: 'Read the news', schedule: 'every 2h', spec: { kind: 'interval', everyMs: 120 * MINUTE, anchor: NOW }, words: 'every 2 h', repeat: null, runs: 0, deliver: 'local', // in the form of the contract
  skills: ['reading'], script: null, noAgent: false, contextFrom: [], toolsets: null, workdir: null, model: null, state: 'active', nextRunAt: NOW + 120 * MINUTE, originSessionId: null, createdAt: NOW,
};
const run = (id: number, change: Partial<ScheduleRun> = {}): ScheduleRun => ({
  id, jobId: job.id, jobName: job.name, dueAt: NOW, startedAt: NOW, endedAt: NOW + 3_400, state: 'done', trigger: 'schedule', sessionId: null, output: 'fine', error: null, deliveryError: null, seen: false, ...change,
});

describe('when a job runs next', () => {
  test('is said as a distance and as a moment', () => {
    expect(nextWords(job, NOW)).toBe('Next run in 2 h 00 min, Mon 30 Nov, 12:00');
    expect(nextWords({ ...job, nextRunAt: NOW + 5 * MINUTE }, NOW)).toBe('Next run in 5 min, Mon 30 Nov, 10:05');
    expect(nextWords({ ...job, nextRunAt: NOW + 20_000 }, NOW)).toMatch(/^Next run in less than a minute/);
    expect(nextWords({ ...job, nextRunAt: NOW - 1 }, NOW)).toBe('Next run: now');
  });
  test('a paused and a finished job say that they do not', () => {
    expect(nextWords({ ...job, state: 'paused' }, NOW)).toBe('Paused: it does not run');
    expect(nextWords({ ...job, state: 'done', nextRunAt: null }, NOW)).toBe('Done: it runs no more');
  });
});

describe('a run in words', () => {
  test('names when, how long and by whom', () => {
    expect(runWords(run(1, { trigger: 'hand' }), NOW + MINUTE)).toBe('10:00, took 3.4 s, started by hand');
  });
  test('what was missed took no time', () => {
    expect(runWords(run(1, { state: 'missed', endedAt: NOW }), NOW)).toBe('10:00');
  });
  test('the last run of each job is the newest', () => {
    expect(lastRuns([run(3), run(2), run(1, { jobId: 'job_0000000002' as JobId })]).get(job.id)?.id).toBe(3); // in the form of the contract
  });
});

describe('the form', () => {
  test('asks for a time and for what to do', () => {
    expect(Object.keys(problemsOf(EMPTY_FORM))).toEqual(['schedule', 'prompt']);
    expect(problemsOf({ ...EMPTY_FORM, schedule: '30m', prompt: 'x' })).toEqual({});
  });
  test('without a model it asks for a script, not for a prompt', () => {
    expect(Object.keys(problemsOf({ ...EMPTY_FORM, schedule: '30m', noAgent: true }))).toEqual(['script']);
  });
  test('refuses a number of runs that is none', () => {
    for (const repeat of ['0', '-1', '1.5', 'many']) expect(problemsOf({ ...EMPTY_FORM, schedule: '30m', prompt: 'x', repeat })).toHaveProperty('repeat');
  });
  test('opened and saved unchanged sends nothing', () => {
    expect(draftOf(formOf(job), job)).toEqual({});
  });
  test('sends only what was changed, so that the next run stays', () => {
    expect(draftOf({ ...formOf(job), prompt: 'Read all the news', skills: 'reading, writing' }, job)).toEqual({ prompt: 'Read all the news', skills: ['reading', 'writing'] });
  });
  test('an empty place for results leaves the choice to the host', () => {
    expect(draftOf({ ...EMPTY_FORM, schedule: '30m', prompt: 'x' })).not.toHaveProperty('deliver');
  });
});
