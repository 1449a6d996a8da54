import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { startTelegram, TOKEN, type LoopbackTelegram } from '../../support/gateway/telegram.ts';
import type { HostBench } from '../../support/test-host.ts';
import { enabled, openWith, plugin } from './support.ts';

const WAIT = { timeout: 20_000, interval: 20 };
const closers: (() => Promise<void>)[] = [];
afterEach(async () => { for (const close of closers.splice(0).toReversed()) await close(); });

type Heard = readonly [string, Readonly<Record<string, unknown>>];
/** A plugin that writes each payload as a line into a file of the home; `answer` is the body of its pre_gateway_dispatch. */
const ears = (answer = ''): string => `
  const { appendFileSync } = await import('node:fs');
  const write = (name, payload) => { appendFileSync(ctx.folder + '/../../heard', JSON.stringify([name, payload]) + '\\n'); };
  for (const name of ['on_session_finalize', 'on_session_reset']) ctx.registerHook(name, (payload) => { write(name, payload); });
  ctx.registerHook('pre_gateway_dispatch', (payload) => { write('pre_gateway_dispatch', payload); const { event } = payload; ${answer} });`;
const heard = async ({ home }: HostBench): Promise<Heard[]> => (await readFile(join(home, 'heard'), 'utf8').catch(() => '')).split('\n').filter((line) => line !== '').map((line) => JSON.parse(line) as Heard);

async function open(answer = ''): Promise<{ bench: HostBench; telegram: LoopbackTelegram }> {
  const telegram = await startTelegram();
  closers.push(() => telegram.close());
  const bench = await openWith(plugin('ears', ears(answer)), {
    withoutModel: false, unattended: true, script: () => ({ text: 'Understood.' }), env: { TELEGRAM_BOT_TOKEN: TOKEN, TELEGRAM_ALLOWED_USERS: '42' },
    yaml: `${enabled('ears')}gateway:\n  telegram:\n    api_root: ${telegram.url}\n    poll_seconds: 1\n`,
  });
  closers.push(() => bench.close());
  await bench.request('gateway.start', {});
  return { bench, telegram };
}
const said = (telegram: LoopbackTelegram, text: string): Promise<void> => expect.poll(() => telegram.texts().some((each) => each.includes(text)), WAIT).toBe(true);
const asked = (bench: HostBench): string => JSON.stringify(bench.model.requests.at(-1)?.body.messages.at(-1));

test('what comes from a messenger is seen before anything is done with it, and its words can be changed or dropped; nobody is let in by it', async () => {
  const { bench, telegram } = await open(`
    if (event.text === 'drop me') return { action: 'skip', reason: 'spam' };
    if (event.text === 'odd') return { action: 'explode' };
    if (event.text === 'throw') throw new Error('broken hook');
    return { action: event.user_id === '666' ? 'allow' : 'rewrite', text: event.text + ' please' };`);
  telegram.says('hello');
  await said(telegram, 'Understood.');
  expect(asked(bench)).toContain('hello please');
  expect((await heard(bench))[0]).toEqual(['pre_gateway_dispatch', { platform: 'telegram', event: expect.objectContaining({ platform: 'telegram', user_id: '42', user_name: 'Anna', is_direct: true, text: 'hello', media_urls: [] }) as unknown }]);

  const before = bench.model.requests.length;
  telegram.says('drop me');
  telegram.says('let me in', { id: 666, first_name: 'Mallory' });
  await said(telegram, 'answers only people it knows');
  expect(bench.model.requests).toHaveLength(before);
  for (const words of ['odd', 'throw']) {
    telegram.says(words);
    await expect.poll(() => asked(bench), WAIT).toContain(`"${words}"`);
  }
});

test('a conversation that goes on in a new chat, a chat that is deleted, and the end of the app are told', async () => {
  const { bench, telegram } = await open();
  telegram.says('hello');
  await said(telegram, 'Understood.');
  const first = (await bench.request('sessions.list', {}))[0]?.id;
  telegram.says('/new');
  await said(telegram, 'A new chat.');
  const second = (await bench.request('sessions.list', {})).find(({ id }) => id !== first)?.id;
  const ends = async (): Promise<Heard[]> => (await heard(bench)).filter(([name]) => name !== 'pre_gateway_dispatch');
  await expect.poll(async () => (await ends()).length, WAIT).toBe(2);
  expect(await ends()).toEqual([
    ['on_session_finalize', { session_id: first, platform: 'telegram', reason: 'new_session' }], ['on_session_reset', { session_id: second, platform: 'telegram', reason: 'new_session' }],
  ]);

  const kept = await bench.session();
  await bench.say(kept.id, 'work');
  const gone = await bench.session();
  await bench.say(gone.id, 'work');
  await bench.request('sessions.delete', { sessionId: gone.id });
  await expect.poll(async () => (await ends()).at(-1), WAIT).toEqual(['on_session_finalize', { session_id: gone.id, platform: 'user', reason: 'deleted' }]);
  await bench.host.close();
  const last = (await ends()).slice(3);
  expect(last).toContainEqual(['on_session_finalize', { session_id: kept.id, platform: 'user', reason: 'shutdown' }]);
  expect(last.map(([, payload]) => payload['session_id'])).not.toContain(gone.id);
});
