import { describe, expect, test } from 'vitest';
import type { ChatEvent, OpenedSession } from '../../../../preload/contract/index.ts';
import { createChat } from '../../../../renderer/features/chat/store.ts';
import { memoryTalaria } from '../../../support/renderer/memory-talaria.ts';
import type { Answers } from '../../../support/renderer/memory-talaria.ts';
import { message, messageId, opened, session, sessionId } from '../../../support/renderer/records.ts';

const ONE = sessionId('one');
const streaming = (text: string) => message(1, { role: 'assistant', state: 'streaming', text });
const delta = (seq: number, text: string): ChatEvent => ({ type: 'text-delta', sessionId: ONE, seq, messageId: messageId(1), text });

/** A chat whose frames come when the test says so. */
function setUp(answers: Answers) {
  const talaria = memoryTalaria(answers);
  let frame: (() => void) | undefined;
  const chat = createChat(talaria, (run) => {
    frame = run;
    return () => { frame = undefined; };
  });
  const draw = (): void => {
    const run = frame;
    frame = undefined;
    run?.();
  };
  return { talaria, chat, draw, text: () => chat.store.getState().chat?.messages.get(messageId(1))?.text, phase: () => chat.store.getState().chat?.phase };
}

async function settled(): Promise<void> {
  await new Promise((resolve) => { setImmediate(resolve); });
}

describe('the open chat', () => {
  test('loses no word that arrives while its snapshot is on the way', async () => {
    let answer: ((snapshot: OpenedSession) => void) | undefined;
    const { talaria, chat, draw, text } = setUp({ 'sessions.open': () => new Promise((resolve) => { answer = resolve; }) });
    chat.open(ONE);
    await settled();
    talaria.emit('chat', delta(5, 'already in it'));
    talaria.emit('chat', delta(6, ' and'));
    draw();
    talaria.emit('chat', delta(7, ' more'));
    answer?.(opened({ messages: [streaming('text')], seq: 5 }));
    await settled();
    draw();
    expect(text()).toBe('text and more');
  });

  test('draws many events of one frame as one change', async () => {
    const { talaria, chat, draw, text } = setUp({ 'sessions.open': () => opened({ messages: [streaming('')], seq: 0 }) });
    chat.open(ONE);
    await settled();
    let changes = 0;
    chat.store.subscribe(() => { changes += 1; });
    for (let seq = 1; seq <= 50; seq += 1) talaria.emit('chat', delta(seq, 'x'));
    draw();
    expect(changes).toBe(1);
    expect(text()).toBe('x'.repeat(50));
  });

  test('opens again when an event was missed, and goes on from there', async () => {
    let snapshot = opened({ messages: [streaming('')], seq: 0 });
    const { talaria, chat, draw, text, phase } = setUp({ 'sessions.open': () => snapshot });
    chat.open(ONE);
    await settled();
    snapshot = opened({ messages: [streaming('one two three')], seq: 3 });
    talaria.emit('chat', delta(1, 'one'));
    talaria.emit('chat', delta(3, ' three'));
    talaria.emit('chat', delta(4, ' four'));
    draw();
    await settled();
    expect(phase()).toBe('open');
    expect(text()).toBe('one two three four');
    expect(talaria.count('sessions.open')).toBe(2);
  });

  test('opens again after a lost connection', async () => {
    let snapshot = opened({ messages: [streaming('before')], seq: 1 });
    const { talaria, chat, text } = setUp({ 'sessions.open': () => snapshot });
    chat.open(ONE);
    await settled();
    talaria.setStatus('closed');
    snapshot = opened({ messages: [streaming('before and after')], seq: 9 });
    talaria.setStatus('connecting');
    talaria.setStatus('open');
    await settled();
    expect(text()).toBe('before and after');
  });

  test('ignores the late snapshot of a chat that was left', async () => {
    const answers: ((snapshot: OpenedSession) => void)[] = [];
    const { chat } = setUp({ 'sessions.open': () => new Promise((resolve) => { answers.push(resolve); }) });
    chat.open(ONE);
    chat.open(sessionId('two'));
    await settled();
    answers[1]?.(opened({ session: session({ id: sessionId('two'), title: 'Two' }) }));
    answers[0]?.(opened({ session: session({ title: 'One' }) }));
    await settled();
    expect(chat.store.getState().chat?.session?.title).toBe('Two');
  });

  test('says why it could not be opened', async () => {
    const { chat, phase } = setUp({ 'sessions.open': () => { throw Object.assign(new Error('There is no chat one.'), { code: 'not-found', hint: 'It may have been deleted.' }); } });
    chat.open(ONE);
    await settled();
    expect(phase()).toBe('failed');
    expect(chat.store.getState().chat?.problem).toEqual({ code: 'not-found', message: 'There is no chat one.', hint: 'It may have been deleted.' });
  });

  test('loads older pages until the wanted message is there', async () => {
    const all = Array.from({ length: 2_500 }, (_, index) => message(index + 1));
    const { talaria, chat } = setUp({
      'sessions.open': ({ limit = 100 }) => opened({ messages: all.slice(-limit), more: true }),
      'sessions.messages': ({ before, limit }) => {
        const older = all.filter((entry) => entry.seq < before);
        return { messages: older.slice(-limit), more: older.length > limit };
      },
    });
    chat.open(ONE);
    await settled();
    expect(await chat.loadUntil(messageId(3))).toBe(true);
    expect(chat.store.getState().chat?.order).toHaveLength(2_500);
    expect(talaria.count('sessions.messages')).toBe(3);
    expect(await chat.loadUntil(messageId(9_999))).toBe(false);
  });

  test('asks for one page at a time, however often the top is reached', async () => {
    const all = Array.from({ length: 500 }, (_, index) => message(index + 1));
    const { talaria, chat } = setUp({
      'sessions.open': ({ limit = 100 }) => opened({ messages: all.slice(-limit), more: true }),
      'sessions.messages': ({ before, limit }) => ({ messages: all.filter((entry) => entry.seq < before).slice(-limit), more: true }),
    });
    chat.open(ONE);
    await settled();
    await Promise.all([chat.loadOlder(), chat.loadOlder(), chat.loadOlder()]);
    expect(talaria.count('sessions.messages')).toBe(1);
  });

  test('makes a chat for the first message', async () => {
    const { talaria, chat } = setUp({
      'sessions.create': () => session({ id: sessionId('fresh') }), 'sessions.open': () => opened({ session: session({ id: sessionId('fresh') }) }),
      'chat.send': ({ text }) => message(1, { text }),
    });
    expect(await chat.start('Hello')).toBe('fresh');
    expect(talaria.asked.find(({ name }) => name === 'chat.send')?.input).toEqual({ sessionId: 'fresh', text: 'Hello' });
    expect(chat.store.getState().chat?.sessionId).toBe('fresh');
  });
});

test('leaves no empty chat behind when the first message is refused', async () => {
  const { talaria, chat } = setUp({
    'sessions.create': () => session({ id: sessionId('fresh') }), 'sessions.delete': () => session({ id: sessionId('fresh'), deletedAt: 1 }),
    'chat.send': () => { throw Object.assign(new Error('There is no command after the "!".'), { code: 'request/invalid' }); },
  });
  await expect(chat.start('!')).rejects.toThrow('There is no command');
  expect(talaria.asked.at(-1)).toEqual({ name: 'sessions.delete', input: { sessionId: 'fresh' } });
  expect(chat.store.getState().chat).toBeUndefined();
});
