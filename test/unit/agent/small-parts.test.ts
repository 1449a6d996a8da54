import { expect, test } from 'vitest';
import { IterationBudget, isRefunded } from '../../../main/agent/budget.ts';
import { ChatStream } from '../../../main/agent/chat-stream.ts';
import { parseObject, parseTyped } from '../../../main/agent/commands.ts';
import { createQuestions } from '../../../main/agent/questions.ts';
import { titleOf } from '../../../main/agent/title.ts';
import type { ChatEvent } from '../../../preload/contract/events.ts';
import { ids } from '../../support/stored.ts';

test('the budget gives out its cap, takes refunds, and never goes below nothing used', () => {
  const budget = new IterationBudget(2);
  expect([budget.consume(), budget.consume(), budget.consume()]).toEqual([true, true, false]);
  budget.refund();
  expect([budget.used, budget.remaining, budget.consume(), budget.consume()]).toEqual([1, 1, true, false]);
  const fresh = new IterationBudget(1);
  fresh.refund();
  expect(fresh.used).toBe(0);
});

test('only a request whose every tool was a script is refunded', () => {
  expect([isRefunded(['execute_code']), isRefunded(['execute_code', 'terminal']), isRefunded([])]).toEqual([true, false, false]);
});

test('a person\'s command, tool call and words are told apart', () => {
  expect(parseTyped('!ls -la ')).toEqual({ kind: 'call', name: 'terminal', arguments: '{"command":"ls -la"}' });
  expect(parseTyped('/tool read_file {"path": "a"}')).toEqual({ kind: 'call', name: 'read_file', arguments: '{"path": "a"}' });
  expect(parseTyped('/tool todo')).toEqual({ kind: 'call', name: 'todo', arguments: '{}' });
  expect(parseTyped('/tooling is fun')).toEqual({ kind: 'words', text: '/tooling is fun' });
  expect(parseTyped('what does !important mean')).toMatchObject({ kind: 'words' });
});

test.each(['!', '!  ', '/tool', '/tool read_file {"path"', '/tool read_file [1]'])('%j is refused with the next step', (text) => {
  expect(() => parseTyped(text)).toThrow(expect.objectContaining({ code: 'request/invalid', hint: expect.any(String) as string }));
});

test.each(['[1]', 'null', '"x"', '{"a":', ''])('%j are no arguments', (text) => {
  expect(parseObject(text).kind).toBe('malformed');
});

test.each([
  ['Fix the build. Then tell me.', 'Fix the build'], ['# Title\n\nsome text', 'Title some text'], ['```\ncode\n``` explain this', 'explain this'], ['!ls', '!ls'],
  ['   ', 'New chat'], ['修复构建。谢谢', '修复构建'], ['`a` **b**', 'a b'],
  ['/tool read_file {"path": "a"}', '/tool read_file'],
  ['see read_file and __init__', 'see read_file and init'],
  ['make it _very_ fast', 'make it very fast'],
])('the title of %j is %j', (text, title) => {
  expect(titleOf(text)).toBe(title);
});

test('a long title is cut at a word and stays within its length, also for characters of two units', () => {
  expect(titleOf('word '.repeat(50))).toMatch(/^(?:word )+word…$/);
  expect([...titleOf('👩‍🚀'.repeat(90))].length).toBeLessThanOrEqual(60);
});

function recordingStream(): { stream: ChatStream; events: ChatEvent[]; tick(): void; armed(): number } {
  const events: ChatEvent[] = [];
  let timers: (() => void)[] = [];
  const stream = new ChatStream(ids.session(), {
    events: { publish: (_topic, event) => { events.push(event as ChatEvent); } }, // only chat events are published by it
    clock: { after: (_ms, run) => { timers.push(run); return () => { timers = timers.filter((other) => other !== run); }; } },
  });
  return { stream, events, armed: () => timers.length, tick: () => { for (const run of timers.splice(0)) run(); } };
}

test('deltas of one message are joined, and at most two leave per tick', () => {
  const { stream, events, tick, armed } = recordingStream();
  const message = ids.message();
  const calls = [ids.call(), ids.call(), ids.call()];
  for (const word of ['a', 'b', 'c']) stream.delta('text', message, word);
  for (const call of calls) { stream.output(call, 'old'); stream.output(call, 'new'); }
  expect(events).toEqual([]);
  tick();
  expect(events.map((event) => event.type)).toEqual(['text-delta', 'call-output']);
  expect(events[0]).toMatchObject({ text: 'abc', seq: 1 });
  tick();
  expect(events.slice(1).map((event) => (event.type === 'call-output' ? event.tail : ''))).toEqual(['new', 'new', 'new']);
  expect(armed()).toBe(0);
});

test('what was said before a fact goes out before it, and numbers grow by one', () => {
  const { stream, events, armed } = recordingStream();
  stream.delta('reasoning', ids.message(), 'hm');
  stream.delta('text', ids.message(), 'x');
  stream.publish({ type: 'turn-ended', reason: 'done' });
  expect(events.map((event) => [event.type, event.seq])).toEqual([['reasoning-delta', 1], ['text-delta', 2], ['turn-ended', 3]]);
  expect([armed(), stream.seq]).toEqual([0, 3]);
});

test('a question is answered once, listed while it is open, and given up when its turn is stopped', async () => {
  const settled: string[] = [];
  const questions = createQuestions({ clock: { now: () => 5 }, canAsk: () => true, rootOf: (id) => id, onAsked: () => undefined, onSettled: (question) => settled.push(question.question) });
  const sessionId = ids.session();
  const toolCallId = ids.call();
  const stopping = new AbortController();
  const answer = questions.ask({ sessionId, toolCallId, question: 'which?', choices: ['a'] }, stopping.signal);
  expect(questions.list(sessionId)).toEqual([{ callId: toolCallId, sessionId, question: 'which?', choices: ['a'], createdAt: 5 }]);
  questions.answer(toolCallId, 'b');
  await expect(answer).resolves.toBe('b');
  expect(() => questions.answer(toolCallId, 'again')).toThrow(expect.objectContaining({ code: 'not-found' }));
  const other = questions.ask({ sessionId, toolCallId: ids.call(), question: 'other?', choices: [] }, stopping.signal);
  stopping.abort();
  await expect(other).resolves.toBeUndefined();
  expect([settled, questions.list(sessionId)]).toEqual([['which?', 'other?'], []]);
});

test('what a sub-agent asks stands in its own chat and in the one that sent it out, and is answered once', async () => {
  const [root, child, callId] = [ids.session(), ids.session(), ids.call()];
  const questions = createQuestions({ clock: { now: () => 5 }, canAsk: () => true, rootOf: (id) => (id === child ? root : id), onAsked: () => undefined, onSettled: () => undefined });
  const asking = questions.ask({ sessionId: child, toolCallId: callId, question: 'Which one?', choices: [] }, new AbortController().signal);
  expect(questions.list(root)).toEqual(questions.list(child));
  expect(questions.list(root)).toMatchObject([{ sessionId: child, question: 'Which one?' }]);
  questions.answer(callId, 'this');
  expect(await asking).toBe('this');
  expect(questions.list(root)).toEqual([]);
});
