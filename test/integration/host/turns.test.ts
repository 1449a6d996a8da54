import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { ApprovalRequest } from '../../../preload/contract/approvals.ts';
import type { RecordedRequest, StreamReply } from '../../support/model/server.ts';
import { openHostBench, type HostBench, type TestHostOptions } from '../../support/test-host.ts';

const benches: HostBench[] = [];
afterEach(async () => { await Promise.all(benches.splice(0).map((bench) => bench.close())); });

async function open(options: TestHostOptions = {}): Promise<HostBench> {
  const bench = await openHostBench(options);
  benches.push(bench);
  return bench;
}

const command = (text: string, more: Readonly<Record<string, unknown>> = {}): StreamReply => ({ text: 'I need this. ', calls: [{ name: 'terminal', arguments: { command: text, ...more } }] });
const results = (request: RecordedRequest | undefined): string => (request?.body.messages ?? []).filter((message) => message.role === 'tool').map((message) => String(message.content)).join('\n');
const exists = async (path: string): Promise<boolean> => (await stat(path).catch(() => undefined)) !== undefined;

test('two files are read side by side, a command runs in a terminal, and the answer uses all three', async () => {
  const bench = await open();
  await writeFile(join(bench.folder, 'a.txt'), 'alpha\n');
  await writeFile(join(bench.folder, 'b.txt'), 'beta\n');
  const session = await bench.session();
  await bench.say(session.id, 'Read `a.txt` and `b.txt`, then run `echo gamma; pwd`');
  const answer = await bench.answer(session.id);
  for (const word of ['alpha', 'beta', 'gamma', bench.folder]) expect(answer).toContain(word);
  const calls = (await bench.messages(session.id)).flatMap((message) => message.calls);
  expect(calls.map((call) => [call.name, call.state, call.exitCode])).toEqual([['read_file', 'done', null], ['read_file', 'done', null], ['terminal', 'done', 0]]);
  const terminal = (await bench.request('terminals.list', {})).find((each) => each.id === calls[2]?.terminalId);
  expect(terminal).toMatchObject({ kind: 'foreground', state: 'exited', exitCode: 0, sessionId: session.id, command: 'echo gamma; pwd' });
});

test('the directory a command went to is the chat\'s own, stays over a restart, and is not another chat\'s', async () => {
  const bench = await open({ withoutModel: true });
  const [one, other] = [await bench.session(), await bench.session()];
  await bench.say(one.id, '!mkdir deep && cd deep');
  await bench.say(other.id, '!pwd');
  await bench.restart();
  await bench.say(one.id, '!pwd');
  const last = async (id: typeof one.id): Promise<string | null | undefined> => (await bench.messages(id)).at(-1)?.calls[0]?.result;
  expect(await last(other.id)).toContain(`"${bench.folder}"`);
  expect(await last(one.id)).toContain(`${bench.folder}/deep`);
});

async function asked(bench: HostBench, text: string): Promise<{ request: ApprovalRequest; done: Promise<void>; sessionId: ApprovalRequest['sessionId'] }> {
  const session = await bench.session();
  await bench.request('chat.send', { sessionId: session.id, text });
  const request = await bench.approval();
  return { request, sessionId: session.id, done: bench.host.idle(session.id) };
}

test('a dangerous command waits for the person, is shown whole with the model\'s reason, and runs once when allowed', async () => {
  const bench = await open({ script: [command('rm -rf victim'), { text: 'Gone.' }, command('rm -rf victim'), { text: 'Again.' }] });
  await bench.host.callTool('write_file', { path: join(bench.folder, 'victim/x.txt'), content: 'x' }, { sessionId: (await bench.session()).id, signal: AbortSignal.timeout(20_000) });
  const { request, sessionId, done } = await asked(bench, 'clean up');
  expect(request).toMatchObject({ command: 'rm -rf victim', cwd: bench.folder, backend: 'local', tool: 'terminal', wants: 'I need this.' });
  expect(await exists(join(bench.folder, 'victim/x.txt'))).toBe(true);
  expect((await bench.request('sessions.open', { sessionId })).session).toMatchObject({ status: 'waiting', waiting: 1 });
  const [waiting] = (await bench.messages(sessionId)).flatMap((message) => message.calls);
  expect(waiting).toMatchObject({ state: 'waiting', approvalId: request.id });
  expect(bench.notes).toContainEqual(expect.objectContaining({ body: 'rm -rf victim' }));

  await bench.request('approvals.decide', { id: request.id, choice: 'once' });
  await done;
  expect(await exists(join(bench.folder, 'victim'))).toBe(false);
  expect(await bench.answer(sessionId)).toBe('Gone.');
  expect((await bench.messages(sessionId)).flatMap((message) => message.calls)[0]).toMatchObject({ state: 'done', exitCode: 0 });
  // Its duration is the tool's: the time a person took to answer does not count.
  const ran = (await bench.request('sessions.open', { sessionId: request.sessionId })).messages.flatMap(({ calls }) => calls).find(({ approvalId }) => approvalId === request.id);
  const [answered] = await bench.request('approvals.history', {});
  expect(ran?.startedAt).toBeGreaterThanOrEqual(answered?.decidedAt ?? Number.POSITIVE_INFINITY);
  await expect(bench.request('approvals.decide', { id: request.id, choice: 'once' })).rejects.toMatchObject({ code: 'approval/late' });

  await bench.request('chat.send', { sessionId, text: 'again' });
  expect((await bench.approval()).id).not.toBe(request.id);
});

test('a refusal with a reason reaches the model, and nothing runs', async () => {
  const bench = await open({ script: [command('rm -rf victim'), { text: 'Understood.' }] });
  await bench.host.callTool('write_file', { path: join(bench.folder, 'victim/x.txt'), content: 'x' }, { sessionId: (await bench.session()).id, signal: AbortSignal.timeout(20_000) });
  const { request, sessionId, done } = await asked(bench, 'clean up');
  await bench.request('approvals.decide', { id: request.id, choice: 'deny', reason: 'the heron nests there' });
  await done;
  expect(await exists(join(bench.folder, 'victim/x.txt'))).toBe(true);
  expect(results(bench.model.requests[1])).toContain('the heron nests there');
  expect((await bench.messages(sessionId)).flatMap((message) => message.calls)[0]?.state).toBe('blocked');
});

test('"always" is written to config.yaml, covers the next such command, and can be taken back', async () => {
  const bench = await open({ script: [command('rm -rf one'), { text: 'a' }, command('rm -rf two'), { text: 'b' }, command('rm -rf three'), { text: 'c' }] });
  const { request, sessionId, done } = await asked(bench, 'one');
  await bench.request('approvals.decide', { id: request.id, choice: 'always' });
  await done;
  expect(await readFile(join(bench.home, 'config.yaml'), 'utf8')).toContain(request.alwaysEntries[0]);
  await bench.say(sessionId, 'two');
  expect(await bench.answer(sessionId)).toBe('b');
  for (const { entry } of await bench.request('allowlist.list', {})) await bench.request('allowlist.remove', { entry });
  await bench.request('chat.send', { sessionId, text: 'three' });
  expect((await bench.approval()).command).toBe('rm -rf three');
});

test('with nobody to ask, a dangerous command is refused and the model is told', async () => {
  const bench = await open({ unattended: true, script: [command('rm -rf victim'), { text: 'I could not.' }] });
  const session = await bench.session();
  await bench.say(session.id, 'clean up');
  expect(await bench.answer(session.id)).toBe('I could not.');
  expect(results(bench.model.requests[1])).toMatch(/BLOCKED/i);
});

test('a stop kills the running command with its children, and leaves the background process alone', async () => {
  const bench = await open({
    script: [command('sleep 1000', { background: true }), command('(sleep 1000; true); sleep 1000'), { text: 'never said' }],
  });
  const session = await bench.session();
  const running = bench.next('terminals', (event) => event.type === 'changed' && event.terminal.kind === 'foreground');
  await bench.request('chat.send', { sessionId: session.id, text: 'go' });
  await running;
  const before = await bench.request('terminals.list', {});
  const foreground = before.find((terminal) => terminal.kind === 'foreground');
  await bench.request('chat.stop', { sessionId: session.id });
  const after = await bench.request('terminals.list', {});
  expect(after.find((terminal) => terminal.id === foreground?.id)).toMatchObject({ state: 'exited' });
  const background = after.find((terminal) => terminal.kind === 'background');
  expect(background).toMatchObject({ state: 'running' });
  expect((await bench.request('processes.list', {})).every((process) => process.terminalId === background?.id)).toBe(true);
  const notice = (await bench.messages(session.id)).at(-1);
  expect(notice).toMatchObject({ role: 'notice', text: expect.stringContaining(`Background processes go on: ${background?.id ?? '?'}`) as string });
  expect((await bench.request('sessions.open', { sessionId: session.id })).session.status).toBe('idle');
});

test('a stop at an approval takes the request back, and nothing has run', async () => {
  const bench = await open({ script: [command('rm -rf victim'), { text: 'never said' }] });
  const { request, sessionId } = await asked(bench, 'clean up');
  await bench.request('chat.stop', { sessionId });
  expect(await bench.request('approvals.list', {})).toEqual([]);
  await expect(bench.request('approvals.decide', { id: request.id, choice: 'once' })).rejects.toMatchObject({ code: 'approval/late' });
  expect((await bench.request('sessions.open', { sessionId })).session).toMatchObject({ status: 'idle', waiting: 0 });
  expect(bench.model.requests).toHaveLength(1);
});

test('the end of a background process is told to the model in a turn of its own', async () => {
  const bench = await open({ script: [command('echo finished-well', { background: true, notify_on_complete: true }), { text: 'Started.' }, { text: 'It has finished.' }] });
  const session = await bench.session();
  const told = bench.next('chat', (event) => event.type === 'message-changed' && event.message.text === 'It has finished.' && event.message.state === 'complete');
  await bench.say(session.id, 'start it');
  await told;
  await bench.host.idle(session.id);
  expect(JSON.stringify(bench.model.requests.at(-1)?.body.messages)).toContain('finished-well');
});

test('a switch in the toolset panel changes the very next request of that chat, and of no other', async () => {
  const bench = await open({ script: [{ text: 'ok' }] });
  const [one, other] = [await bench.session(), await bench.session()];
  const offered = (): string[] => (bench.model.requests.at(-1)?.body.tools ?? []).map((tool) => tool.function.name);
  await bench.say(one.id, 'a');
  expect(offered()).toContain('terminal');
  await bench.request('toolsets.set', { name: 'terminal', sessionId: one.id, enabled: false });
  await bench.say(one.id, 'b');
  expect(offered()).not.toContain('terminal');
  expect(offered()).toContain('read_file');
  await bench.say(other.id, 'c');
  expect(offered()).toContain('terminal');
});

test('a question of the model is shown, answered and told back; a plan is kept over a restart', async () => {
  const bench = await open({ script: [{ calls: [{ name: 'todo', arguments: { todos: [{ id: '1', content: 'Paint', status: 'in_progress' }] } }] }, { calls: [{ name: 'clarify', arguments: { question: 'Which colour?', choices: ['red', 'blue'] } }] }, { text: 'Blue.' }] });
  const session = await bench.session();
  const asking = bench.next('chat', (event) => event.type === 'question-asked');
  await bench.request('chat.send', { sessionId: session.id, text: 'paint it' });
  await asking;
  const opened = await bench.request('sessions.open', { sessionId: session.id });
  expect([opened.session.status, opened.questions.map((question) => question.question), opened.todos.map((todo) => todo.content)]).toEqual(['waiting', ['Which colour?'], ['Paint']]);
  const [question] = opened.questions;
  if (!question) throw new Error('no question is open');
  await bench.request('chat.answer', { callId: question.callId, answer: 'blue' });
  await bench.host.idle(session.id);
  expect(results(bench.model.requests.at(-1))).toContain('blue');
  await bench.restart();
  expect((await bench.request('sessions.open', { sessionId: session.id })).todos).toHaveLength(1);
});

test('the whole of a long result can be had, while the card and the model get their share', async () => {
  const bench = await open({ withoutModel: true });
  const session = await bench.session();
  await bench.say(session.id, '!seq 1 9000');
  const [call] = (await bench.messages(session.id)).flatMap((message) => message.calls);
  if (!call) throw new Error('no call');
  expect(call.result?.length).toBe(20_000);
  const { text } = await bench.request('chat.result', { callId: call.id });
  expect(text.length).toBe(call.resultChars);
  expect(text).toContain('9000');
});

test('the tour goes through its five steps on this very machine', async () => {
  const bench = await open({ withoutModel: true });
  const session = await bench.request('tour.start', {});
  expect(session).toMatchObject({ origin: 'tour', title: 'Guided tour' });
  const request = await bench.approval();
  expect(request.command).toMatch(/^rm -rf '.*talaria-tour-.*\/old'$/);
  await bench.request('approvals.decide', { id: request.id, choice: 'deny' });
  await bench.host.idle(session.id);
  const messages = await bench.messages(session.id);
  expect(messages[0]).toMatchObject({ role: 'notice', error: { code: 'notice/tour' } });
  expect(messages.flatMap((message) => message.calls.map((call) => `${call.name} ${call.state}`))).toEqual(['terminal done', 'write_file done', 'terminal blocked', 'terminal done']);
  expect(messages.some((message) => message.text.startsWith('It was refused, so nothing ran.'))).toBe(true);
  expect(await readFile(join(session.cwd, 'hello.txt'), 'utf8')).toContain('Written by');
  expect(await exists(join(session.cwd, 'old/notes.txt'))).toBe(true);
  expect((await bench.request('terminals.list', {})).some((terminal) => terminal.kind === 'background' && terminal.state === 'running')).toBe(true);
  expect(bench.model.requests).toEqual([]);
});
