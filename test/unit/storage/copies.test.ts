/** Forks in the database: what is copied, what is not, and that copies are found without standing in anybody's way. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../../main/clock.ts';
import { silentLog } from '../../../main/log.ts';
import type { Storage } from '../../../main/ports.ts';
import { openStorage } from '../../../main/storage/storage.ts';
import type { SessionId } from '../../../preload/contract/ids.ts';
import { aCall, aMessage, aSession, aTerminal, ids } from '../../support/stored.ts';

let storage: Storage;
beforeEach(() => { storage = openStorage(':memory:', { clock: systemClock, ids, log: silentLog }); });
afterEach(() => storage.close());

const LONG = 'x'.repeat(30_000);

/** A question, a reply with two calls, a command of the person's own, a queued message. */
function aChat(): SessionId {
  const session = aSession();
  storage.sessions.insert(session);
  storage.messages.insert(aMessage(session.id, { text: 'where do herons sleep', createdAt: 5_000 }));
  const reply = storage.messages.insert(aMessage(session.id, { role: 'assistant', text: 'Let me look.', model: 'm', reasoning: 'hm' }));
  const terminal = aTerminal({ sessionId: session.id });
  storage.calls.insert([
    aCall(session.id, reply.id, { state: 'done', modelCallId: 'b', terminalId: terminal.id, result: 'reeds', resultChars: 5, exitCode: 0 }),
    aCall(session.id, reply.id, { state: 'done', modelCallId: 'a', name: 'read_file' }),
  ]);
  const [, second] = storage.messages.get(reply.id)?.calls ?? [];
  if (second !== undefined) storage.calls.update(second.id, { fullResult: LONG });
  storage.messages.insert(aMessage(session.id, { text: '!ls', turn: 2 }));
  const own = storage.messages.insert(aMessage(session.id, { role: 'assistant', text: '', turn: 2 }));
  storage.calls.insert([aCall(session.id, own.id, { state: 'done', modelCallId: own.id, result: 'nest', resultChars: 4 })]);
  storage.messages.insert(aMessage(session.id, { text: 'not yet sent', state: 'queued', turn: 2 }));
  return session.id;
}

function fork(from: SessionId, through = Number.MAX_SAFE_INTEGER): SessionId {
  const session = aSession({ title: 'Fork' });
  storage.transaction(() => {
    storage.sessions.insert(session);
    storage.copies.make({ from, to: session.id, through });
  });
  return session.id;
}

function indexAll(): number {
  let slices = 0;
  while (storage.copies.index()) slices += 1;
  return slices;
}

describe('a copied chat', () => {
  test('has the same texts, calls and whole results in the same order, under ids of its own', () => {
    const from = aChat();
    const before = storage.messages.transcript(from);
    const to = fork(from, 4);
    const copied = storage.messages.transcript(to);
    const plain = (rows: typeof copied) => rows.map(({ id: _id, sessionId: _chat, calls, ...row }) => ({
      ...row, calls: calls.map(({ id: _call, messageId, sessionId: _of, modelCallId, terminalId: _terminal, ...call }) => ({ ...call, modelCallId: modelCallId === messageId ? 'own' : modelCallId })),
    }));
    expect(plain(copied)).toEqual(plain(before.filter(({ state }) => state !== 'queued')));
    expect(copied[1]?.calls[1]?.fullResult).toBe(LONG);
    const idsOf = (rows: typeof copied) => rows.flatMap(({ id, calls }) => [id, ...calls.map((call) => call.id)]);
    expect(idsOf(before).filter((id) => idsOf(copied).includes(id))).toEqual([]);
    expect(copied.flatMap(({ calls }) => calls.map(({ terminalId, sessionId }) => [terminalId, sessionId]))).toEqual([[null, to], [null, to], [null, to]]);
    expect(storage.messages.transcript(from)).toEqual(before);
    expect(storage.sessions.get(to)).toMatchObject({ messageCount: 4, forkedFrom: from });
  });

  test('goes on behind the last copied message, and can be copied again', () => {
    const to = fork(aChat(), 2);
    const added = storage.messages.insert(aMessage(to, { text: 'and swans?' }));
    expect(added.seq).toBe(3);
    const again = fork(to, 3);
    expect(storage.messages.transcript(again).map(({ text }) => text)).toEqual(['where do herons sleep', 'Let me look.', 'and swans?']);
    expect(storage.messages.transcript(again)[1]?.calls.map(({ modelCallId }) => modelCallId)).toEqual(['b', 'a']);
  });

  test('does not count as use of tools', () => {
    const session = aSession();
    storage.sessions.insert(session);
    const reply = storage.messages.insert(aMessage(session.id, { role: 'assistant' }));
    storage.calls.insert([aCall(session.id, reply.id, { state: 'done', startedAt: 10 })]);
    fork(session.id);
    expect(storage.calls.usesSince(0)).toEqual(new Map([['terminal', 1]]));
  });

  test('is left out of history whole when the transaction around it fails', () => {
    const from = aChat();
    const session = aSession();
    expect(() => storage.transaction(() => {
      storage.sessions.insert(session);
      storage.copies.make({ from, to: session.id, through: 4 });
      throw new Error('cut');
    })).toThrow('cut');
    expect(storage.sessions.get(session.id)).toBeUndefined();
    expect(storage.messages.page(session.id, { limit: 10 }).messages).toEqual([]);
    expect(indexAll()).toBe(0);
  });
});

describe('the search', () => {
  const chats = (query: string, filter?: Parameters<Storage['messages']['search']>[2]) => storage.messages.search(query, 10, filter).map(({ sessionId }) => sessionId);

  test('finds what was said first and its copies behind it', () => {
    const from = aChat();
    const to = fork(from, 4);
    expect(chats('herons')).toEqual([from]);
    expect(indexAll()).toBeGreaterThan(0);
    expect(chats('herons')).toEqual([from, to]);
    expect(chats('reeds')).toEqual([from, to]);
    storage.messages.insert(aMessage(from, { text: 'more herons' }));
    expect(chats('herons')).toEqual([from, from, to]);
    expect(storage.history.search({ query: 'herons', roles: [], limit: 10, sort: 'oldest' }).map(({ sessionId }) => sessionId)).toEqual([from, from, to]);
  });

  test('finds copies by their chat, and when the first chat is gone', () => {
    const from = aChat();
    const to = fork(from, 4);
    indexAll();
    expect(chats('herons', { sessionId: to })).toEqual([to]);
    expect(chats('herons', { sessionId: from })).toEqual([from]);
    storage.sessions.update(from, { deletedAt: 10 });
    expect(chats('herons')).toEqual([to]);
    storage.sessions.purge(20);
    expect(chats('herons')).toEqual([to]);
    expect(storage.messages.transcript(to)).toHaveLength(4);
  });

  test('keeps its order of time for dates, though copies are old', () => {
    const from = aChat();
    fork(from, 4);
    storage.messages.insert(aMessage(from, { text: 'late herons', createdAt: 500_000_000 }));
    indexAll();
    expect(chats('herons', { from: 400_000_000 })).toEqual([from]);
    expect(chats('herons', { to: 6_000 })).toHaveLength(2);
  });

  test('goes on with the copies of a process that died, and forgets a chat that was purged meanwhile', () => {
    const session = aSession();
    storage.sessions.insert(session);
    for (let number = 0; number < 40; number += 1) storage.messages.insert(aMessage(session.id, { text: `${'word '.repeat(1_000)} number${number}x` }));
    const to = fork(session.id);
    expect(storage.copies.index()).toBe(true);
    expect(chats('number0x', { sessionId: to })).toEqual([to]);
    expect(chats('number39x', { sessionId: to })).toEqual([]);
    expect(indexAll()).toBeGreaterThan(1);
    expect(chats('number39x', { sessionId: to })).toEqual([to]);
    const gone = fork(session.id);
    storage.sessions.update(gone, { deletedAt: 1 });
    storage.sessions.purge(2);
    expect(indexAll()).toBe(0);
  });
});
