import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../../main/clock.ts';
import { writeLineage } from '../../../main/lineage.ts';
import { silentLog } from '../../../main/log.ts';
import type { Storage } from '../../../main/ports.ts';
import { openStorage } from '../../../main/storage/storage.ts';
import type { SessionId } from '../../../preload/contract/ids.ts';
import { aMessage, aSession, ids } from '../../support/stored.ts';

let root: string;
const opened: Storage[] = [];
const databaseOf = (home: string): string => join(home, 'desktop/talaria.db');
const open = (home: string): Storage => {
  const storage = openStorage(databaseOf(home), { clock: systemClock, ids, log: silentLog });
  opened.push(storage);
  return storage;
};
function chat(storage: Storage, text: string, origin: 'user' | 'gateway' | 'delegate' = 'user'): SessionId {
  const session = aSession({ origin, messageCount: 1 });
  storage.sessions.insert(session);
  storage.messages.insert(aMessage(session.id, { text }));
  return session.id;
}
const found = (storage: Storage, profile: string, query: string): string[] =>
  storage.history.inProfile(profile, (history) => history.search({ query, roles: [], limit: 10 }).map(({ snippet }) => snippet));

beforeEach(() => { root = mkdtempSync(join(tmpdir(), 'talaria-profiles-')); });
afterEach(() => {
  for (const storage of opened.splice(0)) storage.close();
  rmSync(root, { recursive: true, force: true });
});

test('chats of another profile are found from the root and from any profile, also while it is in use, and its file stays as it is', () => {
  const main = open(root);
  chat(main, 'apples at home');
  const work = open(join(root, 'profiles/work'));
  chat(work, 'apples at work');
  expect([found(main, 'work', 'apples'), found(work, 'default', 'apples'), found(work, 'work', 'apples')]).toEqual([['>>>apples<<< at work'], ['>>>apples<<< at home'], ['>>>apples<<< at work']]);
  expect(work.history.inProfile('work', (_, isOwn) => isOwn)).toBe(true);
  opened.splice(opened.indexOf(work), 1);
  work.close();
  const before = readFileSync(databaseOf(join(root, 'profiles/work')));
  expect(found(main, 'work', 'apples')).toHaveLength(1);
  expect(readFileSync(databaseOf(join(root, 'profiles/work'))).equals(before)).toBe(true);
});

test.each([
  ['gone', "There is no profile 'gone'.", 'Profiles here: default, empty, odd, old.'], ['../..', "There is no profile '../..'.", 'Profiles here'], ['empty', "Profile 'empty' has no chats of this app yet.", 'talaria.db'],
  ['odd', 'is a database of another program', ''], ['old', 'was written by an older Talaria', 'Start Talaria once in that profile.'],
])('a profile %j that cannot be read is told with the next step', (name, message, hint) => {
  const main = open(root);
  for (const other of ['empty', 'odd', 'old']) mkdirSync(join(root, 'profiles', other, 'desktop'), { recursive: true });
  writeFileSync(join(root, 'profiles/a file'), '');
  rmSync(join(root, 'profiles/empty/desktop'), { recursive: true });
  new Sqlite(databaseOf(join(root, 'profiles/odd'))).exec('CREATE TABLE theirs (x)').close();
  const old = openStorage(databaseOf(join(root, 'profiles/old')), { clock: systemClock, ids, log: silentLog });
  old.close();
  const file = new Sqlite(databaseOf(join(root, 'profiles/old')));
  file.pragma('user_version = 1');
  file.close();
  let error: unknown;
  try {
    found(main, name, 'x');
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toMatchObject({ message: expect.stringContaining(message) as string, hint: expect.stringContaining(hint) as string });
});

test('a conversation of a messenger keeps the chats it had, sub-agents belong to it, and searching can keep to it', () => {
  const storage = open(root);
  const place = { platform: 'telegram' as const, chat: '7', thread: '' };
  const first = chat(storage, 'cherries one', 'gateway');
  storage.gateway.putChat({ ...place, title: 'Ann', sessionId: first, deliveredSeq: 0 });
  const second = chat(storage, 'cherries two', 'gateway');
  storage.gateway.putChat({ ...place, title: 'Ann', sessionId: second, deliveredSeq: 0 });
  const other = chat(storage, 'cherries of Bob', 'gateway');
  storage.gateway.putChat({ ...place, chat: '8', title: 'Bob', sessionId: other, deliveredSeq: 0 });
  const mine = chat(storage, 'cherries of mine');
  const helper = chat(storage, 'errand', 'delegate');
  writeLineage(storage.values, helper, { parent: second, depth: 1 });

  const { history } = storage;
  const both = [first, second].sort();
  expect([history.conversation(second), history.conversation(helper), history.conversation(other), history.conversation(mine), history.conversation('not a chat!')]).toEqual([both, both, [other], undefined, undefined]);
  const query = { query: 'cherries', roles: [], limit: 10, excludeSession: second, onlySessions: both };
  expect(history.search(query).map(({ sessionId }) => sessionId)).toEqual([first]);
  expect(history.countHidden(query)).toBe(3);
  expect(history.recent({ limit: 10, onlySessions: both }).map(({ sessionId }) => sessionId).sort()).toEqual(both);
});
