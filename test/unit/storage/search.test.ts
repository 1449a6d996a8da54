import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../../main/clock.ts';
import { silentLog } from '../../../main/log.ts';
import type { Storage } from '../../../main/ports.ts';
import { openStorage } from '../../../main/storage/storage.ts';
import type { SessionId } from '../../../preload/contract/ids.ts';
import type { Session } from '../../../preload/contract/index.ts';
import { aCall, aMessage, aSession, ids } from '../../support/stored.ts';

let storage: Storage;
beforeEach(() => { storage = openStorage(':memory:', { clock: systemClock, ids, log: silentLog }); });
afterEach(() => storage.close());

const chat = (texts: readonly string[], change: Partial<Session> = {}): SessionId => {
  const session = aSession(change);
  storage.sessions.insert(session);
  for (const text of texts) storage.messages.insert(aMessage(session.id, { text }));
  return session.id;
};
const snippets = (query: string): string[] => storage.messages.search(query, 50).map((hit) => hit.snippet);

describe('finding messages', () => {
  test('a hit names its chat, its message and the matching words', () => {
    const id = chat(['Deploy the Gateway tonight', 'nothing']);
    expect(storage.messages.search('gateway', 10)).toEqual([
      { sessionId: id, sessionTitle: 'A chat', messageId: expect.stringMatching(/^msg_/), role: 'user', snippet: 'Deploy the >>>Gateway<<< tonight', createdAt: 1_000 },
    ]);
  });

  test('the newest hits come first and the limit is kept', () => {
    chat(['apple 1', 'apple 2', 'apple 3']);
    expect(storage.messages.search('apple', 2).map((hit) => hit.snippet)).toEqual(['>>>apple<<< 3', '>>>apple<<< 2']);
  });

  test('accents and case do not matter', () => {
    chat(['Crème Brûlée']);
    expect(snippets('creme BRULEE')).toEqual(['>>>Crème<<< >>>Brûlée<<<']);
  });

  test('all words must be there, in any order, unless OR or NOT say otherwise', () => {
    chat(['red green', 'green blue', 'red']);
    expect(snippets('green red')).toEqual(['>>>red<<< >>>green<<<']);
    expect(snippets('blue OR red')).toHaveLength(3);
    expect(snippets('red NOT green')).toEqual(['>>>red<<<']);
    expect(snippets('"green red"')).toEqual([]);
  });

  test('an unfinished last word finds what starts with it when nothing else is found', () => {
    chat(['an approval arrived']);
    expect(snippets('appro')).toEqual(['an >>>approval<<< arrived']);
    expect(snippets('approve')).toEqual([]);
    expect(snippets('app*')).toEqual(['an >>>approval<<< arrived']);
  });

  test('words in a deleted chat are not found until it is restored', () => {
    const id = chat(['pineapple']);
    storage.sessions.update(id, { deletedAt: 5 });
    expect(snippets('pineapple')).toEqual([]);
    storage.sessions.update(id, { deletedAt: null });
    expect(snippets('pineapple')).toHaveLength(1);
  });

  test('text that is still streaming is found once it is complete, by its last form only', () => {
    const id = chat([]);
    const message = storage.messages.insert(aMessage(id, { state: 'streaming', text: 'alpha' }));
    storage.messages.update(message.id, { text: 'alpha beta' });
    expect(snippets('alpha')).toEqual([]);
    storage.messages.update(message.id, { text: 'gamma', state: 'complete' });
    expect(snippets('alpha')).toEqual([]);
    expect(snippets('gamma')).toHaveLength(1);
    storage.messages.update(message.id, { text: 'delta' });
    expect(snippets('gamma')).toEqual([]);
    storage.messages.remove(message.id);
    expect(snippets('delta')).toEqual([]);
  });

  test('the output of a tool is found as role tool, and points at the message that made the call', () => {
    const id = chat([]);
    const message = storage.messages.insert(aMessage(id, { role: 'assistant', text: '' }));
    const call = aCall(id, message.id);
    storage.calls.insert([call]);
    expect(snippets('walrus')).toEqual([]);
    storage.calls.update(call.id, { state: 'done', fullResult: 'a walrus in the output', endedAt: 77 });
    expect(storage.messages.search('walrus', 5)).toMatchObject([{ role: 'tool', messageId: message.id, createdAt: 77, snippet: expect.stringContaining('>>>walrus<<<') }]);
  });
});

describe('a search that is narrowed', () => {
  const at = (hits: readonly { readonly createdAt: number }[]): number[] => hits.map(({ createdAt }) => createdAt);
  const DAY = 86_400_000;

  test('by who said it and by the tool', () => {
    const id = chat(['a walrus asked']);
    const message = storage.messages.insert(aMessage(id, { role: 'assistant', text: 'a walrus answered' }));
    for (const [name, endedAt] of [['terminal', 5], ['read_file', 6]] as const) {
      const call = aCall(id, message.id, { name });
      storage.calls.insert([call]);
      storage.calls.update(call.id, { state: 'done', fullResult: `a walrus from ${name}`, endedAt });
    }
    const search = (filter: Parameters<Storage['messages']['search']>[2]) => storage.messages.search('walrus', 10, filter);
    expect(search({ roles: ['assistant'] }).map((hit) => hit.snippet)).toEqual(['a >>>walrus<<< answered']);
    expect(search({ roles: ['user', 'tool'] }).map((hit) => hit.role)).toEqual(['tool', 'tool', 'user']);
    expect(search({ tool: 'terminal' })).toMatchObject([{ role: 'tool', tool: 'terminal', messageId: message.id }]);
    expect(search({ roles: ['user'], tool: 'terminal' })).toEqual([]);
    expect(search({ roles: [] })).toHaveLength(4);
  });

  test('by time, also among very many texts, and by chat', () => {
    const [first, second] = [chat([]), chat([])];
    for (let day = 0; day < 60; day += 1) storage.messages.insert(aMessage(day % 2 === 0 ? first : second, { text: `walrus ${String(day)}`, createdAt: day * DAY }));
    const search = (filter: Parameters<Storage['messages']['search']>[2]) => at(storage.messages.search('walrus', 50, filter)).map((time) => time / DAY);
    expect(search({ from: 10 * DAY, to: 13 * DAY })).toEqual([13, 12, 11, 10]);
    expect(search({ to: 2 * DAY })).toEqual([2, 1, 0]);
    expect(search({ from: 58 * DAY })).toEqual([59, 58]);
    expect(search({ from: 10 * DAY, to: 13 * DAY, sessionId: second })).toEqual([13, 11]);
    expect(search({ from: 100 * DAY })).toEqual([]);
    expect(search({ sessionId: chat([]) })).toEqual([]);
  });
});

describe('scripts without spaces', () => {
  test.each([
    ['three letters', '数据库', '我们今天迁移了数据库服务器'],
    ['two letters', '迁移', '我们今天迁移了数据库服务器'],
    ['two letters at the very end', '今天', '我们在今天'],
    ['one letter', '服', '我们今天迁移了数据库服务器'],
    ['two words', '迁移 服务器', '我们今天迁移了数据库服务器'],
    ['a Latin word inside', 'docker', '请使用docker部署'],
    ['mixed', '使用 docker', '请使用docker部署'],
    ['Japanese', 'テスト', 'これはテストです'],
    ['Korean', '데이터', '새데이터베이스를 만들었다'],
    ['Thai', 'สวัสดี', 'คำว่าสวัสดีครับ'],
  ])('%s: %s', (_name, query, text) => {
    chat(['other words entirely', text]);
    const found = snippets(query);
    expect(found).toHaveLength(1);
    expect(found[0]?.replaceAll('>>>', '').replaceAll('<<<', '')).toBe(text);
  });

  test('a word that is not there is not found', () => {
    chat(['我们今天迁移了数据库服务器']);
    expect(snippets('昨天')).toEqual([]);
    expect(snippets('迁移 昨天')).toEqual([]);
  });
});

describe('history for the model', () => {
  const search = (query: string, extra: object = {}) => storage.history.search({ query, roles: ['user', 'assistant'], limit: 10, ...extra });

  test('the current chat is left out after enough hits were looked at', () => {
    const other = chat(['needle elsewhere']);
    const current = chat(Array.from({ length: 100 }, () => 'needle here'));
    expect(search('needle', { excludeSession: current, limit: 3 }).map((hit) => hit.sessionId)).toEqual([other]);
  });

  test('a chat whose only hits are in tool output is found, others show the wanted roles only', () => {
    const quiet = chat([]);
    const talking = chat(['the heron']);
    for (const id of [quiet, talking]) {
      const message = storage.messages.insert(aMessage(id, { role: 'assistant', text: '' }));
      storage.calls.insert([aCall(id, message.id, { state: 'done', result: 'heron 1', endedAt: 5 }), aCall(id, message.id, { state: 'done', result: 'heron 2', endedAt: 6 })]);
    }
    expect(search('heron').map((hit) => [hit.sessionId, hit.role])).toEqual([[quiet, 'tool'], [talking, 'user']]);
    expect(storage.history.countHidden({ query: 'heron', roles: ['user'], limit: 10 })).toBe(3);
    expect(search('heron', { roles: ['tool'] })).toHaveLength(4);
  });

  test('errands of delegates and the tour are hidden, scheduled chats come last', () => {
    chat(['otter'], { origin: 'delegate' });
    chat(['otter'], { origin: 'tour' });
    const person = chat(['otter']);
    const cron = chat(['otter'], { origin: 'cron', updatedAt: 9_000 });
    expect(search('otter').map((hit) => hit.sessionId)).toEqual([person, cron]);
    expect(storage.history.recent({ limit: 10 }).map((session) => session.sessionId)).toEqual([person, cron]);
    expect(storage.history.recent({ limit: 10, excludeSession: person }).map((session) => session.sessionId)).toEqual([cron]);
  });

  test('oldest first is possible', () => {
    chat(['lynx a', 'lynx b']);
    expect(search('lynx', { sort: 'oldest' }).map((hit) => hit.snippet)).toEqual(['>>>lynx<<< a', '>>>lynx<<< b']);
  });

  test('a recent chat shows its first words', () => {
    const id = chat(['first words', 'second'], { title: 'T', updatedAt: 5 });
    chat([], { title: 'empty' });
    expect(storage.history.recent({ limit: 5 })).toEqual([{ sessionId: id, title: 'T', source: 'user', updatedAt: 5, messageCount: 2, preview: 'first words' }]);
  });

  test('messages around one are given with how many lie before and after', () => {
    const id = chat(Array.from({ length: 30 }, (_, index) => `m${index}`));
    const middle = storage.messages.page(id, { limit: 30 }).messages[10];
    const around = storage.history.messages({ sessionId: id, around: middle?.id ?? '', window: 2 });
    expect(around).toMatchObject({ before: 8, after: 17, session: { sessionId: id } });
    expect(around.messages.map((message) => message.text)).toEqual(['m8', 'm9', 'm10', 'm11', 'm12']);
    expect(storage.history.messages({ sessionId: id, around: 'msg_unknown00000' }).messages).toEqual([]);
  });

  test('a long chat is given by its head and tail, a short one whole', () => {
    const id = chat(Array.from({ length: 50 }, (_, index) => `m${index}`));
    const read = storage.history.messages({ sessionId: id, head: 2, tail: 1 });
    expect(read.messages.map((message) => message.text)).toEqual(['m0', 'm1', 'm49']);
    expect(read.after).toBe(47);
    expect(storage.history.messages({ sessionId: id, head: 40, tail: 10 }).messages).toHaveLength(50);
    expect(storage.history.messages({ sessionId: 'unknown' })).toEqual({ session: undefined, messages: [], before: 0, after: 0 });
  });
});
