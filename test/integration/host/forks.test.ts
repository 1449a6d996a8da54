/** Forks of chats on the real host: what they take along, what they leave alone, and when they are refused. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { systemClock } from '../../../main/clock.ts';
import { silentLog } from '../../../main/log.ts';
import { openStorage } from '../../../main/storage/storage.ts';
import type { Message, Session, SessionId } from '../../../preload/contract/index.ts';
import type { ModelServerOptions, Reply } from '../../support/model/server.ts';
import { ids } from '../../support/stored.ts';
import { openHostBench, type HostBench } from '../../support/test-host.ts';

const PROGRAM = fileURLToPath(new URL('../../support/fork-that-dies.ts', import.meta.url));
const KILLS = process.env['TALARIA_LONG'] === '1' ? [0, 1, 2, 3, 5, 8, 13, 21] : [0, 2, 5];

let bench: HostBench;
let folder: string | undefined;
afterEach(async () => {
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  folder = undefined;
});

/** `plan` writes the given tasks, `hold` streams until a gate is opened; everything else is echoed. */
function reply(messages: readonly { readonly role: string; readonly content?: unknown }[]): Reply {
  const last = messages.at(-1);
  if (last?.role === 'tool') return { text: 'noted' };
  const text = typeof last?.content === 'string' ? last.content.split('\n').at(-1) ?? '' : '';
  if (text.startsWith('plan ')) return { calls: [{ name: 'todo', arguments: { todos: [{ id: '1', content: text.slice(5), status: 'in_progress' }] } }] };
  if (text === 'hold') return { steps: [{ text: 'half ' }, { gate: 'hold' }, { text: 'whole' }, { finish: 'stop' }] };
  if (text === 'danger') return { calls: [{ name: 'todo', arguments: {} }, { name: 'terminal', arguments: { command: 'rm -rf /srv/herons' } }] };
  return { text: `You said: ${text}` };
}

async function open(more: Partial<ModelServerOptions> = {}): Promise<Session> {
  bench = await openHostBench({ script: ({ body }) => reply(body.messages), ...more });
  return bench.session();
}
afterEach(async () => { await bench.close(); });

const texts = async (id: SessionId): Promise<string[]> => (await bench.messages(id)).map(({ role, text }) => `${role}: ${text}`);
const find = (messages: readonly Message[], text: string): Message => {
  const found = messages.find((message) => message.text === text);
  if (found === undefined) throw new Error(`no message says ${text}`);
  return found;
};
const fork = (sessionId: SessionId, more: { readonly messageId?: Message['id'] | undefined; readonly text?: string } = {}) => bench.request('sessions.fork', { sessionId, ...more });
const NOTICE = expect.stringMatching(/^notice: This chat is a fork of “.*”\. Terminals/) as string;

test('a fork has everything up to its message, and the chat it came from is as it was', async () => {
  const { id } = await open();
  await bench.request('sessions.setModel', { sessionId: id, model: 'scripted-model' });
  await bench.request('toolsets.set', { name: 'web', enabled: false, sessionId: id });
  await bench.say(id, 'plan herons');
  await bench.say(id, '!cd /tmp && echo here');
  await bench.say(id, 'plan swans');
  const before = await bench.request('sessions.open', { sessionId: id });
  const command = before.messages[before.messages.indexOf(find(before.messages, '!cd /tmp && echo here')) + 1];
  if (command === undefined) throw new Error('the command has no answer');

  const made = await fork(id, { messageId: command.id });
  expect(made).toMatchObject({ title: 'Fork of plan herons', titled: true, origin: 'user', status: 'idle', model: 'scripted-model', toolsets: { web: false }, cwd: '/tmp', backend: 'local', forkedFrom: id, usage: { requests: 0 } });
  const opened = await bench.request('sessions.open', { sessionId: made.id });
  expect(opened.messages.map(({ text }) => text).slice(0, -1)).toEqual(before.messages.slice(0, before.messages.indexOf(command) + 1).map(({ text }) => text));
  expect(opened.messages.flatMap(({ calls }) => calls.map(({ name, state, exitCode, terminalId }) => [name, state, exitCode, terminalId]))).toEqual([['todo', 'done', null, null], ['terminal', 'done', 0, null]]);
  expect(opened.todos).toEqual([{ id: '1', content: 'herons', status: 'in_progress' }]);
  expect(await bench.request('sessions.open', { sessionId: id })).toEqual(before);
  expect((await bench.request('sessions.open', { sessionId: (await fork(id)).id })).todos).toEqual([{ id: '1', content: 'swans', status: 'in_progress' }]);

  await bench.say(made.id, 'and now?');
  expect(await bench.answer(made.id)).toBe('You said: and now?');
  const asked = bench.model.requests.at(-1)?.body.messages ?? [];
  expect(JSON.stringify(asked)).toContain('herons');
  expect(JSON.stringify(asked)).toContain('Terminals and processes that were started above this line belong to that chat');
  expect(JSON.stringify(asked)).not.toContain('swans');
  expect((await bench.request('sessions.open', { sessionId: id })).messages).toEqual(before.messages);
});

test('its terminals are its own: what one chat does to its shell the other does not see', async () => {
  const { id } = await open();
  await bench.say(id, '!export BIRD=heron; cd /tmp');
  const made = await fork(id);
  const run = async (sessionId: SessionId, command: string): Promise<unknown> => JSON.parse((await bench.host.callTool('terminal', { command }, { sessionId, signal: AbortSignal.timeout(25_000) })).fullText);
  expect(await run(made.id, 'pwd; echo "[$BIRD]"; cd /')).toMatchObject({ output: '/tmp\n[]' });
  expect(await run(id, 'pwd; echo "[$BIRD]"')).toMatchObject({ output: '/tmp\n[heron]' });
});

test('an edited message is said in a fork that ends before it; the chat keeps the old one', async () => {
  const { id } = await open();
  await bench.say(id, 'first');
  await bench.say(id, 'secnd');
  await bench.say(id, 'third');
  const before = await texts(id);
  const made = await fork(id, { messageId: find(await bench.messages(id), 'secnd').id, text: 'second' });
  await bench.host.idle(made.id);
  expect(await texts(made.id)).toEqual(['user: first', 'assistant: You said: first', NOTICE, 'user: second', 'assistant: You said: second']);
  expect(await texts(id)).toEqual(before);
  expect((await bench.request('sessions.list', {})).map(({ title }) => title)).toEqual(['Fork of first', 'first']);
});

test('the very first message can be edited, and so can a command', async () => {
  const { id } = await open();
  await bench.say(id, '!echo heron');
  const made = await fork(id, { messageId: find(await bench.messages(id), '!echo heron').id, text: '!echo swan' });
  await bench.host.idle(made.id);
  const messages = await bench.messages(made.id);
  expect(messages.map(({ role, text }) => `${role}: ${text}`).slice(0, 2)).toEqual([NOTICE, 'user: !echo swan']);
  expect(messages.flatMap(({ calls }) => calls.map(({ result }) => result)).join()).toContain('swan');
});

test('while a reply streams, an earlier message can be forked and edited, the reply cannot', async () => {
  const { id } = await open();
  await bench.say(id, 'first');
  const streaming = bench.next('chat', (event) => event.type === 'text-delta');
  await bench.request('chat.send', { sessionId: id, text: 'hold' });
  await streaming;
  await bench.request('chat.send', { sessionId: id, text: 'later' });
  const messages = await bench.messages(id);
  const held = find(messages, 'hold');
  await expect(fork(id)).rejects.toMatchObject({ code: 'session/busy', message: 'A reply that would be copied is still being written.' });
  await expect(fork(id, { messageId: find(messages, 'later').id })).rejects.toMatchObject({ code: 'request/not-possible', message: 'That message has not been sent yet.' });
  expect(await texts((await fork(id, { messageId: held.id })).id)).toEqual(['user: first', 'assistant: You said: first', 'user: hold', NOTICE]);
  const edited = await fork(id, { messageId: held.id, text: 'do not hold' });
  await bench.host.idle(edited.id);
  expect(await bench.answer(edited.id)).toBe('You said: do not hold');
  bench.model.open('hold');
  await bench.host.idle(id);
  expect(await texts(id)).toEqual(['user: first', 'assistant: You said: first', 'user: hold', 'assistant: half whole', 'user: later', 'assistant: You said: later']);
});

test('a call that waits for an approval, and the batch it is in, are not copied until it is answered', async () => {
  const { id } = await open();
  await bench.say(id, 'first');
  await bench.request('chat.send', { sessionId: id, text: 'danger' });
  const approval = await bench.approval();
  const batch = (await bench.messages(id)).find(({ calls }) => calls.length === 2);
  await expect(fork(id, { messageId: batch?.id })).rejects.toMatchObject({ code: 'session/busy', message: 'A call that would be copied (terminal) waits for your answer.', hint: expect.stringContaining('Answer it first') as string });
  await expect(fork(id)).rejects.toMatchObject({ code: 'session/busy' });
  expect((await bench.request('sessions.list', {})).map(({ id: each }) => each)).toEqual([id]);
  expect((await bench.request('approvals.list', {})).map((request) => request.id)).toEqual([approval.id]);
  await bench.request('approvals.decide', { id: approval.id, choice: 'deny' });
  await bench.host.idle(id);
  const made = await fork(id, { messageId: batch?.id });
  expect((await bench.messages(made.id)).flatMap(({ calls }) => calls.map(({ name, state }) => `${name} ${state}`))).toEqual(['todo done', expect.stringMatching(/^terminal (?:blocked|error)$/) as string]);
  expect(await bench.request('approvals.list', {})).toEqual([]);
});

test('grants of the chat do not reach its fork', async () => {
  const { id } = await open();
  await bench.say(id, 'first');
  await bench.request('approvals.setYolo', { sessionId: id, on: true });
  const made = await fork(id);
  expect((await bench.request('approvals.yolo', {})).sessions).toEqual([id]);
  const asked = bench.host.callTool('terminal', { command: 'rm -rf /srv/herons' }, { sessionId: made.id, signal: AbortSignal.timeout(25_000) });
  const { sessionId, id: approvalId } = await bench.approval();
  expect(sessionId).toBe(made.id);
  await bench.request('approvals.decide', { id: approvalId, choice: 'deny' });
  await asked;
});

test('a fork of a walled chat stands behind the same wall', async () => {
  const { id } = await open();
  await bench.say(id, 'first');
  await bench.request('sandbox.set', { sessionId: id, sandbox: { mode: 'read-only', network: false } });
  expect(await bench.request('sandbox.get', { sessionId: (await fork(id)).id })).toMatchObject({ mode: 'read-only', network: false, own: true });
});

test('what cannot be forked is refused in words, and nothing is made', async () => {
  const { id } = await open();
  const other = await bench.session();
  await bench.say(other.id, 'elsewhere');
  await expect(fork(id)).rejects.toMatchObject({ code: 'request/not-possible', message: 'There is nothing in this chat yet.' });
  await bench.say(id, 'first');
  const messages = await bench.messages(id);
  const elsewhere = find(await bench.messages(other.id), 'elsewhere');
  await expect(fork(id, { messageId: elsewhere.id })).rejects.toMatchObject({ code: 'not-found' });
  await expect(fork(id, { messageId: find(messages, 'You said: first').id, text: 'x' })).rejects.toMatchObject({ code: 'request/not-possible' });
  for (const text of [' \n', '!', '/tool', '/tool todo {']) await expect(fork(id, { messageId: find(messages, 'first').id, text })).rejects.toMatchObject({ code: 'request/invalid' });
  await bench.request('sessions.delete', { sessionId: id });
  await expect(fork(id)).rejects.toMatchObject({ code: 'session/deleted' });
  await expect(fork('ses_000000000000' as SessionId)).rejects.toMatchObject({ code: 'not-found' });
  expect(await bench.request('sessions.list', {})).toHaveLength(1);
});

test('two forks at once are two chats of two names, and a fork of a fork counts on', async () => {
  const { id } = await open();
  await bench.say(id, 'herons');
  const [one, two] = await Promise.all([fork(id), fork(id)]);
  expect([one.title, two.title]).toEqual(['Fork of herons', 'Fork 2 of herons']);
  expect((await fork(one.id)).title).toBe('Fork 3 of herons');
  await bench.request('sessions.rename', { sessionId: id, title: 'x'.repeat(100) });
  expect((await fork(id)).title).toHaveLength(100);
});

test('the fork of a messenger’s chat is on this computer: nothing said in it goes out', async () => {
  const { id } = await open();
  await bench.say(id, 'from afar');
  await bench.host.close();
  const storage = openStorage(join(bench.home, 'desktop', 'talaria.db'), { clock: systemClock, ids, log: silentLog });
  storage.sessions.update(id, { origin: 'gateway', title: 'telegram: Ada' });
  storage.gateway.putChat({ platform: 'telegram', chat: '7', thread: '', title: 'Ada', sessionId: id, deliveredSeq: 99 });
  storage.close();
  await bench.restart();
  const made = await fork(id);
  expect(made).toMatchObject({ origin: 'user', title: 'Fork of telegram: Ada' });
  await bench.say(made.id, 'for me alone');
  await bench.host.close();
  const after = openStorage(join(bench.home, 'desktop', 'talaria.db'), { clock: systemClock, ids, log: silentLog });
  expect(after.gateway.outbox()).toEqual([]);
  expect(after.gateway.chatOf(made.id)).toBeUndefined();
  after.close();
  await bench.restart();
});

test('words are found in the whole chat, in parts of words, across mark-up, and in calls', async () => {
  const { id } = await open({ script: ({ body }) => (JSON.stringify(body.messages).includes('birds') ? { text: 'Some **grey** _herons_ stand\n- in the reeds. HERONS!' } : { text: 'ok' }) });
  await bench.say(id, '!printf "one\\nheronry"');
  await bench.say(id, 'birds?');
  const found = await bench.request('sessions.find', { sessionId: id, query: 'heron' });
  const messages = await bench.messages(id);
  expect(found).toEqual({ more: false, places: [
    { messageId: find(messages, '!printf "one\\nheronry"').id, times: 1 }, { messageId: messages[1]?.id, callId: messages[1]?.calls[0]?.id, times: 1 }, { messageId: messages.at(-1)?.id, times: 2 },
  ] });
  const times = async (query: string): Promise<number[]> => (await bench.request('sessions.find', { sessionId: id, query })).places.map((place) => place.times);
  expect(await times('grey herons stand in the')).toEqual([1]);
  expect(await times('one heronry')).toEqual([1]);
  expect(await times('.*')).toEqual([]);
  expect(await times('  ')).toEqual([]);
  await bench.request('sessions.delete', { sessionId: id });
  await expect(bench.request('sessions.find', { sessionId: id, query: 'heron' })).rejects.toMatchObject({ code: 'session/deleted' });
});

test('killed in the middle of a fork, the database holds every fork whole or not at all', async () => {
  folder = await mkdtemp(join(tmpdir(), 'talaria-fork-kill-'));
  const file = join(folder, 'talaria.db');
  for (const after of KILLS) {
    const child = spawn(process.execPath, [PROGRAM, file, '300'], { stdio: ['ignore', 'pipe', 'inherit'] });
    let last = -1;
    for await (const line of createInterface({ input: child.stdout })) {
      last = Number(line);
      if (last === after) child.kill('SIGKILL');
    }
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    expect(last).toBeGreaterThanOrEqual(after);
    const storage = openStorage(file, { clock: systemClock, ids, log: silentLog });
    try {
      const chats = storage.sessions.list();
      const first = chats.at(-1);
      expect(chats.length).toBeGreaterThan(last);
      for (const chat of chats.filter(({ id }) => id !== first?.id)) {
        const rows = storage.messages.transcript(chat.id);
        expect([chat.messageCount, rows.length, rows.flatMap(({ calls }) => calls).length]).toEqual([301, 301, 150]);
        expect(chat.forkedFrom).toBe(first?.id);
        expect(storage.values.get(`todos:${chat.id}`)).toBe(storage.values.get(`todos:${first?.id ?? ''}`));
        expect(storage.values.get(`backend:${chat.id}`)).toBe('local');
      }
      while (storage.copies.index());
      expect(storage.messages.search('text', 1_000, { sessionId: chats[0]?.id })).toHaveLength(300);
    } finally {
      storage.close();
    }
  }
}, 120_000);
