/** The agent behind Discord: the real host, discord.js, and a loopback Discord. */
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { MessengerState } from '../../../preload/contract/gateway.ts';
import { ANNA, BOT, MALLORY, startDiscord, TOKEN, type LoopbackDiscord } from '../../support/gateway/discord.ts';
import { NOT_PUBLIC } from '../../corpora/ssrf-addresses.ts';
import { serve } from '../../support/counting-server.ts';
import { openHostBench, type HostBench, type TestHostOptions } from '../../support/test-host.ts';

const WAIT = { timeout: 20_000, interval: 20 };
const closers: (() => Promise<void>)[] = [];
afterEach(async () => { for (const close of closers.splice(0).toReversed()) await close(); });

async function open(options: TestHostOptions & { readonly token?: string } = {}): Promise<{ bench: HostBench; discord: LoopbackDiscord }> {
  const discord = await startDiscord();
  closers.push(() => discord.close());
  const bench = await openHostBench({
    unattended: true, script: () => ({ text: 'Understood.' }), ...options, yaml: `gateway:\n  discord:\n    api_root: ${discord.url}/api\n`,
    env: { DISCORD_BOT_TOKEN: options.token ?? TOKEN, DISCORD_ALLOWED_USERS: ANNA.id },
  });
  closers.push(() => bench.close());
  await bench.request('gateway.start', {});
  await expect.poll(async () => (await state(bench)).status, WAIT).toBe(options.token === undefined ? 'connected' : 'failed');
  return { bench, discord };
}
const state = async (bench: HostBench): Promise<MessengerState> => {
  const found = (await bench.request('gateway.state', {})).find(({ name }) => name === 'discord');
  if (found === undefined) throw new Error('no discord');
  return found;
};

test('a direct message is answered once however often it comes; somebody unknown is turned away; on a server only what names the bot is for it', async () => {
  const { bench, discord } = await open();
  const id = discord.says('hello');
  await expect.poll(() => discord.texts(), WAIT).toEqual(['Understood.']);
  discord.says('hello', { id });
  discord.says('let me in', { from: MALLORY });
  await expect.poll(() => discord.texts().length, WAIT).toBe(2);
  expect(discord.texts()[1]).toContain('answers only people it knows');
  discord.says('not for you', { guild: true });
  discord.says(`<@${BOT}> for you`, { guild: true, from: MALLORY });
  discord.says(`<@${BOT}> for you`, { guild: true });
  await expect.poll(() => discord.texts().length, WAIT).toBe(3);
  expect(bench.model.requests).toHaveLength(2);
  expect(JSON.stringify(bench.model.requests[1]?.body.messages.at(-1))).toContain('Anna: for you');
});

test('files come from Discord alone: an address of a message that leads elsewhere is not fetched, and the message is answered all the same', async () => {
  const { bench, discord } = await open();
  const trap = await serve((_request, response) => response.end('SECRET'));
  closers.push(() => trap.close());
  const elsewhere = NOT_PUBLIC.map((host) => `http://${host}:${String(trap.port)}/a.txt`).filter((url) => URL.canParse(url)).map((url, at) => ({ filename: `${String(at)}.txt`, url }));
  discord.says('look', { attachments: [...elsewhere, { filename: 'notes.txt', url: `${discord.url}/attachments/notes.txt` }] });
  await expect.poll(() => discord.texts(), WAIT).toEqual(['Understood.']);
  const asked = JSON.stringify(bench.model.requests[0]?.body.messages.at(-1));
  expect(asked).toMatch(/File that came with this: [^\]]*notes\.txt\]/);
  expect(asked).not.toMatch(/File that came with this: [^\]]*-0\.txt/);
  expect(asked).toContain('could not be fetched: 0.txt. Its address leads elsewhere than to Discord.');
  expect(trap.connections).toBe(0);
});

test('a message is there although its file is gone, also one without words', async () => {
  const { bench, discord } = await open();
  discord.says('', { attachments: [{ filename: 'gone.txt', url: `${discord.url}/gone/gone.txt` }] });
  await expect.poll(() => discord.texts(), WAIT).toEqual(['Understood.']);
  expect(JSON.stringify(bench.model.requests[0]?.body.messages.at(-1))).toContain('[A file came with this and could not be fetched: gone.txt. The messenger answered HTTP 401.]');
});

test('an approval is a question with buttons; a press runs the command once, one of somebody unknown nothing', async () => {
  const { bench, discord } = await open({ script: ({ body }) => (body.messages.some(({ role }) => role === 'tool') ? { text: 'Finished.' } : { calls: [{ name: 'terminal', arguments: { command: 'rm -rf victim' } }] }) });
  await mkdir(join(bench.folder, 'victim'));
  discord.says('clean up');
  await expect.poll(() => discord.texts().length, WAIT).toBe(1);
  const rows = discord.calls.find(({ body }) => Array.isArray(body['components']) && body['components'].length > 0)?.body['components'] as [{ components: { label: string; custom_id: string }[] }];
  expect(rows[0].components.map(({ label }) => label)).toEqual(['Allow once', 'Allow in this chat', 'Always allow', 'Deny']);
  const once = rows[0].components[0]?.custom_id ?? '';
  const told = (words: string): boolean => discord.calls.some(({ route, text }) => route.includes('/interactions/') && text.includes(words));
  discord.presses(once, MALLORY);
  await expect.poll(() => told('You are not let in.'), WAIT).toBe(true);
  expect(await stat(join(bench.folder, 'victim'))).toBeDefined();
  discord.presses(once);
  await expect.poll(() => discord.texts().at(-1), WAIT).toBe('Finished.');
  await expect(stat(join(bench.folder, 'victim'))).rejects.toThrow('ENOENT');
  expect(told('Allowed once.')).toBe(true);
  await expect.poll(() => discord.calls.some(({ route, body }) => route.startsWith('PATCH') && String(body['content']).startsWith('Allowed once')), WAIT).toBe(true);
});

test('what came while nobody listened is fetched at the start, once; a cut connection is made again', async () => {
  const { bench, discord } = await open();
  discord.says('one');
  await expect.poll(() => discord.texts().length, WAIT).toBe(1);
  await bench.host.close();
  discord.says('two', { quiet: true });
  await bench.restart();
  await bench.request('gateway.start', {});
  await expect.poll(() => discord.texts().length, WAIT).toBe(2);
  expect(JSON.stringify(bench.model.requests.at(-1)?.body.messages.at(-1))).toContain('two');
  discord.cut();
  discord.says('three', { quiet: true });
  await expect.poll(() => discord.texts().length, WAIT).toBe(3);
  expect(bench.model.requests).toHaveLength(3);
});

test('the first message that somebody ever writes comes, too, when nobody listened; what was there before this home listened does not', async () => {
  const discord = await startDiscord();
  closers.push(() => discord.close());
  discord.says('of another time', { quiet: true });
  const bench = await openHostBench({ unattended: true, script: () => ({ text: 'Understood.' }), yaml: `gateway:\n  discord:\n    api_root: ${discord.url}/api\n`, env: { DISCORD_BOT_TOKEN: TOKEN, DISCORD_ALLOWED_USERS: `${ANNA.id},a-name` } });
  closers.push(() => bench.close());
  const serve = async () => {
    await bench.request('gateway.start', {});
    await expect.poll(async () => (await state(bench)).status, WAIT).toBe('connected');
  };
  await serve();
  await bench.host.close();
  discord.says('hello for the first time', { quiet: true });
  discord.says('let me in', { quiet: true, from: MALLORY });
  for (const _again of [1, 2]) {
    await bench.restart();
    await serve();
    await expect.poll(() => discord.texts(), WAIT).toEqual(['Understood.']);
  }
  expect(bench.model.requests).toHaveLength(1);
  expect(JSON.stringify(bench.model.requests[0]?.body.messages.at(-1))).toContain('hello for the first time');
});

test('a limit is waited for, long answers come in pieces of at most 2000, and a file is sent', async () => {
  const { bench, discord } = await open({ script: () => ({ text: `${'word '.repeat(700)}\nMEDIA:${folder()}/report.csv` }) });
  const folder = (): string => bench.folder;
  await writeFile(join(bench.folder, 'report.csv'), 'a,b\n');
  discord.limits.push(1);
  discord.says('report');
  await expect.poll(() => discord.calls.some(({ text }) => text.includes('a,b')), WAIT).toBe(true);
  const texts = discord.texts().filter((text) => text !== '');
  expect(texts).toHaveLength(2);
  expect(texts.every((text) => text.length <= 2_000)).toBe(true);
  expect(texts.join(' ').trim()).toBe('word '.repeat(700).trim());
});

test('a wrong token is said in words, without it', async () => {
  const { bench } = await open({ token: 'this-token-is-wrong-0000000000' });
  expect((await state(bench)).detail).toMatch(/discord\.com\/developers/);
  expect(JSON.stringify(await bench.request('gateway.state', {}))).not.toContain('this-token-is-wrong');
});
