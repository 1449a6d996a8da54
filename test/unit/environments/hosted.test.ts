import { describe, expect, test, vi } from 'vitest';
import { readDaytonaSettings } from '../../../environments/daytona/settings.ts';
import { loadDaytona } from '../../../environments/daytona/client.ts';
import { DEFAULT_TIMING, whileAlive, within } from '../../../environments/hosted/limits.ts';
import { fateOf, LABEL, labelsFor } from '../../../environments/hosted/owner.ts';
import { isNetworkError, kindOfStatus } from '../../../environments/hosted/problem.ts';
import { loadModal } from '../../../environments/modal/client.ts';
import { readModalSettings } from '../../../environments/modal/settings.ts';
import { loadVercel, patientFetch, vercelCredentials } from '../../../environments/vercel-sandbox/client.ts';
import { lineDecoder } from '../../../environments/vercel-sandbox/scripts.ts';
import { readVercelSettings } from '../../../environments/vercel-sandbox/settings.ts';

vi.mock('modal', () => { throw new Error('Cannot find package'); });
vi.mock('@daytona/sdk', () => { throw new Error('Cannot find package'); });
vi.mock('@vercel/sandbox', () => { throw new Error('Cannot find package'); });

const from = (values: Readonly<Record<string, string>>) => (variable: string) => values[variable];

test.each([['Modal', loadModal], ['Daytona', loadDaytona], ['Vercel', loadVercel]])('an SDK of %s that is not installed is told with the way to get it', async (name, load) => {
  await expect(load()).rejects.toMatchObject({ code: 'missing', message: expect.stringContaining(name) as unknown, hint: expect.stringContaining('npm install') as unknown });
});

describe('settings', () => {
  test('a limit of cost shortens the life of a sandbox, and one that pays for too little is refused', () => {
    expect(readModalSettings(from({ TERMINAL_SANDBOX_HOURLY_COST: '1', TERMINAL_SANDBOX_MAX_COST: '0.25' })).lifetimeS).toBe(900);
    expect(readModalSettings(from({})).lifetimeS).toBe(3_600);
    expect(() => readModalSettings(from({ TERMINAL_SANDBOX_HOURLY_COST: '1', TERMINAL_SANDBOX_MAX_COST: '0.01' }))).toThrow(/TERMINAL_SANDBOX_MAX_COST of \$0.01 pays for 36 s/);
    expect(() => readModalSettings(from({ TERMINAL_SANDBOX_LIFETIME_SECONDS: '60' }))).toThrow('Invalid value for TERMINAL_SANDBOX_LIFETIME_SECONDS');
  });
  test('the managed mode of Modal is refused by name', () => {
    expect(() => readModalSettings(from({ TERMINAL_MODAL_MODE: 'managed' }))).toThrow('Invalid value for TERMINAL_MODAL_MODE');
  });
  test('Daytona gets whole GiB and at most 10 of disk', () => {
    expect(readDaytonaSettings(from({ TERMINAL_CONTAINER_CPU: '1.5', TERMINAL_CONTAINER_MEMORY: '1500' })).resources).toEqual({ cpu: 2, memory: 2, disk: 10 });
  });
  test('Vercel takes no other disk than its own, and memory goes with the CPUs', () => {
    expect(readVercelSettings(from({ TERMINAL_CONTAINER_CPU: '4', TERMINAL_CONTAINER_DISK: '0' }))).toMatchObject({ vcpus: 4, memoryMb: 8_192, runtime: 'node24', lifetimeS: 2_700 });
    expect(() => readVercelSettings(from({ TERMINAL_CONTAINER_DISK: '100' }))).toThrow('Invalid value for TERMINAL_CONTAINER_DISK');
  });
});

describe('a sandbox that is found', () => {
  const hosts = { self: '10:100', isAlive: (identity: string) => identity === '10:100' || identity === '11:110' };
  const labels = (task: string, self: string) => labelsFor({ task, profile: 'p', hosts: { ...hosts, self } });
  const fate = (task: string, self: string, more: { readonly running?: boolean; readonly inUse?: readonly string[] } = {}) =>
    fateOf({ id: 'sb', labels: labels(task, self), running: more.running ?? true }, { task: 'mine', inUse: new Set(more.inUse), hosts });

  test('of the task is taken over when its owner has ended, and shared while it lives', () => {
    expect([fate('mine', '12:120'), fate('mine', '11:110'), fate('mine', '10:100'), fate('mine', '10:100', { inUse: ['sb'] })]).toEqual(['adopt', 'share', 'adopt', 'share']);
  });
  test('of another task is ended when its owner has, unless it does not run', () => {
    expect([fate('other', '12:120'), fate('other', '11:110'), fate('other', '10:100', { inUse: ['sb'] }), fate('other', '12:120', { running: false })]).toEqual(['sweep', 'leave', 'leave', 'leave']);
  });
  test('of a process whose number was given to another one counts as left behind', () => {
    expect(fate('other', '11:999')).toBe('sweep');
  });
  test('of another machine is never ended', () => {
    expect(fateOf({ id: 'sb', labels: { ...labels('other', '12:120'), [LABEL.owner]: 'ffffffff-12-120' }, running: true }, { task: 'mine', inUse: new Set(), hosts })).toBe('leave');
  });
});

describe('waiting', () => {
  test('a service that is silent is given up together well below 10 seconds', () => {
    expect(DEFAULT_TIMING.askEveryMs + DEFAULT_TIMING.answerMs).toBeLessThan(10_000);
  });
  test('within tells who did not answer', async () => {
    await expect(within(new Promise(() => undefined), 1, 'Modal')).rejects.toMatchObject({ code: 'timeout', message: 'Modal did not answer within 0.001 s' });
  });
  test('work goes on as long as the service answers, and is given up when it does not', async () => {
    const timing = { askEveryMs: 1, answerMs: 5, createMs: 60_000 };
    let asked = 0;
    const slow = new Promise<string>((resolve) => { setTimeout(() => resolve('made'), 60); });
    expect(await whileAlive(slow, { timing: { ...timing, answerMs: 1_000 }, service: 'Modal', what: 'the sandbox', ask: () => { asked++; return Promise.resolve(); } })).toBe('made');
    expect(asked).toBeGreaterThan(0);
    await expect(whileAlive(new Promise(() => undefined), { timing, service: 'Modal', what: 'the sandbox', ask: () => new Promise(() => undefined) })).rejects.toThrow('the sandbox: Modal did not answer');
  });
  test('work can be cancelled', async () => {
    const work = whileAlive(new Promise(() => undefined), { timing: DEFAULT_TIMING, service: 'Modal', what: 'the sandbox', ask: () => Promise.resolve(), signal: AbortSignal.abort() });
    await expect(work).rejects.toMatchObject({ code: 'closed' });
  });
});

test('lines of base64 come apart at any place', () => {
  const text = `${Buffer.from([0, 255, 10]).toString('base64')}\n${Buffer.from('end').toString('base64')}\n`;
  for (let cut = 0; cut <= text.length; cut++) {
    const parts: Buffer[] = [];
    const decode = lineDecoder((bytes) => parts.push(bytes));
    decode(text.slice(0, cut));
    decode(text.slice(cut));
    expect(Buffer.concat(parts)).toEqual(Buffer.from([0, 255, 10, 101, 110, 100]));
  }
});

test('what an answer of a service means', () => {
  expect([401, 403, 402, 429, 404, 410, 500, 503, 408, 400].map(kindOfStatus)).toEqual(['credentials', 'credentials', 'limit', 'limit', 'gone', 'gone', 'broken', 'broken', 'broken', 'refused']);
  expect(isNetworkError(new Error('x', { cause: Object.assign(new Error('y'), { code: 'ECONNRESET' }) }))).toBe(true);
  expect(isNetworkError(new Error('the image is not there'))).toBe(false);
});

test('a request that Vercel asks to repeat is repeated three times at most', async () => {
  let calls = 0;
  const fetch = patientFetch(() => Promise.resolve(new Response('', { status: ++calls < 2 ? 425 : 200 })));
  expect((await fetch('https://vercel.com')).status).toBe(200);
  expect(calls).toBe(2);
});

test('a token of OpenID Connect names team and project itself', async () => {
  const token = `a.${Buffer.from(JSON.stringify({ owner_id: 'team_1', project_id: 'prj_1' })).toString('base64url')}.c`;
  expect(await vercelCredentials((name) => Promise.resolve(from({ VERCEL_OIDC_TOKEN: token })(name)))).toEqual({ token, teamId: 'team_1', projectId: 'prj_1' });
  await expect(vercelCredentials((name) => Promise.resolve(from({ VERCEL_OIDC_TOKEN: 'x' })(name)))).rejects.toThrow('VERCEL_OIDC_TOKEN is not a token of Vercel');
  await expect(vercelCredentials((name) => Promise.resolve(from({ VERCEL_TOKEN: 'x' })(name)))).rejects.toThrow('Vercel needs VERCEL_TEAM_ID, VERCEL_PROJECT_ID');
});
