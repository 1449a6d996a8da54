import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../../main/clock.ts';
import { silentLog } from '../../../main/log.ts';
import type { Log, Storage } from '../../../main/ports.ts';
import { migrate, MIGRATIONS, type Migration } from '../../../main/storage/migrations.ts';
import { openStorage } from '../../../main/storage/storage.ts';
import { aCall, aMessage, aSession, ids } from '../../support/stored.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'talaria-db-'));
  file = join(folder, 'deep', 'talaria.db');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const open = (log: Log = silentLog): Storage => openStorage(file, { clock: systemClock, ids, log });

test('versions count up by one', () => {
  expect(MIGRATIONS.map(({ version }) => version)).toEqual(MIGRATIONS.map((_, index) => index + 1));
});

test('a new file is made for its owner only, and holds its content when opened again', () => {
  const session = aSession();
  const first = open();
  first.sessions.insert(session);
  first.close();
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const second = open();
  expect(second.sessions.get(session.id)).toEqual(session);
  second.close();
});

test('writes are in WAL mode, so that readers and one writer do not wait for each other', () => {
  open().close();
  const database = new Sqlite(file);
  expect(database.pragma('journal_mode', { simple: true })).toBe('wal');
  database.close();
});

describe('a file that is not for this version', () => {
  test('from the future is refused and left as it is', () => {
    open().close();
    const database = new Sqlite(file);
    database.pragma('user_version = 999');
    database.close();
    const before = readFileSync(file);
    expect(() => open()).toThrow(expect.objectContaining({ code: 'storage/failed', message: expect.stringContaining('newer Talaria (schema 999'), hint: expect.stringContaining('Update') }));
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  test('of another program is refused and left as it is', () => {
    file = join(folder, 'other.db');
    const database = new Sqlite(file);
    database.exec('CREATE TABLE theirs (x); INSERT INTO theirs VALUES (1);');
    database.close();
    expect(() => open()).toThrow(expect.objectContaining({ code: 'storage/failed', message: expect.stringContaining('another program') }));
    const again = new Sqlite(file);
    expect(again.prepare('SELECT x FROM theirs').pluck().get()).toBe(1);
    again.close();
  });

  test('that is no database is refused with a next step', () => {
    file = join(folder, 'text.db');
    writeFileSync(file, 'no database at all, '.repeat(100));
    expect(() => open()).toThrow(expect.objectContaining({ code: 'storage/failed', hint: expect.stringContaining('move it away') }));
    expect(readFileSync(file, 'utf8')).toContain('no database');
  });
});

describe('steps', () => {
  const step = (version: number, sql: string): Migration => ({ version, name: `step ${version}`, sql });

  test('are taken once and in order', () => {
    const database = new Sqlite(':memory:');
    const one = [step(1, 'CREATE TABLE a (x); INSERT INTO a VALUES (1);')];
    migrate(database, 'f', one);
    migrate(database, 'f', one);
    migrate(database, 'f', [...one, step(2, 'UPDATE a SET x = x + 1;'), step(3, 'UPDATE a SET x = x * 10;')]);
    expect(database.prepare('SELECT x FROM a').pluck().all()).toEqual([20]);
    expect(database.pragma('user_version', { simple: true })).toBe(3);
    expect(() => migrate(database, 'f', one)).toThrow(expect.objectContaining({ code: 'storage/failed' }));
    database.close();
  });

  test('that fail leave the version before them whole', () => {
    const database = new Sqlite(':memory:');
    migrate(database, 'f', [step(1, 'CREATE TABLE a (x);')]);
    expect(() => migrate(database, 'f', [step(1, ''), step(2, 'CREATE TABLE b (x);'), step(3, 'NO SQL;')])).toThrow(expect.objectContaining({ message: expect.stringContaining('step 3') }));
    expect(database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all()).toEqual(['a']);
    expect(database.pragma('user_version', { simple: true })).toBe(1);
    database.close();
  });
});

test('a damaged search index is noticed by the search itself and made anew', () => {
  const warnings: string[] = [];
  const storage = open({ ...silentLog, warn: (message) => warnings.push(message) });
  const session = aSession();
  storage.sessions.insert(session);
  const message = storage.messages.insert(aMessage(session.id, { text: 'a heron stood' }));
  storage.calls.insert([aCall(session.id, message.id, { state: 'done', result: 'heron in a tool', endedAt: 5 })]);
  storage.messages.insert(aMessage(session.id, { text: '苍鹭站着' }));
  storage.close();
  const database = new Sqlite(file);
  database.unsafeMode(true);
  database.prepare("UPDATE search_words_data SET block = x'00ff00ff00ff' WHERE id > 10").run();
  database.close();
  const again = open({ ...silentLog, warn: (text) => warnings.push(text) });
  expect(again.messages.search('heron', 10).map((hit) => hit.role)).toEqual(['tool', 'user']);
  expect(again.messages.search('苍鹭', 10)).toHaveLength(1);
  expect(warnings).toEqual([expect.stringContaining('made anew')]);
  again.close();
});

test('two stores over one file see each other\'s writes and number one chat together', () => {
  const [a, b] = [open(), open()];
  const session = aSession();
  a.sessions.insert(session);
  expect([a, b, a, b].map((storage) => storage.messages.insert(aMessage(session.id)).seq)).toEqual([1, 2, 3, 4]);
  expect(a.messages.page(session.id, { limit: 10 })).toEqual(b.messages.page(session.id, { limit: 10 }));
  a.close();
  b.close();
});

test('an error of the database leaves as one that names what was tried', () => {
  const storage = open();
  const terminal = ids.terminal();
  expect(() => storage.terminals.saveScreen(terminal, 'x')).toThrow(expect.objectContaining({ code: 'storage/failed', message: expect.stringContaining('terminals.saveScreen') }));
  storage.close();
});
