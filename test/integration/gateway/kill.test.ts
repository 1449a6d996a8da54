/** kill −9 at the moments that matter: nothing that a person wrote is lost, nothing is done or answered twice. */
import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, expect, test } from 'vitest';
import { PLATFORM_NAMES } from '../../../preload/contract/gateway.ts';
import { openKilledHost, type KilledHost } from '../../support/gateway/killed-host.ts';
import { PEOPLE, type Person } from '../../support/gateway/person.ts';
import type { ModelServerOptions } from '../../support/model/server.ts';

const WAIT = { timeout: 60_000, interval: 20 };
/** Three processes one after the other, on a machine that does much else. */
const LIMIT_MS = 240_000;
const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => { for (const close of closers.splice(0).toReversed()) await close(); });

async function open(name: keyof typeof PEOPLE, options: ModelServerOptions): Promise<{ anna: Person; host: KilledHost }> {
  const anna = await PEOPLE[name]();
  closers.push(() => anna.close());
  const host = await openKilledHost(anna, options);
  closers.push(() => host.close());
  return { anna, host };
}
/** Messages on disk with that text. */
function written({ home }: KilledHost, text: string): unknown {
  const database = new Sqlite(join(home, 'desktop/talaria.db'), { readonly: true });
  try {
    return database.prepare('SELECT count(*) FROM messages WHERE text = ?').pluck().get(text);
  } finally {
    database.close();
  }
}
const reads = (anna: Person, wanted: string): Promise<void> => expect.poll(() => anna.reads(), WAIT).toContainEqual(expect.stringContaining(wanted));
const count = (texts: readonly string[], wanted: string): number => texts.filter((text) => text.includes(wanted)).length;

test.each(PLATFORM_NAMES)('%s: killed while the model answers, while the answer is on its way, and while a message comes: each message reaches the model once and is answered once', async (name) => {
  let asked = 0;
  const { anna, host } = await open(name, { script: ({ body }) => {
    asked += 1;
    if (asked === 1) return { steps: [{ text: 'half an ans' }, { gate: 'never' }] };
    return { text: `Answer to ${String(body.messages.findLast(({ role }) => role === 'user')?.content).includes('second') ? 'the second' : 'the first'}.` };
  } });
  const first = await host.serve(name);
  anna.says('the first question');
  // As late as can be: half of the answer is on disk.
  await expect.poll(() => written(host, 'half an ans'), WAIT).toBe(1);
  await host.kill(first);
  expect(anna.reads()).toEqual([]);

  anna.hang(1);
  const second = await host.serve();
  await reads(anna, 'Answer to the first.');
  await host.kill(second);
  anna.hang(0);

  anna.says('the second question');
  await host.serve();
  await reads(anna, 'Answer to the second.');
  const texts = anna.reads();
  expect([count(texts, 'half an ans'), count(texts, 'Answer to the second.')]).toEqual([0, 1]);
  // Telegram knows neither keys nor a way to look: there the answer is not sent again, and it is said that it may not have come.
  expect(texts.filter((text) => text.startsWith('Answer to the first.'))).toHaveLength(1);
  expect(count(texts, 'may or may not have arrived')).toBe(name === 'telegram' ? 1 : 0);
  const last = host.model.requests.at(-1)?.body.messages.filter(({ role }) => role === 'user').map(({ content }) => String(content)) ?? [];
  expect([count(last, 'the first question'), count(last, 'the second question')]).toEqual([1, 1]);
  expect(host.model.requests).toHaveLength(3);
}, LIMIT_MS);

test('killed while a question is open: the button of before answers it, and the command runs once', async () => {
  const { anna, host } = await open('telegram', { script: ({ body }) => (body.messages.some(({ role }) => role === 'tool') ? { text: 'Finished.' } : { calls: [{ name: 'terminal', arguments: { command: 'rm -rf victim && echo run >> runs' } }] }) });
  await mkdir(join(host.folder, 'victim'));
  const first = await host.serve();
  anna.says('clean up');
  await expect.poll(() => anna.buttons()?.get('Allow once'), WAIT).toBeDefined();
  await host.kill(first);
  await host.serve();
  const once = anna.buttons()?.get('Allow once') ?? '';
  anna.presses(once);
  anna.presses(once);
  await reads(anna, 'Finished.');
  await expect(stat(join(host.folder, 'victim'))).rejects.toThrow('ENOENT');
  expect((await stat(join(host.folder, 'runs'))).size).toBe('run\n'.length);
}, LIMIT_MS);

// Each round is a process of its own.
const KILLS = process.env['TALARIA_LONG'] === '1' ? 8 : 1;

test('killed again and again at any moment while messages come in: each reaches the model and is answered once', async () => {
  const { anna, host } = await open('discord', { script: ({ body }) => ({ text: `answer to ${String(body.messages.findLast(({ role }) => role === 'user')?.content)}` }) });
  const rounds = Array.from({ length: KILLS }, (_, round) => `m${String(round)}.`);
  for (const [round, text] of rounds.entries()) {
    const child = await host.serve('discord');
    anna.says(text);
    if (round % 2 === 1) await expect.poll(() => host.model.requests.length, WAIT).toBeGreaterThan(round);
    await host.kill(child);
  }
  await host.serve('discord');
  anna.says('last.');
  for (const text of [...rounds.slice(1), 'last.']) await reads(anna, `answer to ${text}`);
  for (const text of [...rounds, 'last.']) expect(count(anna.reads(), `answer to ${text}`), text).toBeLessThanOrEqual(1);
}, LIMIT_MS);
