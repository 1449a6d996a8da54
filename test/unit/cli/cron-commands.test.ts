import { describe, expect, test } from 'vitest';
import { JobId, SessionId, type ScheduleDraft, type ScheduleJob, type ScheduleRun } from '../../../preload/contract/index.ts';
import type { Handlers } from '../../support/bridge-host.ts';
import { runWith, testCliHost, testStreams } from '../../support/cli-host.ts';

const job: ScheduleJob = {
  id: JobId.parse('job_0000000001'), name: 'news', prompt: 'Read the news', schedule: 'every 2h', spec: { kind: 'interval', everyMs: 7_200_000, anchor: 0 }, words: 'every 2 h', repeat: null, runs: 3, deliver: 'local',
  skills: [], script: null, noAgent: false, contextFrom: [], toolsets: null, workdir: null, model: null, state: 'active', nextRunAt: 1_796_000_000_000, originSessionId: null, createdAt: 0,
};
const run: ScheduleRun = { id: 7, jobId: job.id, jobName: 'news', dueAt: 0, startedAt: 0, endedAt: null, state: 'running', trigger: 'hand', sessionId: SessionId.parse('ses_0000000000000000'), output: '', error: null, deliveryError: null, seen: false };
const lists: Handlers = { 'schedules.list': () => ({ jobs: [job], unseen: 2 }) };

async function cron(handlers: Handlers, ...argv: string[]): Promise<{ code: number; out: string; err: string; host: ReturnType<typeof testCliHost> }> {
  const host = testCliHost({ ...lists, ...handlers });
  const streams = testStreams({ interactive: false });
  const code = await runWith(host, streams, 'cron', ...argv);
  return { code, out: streams.out(), err: streams.err(), host };
}

describe('cron', () => {
  test('lists the jobs with their next run, and how many results wait to be read', async () => {
    const { code, out } = await cron({});
    expect(code).toBe(0);
    expect(out).toMatch(/job_0000000001 {2}news {2}every 2 h {2}next .*2026/);
    expect(out).toContain('2 results nobody has read');
  });

  test('an empty list says how to make the first job', async () => {
    expect((await cron({ 'schedules.list': () => ({ jobs: [], unseen: 0 }) }, 'list')).out).toContain('talaria cron create');
  });

  test('create sends what was named and nothing else', async () => {
    const drafts: ScheduleDraft[] = [];
    const { code } = await cron({ 'schedules.create': ({ draft }) => { drafts.push(draft); return job; } }, 'create', 'every 2h', 'Read the news', '--skills', 'a, b', '--repeat', '3', '--no-agent', '--script', 'x.sh');
    expect(code).toBe(0);
    expect(drafts).toEqual([{ schedule: 'every 2h', prompt: 'Read the news', skills: ['a', 'b'], repeat: 3, noAgent: true, script: 'x.sh' }]);
  });

  test('update finds the job by its name; without a change it is a mistake', async () => {
    const changes: unknown[] = [];
    const handlers: Handlers = { 'schedules.update': (input) => { changes.push(input); return job; } };
    expect((await cron(handlers, 'update', 'news', '--schedule', 'daily at 9')).code).toBe(0);
    expect(changes).toEqual([{ id: job.id, draft: { schedule: 'daily at 9' } }]);
    expect(await cron(handlers, 'update', 'news')).toMatchObject({ code: 2, err: expect.stringContaining('nothing is to be changed') as string });
  });

  test('an unknown and a doubled name are refused with what to do', async () => {
    expect(await cron({}, 'pause', 'nobody')).toMatchObject({ code: 2, err: expect.stringContaining('talaria cron list') as string });
    const two: Handlers = { 'schedules.list': () => ({ jobs: [job, { ...job, id: JobId.parse('job_0000000002') }], unseen: 0 }) };
    expect((await cron(two, 'remove', 'news')).err).toContain('job_0000000001, job_0000000002');
  });

  test.each([['done', 0], ['failed', 1]] as const)('run waits for the end: %s is exit code %i', async (state, exitCode) => {
    let runs = [run];
    const handlers: Handlers = { 'schedules.run': () => ({ runId: 7 }), 'schedules.history': () => runs, 'schedules.seen': () => ({}) };
    const host = testCliHost({ ...lists, ...handlers });
    const streams = testStreams({ interactive: false });
    const ended = runWith(host, streams, 'cron', 'run', 'news');
    await expect.poll(() => host.calls.some(({ name }) => name === 'schedules.history')).toBe(true);
    runs = [{ ...run, state, endedAt: 1, output: state === 'done' ? 'All quiet.' : '', error: state === 'done' ? null : 'no model' }];
    host.bus.publish('schedules', { type: 'changed', unseen: 1 });
    expect(await ended).toBe(exitCode);
    expect(state === 'done' ? streams.out() : streams.err()).toBe(state === 'done' ? 'All quiet.\n' : 'no model\n');
  });

  test('history marks what is new, and reading it for a program changes nothing', async () => {
    const seen: unknown[] = [];
    const handlers: Handlers = { 'schedules.history': () => [{ ...run, state: 'done', endedAt: 1, output: 'All quiet.' }], 'schedules.seen': (input) => { seen.push(input); return {}; } };
    expect((await cron(handlers, 'history', 'news', '--json')).out).toContain('"All quiet."');
    expect(seen).toEqual([]);
    expect((await cron(handlers, 'history', 'news')).out).toMatch(/news {2}done {2}\(new\)\n {4}All quiet\./);
    expect(seen).toEqual([{ jobId: job.id }]);
  });

  test('serve opens a host that runs what is due, and tells each end once', async () => {
    let runs: ScheduleRun[] = [];
    const host = testCliHost({ ...lists, 'schedules.history': () => runs });
    const streams = testStreams({ interactive: false });
    const ended = runWith(host, streams, 'cron', 'serve');
    await streams.shows('Ctrl-C ends it');
    expect(host.opened[0]).toMatchObject({ runSchedules: true });
    runs = [{ ...run, trigger: 'schedule', state: 'done', endedAt: 1, output: 'All quiet.' }];
    for (let times = 0; times < 3; times += 1) host.bus.publish('schedules', { type: 'changed', unseen: 1 });
    await expect.poll(() => streams.out()).toContain('All quiet.');
    process.emit('SIGINT');
    expect(await ended).toBe(130);
    expect(streams.out().match(/All quiet/g)).toHaveLength(1);
  });
});
