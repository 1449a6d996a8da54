import { afterEach, expect, test } from 'vitest';
import type { Question } from '../../../preload/contract/sessions.ts';
import type { ModelServerOptions, StreamReply } from '../../support/model/server.ts';
import { openAgentBench, type AgentBench } from './bench.ts';

const benches: AgentBench[] = [];
afterEach(async () => { await Promise.all(benches.splice(0).map((bench) => bench.close())); });

async function open(script: ModelServerOptions['script']): Promise<AgentBench> {
  const bench = await openAgentBench(script === undefined ? {} : { script });
  benches.push(bench);
  return bench;
}

const held: StreamReply = { steps: [{ text: 'thinking ' }, { gate: 'hold' }, { text: 'done' }, { finish: 'stop' }] };
const texts = (bench: AgentBench): string[] => bench.messages().map((message) => `${message.role} ${message.state}: ${message.text}`);

/** Resolves when the chat's screen has seen text of the reply that streams. */
function textSeen(bench: AgentBench): Promise<void> {
  return new Promise((resolve) => {
    const off = bench.events.subscribe('chat', (event) => { if (event.type === 'text-delta') { off(); resolve(); } });
  });
}

test('a stop while text streams keeps the text, ends the request and pauses the queue', async () => {
  const bench = await open([held, { text: 'second answer' }, { text: 'third answer' }]);
  const shown = textSeen(bench);
  bench.agent.send(bench.sessionId, 'first');
  await shown;
  const queued = bench.agent.send(bench.sessionId, 'second');
  expect(queued.state).toBe('queued');
  await bench.agent.stop(bench.sessionId);
  expect(texts(bench)).toEqual(['user complete: first', 'assistant interrupted: thinking ', 'user queued: second', expect.stringMatching(/^notice complete: Stopped by you\. One message waits/) as string]);
  expect(bench.seen.at(-1)).toMatchObject({ type: 'turn-ended', reason: 'stopped' });
  expect(bench.stops).toEqual([bench.sessionId]);
  expect(bench.storage.sessions.get(bench.sessionId)?.status).toBe('idle');

  await bench.say('third');
  expect(texts(bench).slice(-4)).toEqual(['user complete: third', 'assistant complete: second answer', 'user complete: second', 'assistant complete: third answer']);
});

test('a stop while a tool runs aborts the tool, and calls behind it are answered as not run', async () => {
  const bench = await open([{ calls: [{ name: 'slow', arguments: {} }, { name: 'never', arguments: {} }] }, { text: 'noted' }]);
  const started = Promise.withResolvers<undefined>();
  const ran: string[] = [];
  bench.tool('slow', (_args, context) => new Promise((resolve) => {
    context.signal.addEventListener('abort', () => resolve('[Command interrupted]'));
    started.resolve(undefined);
  }));
  bench.tool('never', () => { ran.push('never'); return 'x'; });
  bench.agent.send(bench.sessionId, 'go');
  await started.promise;
  await bench.agent.stop(bench.sessionId);
  expect(ran).toEqual([]);
  expect(bench.messages().flatMap((message) => message.calls.map((call) => `${call.name} ${call.state}`))).toEqual([expect.stringMatching(/^slow (?:done|cancelled)$/) as string, 'never cancelled']);
  await bench.say('what happened?');
  expect(bench.model.requests[1]?.body.messages.filter((message) => message.role === 'tool')).toHaveLength(2);
  expect(JSON.stringify(bench.model.requests[1]?.body.messages)).toContain('Stopped by you');
});

test('stopping one of two calls leaves its neighbour and the turn alone', async () => {
  const bench = await open([{ calls: [{ name: 'read_file', arguments: { path: 'a' } }, { name: 'search_files', arguments: { pattern: 'b' } }] }, { text: 'went on' }]);
  const endings = new Map<string, (text: string) => void>();
  const bothRun = Promise.withResolvers<undefined>();
  for (const name of ['read_file', 'search_files']) {
    bench.tool(name, (_args, context) => new Promise((resolve) => {
      context.signal.addEventListener('abort', () => { resolve(`${name} interrupted`); });
      endings.set(name, resolve);
      if (endings.size === 2) bothRun.resolve(undefined);
    }));
  }
  bench.agent.send(bench.sessionId, 'go');
  await bothRun.promise;
  const [first, second] = bench.messages().flatMap((message) => message.calls);
  if (first === undefined || second === undefined) throw new Error('two calls run');
  bench.agent.stopCall(bench.sessionId, first.id);
  endings.get('search_files')?.('found');
  await bench.agent.idle(bench.sessionId);
  expect(bench.messages().flatMap((message) => message.calls.map((call) => call.result))).toEqual(['read_file interrupted', 'found']);
  expect(bench.messages().at(-1)?.text).toBe('went on');
  expect(() => { bench.agent.stopCall(bench.sessionId, first.id); }).toThrow('does not run any more');
});

test('messages typed while the agent works are sent one by one after its turn, in order', async () => {
  const bench = await open([held, { text: 'two' }, { text: 'three' }]);
  bench.agent.send(bench.sessionId, 'a');
  await bench.model.reached('hold');
  bench.agent.send(bench.sessionId, 'b');
  bench.agent.send(bench.sessionId, 'c');
  bench.model.open('hold');
  await bench.agent.idle(bench.sessionId);
  expect(texts(bench)).toEqual(['user complete: a', 'assistant complete: thinking done', 'user complete: b', 'assistant complete: two', 'user complete: c', 'assistant complete: three']);
  expect(bench.messages().map((message) => message.turn)).toEqual([1, 1, 2, 2, 3, 3]);
});

test('a queued message can be taken back, once', async () => {
  const bench = await open([held]);
  bench.agent.send(bench.sessionId, 'a');
  await bench.model.reached('hold');
  const queued = bench.agent.send(bench.sessionId, 'b');
  bench.agent.unqueue(bench.sessionId, queued.id);
  expect(() => bench.agent.unqueue(bench.sessionId, queued.id)).toThrow(expect.objectContaining({ code: 'not-found' }));
  bench.model.open('hold');
  await bench.agent.idle(bench.sessionId);
  expect(texts(bench)).toEqual(['user complete: a', 'assistant complete: thinking done']);
});

test('a steering message reaches the model with its next request of the same turn', async () => {
  const bench = await open([{ calls: [{ name: 'slow', arguments: {} }] }, { text: 'going left' }]);
  const started = Promise.withResolvers<undefined>();
  const goOn = Promise.withResolvers<undefined>();
  bench.tool('slow', async () => { started.resolve(undefined); await goOn.promise; return 'x'; });
  bench.agent.send(bench.sessionId, 'go');
  await started.promise;
  bench.agent.send(bench.sessionId, 'turn left', { steer: true });
  goOn.resolve(undefined);
  await bench.agent.idle(bench.sessionId);
  expect(bench.model.requests[1]?.body.messages.at(-1)).toEqual({ role: 'user', content: 'turn left' });
  expect(bench.messages().map((message) => message.turn)).toEqual([1, 1, 1, 1]);
  expect(bench.seen.filter((event) => event.type === 'turn-ended')).toHaveLength(1);
});

test('a question that outlives its call leaves the ended call as it ended', async () => {
  const bench = await open([{ calls: [{ name: 'asks', arguments: {} }] }, { text: 'done' }]);
  bench.tool('asks', () => 'did not wait');
  await bench.say('go');
  const call = bench.messages().flatMap(({ calls }) => calls)[0]!;
  expect(call.state).toBe('done');
  const question: Question = { callId: call.id, sessionId: bench.sessionId, question: 'Which colour?', choices: [], createdAt: 1 };
  const runner = bench.agent.runner(bench.sessionId);
  for (const isOpen of [true, false]) {
    runner.questionChanged(question, isOpen);
    expect(bench.storage.calls.get(call.id)).toMatchObject({ state: 'done', endedAt: call.endedAt });
  }
  expect(bench.seen.slice(-2).map(({ type }) => type)).toEqual(['question-asked', 'question-settled']);
  expect(bench.seen.filter(({ type }) => type === 'turn-started' || type === 'turn-ended').map(({ type }) => type)).toEqual(['turn-started', 'turn-ended']);
});

test('a steering message that comes with the last answer is answered in the same turn', async () => {
  const bench = await open([held, { text: 'also that' }]);
  bench.agent.send(bench.sessionId, 'a');
  await bench.model.reached('hold');
  bench.agent.send(bench.sessionId, 'b', { steer: true });
  bench.model.open('hold');
  await bench.agent.idle(bench.sessionId);
  expect(bench.answer()).toBe('also that');
  expect(bench.seen.filter((event) => event.type === 'turn-ended')).toHaveLength(1);
});

test('a retry is refused while the agent works and in an empty chat', async () => {
  const bench = await open([held]);
  expect(() => bench.agent.retry(bench.sessionId)).toThrow(expect.objectContaining({ code: 'request/not-possible' }));
  bench.agent.send(bench.sessionId, 'a');
  await bench.model.reached('hold');
  expect(() => bench.agent.retry(bench.sessionId)).toThrow(expect.objectContaining({ code: 'session/busy' }));
  bench.model.open('hold');
  await bench.agent.idle(bench.sessionId);
});

test('a person\'s own command and tool call run without a model', async () => {
  const bench = await open([]);
  bench.connected = false;
  const ran: unknown[] = [];
  bench.tool('terminal', (args) => { ran.push(args); return '{"output":"hi","exit_code":0}'; });
  await bench.say('!echo hi');
  await bench.say('/tool terminal {"command": "ls"}');
  expect(ran).toEqual([{ command: 'echo hi' }, { command: 'ls' }]);
  expect(bench.messages().flatMap((message) => message.calls.map((call) => `${call.name} ${call.state} ${String(call.result)}`))).toEqual(['terminal done {"output":"hi","exit_code":0}', 'terminal done {"output":"hi","exit_code":0}']);
  expect(bench.model.requests).toEqual([]);
});

test('an unreadable command is refused and nothing of it stays', async () => {
  const bench = await open([]);
  expect(() => bench.agent.send(bench.sessionId, '/tool read_file {"path"')).toThrow(expect.objectContaining({ code: 'request/invalid' }));
  expect(bench.messages()).toEqual([]);
});

test('news of a background process wakes an idle chat, and waits for a turn that runs', async () => {
  const bench = await open([{ text: 'hello' }, { text: 'I see that it ended' }, held, { text: 'and the other too' }]);
  await bench.say('hi');
  bench.tell('proc_1 ended with exit code 0');
  await bench.agent.idle(bench.sessionId);
  expect(bench.answer()).toBe('I see that it ended');
  expect(JSON.stringify(bench.model.requests[1]?.body.messages.at(-1))).toContain('proc_1 ended');

  bench.agent.send(bench.sessionId, 'next');
  await bench.model.reached('hold');
  bench.tell('proc_2 ended');
  bench.model.open('hold');
  await bench.agent.idle(bench.sessionId);
  expect(texts(bench).slice(-3)).toEqual(['assistant complete: thinking done', 'notice complete: proc_2 ended', 'assistant complete: and the other too']);
});

test('after a stop, news of a background process is shown but does not wake the model', async () => {
  const bench = await open([held]);
  bench.agent.send(bench.sessionId, 'a');
  await bench.model.reached('hold');
  await bench.agent.stop(bench.sessionId);
  bench.tell('proc_1 ended');
  await bench.agent.idle(bench.sessionId);
  expect(texts(bench).at(-1)).toBe('notice complete: proc_1 ended');
  expect(bench.model.requests).toHaveLength(1);
});

test('a screen that opens the chat mid-stream gets the text so far and the number of the last event in it', async () => {
  const bench = await open([{ steps: [{ text: 'one ' }, { call: { index: 0, id: 'c', name: 'read_file', arguments: '' } }, { gate: 'hold' }, { call: { index: 0, arguments: '{}' } }, { finish: 'tool_calls' }] }, { text: 'end' }]);
  bench.agent.send(bench.sessionId, 'a');
  const called = new Promise<undefined>((resolve) => { bench.events.subscribe('chat', (event) => { if (event.type === 'call-changed') resolve(undefined); }); });
  await called;
  const { messages, seq } = bench.agent.overlay(bench.sessionId, bench.messages());
  expect(messages.at(-1)).toMatchObject({ state: 'streaming', text: 'one ', calls: [{ name: 'read_file', state: 'pending' }] });
  expect(seq).toBe(bench.seen.at(-1)?.seq);
  const before = bench.seen.length;
  bench.model.open('hold');
  await bench.agent.idle(bench.sessionId);
  expect(bench.seen.slice(before).every((event) => event.seq > seq)).toBe(true);
  const draft = messages.at(-1)?.calls[0]?.id;
  expect(bench.messages().flatMap((message) => message.calls).map((call) => call.id)).toEqual([draft]);
});

test('a question of the model waits for its answer', async () => {
  const bench = await open([{ calls: [{ name: 'ask', arguments: {} }] }, { text: 'blue it is' }]);
  const asked = Promise.withResolvers<undefined>();
  bench.tool('ask', async (_args, context) => {
    const answer = bench.questions.ask({ sessionId: context.sessionId, toolCallId: context.toolCallId, question: 'which colour?', choices: ['red', 'blue'] }, context.signal);
    asked.resolve(undefined);
    return `the user said ${String(await answer)}`;
  });
  bench.agent.send(bench.sessionId, 'paint');
  await asked.promise;
  const [question] = bench.agent.questions(bench.sessionId);
  if (!question) throw new Error('no question is open');
  bench.agent.answer(question.callId, 'blue');
  await bench.agent.idle(bench.sessionId);
  expect(JSON.stringify(bench.model.requests[1]?.body.messages)).toContain('the user said blue');
});
