/** The agent behind Telegram: the real host, grammY's client, and a loopback Bot API. */
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { MessengerState } from '../../../preload/contract/gateway.ts';
import { ANNA, startTelegram, TOKEN, type LoopbackTelegram } from '../../support/gateway/telegram.ts';
import { openHostBench, type HostBench, type TestHostOptions } from '../../support/test-host.ts';

const MALLORY = { id: 666, first_name: 'Mallory' };
const WAIT = { timeout: 20_000, interval: 20 };
const closers: (() => Promise<void>)[] = [];
afterEach(async () => { for (const close of closers.splice(0).toReversed()) await close(); });

async function open(options: TestHostOptions & { readonly token?: string; readonly allowed?: string; readonly more?: string; readonly start?: boolean } = {}): Promise<{ bench: HostBench; telegram: LoopbackTelegram }> {
  const telegram = await startTelegram();
  closers.push(() => telegram.close());
  const bench = await openHostBench({
    unattended: true, script: () => ({ text: 'Understood.' }), ...options, env: { TELEGRAM_BOT_TOKEN: options.token ?? TOKEN, TELEGRAM_ALLOWED_USERS: options.allowed ?? '42', ...options.env },
    yaml: `gateway:\n  telegram:\n    api_root: ${telegram.url}\n    poll_seconds: 1\n    home_channel: "42"\n${options.more ?? ''}`,
  });
  closers.push(() => bench.close());
  if (options.start !== false) await bench.request('gateway.start', {});
  return { bench, telegram };
}
const state = async (bench: HostBench): Promise<MessengerState> => {
  const found = (await bench.request('gateway.state', {})).find(({ name }) => name === 'telegram');
  if (found === undefined) throw new Error('no telegram');
  return found;
};
const said = (telegram: LoopbackTelegram, wanted: string | RegExp): Promise<void> => expect.poll(() => telegram.texts().some((text) => (typeof wanted === 'string' ? text.includes(wanted) : wanted.test(text))), WAIT).toBe(true);
const rm = (file: string) => ({ body }: { body: { messages: readonly { role: string }[] } }) => (body.messages.some(({ role }) => role === 'tool') ? { text: 'Finished.' } : { calls: [{ name: 'terminal', arguments: { command: `rm -rf ${file}` } }] });

describe('people', () => {
  test('somebody unknown is turned away once and reaches neither the model nor a chat; the code lets them in', async () => {
    const { bench, telegram } = await open({ allowed: '' });
    telegram.says('let me in', MALLORY);
    await said(telegram, 'answers only people it knows');
    telegram.says('hello?', MALLORY);
    telegram.says('WRONGCD2', MALLORY);
    await expect.poll(async () => (await state(bench)).refused.map(({ id }) => id), WAIT).toEqual(['666']);
    expect(bench.model.requests).toEqual([]);
    expect(await bench.request('sessions.list', {})).toEqual([]);

    await bench.request('gateway.pair', { platform: 'telegram' });
    const { pairing } = await state(bench);
    expect(pairing?.code).toMatch(/^[A-HJ-NP-Z2-9]{8}$/);
    telegram.says(String(pairing?.code).toLowerCase());
    await said(telegram, 'You are let in');
    expect(await state(bench)).toMatchObject({ pairing: null, allowed: [{ id: '42', name: 'Anna', by: 'code' }] });
    expect(telegram.texts().filter((text) => text.includes('answers only'))).toHaveLength(1);
    telegram.says('hello');
    await said(telegram, 'Understood.');
    expect((await stat(join(bench.home, 'pairing/telegram.json'))).mode & 0o777).toBe(0o600);

    await bench.request('gateway.revoke', { platform: 'telegram', sender: '42' });
    const before = bench.model.requests.length;
    telegram.says('still there?');
    await said(telegram, 'answers only people it knows');
    expect(bench.model.requests).toHaveLength(before);
  });

  test('five wrong codes make the right one void', async () => {
    const { bench, telegram } = await open({ allowed: '' });
    await bench.request('gateway.pair', { platform: 'telegram' });
    const code = String((await state(bench)).pairing?.code);
    for (let at = 0; at < 5; at += 1) telegram.says(`WRNG222${'ABCDE'.charAt(at)}`, MALLORY);
    await expect.poll(async () => (await state(bench)).pairing, WAIT).toBeNull();
    telegram.says(code, MALLORY);
    telegram.says('x', { id: 7, first_name: 'Otto' });
    await expect.poll(async () => (await state(bench)).refused.length, WAIT).toBe(2);
    expect((await state(bench)).allowed).toEqual([]);
  });

  test('a button pressed by somebody unknown answers nothing', async () => {
    const { bench, telegram } = await open({ script: rm('victim') });
    await mkdir(join(bench.folder, 'victim'));
    telegram.says('clean up');
    await said(telegram, 'rm -rf victim');
    telegram.presses(telegram.buttons().get('Allow once') ?? '', MALLORY);
    await expect.poll(() => telegram.calls.some(({ method, body }) => method === 'answerCallbackQuery' && body['text'] === 'You are not let in.'), WAIT).toBe(true);
    expect(await bench.request('approvals.list', {})).toHaveLength(1);
  });
});

describe('a conversation', () => {
  test('has a chat of its own with the tools of hermes-telegram; a second delivery of a message does nothing', async () => {
    const { bench, telegram } = await open();
    telegram.says('hello');
    await said(telegram, 'Understood.');
    telegram.again();
    telegram.says('second');
    await expect.poll(() => telegram.texts().filter((text) => text === 'Understood.').length, WAIT).toBe(2);
    expect(bench.model.requests).toHaveLength(2);
    const [session] = await bench.request('sessions.list', {});
    expect(session).toMatchObject({ origin: 'gateway', title: 'telegram: Anna' });
    const tools = (bench.model.requests[0]?.body.tools ?? []).map((each) => each.function.name);
    expect(tools).toEqual(expect.arrayContaining(['terminal', 'read_file', 'send_message', 'cronjob']));
    expect(tools).not.toContain('mixture_of_agents');
    expect(telegram.calls.some(({ method }) => method === 'sendChatAction')).toBe(true);
  });

  test('/new, /help, /stop and commands that only the desktop takes', async () => {
    const { bench, telegram } = await open({ script: ({ body }) => (JSON.stringify(body.messages.at(-1)).includes('slow') ? { steps: [{ text: 'on it' }, { gate: 'never' }] } : { text: 'Understood.' }) });
    telegram.says('hello');
    await said(telegram, 'Understood.');
    telegram.says('/new@talaria_bot');
    await said(telegram, 'A new chat.');
    telegram.says('!rm -rf /tmp/x');
    await said(telegram, 'on the desktop');
    telegram.says('/help');
    await said(telegram, '/approve [id]');
    telegram.says('/stop');
    await said(telegram, 'Nothing runs.');
    telegram.says('slow');
    await expect.poll(() => bench.model.requests.length, WAIT).toBe(2);
    telegram.says('/stop');
    await said(telegram, /stopped/i);
    expect(await bench.request('sessions.list', {})).toHaveLength(2);
    expect(JSON.stringify(bench.model.requests[1]?.body.messages)).not.toContain('hello');
  });

  test('a topic of a group is a conversation of its own and answers come back into it', async () => {
    const { bench, telegram } = await open();
    const group = { chat: { id: -100, type: 'supergroup', title: 'Team' }, is_topic_message: true };
    telegram.says('one', ANNA, { ...group, message_thread_id: 5 });
    telegram.says('two', ANNA, { ...group, message_thread_id: 6 });
    telegram.says('three', MALLORY, { ...group, message_thread_id: 6 });
    await expect.poll(() => telegram.calls.filter(({ method }) => method === 'sendMessage').map(({ body }) => body['message_thread_id']).sort(), WAIT).toEqual([5, 6]);
    expect(await bench.request('sessions.list', {})).toHaveLength(2);
    expect(bench.model.requests).toHaveLength(2);
    expect((await state(bench)).refused).toEqual([]);
  });

  test('a long reply comes in pieces of at most 4096, in order; a file that it names is sent, one with credentials is not', async () => {
    const long = Array.from({ length: 900 }, (_, at) => `line ${String(at)} 🙂`).join('\n');
    const { bench, telegram } = await open({ script: () => ({ text: `${long}\nMEDIA:/etc/hostname-does-not-exist\nMEDIA:FOLDER/report.csv\nMEDIA:HOME/.env`.replace('FOLDER', folder).replace('HOME', home), split: 'whole' }) });
    const { folder, home } = bench;
    await writeFile(join(folder, 'report.csv'), 'a,b\n');
    await writeFile(join(home, '.env'), 'X=1\n');
    telegram.says('report');
    await expect.poll(() => telegram.calls.some(({ method }) => method === 'sendDocument'), WAIT).toBe(true);
    const texts = telegram.texts();
    expect(texts.length).toBeGreaterThan(2);
    expect(texts.every((text) => text.length <= 4_096)).toBe(true);
    expect(texts.join('\n')).toContain(long);
    expect(texts.at(-1)).toMatch(/hostname-does-not-exist' cannot be read[^]*may hold credentials/);
    expect(String(telegram.calls.find(({ method }) => method === 'sendDocument')?.body['form'])).toContain('a,b');
    expect(telegram.calls.filter(({ method }) => method === 'sendDocument')).toHaveLength(1);
  });

  test('a file that comes in is kept and named to the agent; one of somebody unknown is not even fetched', async () => {
    const { bench, telegram } = await open();
    const document = { document: { file_id: 'f1', file_unique_id: 'uq1', file_name: 'plan.txt' }, caption: 'look', text: undefined };
    telegram.says('', MALLORY, document);
    telegram.says('', ANNA, document);
    await said(telegram, 'Understood.');
    const asked = JSON.stringify(bench.model.requests[0]?.body.messages.at(-1));
    const path = /File that came with this: ([^\]]+)\]/.exec(asked)?.[1] ?? '';
    expect(await readFile(path, 'utf8')).toBe('the plan');
    expect(telegram.calls.filter(({ method }) => method === 'getFile')).toHaveLength(1);
  });

  test('a file that Telegram does not give is told of, and the words that came with it are answered', async () => {
    const { bench, telegram } = await open();
    telegram.says('', ANNA, { document: { file_id: 'gone', file_unique_id: 'uq2', file_name: 'film.mkv' }, caption: 'watch this', text: undefined });
    await said(telegram, 'Understood.');
    expect(JSON.stringify(bench.model.requests[0]?.body.messages.at(-1))).toMatch(/watch this\\n\[A file came with this and could not be fetched: film\.mkv\. .*file is too big/);
  });
});

describe('approvals', () => {
  test('by button: the command runs once, the buttons go', async () => {
    const { bench, telegram } = await open({ script: rm('victim') });
    await mkdir(join(bench.folder, 'victim'));
    telegram.says('clean up');
    await said(telegram, 'rm -rf victim');
    expect([...telegram.buttons().keys()]).toEqual(['Allow once', 'Allow in this chat', 'Always allow', 'Deny']);
    const data = telegram.buttons().get('Allow once') ?? '';
    expect(Buffer.byteLength(data)).toBeLessThanOrEqual(64);
    telegram.presses(data);
    await said(telegram, 'Finished.');
    telegram.presses(data);
    await expect.poll(() => telegram.calls.filter(({ method }) => method === 'answerCallbackQuery').map(({ body }) => body['text']), WAIT).toEqual(['Allowed once.', 'That was answered already, or ran out of time.']);
    await expect.poll(() => telegram.calls.some(({ method, body }) => method === 'editMessageText' && String(body['text']).startsWith('Allowed once')), WAIT).toBe(true);
    await expect(stat(join(bench.folder, 'victim'))).rejects.toThrow('ENOENT');
    expect((await bench.request('approvals.history', {}))[0]).toMatchObject({ state: 'approved', decidedBy: 'telegram:Anna' });
  });

  test('by reply with its id; a refusal with a reason reaches the model in these words', async () => {
    const { bench, telegram } = await open({ script: rm('victim') });
    await mkdir(join(bench.folder, 'victim'));
    telegram.says('clean up');
    await said(telegram, 'rm -rf victim');
    const [request] = await bench.request('approvals.list', {});
    telegram.says('/approve apr_000000000000');
    await said(telegram, 'Nothing of that kind waits');
    telegram.says(`/deny ${String(request?.id)} keep it until Friday`);
    await said(telegram, 'Finished.');
    expect(JSON.stringify(bench.model.requests.at(-1)?.body.messages)).toContain('keep it until Friday');
    expect(await stat(join(bench.folder, 'victim'))).toBeDefined();

    telegram.says('/new');
    await said(telegram, 'A new chat.');
    telegram.says('again');
    await expect.poll(async () => (await bench.request('approvals.list', {})).length, WAIT).toBe(1);
    telegram.says(`/approve ${String((await bench.request('approvals.list', {}))[0]?.id)}`);
    await expect.poll(() => telegram.texts().filter((text) => text === 'Finished.').length, WAIT).toBe(2);
    await expect(stat(join(bench.folder, 'victim'))).rejects.toThrow('ENOENT');
  });
});

describe('trouble', () => {
  test('a wrong token is said, without the token, and not tried again and again', async () => {
    const { bench, telegram } = await open({ token: '999:wrong-token-that-nobody-knows-here' });
    await expect.poll(async () => (await state(bench)).status, WAIT).toBe('failed');
    expect((await state(bench)).detail).toMatch(/@BotFather/);
    expect(JSON.stringify(await bench.request('gateway.state', {}))).not.toContain('wrong-token');
    expect(telegram.polls).toBe(0);
  });

  test('429 waits as long as Telegram says and loses nothing', async () => {
    const { telegram } = await open();
    telegram.troubles.push({ method: 'sendMessage', status: 429, body: { ok: false, error_code: 429, description: 'Too Many Requests', parameters: { retry_after: 1 } } });
    const began = performance.now();
    telegram.says('hello');
    await said(telegram, 'Understood.');
    expect(performance.now() - began).toBeGreaterThan(950);
    expect(telegram.texts()).toEqual(['Understood.']);
  });

  test('a poll that hangs behind a dead connection is given up; what came meanwhile is read, and the host can close at any time', async () => {
    const { bench, telegram } = await open();
    telegram.halfOpen = true;
    const seen = telegram.polls;
    await expect.poll(() => telegram.polls, WAIT).toBeGreaterThan(seen);
    telegram.says('still there?');
    await expect.poll(async () => (await state(bench)).status, WAIT).toBe('retrying');
    telegram.halfOpen = false;
    await said(telegram, 'Understood.');
    await expect.poll(async () => (await state(bench)).status, WAIT).toBe('connected');
    telegram.halfOpen = true;
    await bench.host.close();
  });

  test('what came and what was answered while nobody could send is sent after a restart, once', async () => {
    const { bench, telegram } = await open();
    for (let at = 0; at < 2; at += 1) telegram.troubles.push({ method: 'sendMessage', status: 429, body: { ok: false, error_code: 429, description: 'Too Many Requests', parameters: { retry_after: 3_600 } } });
    telegram.says('hello');
    await expect.poll(() => telegram.troubles.length, WAIT).toBe(1);
    telegram.troubles.splice(0);
    await bench.restart();
    await bench.request('gateway.start', {});
    await said(telegram, 'Understood.');
    telegram.says('/help');
    await said(telegram, '/approve [id]');
    expect(telegram.texts().filter((text) => text === 'Understood.')).toHaveLength(1);
    expect(bench.model.requests).toHaveLength(1);
  });
});

describe('send_message', () => {
  const call = async (bench: HostBench, args: Record<string, unknown>, sessionId?: string): Promise<Record<string, unknown>> => {
    const session = await bench.host.openSession(sessionId);
    return JSON.parse((await bench.host.callTool('send_message', args, { sessionId: session.id, signal: AbortSignal.timeout(20_000) })).fullText) as Record<string, unknown>;
  };

  test('sends to the home channel, to a chat by title, with files, and lists where it can', async () => {
    const { bench, telegram } = await open();
    await writeFile(join(bench.folder, 'a.txt'), 'A');
    expect(await call(bench, { target: 'telegram', message: 'ping' })).toEqual({ success: true, platform: 'telegram', chat_id: '42', message_id: '2', note: 'Sent to the home channel.' });
    telegram.says('hello');
    await said(telegram, 'Understood.');
    expect(await call(bench, { action: 'send', target: 'telegram:anna', message: `here\nMEDIA:${bench.folder}/a.txt\n[[as_document]]` })).toMatchObject({ success: true, chat_id: '42', mirrored: true });
    expect(telegram.texts()).toContain('here');
    expect(telegram.calls.filter(({ method }) => method === 'sendDocument')).toHaveLength(1);
    expect(await call(bench, { action: 'list' })).toEqual({ targets: [{ target: 'telegram', title: 'home channel (42)' }, { target: 'telegram:42', title: 'Anna' }] });
    telegram.says('what did you send?');
    await expect.poll(() => bench.model.requests.length, WAIT).toBe(2);
    expect(JSON.stringify(bench.model.requests[1]?.body.messages)).toContain('Sent into this conversation from another chat: here');
  });

  test.each([
    [{ target: 'telegram' }, "'message' is missing"], [{ message: 'x' }, "'target' is missing"], [{ action: 'shout' }, "Unknown action 'shout'"],
    [{ target: 'pigeon:1', message: 'x' }, 'Known: telegram, discord, slack, email, webhook'], [{ target: 'discord:12345', message: 'x' }, 'discord is not configured'],
    [{ target: 'telegram:nobody here', message: 'x' }, 'is no chat of telegram'], [{ target: 'telegram', message: 'MEDIA:/etc/shadow-not-there' }, 'Nothing was sent'],
  ])('%j is refused in words', async (args, words) => {
    const { bench, telegram } = await open({ start: false });
    expect((await call(bench, args))['error']).toContain(words);
    expect(telegram.texts()).toEqual([]);
  });

  test('what Telegram refuses is told without the token', async () => {
    const { bench, telegram } = await open({ start: false });
    telegram.troubles.push({ method: 'sendMessage', status: 400, body: { ok: false, error_code: 400, description: `Bad Request: chat not found for bot ${TOKEN}` } });
    const answer = await call(bench, { target: 'telegram:77', message: 'x' });
    expect(answer['error']).toContain('chat not found');
    expect(JSON.stringify(answer)).not.toContain(TOKEN);
  });

  test('scheduled work brings its result to a messenger', async () => {
    const { bench, telegram } = await open({ script: () => ({ text: 'All backups are there.' }) });
    const session = await bench.session();
    await bench.host.callTool('cronjob', { action: 'create', prompt: 'x', schedule: 'every 2h', name: 'backups', deliver: 'telegram' }, { sessionId: session.id, signal: AbortSignal.timeout(20_000) });
    await bench.host.callTool('cronjob', { action: 'run', job_id: 'backups' }, { sessionId: session.id, signal: AbortSignal.timeout(20_000) });
    await said(telegram, 'All backups are there.');
  });
});
