/** kill −9 while scheduled work runs, and while its result is on its way: nothing is done twice, and whoever waits is told once. */
import { afterEach, expect, test } from 'vitest';
import { createHost } from '../../../main/host.ts';
import type { ScheduleRun } from '../../../preload/contract/schedules.ts';
import { ANNA } from '../../support/gateway/discord.ts';
import { openKilledHost, type KilledHost } from '../../support/gateway/killed-host.ts';
import { PEOPLE } from '../../support/gateway/person.ts';
import { CALLER } from '../../support/test-host.ts';

const WAIT = { timeout: 60_000, interval: 20 };
const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => { for (const close of closers.splice(0).toReversed()) await close(); });

/** A look into the home from a process that runs no schedules. */
async function beside<T>({ home, folder }: KilledHost, work: (host: Awaited<ReturnType<typeof createHost>>) => Promise<T>): Promise<T> {
  const host = await createHost({
    home, cwd: folder, env: { PATH: process.env['PATH'], HOME: folder },
    shell: { name: 'test', openExternal: () => Promise.resolve(), notify: () => undefined, secrets: { get: () => Promise.resolve(undefined), set: () => Promise.resolve(), warning: undefined } },
  });
  try {
    return await work(host);
  } finally {
    await host.close();
  }
}
const history = (killed: KilledHost): Promise<ScheduleRun[]> => beside(killed, async (host) => host.handle('schedules.history', { limit: 50 }, CALLER));

test('killed before, during and after runs: the due one runs once, the cut one is told to be interrupted once, the finished one arrives once', async () => {
  const anna = await PEOPLE.discord();
  closers.push(() => anna.close());
  const killed = await openKilledHost(anna, { script: ({ body }) => (JSON.stringify(body.messages).includes('the slow work') ? { steps: [{ text: 'half' }, { gate: 'never' }] } : { text: 'The quick result.' }) });
  closers.push(() => killed.close());
  const deliver = `discord:6${ANNA.id.slice(1)}`;
  await beside(killed, async (host) => {
    for (const prompt of ['the slow work', 'the quick work']) await host.handle('schedules.create', { draft: { schedule: new Date(Date.now() + 2_000).toISOString(), prompt, name: prompt, deliver } }, CALLER);
  });
  anna.hang(1);
  const first = await killed.serve();
  await expect.poll(() => anna.reads().some((text) => text.includes('The quick result.')) && killed.model.requests.length === 2, WAIT).toBe(true);
  await killed.kill(first);

  const second = await killed.serve();
  await expect.poll(() => anna.reads().length, WAIT).toBe(2);
  const told = [expect.stringContaining('The quick result.') as string, expect.stringContaining('Scheduled: the slow work failed. The app ended while this ran.') as string];
  expect(anna.reads()).toEqual(told);
  await killed.kill(second);
  expect((await history(killed)).map(({ jobName, state }) => `${jobName}: ${state}`).sort()).toEqual(['the quick work: done', 'the slow work: interrupted']);

  await killed.serve('discord');
  expect(await history(killed)).toHaveLength(2);
  expect(anna.reads()).toEqual(told);
  expect(killed.model.requests).toHaveLength(2);
}, 240_000);
