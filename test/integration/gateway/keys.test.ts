/** Keys of messengers that a person enters in the app: kept in the store of keys, never given back, and after the environment. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { MessengerState } from '../../../preload/contract/gateway.ts';
import { startTelegram, TOKEN, type LoopbackTelegram } from '../../support/gateway/telegram.ts';
import { openHostBench, type HostBench } from '../../support/test-host.ts';

const WAIT = { timeout: 20_000, interval: 20 };
const closers: (() => Promise<void>)[] = [];
afterEach(async () => { for (const close of closers.splice(0).toReversed()) await close(); });

async function open(env: Record<string, string> = {}): Promise<{ bench: HostBench; telegram: LoopbackTelegram }> {
  const telegram = await startTelegram();
  closers.push(() => telegram.close());
  const bench = await openHostBench({
    unattended: true, runSchedules: true, script: () => ({ text: `The token is ${TOKEN}.` }), env: { TELEGRAM_ALLOWED_USERS: '42', ...env }, yaml: `gateway:\n  telegram:\n    api_root: ${telegram.url}\n    poll_seconds: 1\n`,
  });
  closers.push(() => bench.close());
  return { bench, telegram };
}
async function state(bench: HostBench): Promise<MessengerState> {
  const found = (await bench.request('gateway.state', {})).find(({ name }) => name === 'telegram');
  if (found === undefined) throw new Error('no telegram');
  return found;
}
const status = (bench: HostBench) => expect.poll(async () => (await state(bench)).status, WAIT);

test('a token that is entered connects at once, is there after a restart, hides itself everywhere, and is gone when it is removed', async () => {
  const { bench, telegram } = await open();
  expect(await state(bench)).toMatchObject({ status: 'off', keys: [{ variable: 'TELEGRAM_BOT_TOKEN', secret: true, source: null }] });
  expect(JSON.stringify(await bench.request('gateway.setKey', { variable: 'TELEGRAM_BOT_TOKEN', value: ` ${TOKEN}\n` }))).not.toContain(TOKEN);
  await status(bench).toBe('connected');
  expect((await state(bench)).keys).toEqual([{ variable: 'TELEGRAM_BOT_TOKEN', secret: true, source: 'stored' }]);
  await bench.restart();
  await status(bench).toBe('connected');
  telegram.says('what is the token?');
  await expect.poll(() => telegram.texts().length, WAIT).toBe(1);

  const session = await bench.session();
  const list = JSON.parse((await bench.host.callTool('send_message', { action: 'list' }, { sessionId: session.id, signal: AbortSignal.timeout(20_000) })).fullText) as { targets: unknown[] };
  expect(list.targets).toHaveLength(1);
  expect(JSON.stringify(await bench.request('gateway.state', {}))).not.toContain(TOKEN);
  const logs = join(bench.home, 'desktop/logs');
  for (const name of await readdir(logs)) expect(await readFile(join(logs, name), 'utf8')).not.toContain(TOKEN);

  await bench.request('gateway.setKey', { variable: 'TELEGRAM_BOT_TOKEN', value: '' });
  await status(bench).toBe('off');
  const polls = telegram.polls;
  telegram.says('still there?');
  await bench.restart();
  expect((await state(bench)).status).toBe('off');
  expect(telegram.polls).toBe(polls);
});

test('what the environment says wins, and is told so', async () => {
  const { bench } = await open({ TELEGRAM_BOT_TOKEN: TOKEN });
  await bench.request('gateway.setKey', { variable: 'TELEGRAM_BOT_TOKEN', value: '1:another-token-that-is-wrong' });
  await status(bench).toBe('connected');
  expect((await state(bench)).keys[0]?.source).toBe('environment');
});

test.each([['OPENAI_API_KEY', 'x'], ['TELEGRAM_BOT_TOKEN', 'two\nlines']])('%s = %j is refused', async (variable, value) => {
  const { bench } = await open();
  await expect(bench.request('gateway.setKey', { variable, value })).rejects.toMatchObject({ code: 'request/invalid' });
});
