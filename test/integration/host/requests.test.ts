import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { SessionId } from '../../../preload/contract/ids.ts';
import { openHostBench, type HostBench, type TestHostOptions } from '../../support/test-host.ts';

const benches: HostBench[] = [];
afterEach(async () => { await Promise.all(benches.splice(0).map((bench) => bench.close())); });

async function open(options: TestHostOptions = {}): Promise<HostBench> {
  const bench = await openHostBench(options);
  benches.push(bench);
  return bench;
}

test('the host says what it is and what the person should know', async () => {
  const bench = await open({ yaml: 'approvals: [\n' });
  const info = await bench.request('host.info', {});
  expect(info).toMatchObject({ shell: 'test', home: bench.home, cwd: bench.folder });
  expect(info.warnings.join('\n')).toMatch(/config\.yaml cannot be read \(line \d+\)/);
  expect((await bench.request('settings.get', {})).problem).toMatchObject({ path: join(bench.home, 'config.yaml') });
  await expect(bench.request('settings.set', { theme: 'dark' })).rejects.toMatchObject({ code: 'config/malformed' });
});

test('the doctor has a line for everything it looks at', async () => {
  const bench = await open();
  const lines = await bench.request('host.doctor', {});
  expect(lines.map((line) => line.name).toSorted()).toEqual(['bash', 'bubblewrap', 'chromium', 'config', 'daytona', 'disk', 'docker', 'git', 'keychain', 'modal', 'model', 'node', 'ripgrep', 'singularity', 'ssh', 'vercel_sandbox']);
  expect(lines.filter((line) => line.message === '')).toEqual([]);
  // What is only not set up asks for nothing; the hosted backends without a key are that.
  expect(lines.filter((line) => (line.state === 'warn' || line.state === 'fail') && line.fix === undefined)).toEqual([]);
  expect(lines.filter(({ name }) => ['modal', 'daytona', 'vercel_sandbox'].includes(name)).map(({ state }) => state)).toEqual(['off', 'off', 'off']);
  expect(lines.find((line) => line.name === 'model')).toMatchObject({ state: 'ok', message: expect.stringContaining('scripted-model') as string });
});

test('a chat is made, renamed, moved, deleted and brought back', async () => {
  const bench = await open();
  const made = await bench.request('sessions.create', { title: 'Mine' });
  expect(made).toMatchObject({ title: 'Mine', titled: true, status: 'idle', cwd: bench.folder, origin: 'user' });
  await mkdir(join(bench.folder, 'sub'));
  expect(await bench.request('sessions.setCwd', { sessionId: made.id, cwd: 'sub' })).toMatchObject({ cwd: join(bench.folder, 'sub') });
  await expect(bench.request('sessions.setCwd', { sessionId: made.id, cwd: 'nowhere' })).rejects.toMatchObject({ code: 'request/invalid' });
  expect(await bench.request('sessions.rename', { sessionId: made.id, title: 'Yours' })).toMatchObject({ title: 'Yours' });
  expect((await bench.request('sessions.delete', { sessionId: made.id })).deletedAt).not.toBeNull();
  expect(await bench.request('sessions.list', {})).toEqual([]);
  await expect(bench.request('chat.send', { sessionId: made.id, text: 'hello' })).rejects.toMatchObject({ code: 'session/deleted' });
  expect(await bench.request('sessions.restore', { sessionId: made.id })).toMatchObject({ title: 'Yours', deletedAt: null });
  expect(await bench.request('sessions.list', {})).toHaveLength(1);
});

test('what does not exist is not found, in words', async () => {
  const bench = await open();
  const sessionId = 'ses_000000000000' as SessionId; // well-formed, but nobody's
  for (const name of ['sessions.open', 'sessions.delete', 'sessions.restore', 'chat.stop', 'chat.retry'] as const) {
    await expect(bench.request(name, { sessionId })).rejects.toMatchObject({ code: 'not-found', message: expect.stringContaining(sessionId) as string });
  }
});

test('chats and their messages are there after a restart, and text in them is found', async () => {
  const bench = await open({ script: [{ text: 'The heron stands in the water.' }] });
  const session = await bench.session();
  await bench.say(session.id, 'Tell me about a bird.');
  await bench.restart();
  const opened = await bench.request('sessions.open', { sessionId: session.id });
  expect(opened.messages.map((message) => message.text)).toEqual(['Tell me about a bird.', 'The heron stands in the water.']);
  expect(opened.session).toMatchObject({ title: 'Tell me about a bird', status: 'idle', messageCount: 2, usage: { requests: 1 } });
  const [hit] = await bench.request('sessions.search', { query: 'heron' });
  expect(hit).toMatchObject({ sessionId: session.id, snippet: expect.stringContaining('>>>heron<<<') as string });
});

test('older messages come page by page', async () => {
  const bench = await open({ script: ({ index }) => ({ text: `answer ${index}` }) });
  const session = await bench.session();
  for (const text of ['one', 'two', 'three']) await bench.say(session.id, text);
  const first = await bench.request('sessions.open', { sessionId: session.id, limit: 2 });
  expect([first.more, first.messages.map((message) => message.text)]).toEqual([true, ['three', 'answer 2']]);
  const older = await bench.request('sessions.messages', { sessionId: session.id, before: first.messages[0]?.seq ?? 0, limit: 10 });
  expect([older.more, older.messages.length]).toEqual([false, 4]);
});

test('a model is saved, shown without its key, tested and listed', async () => {
  const bench = await open({ withoutModel: true, key: 'sk-right', script: ({ body }) => (body.tools ? { calls: [{ name: 'report_colour', arguments: { colour: 'blue' } }] } : { text: 'ready' }) });
  expect(await bench.request('models.test', { baseUrl: bench.model.baseUrl, model: 'scripted-model', key: 'sk-wrong' })).toMatchObject([{ step: 'reach', state: 'failed', code: 'model/unauthorised' }, {}, {}, {}]);
  const steps = await bench.request('models.test', { baseUrl: bench.model.baseUrl, model: 'scripted-model', key: 'sk-right' });
  expect(steps.map((step) => step.state)).toEqual(['ok', 'ok', 'ok', 'ok']);
  const changed = bench.next('models', () => true);
  expect(await bench.request('models.save', { baseUrl: bench.model.baseUrl, model: 'scripted-model', key: 'sk-right' })).toMatchObject({ hasKey: true, model: 'scripted-model' });
  await changed;
  expect(JSON.stringify(await bench.request('models.current', {}))).not.toContain('sk-right');
  expect(await bench.request('models.list', { baseUrl: bench.model.baseUrl })).toEqual(['scripted-model']);
  const session = await bench.session();
  await bench.say(session.id, 'hi');
  expect(bench.model.requests.at(-1)?.headers['authorization']).toBe('Bearer sk-right');
  for (const file of ['config.yaml', 'desktop/logs/talaria.log', 'desktop/talaria.db', 'desktop/talaria.db-wal']) {
    expect(await readFile(join(bench.home, file), 'latin1').catch(() => '')).not.toContain('sk-right');
  }
});

test('a setting is written to config.yaml, told to every screen, and counts at once', async () => {
  const bench = await open();
  const told = bench.next('settings', ({ settings }) => settings.maxIterations === 7);
  expect(await bench.request('settings.set', { maxIterations: 7, approvalsMode: 'off' })).toMatchObject({ maxIterations: 7, approvals: { mode: 'off' } });
  expect((await told).settings.approvals.mode).toBe('off');
  expect(await readFile(join(bench.home, 'config.yaml'), 'utf8')).toMatch(/max_turns: 7/);
  await expect(bench.request('settings.set', {})).rejects.toMatchObject({ code: 'request/invalid' });
});

test('a link that a person clicked goes to the shell', async () => {
  const bench = await open();
  await bench.request('host.openLink', { url: 'https://example.org/a' });
  expect(bench.opened).toEqual(['https://example.org/a']);
});

test('a command is judged without being run', async () => {
  const bench = await open();
  await writeFile(join(bench.folder, 'kept.txt'), 'x');
  expect(await bench.request('allowlist.test', { command: `rm -rf ${bench.folder}` })).toMatchObject({ verdict: 'ask' });
  expect((await bench.request('allowlist.test', { command: 'ls' })).verdict).toBe('allow');
  expect(await readFile(join(bench.folder, 'kept.txt'), 'utf8')).toBe('x');
});

test('a closed host refuses requests and says so', async () => {
  const bench = await open();
  const closing = bench.next('host', () => true);
  await bench.host.close('test over');
  expect(await closing).toEqual({ type: 'closing', reason: 'test over' });
  await expect(bench.request('sessions.list', {})).rejects.toMatchObject({ code: 'host/closed' });
});
