import { describe, expect, test } from 'vitest';
import type { ChatEvent } from '../../../../preload/contract/index.ts';
import { applyEvents, findCall, openingChat, sentTexts, withOlder, withSnapshot } from '../../../../renderer/features/chat/model.ts';
import type { Chat } from '../../../../renderer/features/chat/model.ts';
import { callId, message, messageId, opened, session, sessionId, toolCall } from '../../../support/renderer/records.ts';

const ONE = sessionId('one');

function open(...messages: Parameters<typeof message>[]): Chat {
  return withSnapshot(openingChat(ONE), opened({ messages: messages.map((args) => message(...args)), seq: 10 }));
}

const delta = (seq: number, text: string, id = messageId(1)): ChatEvent => ({ type: 'text-delta', sessionId: ONE, seq, messageId: id, text });

describe('a chat', () => {
  test('applies each event after the snapshot once, and none that is in it already', () => {
    const chat = open([1, { role: 'assistant', state: 'streaming', text: 'Hel' }]);
    const { chat: after, gap } = applyEvents(chat, [delta(9, 'XX'), delta(10, 'Hel'), delta(11, 'lo'), delta(11, 'lo'), delta(12, '!')]);
    expect(gap).toBe(false);
    expect(after.seq).toBe(12);
    expect(after.messages.get(messageId(1))?.text).toBe('Hello!');
  });

  test('reports a gap and applies nothing behind it', () => {
    const chat = open([1, { role: 'assistant', state: 'streaming', text: '' }]);
    const { chat: after, gap } = applyEvents(chat, [delta(11, 'a'), delta(13, 'c')]);
    expect(gap).toBe(true);
    expect(after.messages.get(messageId(1))?.text).toBe('a');
    expect(after.seq).toBe(11);
  });

  test('is the same object when no event was new', () => {
    const chat = open([1]);
    expect(applyEvents(chat, [delta(3, 'old')]).chat).toBe(chat);
  });

  test('keeps its order of messages by identity while text streams, so that the list is not drawn again', () => {
    const chat = open([1, { role: 'assistant', state: 'streaming' }], [2]);
    expect(applyEvents(chat, [delta(11, 'more')]).chat.order).toBe(chat.order);
  });

  test('lets the finished message replace everything that was streamed', () => {
    const chat = open([1, { role: 'assistant', state: 'streaming', text: '' }]);
    const { chat: after } = applyEvents(chat, [
      delta(11, 'half a th'),
      { type: 'message-changed', sessionId: ONE, seq: 12, message: message(1, { role: 'assistant', text: 'The whole thought.', state: 'complete' }) },
    ]);
    expect(after.messages.get(messageId(1))).toEqual(message(1, { role: 'assistant', text: 'The whole thought.', state: 'complete' }));
  });

  test('shows a queued message in the queue until it is sent', () => {
    const chat = open([1]);
    const queued = message(2, { state: 'queued' });
    const { chat: waiting } = applyEvents(chat, [{ type: 'message-added', sessionId: ONE, seq: 11, message: queued }]);
    expect([waiting.order, waiting.queue]).toEqual([[messageId(1)], [messageId(2)]]);
    const { chat: sent } = applyEvents(waiting, [{ type: 'message-changed', sessionId: ONE, seq: 12, message: { ...queued, state: 'complete' } }]);
    expect([sent.order, sent.queue]).toEqual([[messageId(1), messageId(2)], []]);
  });

  test('takes a message away that was taken back', () => {
    const { chat } = applyEvents(open([1], [2]), [{ type: 'message-removed', sessionId: ONE, seq: 11, messageId: messageId(2) }]);
    expect(chat.order).toEqual([messageId(1)]);
    expect(chat.messages.has(messageId(2))).toBe(false);
  });

  test('follows a tool call from its start to its end and drops its live output then', () => {
    const chat = open([1, { role: 'assistant', state: 'streaming', calls: [] }]);
    const running = toolCall(1, { state: 'running', endedAt: null });
    const { chat: live } = applyEvents(chat, [
      { type: 'call-changed', sessionId: ONE, seq: 11, call: running },
      { type: 'call-output', sessionId: ONE, seq: 12, callId: callId(1), tail: 'line 1\nline 2' },
    ]);
    expect(live.messages.get(messageId(1))?.calls).toEqual([running]);
    expect(live.outputs.get(callId(1))).toBe('line 1\nline 2');
    const done = toolCall(1, { state: 'done', exitCode: 0 });
    const { chat: ended } = applyEvents(live, [{ type: 'call-changed', sessionId: ONE, seq: 13, call: done }]);
    expect(ended.messages.get(messageId(1))?.calls).toEqual([done]);
    expect(ended.outputs.size).toBe(0);
  });

  test('keeps a question until it is settled, whoever answered it', () => {
    const question = { callId: callId(1), sessionId: ONE, question: 'Which one?', choices: [], createdAt: 0 };
    const { chat } = applyEvents(open([1]), [{ type: 'question-asked', sessionId: ONE, seq: 11, question }]);
    expect(chat.questions).toEqual([question]);
    expect(applyEvents(chat, [{ type: 'question-settled', sessionId: ONE, seq: 12, callId: callId(1) }]).chat.questions).toEqual([]);
  });

  test('counts events for messages that are not loaded, without inventing them', () => {
    const { chat, gap } = applyEvents(open([5]), [delta(11, 'x', messageId(1)), delta(12, 'y', messageId(5))]);
    expect([gap, chat.seq, chat.order]).toEqual([false, 12, [messageId(5)]]);
  });

  test('ignores events of other chats', () => {
    const chat = open([1]);
    expect(applyEvents(chat, [{ ...delta(11, 'x'), sessionId: sessionId('two') }]).chat).toBe(chat);
  });

  test('puts older messages before the others and keeps what it knows better', () => {
    const chat = open([3, { text: 'new' }]);
    const after = withOlder(chat, [message(1), message(2), message(3, { text: 'stale' })], true);
    expect(after.order).toEqual([messageId(1), messageId(2), messageId(3)]);
    expect(after.messages.get(messageId(3))?.text).toBe('new');
    expect(after.more).toBe(true);
  });

  test('keeps the output of calls that still run when it is opened again', () => {
    const call = toolCall(1, { state: 'running', endedAt: null });
    const chat = open([1, { role: 'assistant', calls: [call] }]);
    const { chat: live } = applyEvents(chat, [{ type: 'call-output', sessionId: ONE, seq: 11, callId: callId(1), tail: 'here' }]);
    const again = withSnapshot(live, opened({ session: session(), messages: [message(1, { role: 'assistant', calls: [call] })], seq: 20 }));
    expect(again.outputs.get(callId(1))).toBe('here');
    expect(withSnapshot(again, opened({ messages: [], seq: 21 })).outputs.size).toBe(0);
  });

  test('remembers what the person said, the latest first and each text once', () => {
    expect(sentTexts(open([1, { text: 'a' }], [2, { role: 'assistant', text: 'no' }], [3, { text: 'b' }], [4, { text: 'a' }]))).toEqual(['a', 'b']);
  });

  test('finds a call with its message', () => {
    const call = toolCall(7);
    expect(findCall(open([1, { role: 'assistant', calls: [call] }]), callId(7))?.message.id).toBe(messageId(1));
    expect(findCall(open([1]), callId(7))).toBeUndefined();
  });
});
