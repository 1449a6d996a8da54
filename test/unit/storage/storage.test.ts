import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../../main/clock.ts';
import { silentLog } from '../../../main/log.ts';
import type { Storage } from '../../../main/ports.ts';
import { openStorage } from '../../../main/storage/storage.ts';
import type { SessionId } from '../../../preload/contract/ids.ts';
import { aCall, aMessage, anApproval, aSession, aTerminal, ids } from '../../support/stored.ts';

let storage: Storage;
beforeEach(() => { storage = openStorage(':memory:', { clock: systemClock, ids, log: silentLog }); });
afterEach(() => storage.close());

const newSession = (change = {}): SessionId => {
  const session = aSession(change);
  storage.sessions.insert(session);
  return session.id;
};

describe('chats', () => {
  test('a chat comes back as it was put in', () => {
    const session = aSession({ toolsets: { web: false }, model: 'm', titled: true, usage: { promptTokens: 3, completionTokens: 4, requests: 1 } });
    storage.sessions.insert(session);
    expect(storage.sessions.get(session.id)).toEqual(session);
  });

  test('a second chat with the same id is refused', () => {
    const id = newSession();
    expect(() => storage.sessions.insert(aSession({ id }))).toThrow(expect.objectContaining({ code: 'conflict' }));
  });

  test('an update changes the named fields and no others', () => {
    const session = aSession();
    storage.sessions.insert(session);
    expect(storage.sessions.update(session.id, { title: 'New', titled: true, toolsets: { file: true } }))
      .toEqual({ ...session, title: 'New', titled: true, toolsets: { file: true } });
    expect(() => storage.sessions.update(ids.session(), { title: 'x' })).toThrow(expect.objectContaining({ code: 'not-found' }));
  });

  test('the list is newest first, without deleted chats, and by origin when asked', () => {
    const old = newSession({ updatedAt: 1 });
    const cron = newSession({ updatedAt: 3, origin: 'cron' });
    const recent = newSession({ updatedAt: 2 });
    const deleted = newSession({ updatedAt: 4, deletedAt: 9 });
    expect(storage.sessions.list().map((session) => session.id)).toEqual([cron, recent, old]);
    expect(storage.sessions.list({ origins: ['user'] }).map((session) => session.id)).toEqual([recent, old]);
    expect(storage.sessions.list({ deleted: true }).map((session) => session.id)).toEqual([deleted]);
  });

  test('messages and waiting requests are counted', () => {
    const id = newSession();
    const kept = storage.messages.insert(aMessage(id));
    const removed = storage.messages.insert(aMessage(id));
    storage.messages.remove(removed.id);
    const open = anApproval(id);
    storage.approvals.insert(open);
    storage.approvals.insert(anApproval(id, { state: 'denied', decidedAt: 5 }));
    expect(storage.sessions.get(id)).toMatchObject({ messageCount: 1, waiting: 1 });
    storage.approvals.transition(open.id, ['created'], { state: 'held', expiresAt: null });
    expect(storage.sessions.get(id)?.waiting).toBe(1);
    expect(kept.seq).toBe(1);
  });

  test('purging removes a deleted chat with everything that hangs on it', () => {
    const id = newSession({ deletedAt: 10 });
    const other = newSession({ deletedAt: 30 });
    const message = storage.messages.insert(aMessage(id, { text: 'zebra' }));
    const call = aCall(id, message.id);
    storage.calls.insert([call]);
    const approval = anApproval(id);
    storage.approvals.insert(approval);
    storage.approvals.grantSession(id, ['k']);
    storage.values.set(`todos:${id}`, '[]');
    expect(storage.sessions.purge(20)).toBe(1);
    expect(storage.sessions.get(id)).toBeUndefined();
    expect(storage.sessions.get(other)).toBeDefined();
    expect(storage.messages.get(message.id)).toBeUndefined();
    expect(storage.calls.get(call.id)).toBeUndefined();
    expect(storage.approvals.get(approval.id)).toBeUndefined();
    expect(storage.approvals.sessionGrants(id)).toEqual([]);
    expect(storage.values.get(`todos:${id}`)).toBeUndefined();
    expect(storage.messages.search('zebra', 10)).toEqual([]);
  });
});

describe('messages', () => {
  test('each chat numbers its own messages', () => {
    const [a, b] = [newSession(), newSession()];
    expect([a, b, a, a, b].map((id) => storage.messages.insert(aMessage(id)).seq)).toEqual([1, 1, 2, 3, 2]);
  });

  test('a message of an unknown chat is refused', () => {
    expect(() => storage.messages.insert(aMessage(ids.session()))).toThrow(expect.objectContaining({ code: 'not-found' }));
  });

  test('a page holds the last messages before a place, ascending, with their calls', () => {
    const id = newSession();
    const all = Array.from({ length: 5 }, (_, index) => storage.messages.insert(aMessage(id, { text: `${index}`, role: 'assistant' })));
    const [first, second] = [aCall(id, all[3]?.id ?? ids.message()), aCall(id, all[3]?.id ?? ids.message())];
    storage.calls.insert([first, second]);
    const last = storage.messages.page(id, { limit: 2 });
    expect(last.more).toBe(true);
    expect(last.messages.map((message) => message.text)).toEqual(['3', '4']);
    expect(last.messages[0]?.calls).toEqual([first, second]);
    const before = storage.messages.page(id, { before: last.messages[0]?.seq ?? 0, limit: 3 });
    expect(before).toMatchObject({ more: false, messages: [{ text: '0' }, { text: '1' }, { text: '2' }] });
    expect(storage.messages.page(ids.session(), { limit: 3 })).toEqual({ messages: [], more: false });
  });

  test('an update keeps what it does not name', () => {
    const id = newSession();
    const message = storage.messages.insert(aMessage(id, { state: 'streaming', endedAt: null }));
    const error = { code: 'model/tls', message: 'bad certificate', hint: 'check the clock' };
    expect(storage.messages.update(message.id, { text: 'more', state: 'error', error, endedAt: 7 }))
      .toEqual({ ...message, text: 'more', state: 'error', error, endedAt: 7 });
    expect(storage.messages.update(message.id, { error: null }).error).toBeNull();
  });

  test('the transcript has whole results, the page cut ones', () => {
    const id = newSession();
    const message = storage.messages.insert(aMessage(id, { role: 'assistant', turn: 4 }));
    const call = aCall(id, message.id);
    storage.calls.insert([call]);
    const whole = 'x'.repeat(30_000);
    expect(storage.calls.update(call.id, { state: 'done', fullResult: whole, endedAt: 2, exitCode: 0 })).toMatchObject({ resultChars: 30_000, exitCode: 0 });
    expect(storage.messages.transcript(id)[0]?.calls[0]?.fullResult).toBe(whole);
    expect(storage.messages.page(id, { limit: 1 }).messages[0]?.calls[0]?.result).toHaveLength(20_000);
    storage.calls.update(call.id, { fullResult: 'short' });
    expect(storage.calls.get(call.id)).toMatchObject({ result: 'short', fullResult: 'short', resultChars: 5 });
    expect(storage.messages.lastTurn(id)).toBe(4);
  });
});

test('uses of tools are counted from a time on', () => {
  const id = newSession();
  const message = storage.messages.insert(aMessage(id));
  storage.calls.insert([aCall(id, message.id, { name: 'a', startedAt: 10 }), aCall(id, message.id, { name: 'a', startedAt: 20 }), aCall(id, message.id, { name: 'b', startedAt: 5 })]);
  expect(storage.calls.usesSince(10)).toEqual(new Map([['a', 2]]));
});

describe('approval requests', () => {
  test('only the first of two answers is taken', () => {
    const request = anApproval(ids.session());
    storage.approvals.insert(request);
    expect(storage.approvals.transition(request.id, ['created', 'held'], { state: 'approved', choice: 'once', decidedAt: 9 })).toBe(true);
    expect(storage.approvals.transition(request.id, ['created', 'held'], { state: 'denied', choice: 'deny', decidedAt: 9 })).toBe(false);
    expect(storage.approvals.get(request.id)).toEqual({ ...request, state: 'approved', choice: 'once', decidedAt: 9 });
    expect(storage.approvals.open()).toEqual([]);
  });

  test('the history holds settled requests, newest first, and is searched in command and reason', () => {
    const session = ids.session();
    storage.approvals.insert(anApproval(session, { command: 'first', state: 'approved', decidedAt: 1 }));
    storage.approvals.insert(anApproval(session, { command: 'SECOND 100%', state: 'denied', decidedAt: 2, denyReason: 'no_way' }));
    storage.approvals.insert(anApproval(session, { command: 'open' }));
    const commands = (query?: string): string[] => storage.approvals.history({ limit: 10, ...(query === undefined ? {} : { query }) }).map((request) => request.command);
    expect(commands()).toEqual(['SECOND 100%', 'first']);
    expect(commands('second 100%')).toEqual(['SECOND 100%']);
    expect(commands('no_way')).toEqual(['SECOND 100%']);
    expect(commands('%')).toEqual(['SECOND 100%']);
  });

  test('provenance of rules is merged and uses are counted', () => {
    storage.approvals.noteEntry('podman *', { createdAt: 1, createdFrom: 'podman ps', createdBy: 'desktop' });
    storage.approvals.noteEntry('podman *', { usedAt: 5 });
    storage.approvals.noteEntry('podman *', { usedAt: 6 });
    expect(storage.approvals.entryMeta().get('podman *')).toEqual({ createdAt: 1, createdFrom: 'podman ps', createdBy: 'desktop', lastUsedAt: 6, uses: 2 });
  });

  test('grants belong to one chat and can be taken back', () => {
    const [a, b] = [ids.session(), ids.session()];
    storage.approvals.grantSession(a, ['x', 'y', 'x']);
    storage.approvals.grantSession(b, ['z']);
    expect(storage.approvals.sessionGrants(a)).toEqual(['x', 'y']);
    storage.approvals.clearSession(a);
    expect(storage.approvals.sessionGrants(a)).toEqual([]);
    expect(storage.approvals.sessionGrants(b)).toEqual(['z']);
  });
});

test('a terminal comes back with its screen and where its output lies', () => {
  const terminal = aTerminal();
  const extra = { taskId: 'default', capturePath: '/tmp/out', startIdentity: '12:34' };
  storage.terminals.upsert(terminal, extra);
  storage.terminals.saveScreen(terminal.id, 'first');
  storage.terminals.saveScreen(terminal.id, 'second');
  storage.terminals.upsert({ ...terminal, state: 'exited', exitCode: 0 }, extra);
  expect(storage.terminals.list()).toEqual([{ terminal: { ...terminal, state: 'exited', exitCode: 0 }, ...extra }]);
  expect(storage.terminals.screen(terminal.id)).toBe('second');
  storage.terminals.remove(terminal.id);
  expect(storage.terminals.screen(terminal.id)).toBeUndefined();
});

test('usage is added to its chat', () => {
  const sessionId = newSession();
  storage.usage.add({ sessionId, model: 'm', promptTokens: 10, completionTokens: 2, at: 1 });
  storage.usage.add({ sessionId, model: 'm', promptTokens: 20, completionTokens: 3, at: 2 });
  expect(storage.sessions.get(sessionId)?.usage).toEqual({ promptTokens: 30, completionTokens: 5, requests: 2 });
});

test('a transaction that throws leaves nothing behind', () => {
  expect(() => storage.transaction(() => {
    storage.values.set('k', 'v');
    throw new Error('no');
  })).toThrow('no');
  expect(storage.values.get('k')).toBeUndefined();
  expect(storage.transaction(() => { storage.values.set('k', 'v'); return 7; })).toBe(7);
  expect(storage.values.get('k')).toBe('v');
});
