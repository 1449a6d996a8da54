/** Two processes of one home: one serves the messengers, says so, and when it dies the other takes over. */
import { afterEach, expect, test } from 'vitest';
import { createHost, type Host } from '../../../main/host.ts';
import { CALLER } from '../../support/test-host.ts';
import { openKilledHost } from '../../support/gateway/killed-host.ts';
import { PEOPLE } from '../../support/gateway/person.ts';
import { createTurnedClock } from '../../support/turned-clock.ts';

const WAIT = { timeout: 60_000, interval: 20 };
const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => { for (const close of closers.splice(0).toReversed()) await close(); });

test('the second waits, names who serves, and takes over within half a minute of its death; each message is answered once', async () => {
  const anna = await PEOPLE.telegram();
  closers.push(() => anna.close());
  const first = await openKilledHost(anna, { script: () => ({ text: 'Understood.' }) });
  closers.push(() => first.close());
  const child = await first.serve('telegram');

  const clock = createTurnedClock(Date.now());
  const second: Host = await createHost({
    home: first.home, cwd: first.folder, env: { PATH: process.env['PATH'], HOME: first.folder, ...anna.env }, clock, runSchedules: true,
    shell: { name: 'electron', openExternal: () => Promise.resolve(), notify: () => undefined, secrets: { get: () => Promise.resolve(undefined), set: () => Promise.resolve(), warning: undefined } },
  });
  closers.push(() => second.close());
  const holder = () => second.handle('gateway.holder', {}, CALLER);
  expect(await holder()).toMatchObject({ here: false, pid: child.pid, shell: 'test' });
  await expect(second.handle('gateway.start', {}, CALLER)).rejects.toMatchObject({ message: expect.stringContaining(`process ${String(child.pid)}`) as string });
  expect((await second.handle('gateway.state', {}, CALLER)).find(({ name }) => name === 'telegram')?.status).toBe('connected');
  clock.turn(30_000);
  expect(await holder()).toMatchObject({ here: false });
  anna.says('one');
  await expect.poll(() => anna.reads(), WAIT).toEqual(['Understood.']);

  await first.kill(child);
  expect(await holder()).toBeNull();
  anna.says('two');
  clock.turn(30_000);
  expect(await holder()).toMatchObject({ here: true, pid: process.pid, shell: 'electron' });
  // Killed before it had noted that the first answer arrived, the second says that it is not sure of that.
  await expect.poll(() => anna.reads().filter((text) => text === 'Understood.'), WAIT).toHaveLength(2);
  expect(first.model.requests).toHaveLength(2);
}, 180_000);
