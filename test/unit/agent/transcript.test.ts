import fc from 'fast-check';
import { expect, test } from 'vitest';
import { buildTranscript, type TranscriptRow } from '../../../main/agent/transcript.ts';
import type { ModelMessage } from '../../../main/models/types.ts';
import type { StoredCall } from '../../../main/ports.ts';
import { ToolCallState, type Message } from '../../../preload/contract/sessions.ts';
import { aCall, aMessage, aSession } from '../../support/stored.ts';

const session = aSession();

function row(seq: number, change: Partial<Omit<Message, 'seq' | 'calls'>>, calls: readonly Partial<StoredCall>[] = []): TranscriptRow {
  const message = aMessage(session.id, { turn: 1, ...change });
  return { ...message, seq, calls: calls.map((call) => ({ ...aCall(session.id, message.id), fullResult: call.result ?? null, ...call })) };
}

const said = (messages: readonly ModelMessage[]): string[] => messages.map((message) => `${message.role}: ${typeof message.content === 'string' ? message.content : message.content === null ? '' : JSON.stringify(message.content)}`);

/** The protocol's rule: each call of an assistant message is answered once, in order, before anything else is said. */
function everyCallIsAnswered(messages: readonly ModelMessage[]): boolean {
  const open: string[] = [];
  const seen = new Set<string>();
  for (const message of messages) {
    if (message.role === 'tool') {
      if (open.shift() !== message.tool_call_id) return false;
      continue;
    }
    if (open.length > 0) return false;
    for (const call of message.role === 'assistant' ? message.tool_calls ?? [] : []) {
      if (seen.has(call.id)) return false;
      seen.add(call.id);
      open.push(call.id);
    }
  }
  return open.length === 0;
}

test('a plain turn is told in order, with its results', () => {
  const messages = buildTranscript([
    row(1, { role: 'user', text: 'list' }),
    row(2, { role: 'assistant', text: 'Looking.', model: 'm' }, [{ modelCallId: 'a', name: 'terminal', arguments: '{"command":"ls"}', state: 'done', result: 'x.txt' }]),
    row(3, { role: 'assistant', text: 'One file.', model: 'm' }),
  ]);
  expect(messages).toEqual([
    { role: 'user', content: 'list' },
    { role: 'assistant', content: 'Looking.', tool_calls: [{ id: 'a', type: 'function', function: { name: 'terminal', arguments: '{"command":"ls"}' } }] },
    { role: 'tool', tool_call_id: 'a', content: 'x.txt' },
    { role: 'assistant', content: 'One file.' },
  ]);
});

test('whatever state calls are in and whatever ids a model gave them, each is answered exactly once', () => {
  const calls = fc.array(fc.record({
    modelCallId: fc.constantFrom('a', 'b', 'c'), state: fc.constantFrom(...ToolCallState.options), result: fc.option(fc.string(), { nil: null }), arguments: fc.oneof(fc.json(), fc.string()), name: fc.string(),
  }), { maxLength: 4 });
  const rows = fc.array(fc.record({ role: fc.constantFrom('user' as const, 'assistant' as const, 'notice' as const), text: fc.string(), model: fc.constantFrom('m', null), calls, turn: fc.nat(5) }), { maxLength: 8 });
  fc.assert(fc.property(rows, fc.nat(10), fc.nat(10), (list, outputsBefore, messagesBefore) => {
    const stored = list.map((entry, seq) => row(seq + 1, { role: entry.role, text: entry.text, model: entry.model, turn: entry.turn }, entry.role === 'assistant' ? entry.calls : []));
    const messages = buildTranscript(stored, { outputsBefore, messagesBefore });
    expect(everyCallIsAnswered(messages)).toBe(true);
    for (const call of messages.flatMap((message) => (message.role === 'assistant' ? message.tool_calls ?? [] : []))) {
      expect(call.function.name).toMatch(/^[\w-]{1,64}$/);
      expect(typeof JSON.parse(call.function.arguments)).toBe('object');
    }
    for (const [position, message] of messages.entries()) expect(message.role === 'user' && messages[position + 1]?.role === 'user').toBe(false);
  }));
});

test('a call whose host died says that its outcome is unknown, one that waits says so', () => {
  const texts = said(buildTranscript([row(1, { role: 'assistant', model: 'm', text: '' }, [{ modelCallId: 'a', state: 'unknown' }, { modelCallId: 'b', state: 'waiting' }])]));
  expect(texts[1]).toContain('is unknown');
  expect(texts[2]).toContain('still waits for a decision');
});

test('queued and streaming messages are not told, a stopped answer is told as far as it came', () => {
  const texts = said(buildTranscript([
    row(1, { role: 'user', text: 'a' }), row(2, { role: 'assistant', text: 'half', state: 'interrupted', model: 'm' }),
    row(3, { role: 'user', text: 'later', state: 'queued' }), row(4, { role: 'assistant', text: 'now', state: 'streaming', model: 'm' }),
  ]));
  expect(texts).toEqual(['user: a', 'assistant: half']);
});

test('a command of the person is told as theirs, not as a call of the model', () => {
  const messages = buildTranscript([
    row(1, { role: 'user', text: '!ls', turn: 1 }), row(2, { role: 'assistant', text: '', model: null, turn: 1 }, [{ state: 'done', result: 'x.txt' }]), row(3, { role: 'user', text: 'and now?', turn: 2 }),
  ]);
  expect(messages).toHaveLength(1);
  expect(said(messages)[0]).toMatch(/ran the tool terminal themselves[\s\S]*x\.txt[\s\S]*and now\?/);
  expect(said(messages)[0]).not.toContain('!ls');
});

test('only notices that concern the model reach it, marked as the app\'s words', () => {
  const notice = (code: string, text: string): TranscriptRow => row(1, { role: 'notice', text, error: { code, message: text } });
  expect(buildTranscript([notice('notice/tour', 'hello')])).toEqual([]);
  expect(said(buildTranscript([notice('notice/process', 'proc_1 ended')]))[0]).toMatch(/^user: \[Notice from the app[\s\S]*proc_1 ended$/);
});

test('old output is shortened before the mark, and only when it is long', () => {
  const long = 'x'.repeat(5_000);
  const rows = [row(1, { role: 'assistant', model: 'm', text: '' }, [{ modelCallId: 'a', state: 'done', result: long }]), row(2, { role: 'assistant', model: 'm', text: '' }, [{ modelCallId: 'b', state: 'done', result: long }])];
  const tools = buildTranscript(rows, { outputsBefore: 2, messagesBefore: 0 }).filter((message) => message.role === 'tool');
  expect(tools[0]?.content).toMatch(/^x{240}\n\[… 4760 more characters/);
  expect(tools[1]?.content).toBe(long);
});
