/** The agent behind Slack: the real host, Bolt in socket mode, and a loopback Slack. */
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { MessengerState } from '../../../preload/contract/gateway.ts';
import { APP_TOKEN, BOT_TOKEN, startSlack, type LoopbackSlack } from '../../support/gateway/slack.ts';
import { serve } from '../../support/counting-server.ts';
import { openHostBench, type HostBench, type TestHostOptions } from '../../support/test-host.ts';

const WAIT = { timeout: 20_000, interval: 20 };
const closers: (() => Promise<void>)[] = [];
afterEach(async () => { for (const close of closers.splice(0).toReversed()) await close(); });

async function open(options: TestHostOptions & { readonly token?: string } = {}): Promise<{ bench: HostBench; slack: LoopbackSlack }> {
  const slack = await startSlack();
  closers.push(() => slack.close());
  const bench = await openHostBench({
    unattended: true, script: () => ({ text: 'Understood <b> & all.' }), ...options, yaml: `gateway:\n  slack:\n    api_root: ${slack.url}/api\n`,
    env: { SLACK_BOT_TOKEN: options.token ?? BOT_TOKEN, SLACK_APP_TOKEN: APP_TOKEN, SLACK_ALLOWED_USERS: 'UANNA' },
  });
  closers.push(() => bench.close());
  await bench.request('gateway.start', {});
  await expect.poll(async () => (await state(bench)).status, WAIT).toBe(options.token === undefined ? 'connected' : 'failed');
  return { bench, slack };
}
const state = async (bench: HostBench): Promise<MessengerState> => {
  const found = (await bench.request('gateway.state', {})).find(({ name }) => name === 'slack');
  if (found === undefined) throw new Error('no slack');
  return found;
};
const direct = (text: string, ts: string, user = 'UANNA'): Record<string, unknown> => ({ type: 'message', channel: user === 'UANNA' ? 'DANNA' : 'DMAL', channel_type: 'im', user, text, ts });

test('a direct message is answered; the event is confirmed, a second delivery does nothing, and somebody unknown is turned away', async () => {
  const { bench, slack } = await open();
  const envelope = slack.event(direct('hello &lt;you&gt;', '1.1'));
  await expect.poll(() => slack.texts(), WAIT).toEqual(['Understood &lt;b&gt; &amp; all.']);
  expect(slack.confirmed).toContain(envelope);
  expect(JSON.stringify(bench.model.requests[0]?.body.messages.at(-1))).toContain('hello <you>');
  slack.event(direct('hello &lt;you&gt;', '1.1'));
  slack.event(direct('let me in', '1.2', 'UMAL'));
  await expect.poll(() => slack.texts().length, WAIT).toBe(2);
  expect(slack.texts()[1]).toContain('answers only people it knows');
  expect(bench.model.requests).toHaveLength(1);
  expect((await state(bench)).refused).toMatchObject([{ id: 'UMAL', name: 'Mallory' }]);
});

test('files come from Slack with its token, and from nowhere else; one that cannot be had is told of and costs the message nothing', async () => {
  const { bench, slack } = await open();
  const trap = await serve((_request, response) => response.end('SECRET'));
  closers.push(() => trap.close());
  const file = (id: string, url: string, more: object = {}): object => ({ id, name: `../${id} é.txt`, url_private_download: url, ...more });
  const files = [file('F1', `${slack.url}/files/one.txt`), file('F2', `${slack.url}/files/gone.txt`), file('F3', `http://127.0.0.1:${String(trap.port)}/a.txt`), file('F4', `${slack.url}/files/big.txt`, { size: 60 * 1024 * 1024 })];
  slack.event({ ...direct('look', '1.1'), subtype: 'file_share', files });
  slack.event({ ...direct('', '1.2', 'UMAL'), subtype: 'file_share', files });
  await expect.poll(() => bench.model.requests.length, WAIT).toBe(1);
  const asked = String(bench.model.requests[0]?.body.messages.at(-1)?.content);
  const kept = [...asked.matchAll(/\[File that came with this: ([^\]]+)\]/g)].map(([, path = '']) => path);
  expect(kept).toHaveLength(1);
  expect([await readFile(kept[0] ?? '', 'utf8'), kept[0]?.split('/').at(-1)]).toEqual(['from Slack', 'F1-F1__.txt']);
  expect(asked).toMatch(/^look\n\[.*F2 é\.txt\. The messenger answered HTTP 404\.\]\n\[.*F3 é\.txt\. Its address leads elsewhere than to Slack\.\]\n\[.*F4 é\.txt\. Files of at most 50 MB are taken\.\]/);
  expect(trap.connections).toBe(0);
});

test('in a channel only what names the agent is for it; the answer comes into a thread, which is a chat of its own', async () => {
  const { bench, slack } = await open();
  const base = { channel: 'C12345', user: 'UANNA', ts: '5.1', text: '<@UBOT> look at <https://example.org|this>' };
  slack.event({ type: 'message', channel_type: 'channel', ...base });
  slack.event({ type: 'app_mention', ...base });
  await expect.poll(() => slack.calls.filter(({ method }) => method === 'chat.postMessage').map(({ body }) => [body['channel'], body['thread_ts']]), WAIT).toEqual([['C12345', '5.1']]);
  expect(JSON.stringify(bench.model.requests[0]?.body.messages.at(-1))).toContain('Anna: look at https://example.org');
  expect(bench.model.requests).toHaveLength(1);
});

test('an approval is a question with buttons; a press runs the command once, one of somebody unknown nothing', async () => {
  const { bench, slack } = await open({ script: ({ body }) => (body.messages.some(({ role }) => role === 'tool') ? { text: 'Finished.' } : { calls: [{ name: 'terminal', arguments: { command: 'rm -rf victim' } }] }) });
  await mkdir(join(bench.folder, 'victim'));
  slack.event(direct('clean up', '2.1'));
  await expect.poll(() => slack.texts().length, WAIT).toBe(1);
  const blocks = JSON.parse(slack.calls.find(({ method }) => method === 'chat.postMessage')?.body['blocks'] ?? '[]') as [unknown, { elements: { text: { text: string }; value: string }[] }];
  const [once] = blocks[1].elements;
  expect(blocks[1].elements.map(({ text }) => text.text)).toEqual(['Allow once', 'Allow in this chat', 'Always allow', 'Deny']);
  slack.presses(once?.value ?? '', 'UMAL', { ts: '1001.0001' });
  await expect.poll(() => slack.calls.some(({ method, body }) => method === 'chat.postEphemeral' && body['text'] === 'You are not let in.'), WAIT).toBe(true);
  expect(await stat(join(bench.folder, 'victim'))).toBeDefined();
  slack.presses(once?.value ?? '', 'UANNA', { ts: '1001.0001' });
  await expect.poll(() => slack.texts().at(-1), WAIT).toBe('Finished.');
  await expect(stat(join(bench.folder, 'victim'))).rejects.toThrow('ENOENT');
  await expect.poll(() => slack.calls.some(({ method, body }) => method === 'chat.update' && body['text']?.startsWith('Allowed once') === true), WAIT).toBe(true);
});

test('a limit is waited for, a file is uploaded, and a connection that Slack ends is made again', async () => {
  const { bench, slack } = await open({ script: () => ({ text: `Here.\nMEDIA:${folder()}/report.csv` }) });
  const folder = (): string => bench.folder;
  await writeFile(join(bench.folder, 'report.csv'), 'a,b\n');
  slack.limits.push(1);
  slack.event(direct('report', '3.1'));
  await expect.poll(() => slack.uploads.length, WAIT).toBe(1);
  expect(slack.texts()).toEqual(['Here.']);
  expect(slack.uploads[0]).toContain('a,b');
  slack.refresh();
  await expect.poll(() => slack.connections, WAIT).toBe(2);
  await expect.poll(async () => (await state(bench)).status, WAIT).toBe('connected');
  slack.event(direct('/help', '3.2'));
  await expect.poll(() => slack.texts().at(-1), WAIT).toContain('/approve');
});

test('a wrong token is said in words, without it', async () => {
  const { bench } = await open({ token: 'xoxb-this-one-is-wrong-0000' });
  expect((await state(bench)).detail).toMatch(/api\.slack\.com\/apps/);
  expect(JSON.stringify(await bench.request('gateway.state', {}))).not.toContain('this-one-is-wrong');
});
