import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import type { SessionId } from '../../../preload/contract/ids.ts';
import type { ModelServerOptions } from '../../support/model/server.ts';
import { openHostBench, type HostBench } from '../../support/test-host.ts';

const PROGRAM = fileURLToPath(new URL('../../support/host-process.ts', import.meta.url));

let bench: HostBench | undefined;
let child: ChildProcess | undefined;
afterEach(async () => {
  if (child?.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
  await bench?.close();
  bench = undefined;
  child = undefined;
});

/** Lets a host process work until it prints `line`, kills it without warning, and opens the home again. */
async function dieAt(line: string, text: string, options: ModelServerOptions): Promise<{ bench: HostBench; sessionId: SessionId }> {
  bench = await openHostBench(options);
  await bench.host.close();
  child = spawn(process.execPath, [PROGRAM, bench.home, bench.folder, text], { stdio: ['ignore', 'pipe', 'inherit'], env: { PATH: process.env['PATH'], HOME: bench.folder, TMPDIR: process.env['TMPDIR'], SHELL: '/bin/bash' } });
  if (!child.stdout) throw new Error('no stdout');
  let sessionId: string | undefined;
  for await (const printed of createInterface({ input: child.stdout })) {
    sessionId ??= printed;
    if (printed === line) break;
  }
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
  await bench.restart();
  return { bench, sessionId: sessionId as SessionId }; // the first line the program prints
}

test('killed while a command runs, the host shows after a restart what was decided and that its outcome is unknown', async () => {
  const { bench: after, sessionId } = await dieAt('running terminal', 'work', {
    script: ({ body }) => (body.messages.some((message) => message.role === 'tool') ? { text: 'I will look first.' } : {
      text: 'Reading, then sleeping.', calls: [{ name: 'todo', arguments: {} }, { name: 'terminal', arguments: { command: 'sleep 1000' } }, { name: 'terminal', arguments: { command: 'echo after' } }],
    }),
  });
  const { session, messages } = await after.request('sessions.open', { sessionId });
  expect(session.status).toBe('idle');
  expect(messages.map((message) => [message.role, message.text])).toEqual([['user', 'work'], ['assistant', 'Reading, then sleeping.'], ['notice', expect.stringContaining('The app was closed') as string]]);
  expect(messages.flatMap((message) => message.calls.map((call) => `${call.name} ${call.state}`))).toEqual(['todo done', 'terminal unknown', 'terminal cancelled']);

  await after.say(sessionId, 'What happened?');
  const told = after.model.requests.at(-1)?.body.messages.filter((message) => message.role === 'tool').map((message) => String(message.content)) ?? [];
  expect(told).toHaveLength(3);
  expect(told[1]).toContain('is unknown');
  expect(await after.answer(sessionId)).toBe('I will look first.');
}, 60_000);

test('a screen that shows the chat of another host process sees it mended when that process dies, without opening it again', async () => {
  bench = await openHostBench({ script: [{ text: 'Working.', calls: [{ name: 'terminal', arguments: { command: 'sleep 1000' } }] }] });
  child = spawn(process.execPath, [PROGRAM, bench.home, bench.folder, 'work'], { stdio: ['ignore', 'pipe', 'inherit'], env: { PATH: process.env['PATH'], HOME: bench.folder, TMPDIR: process.env['TMPDIR'], SHELL: '/bin/bash' } });
  if (!child.stdout) throw new Error('no stdout');
  const lines: string[] = [];
  for await (const printed of createInterface({ input: child.stdout })) {
    lines.push(printed);
    if (printed === 'running terminal') break;
  }
  const sessionId = lines[0] as SessionId; // the first line the program prints
  const opened = await bench.request('sessions.open', { sessionId });
  expect(opened.session.status).not.toBe('idle');
  const { events } = bench.host;
  const told = new Promise<string>((resolve) => {
    events.subscribe('chat', (event) => { if (event.type === 'message-added' && event.message.role === 'notice') resolve(event.message.text); });
  });
  const rests = new Promise<void>((resolve) => {
    events.subscribe('sessions', (event) => { if (event.type === 'changed' && event.session.id === sessionId && event.session.status === 'idle') resolve(); });
  });
  child.kill('SIGKILL');
  expect(await told).toContain('The app was closed while the agent worked');
  await rests;
}, 60_000);

const clean: ModelServerOptions = {
  script: ({ body }) => (body.messages.some((message) => message.role === 'tool') ? { text: 'Cleaned up.' } : { text: 'Removing it.', calls: [{ name: 'terminal', arguments: { command: 'mkdir -p keep && touch keep/ran && rm -rf victim' } }] }),
};

test('a request that waited when the host was killed is answered after the restart: the command runs once, and the model is told', async () => {
  const { bench: after, sessionId } = await dieAt('waiting terminal', 'clean up', clean);
  const before = await after.request('sessions.open', { sessionId });
  expect(before.session).toMatchObject({ status: 'waiting', waiting: 1 });
  expect(before.messages.flatMap((message) => message.calls.map((call) => call.state))).toEqual(['waiting']);
  const request = await after.approval();
  expect(request).toMatchObject({ command: 'mkdir -p keep && touch keep/ran && rm -rf victim', sessionId });
  const ended = after.next('chat', (event) => event.type === 'turn-ended');
  await after.request('approvals.decide', { id: request.id, choice: 'once' });
  await ended;
  await after.host.idle(sessionId);
  expect((await stat(join(after.folder, 'keep/ran'))).isFile()).toBe(true);
  const { session, messages } = await after.request('sessions.open', { sessionId });
  expect(session).toMatchObject({ status: 'idle', waiting: 0 });
  expect(messages.flatMap((message) => message.calls.map((call) => [call.state, call.exitCode]))).toEqual([['done', 0]]);
  expect(messages.at(-1)).toMatchObject({ role: 'assistant', text: 'Cleaned up.' });
}, 60_000);

test('a refusal after the restart reaches the model, and nothing has run', async () => {
  const { bench: after, sessionId } = await dieAt('waiting terminal', 'clean up', clean);
  const request = await after.approval();
  const ended = after.next('chat', (event) => event.type === 'turn-ended');
  await after.request('approvals.decide', { id: request.id, choice: 'deny', reason: 'not today' });
  await ended;
  await after.host.idle(sessionId);
  await expect(stat(join(after.folder, 'keep'))).rejects.toMatchObject({ code: 'ENOENT' });
  expect(JSON.stringify(after.model.requests.at(-1)?.body.messages)).toContain('not today');
  expect((await after.messages(sessionId)).flatMap((message) => message.calls.map((call) => call.state))).toEqual(['blocked']);
}, 60_000);

test('a host that is closed while a command waits for an approval keeps the request open', async () => {
  bench = await openHostBench(clean);
  const session = await bench.session();
  await bench.request('chat.send', { sessionId: session.id, text: 'clean up' });
  const request = await bench.approval();
  await bench.restart();
  expect((await bench.approval()).id).toBe(request.id);
  expect((await bench.request('sessions.open', { sessionId: session.id })).session.status).toBe('waiting');
});
