import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { ModelServerOptions, RecordedRequest, StreamReply } from '../../support/model/server.ts';
import { openAgentBench, type AgentBench } from './bench.ts';

const benches: AgentBench[] = [];
afterEach(async () => { await Promise.all(benches.splice(0).map((bench) => bench.close())); });

async function open(script: ModelServerOptions['script'], options: ModelServerOptions = {}): Promise<AgentBench> {
  const bench = await openAgentBench({ ...options, ...(script === undefined ? {} : { script }) });
  benches.push(bench);
  return bench;
}

const call = (name: string, args: Readonly<Record<string, unknown>> | string = {}): StreamReply => ({ calls: [{ name, arguments: args }] });
const toolMessages = (request: RecordedRequest | undefined): string[] => (request?.body.messages ?? []).filter((message) => message.role === 'tool').map((message) => String(message.content));
const offered = (request: RecordedRequest | undefined): string[] => (request?.body.tools ?? []).map((tool) => tool.function.name);

test('two reads run side by side, a command after them, and the answer ends the turn', async () => {
  const bench = await open([
    { text: 'Reading. ', calls: [{ name: 'read_file', arguments: { path: 'a.txt' } }, { name: 'read_file', arguments: { path: 'b.txt' } }], mixed: true, split: 'units' },
    call('terminal', { command: 'ls' }), { text: 'Both files and the listing are fine.', usage: { prompt: 50, completion: 9 } },
  ]);
  let together = 0;
  let most = 0;
  const both = Promise.withResolvers<undefined>();
  bench.tool('read_file', async (args) => {
    together += 1;
    most = Math.max(most, together);
    if (together === 2) both.resolve(undefined);
    await both.promise;
    together -= 1;
    return `content of ${String(args['path'])}`;
  });
  let titleMeanwhile: string | undefined;
  bench.tool('terminal', () => {
    titleMeanwhile = bench.storage.sessions.get(bench.sessionId)?.title;
    return '{"output":"a.txt b.txt","exit_code":0}';
  });
  await bench.say('Read both and list.');

  expect(most).toBe(2);
  expect(titleMeanwhile).toBe('Read both and list');
  expect(bench.answer()).toBe('Both files and the listing are fine.');
  expect(bench.messages().map((message) => [message.role, message.state, message.calls.map((each) => `${each.name} ${each.state}`)])).toEqual([
    ['user', 'complete', []], ['assistant', 'complete', ['read_file done', 'read_file done']], ['assistant', 'complete', ['terminal done']], ['assistant', 'complete', []],
  ]);
  expect(toolMessages(bench.model.requests[1]).toSorted()).toEqual(['content of a.txt', 'content of b.txt']);
  expect(toolMessages(bench.model.requests[2])).toHaveLength(3);
  expect(bench.storage.sessions.get(bench.sessionId)).toMatchObject({ status: 'idle', title: 'Read both and list', titled: true, usage: { requests: 3, promptTokens: 50, completionTokens: 9 } });
  expect(bench.seen.map((event) => event.seq)).toEqual(bench.seen.map((_, index) => index + 1));
  expect(bench.seen.at(-1)).toMatchObject({ type: 'turn-ended', reason: 'done' });
});

test('what was decided is stored before any of it runs', async () => {
  const bench = await open([{ calls: [{ name: 'one', arguments: {} }, { name: 'two', arguments: {} }] }, { text: 'ok' }]);
  const stored: string[][] = [];
  const look = (): string => {
    stored.push(bench.messages().flatMap((message) => message.calls.map((each) => `${each.name} ${each.state}`)));
    return 'seen';
  };
  bench.tool('one', look);
  bench.tool('two', look);
  await bench.say('go');
  expect(stored).toEqual([['one running', 'two pending'], ['one done', 'two running']]);
});

test('arguments that are no JSON run nothing, the model is told why, and later requests stay valid', async () => {
  const bench = await open([call('one', '{"path": "a.t'), call('one', { path: 'a.txt' }), { text: 'done' }]);
  const ran: unknown[] = [];
  bench.tool('one', (args) => { ran.push(args); return 'fine'; });
  await bench.say('go');
  expect(ran).toEqual([{ path: 'a.txt' }]);
  expect(toolMessages(bench.model.requests[1])[0]).toMatch(/not valid JSON.*Nothing was run/);
  for (const message of bench.model.requests[2]?.body.messages ?? []) for (const each of message.tool_calls ?? []) expect(() => JSON.parse(each.function.arguments) as unknown).not.toThrow();
  expect(bench.answer()).toBe('done');
});

test('a tool that the chat does not offer is not run', async () => {
  const bench = await open([call('hidden'), { text: 'sorry' }]);
  const ran: string[] = [];
  bench.tool('hidden', () => { ran.push('hidden'); return 'x'; }, 'other');
  bench.disabled.add('other');
  await bench.say('go');
  expect(ran).toEqual([]);
  expect(toolMessages(bench.model.requests[1])[0]).toContain('error');
});

test('a tool that throws anything at all still gives the model an answer', async () => {
  const bench = await open([{ calls: [{ name: 'one', arguments: {} }, { name: 'two', arguments: {} }] }, { text: 'I see' }]);
  bench.tool('one', () => { throw new Error('disk on fire'); });
  bench.tool('two', () => Promise.reject(Object.create(null) as Error));
  await bench.say('go');
  expect(toolMessages(bench.model.requests[1])).toEqual([expect.stringContaining('disk on fire') as string, expect.stringContaining('error') as string]);
  expect(bench.answer()).toBe('I see');
});

test('a switched-off toolset is missing from the very next request of the same turn', async () => {
  const bench = await open([call('switch_off'), { text: 'gone' }]);
  bench.tool('extra', () => 'x', 'other');
  bench.tool('switch_off', () => { bench.disabled.add('other'); return 'off'; });
  await bench.say('go');
  expect(offered(bench.model.requests[0])).toContain('extra');
  expect(offered(bench.model.requests[1])).not.toContain('extra');
});

test('the turn ends at its budget with a last word of the model and without tools', async () => {
  const bench = await open(({ body }) => (body.tools ? call('one') : { text: 'That is as far as I came.' }));
  bench.maxIterations = 3;
  bench.tool('one', () => 'x');
  await bench.say('go');
  expect(bench.model.requests).toHaveLength(4);
  expect(bench.answer()).toBe('That is as far as I came.');
  expect(bench.seen.at(-1)).toMatchObject({ type: 'turn-ended', reason: 'budget' });
});

test('requests whose only tool was a script are given back to the budget', async () => {
  const replies = [call('execute_code'), call('execute_code'), call('one'), { text: 'end' }];
  const bench = await open(replies);
  bench.maxIterations = 2;
  bench.tool('execute_code', () => 'ran');
  bench.tool('one', () => 'x');
  await bench.say('go');
  expect(bench.seen.at(-1)).toMatchObject({ reason: 'done' });
  expect(bench.model.requests).toHaveLength(4);
});

test('a reply that is cut for good keeps its text, says why, and can be tried again', async () => {
  const bench = await open([{ steps: [{ text: 'The answer begins ' }, { cut: true }] }]);
  await bench.say('go');
  expect(bench.messages().at(-1)).toMatchObject({ role: 'assistant', state: 'error', text: 'The answer begins ', error: { code: 'model/network' } });
  expect(bench.seen.at(-1)).toMatchObject({ reason: 'error' });
  bench.model.use([{ text: 'The whole answer.' }]);
  bench.agent.retry(bench.sessionId);
  await bench.agent.idle(bench.sessionId);
  expect(bench.messages().map((message) => message.text)).toEqual(['go', 'The whole answer.']);
});

test('a busy server is waited for, and the wait is shown at the message', async () => {
  const bench = await open([{ status: 429, headers: { 'retry-after': '2' } }, { text: 'now' }]);
  await bench.say('go');
  expect(bench.answer()).toBe('now');
  expect(bench.messages().at(-1)?.error).toBeNull();
  expect(bench.seen).toContainEqual(expect.objectContaining({ type: 'message-changed', message: expect.objectContaining({ error: expect.objectContaining({ code: 'model/rate-limited', hint: expect.stringContaining('2 s') as string }) as unknown }) as unknown }));
});

test('a chat that became too long for the server is trimmed with a notice, and goes on', async () => {
  const big = 'x'.repeat(30_000);
  const bench = await open(({ body }) => {
    const size = JSON.stringify(body.messages).length;
    if (size > 40_000) return { status: 400, body: { error: { message: `maximum context length is 10000 tokens, you sent ${size}`, code: 'context_length_exceeded' } } };
    return toolResults(body) < 3 ? call('one') : { text: 'finished' };
  });
  bench.tool('one', () => big);
  await bench.say('go');
  expect(bench.answer()).toBe('finished');
  const notice = bench.messages().find((message) => message.role === 'notice');
  expect(notice).toMatchObject({ error: { code: 'notice/trimmed' } });
  expect(bench.messages().flatMap((message) => message.calls)[0]?.resultChars).toBe(big.length);
});

function toolResults(body: RecordedRequest['body']): number {
  return body.messages.filter((message) => message.role === 'tool').length;
}

test('a chat that would not fit the known window is trimmed before the server has to refuse it', async () => {
  const bench = await open(({ body }) => (toolResults(body) < 6 ? call('one') : { text: 'finished' }));
  bench.contextTokens = 8_000;
  bench.tool('one', () => 'y'.repeat(6_000));
  await bench.say('go');
  expect(bench.answer()).toBe('finished');
  for (const request of bench.model.requests) expect(JSON.stringify(request.body.messages).length / 4).toBeLessThan(8_000);
  expect(bench.messages().some((message) => message.error?.code === 'notice/trimmed')).toBe(true);
});

test('a chat that can be trimmed no further ends with a clear error', async () => {
  const bench = await open([{ status: 400, body: { error: { message: 'too long', code: 'context_length_exceeded' } } }]);
  await bench.say('hello');
  expect(bench.messages().at(-1)).toMatchObject({ state: 'error', error: { code: 'model/context' } });
});

test('a model that answers with nothing is asked again, then the chat says so', async () => {
  const bench = await open([{ text: '' }, { text: 'here I am' }]);
  await bench.say('go');
  expect(bench.messages().map((message) => message.text)).toEqual(['go', 'here I am']);
  bench.model.use([{ text: '' }]);
  await bench.say('again');
  expect(bench.messages().at(-1)).toMatchObject({ role: 'notice', state: 'error', error: { code: 'model/bad-reply' } });
});

test('without a model the chat says so and loses nothing', async () => {
  const bench = await open([{ text: 'hello' }]);
  bench.connected = false;
  await bench.say('are you there?');
  expect(bench.messages().map((message) => [message.role, message.state])).toEqual([['user', 'complete'], ['notice', 'error']]);
  bench.connected = true;
  bench.agent.retry(bench.sessionId);
  await bench.agent.idle(bench.sessionId);
  expect(bench.messages().map((message) => message.text)).toEqual(['are you there?', 'hello']);
});

test('the memory in the system prompt is the one from the chat\'s beginning', async () => {
  const bench = await open([{ text: 'ok' }]);
  await writeFile(join(bench.folder, 'SOUL.md'), 'You are terse.');
  const { mkdir } = await import('node:fs/promises');
  await mkdir(join(bench.folder, 'memories'));
  await writeFile(join(bench.folder, 'memories', 'USER.md'), 'Likes tea.');
  await bench.say('one');
  await writeFile(join(bench.folder, 'memories', 'USER.md'), 'Likes coffee.');
  await bench.say('two');
  const prompts = bench.model.requests.map((request) => String(request.body.messages[0]?.content));
  expect(prompts[0]).toMatch(/^You are terse\.[\s\S]*Likes tea\./);
  expect(prompts[1]).toBe(prompts[0]);
});
