/** What people who mean harm, and services in trouble, do to the agent behind a messenger. */
import { mkdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { ANNA, startTelegram, TOKEN, type LoopbackTelegram } from '../../support/gateway/telegram.ts';
import { openHostBench, type HostBench, type TestHostOptions } from '../../support/test-host.ts';

const MALLORY = { id: 666, first_name: 'Mallory' };
const BOB = { id: 43, first_name: 'Bob' };
const GROUP = { id: -100, type: 'group', title: 'Ops' };
const WAIT = { timeout: 20_000, interval: 20 };
const closers: (() => Promise<void>)[] = [];
afterEach(async () => { for (const close of closers.splice(0).toReversed()) await close(); });

async function open(options: TestHostOptions = {}): Promise<{ bench: HostBench; telegram: LoopbackTelegram }> {
  const telegram = await startTelegram();
  closers.push(() => telegram.close());
  const bench = await openHostBench({
    unattended: true, script: () => ({ text: 'Understood.' }), ...options, env: { TELEGRAM_BOT_TOKEN: TOKEN, TELEGRAM_ALLOWED_USERS: '42,43' }, yaml: `gateway:\n  telegram:\n    api_root: ${telegram.url}\n    poll_seconds: 1\n`,
  });
  closers.push(() => bench.close());
  await bench.request('gateway.start', {});
  return { bench, telegram };
}
const answers = (telegram: LoopbackTelegram): string[] => telegram.calls.filter(({ method }) => method === 'answerCallbackQuery').map(({ body }) => String(body['text']));
const deleting: TestHostOptions['script'] = ({ body }) => (body.messages.some(({ role }) => role === 'tool') ? { text: 'Finished.' } : { calls: [{ name: 'terminal', arguments: { command: 'rm -rf victim && echo run >> runs' } }] });

test('in a group nobody who is not let in approves, by words or by a button; a request of another chat cannot be approved from one own, and an old button does nothing', async () => {
  const { bench, telegram } = await open({ script: deleting });
  await mkdir(join(bench.folder, 'victim'));
  telegram.says('clean up', ANNA, { chat: GROUP });
  await expect.poll(() => telegram.buttons().get('Allow once'), WAIT).toBeDefined();
  const once = telegram.buttons().get('Allow once') ?? '';
  const id = once.split(':')[1] ?? '';
  telegram.says(`/approve ${id}`, MALLORY, { chat: GROUP });
  telegram.presses(once, MALLORY);
  await expect.poll(() => answers(telegram), WAIT).toEqual(['You are not let in.']);
  // Bob is let in, and sits in a chat of his own: the request is none of that chat.
  telegram.says('/stop', BOB);
  await expect.poll(() => telegram.texts().at(-1), WAIT).toBe('Nothing runs.');
  telegram.says(`/approve ${id}`, BOB);
  telegram.presses(once, BOB, { id: 43, type: 'private', first_name: 'Bob' });
  await expect.poll(() => telegram.texts().at(-1), WAIT).toBe('Nothing of that kind waits for an answer.');
  await expect.poll(() => answers(telegram).at(-1), WAIT).toBe('That was answered already, or ran out of time.');
  for (const forged of [`once:${id.replace(/.$/, '0')}x`, `yolo:${id}`, `always:${id}:${id}`, `constructor:${id}`, '']) telegram.presses(forged, ANNA, GROUP);
  await expect.poll(() => answers(telegram).length, WAIT).toBe(7);
  expect(await stat(join(bench.folder, 'victim'))).toBeDefined();

  telegram.presses(once, ANNA, GROUP);
  telegram.presses(once, ANNA, GROUP);
  telegram.presses(once.replace('once', 'always'), ANNA, GROUP);
  await expect.poll(() => telegram.texts().at(-1), WAIT).toBe('Finished.');
  await expect.poll(() => answers(telegram).length, WAIT).toBe(10);
  expect((await stat(join(bench.folder, 'runs'))).size).toBe('run\n'.length);
  expect(await bench.request('allowlist.list', {})).toEqual([]);
});

test('a message of a megabyte reaches the model cut, and is whole in a file', async () => {
  const { bench, telegram } = await open();
  const long = 'word '.repeat(200_000);
  telegram.says(long);
  await expect.poll(() => telegram.texts(), WAIT).toEqual(['Understood.']);
  const asked = String(bench.model.requests[0]?.body.messages.at(-1)?.content);
  expect(asked.length).toBeLessThan(110_000);
  const path = /The whole is in (\S+)\]/.exec(asked)?.[1] ?? '';
  expect(await readFile(path, 'utf8')).toBe(long);
});

test('a 500 that Telegram answers itself is tried again; a gateway in between, and a connection that hangs, leave it open whether the message came: it is not sent twice, and that is said', async () => {
  const { telegram } = await open();
  telegram.troubles.push({ method: 'sendMessage', status: 500, body: { ok: false, error_code: 500, description: 'Internal Server Error' } });
  telegram.says('one');
  await expect.poll(() => telegram.texts(), WAIT).toEqual(['Understood.']);
  telegram.hangs = 1;
  telegram.says('two');
  await expect.poll(() => telegram.texts().at(-1), { ...WAIT, timeout: 40_000 }).toContain('may or may not have arrived');
  expect(telegram.texts().filter((text) => text === 'Understood.')).toHaveLength(2);
  telegram.says('/again');
  await expect.poll(() => telegram.texts().filter((text) => text === 'Understood.').length, WAIT).toBe(3);
}, 90_000);
