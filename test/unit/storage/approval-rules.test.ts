import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../../main/clock.ts';
import { silentLog } from '../../../main/log.ts';
import type { Log, Storage } from '../../../main/ports.ts';
import { migrate, MIGRATIONS } from '../../../main/storage/migrations.ts';
import { openStorage } from '../../../main/storage/storage.ts';
import { RuleId, type ApprovalRule } from '../../../preload/contract/approval-rules.ts';
import { ids } from '../../support/stored.ts';

let folder: string;
let file: string;
let opened: Storage[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'talaria-rules-'));
  file = join(folder, 'talaria.db');
});
afterEach(() => {
  for (const storage of opened) storage.close();
  opened = [];
  rmSync(folder, { recursive: true, force: true });
});
const open = (log: Log = silentLog): Storage => {
  const storage = openStorage(file, { clock: systemClock, ids, log });
  opened.push(storage);
  return storage;
};
const aRule = (number: number, change: Partial<ApprovalRule> = {}): ApprovalRule => ({
  kind: 'allow', id: RuleId.parse(`rule_00000000000${number}`), tokens: ['git', 'push'], anyArgs: true, path: '/usr/bin/git', scope: { kind: 'everywhere' }, backend: 'local', expiresAt: null, maxUses: null,
  examples: { matches: [], not: [] }, createdAt: number, createdBy: 'test', createdFrom: null, createdIn: null, uses: 0, lastUsedAt: null, ...change,
} as ApprovalRule);

test('a file of the first schema gets the table and keeps what is in it', () => {
  const old = new Sqlite(file);
  migrate(old, file, MIGRATIONS.slice(0, 1));
  old.prepare("INSERT INTO small_values(key, value) VALUES ('kept', 'yes')").run();
  old.close();
  const storage = open();
  expect(storage.values.get('kept')).toBe('yes');
  expect(storage.approvalRules.list()).toEqual([]);
});

test('rules come back as they were, oldest first, in every process of the home', () => {
  const [first, second] = [open(), open()];
  const rules = [aRule(1), aRule(2, { maxUses: 2 }), aRule(3, { expiresAt: 100 })];
  for (const rule of rules) first.approvalRules.insert(rule);
  expect(second.approvalRules.list()).toEqual(rules);
  expect(second.approvalRules.remove(rules[0]!.id)).toBe(true);
  expect(second.approvalRules.remove(rules[0]!.id)).toBe(false);
  expect(first.approvalRules.list()).toEqual(rules.slice(1));
});

test('uses are counted all or none, and never beyond their number or time', () => {
  const [first, second] = [open(), open()];
  for (const rule of [aRule(1), aRule(2, { maxUses: 2 }), aRule(3, { expiresAt: 100 })]) first.approvalRules.insert(rule);
  const [endless, twice, timed] = first.approvalRules.list().map(({ id }) => id) as [RuleId, RuleId, RuleId];
  expect(first.approvalRules.use([endless, twice], 50)).toBe(true);
  expect(second.approvalRules.use([endless, twice, timed], 99)).toBe(true);
  expect(first.approvalRules.use([endless, twice], 99)).toBe(false);
  expect(first.approvalRules.use([endless, timed], 100)).toBe(false);
  expect(first.approvalRules.use([RuleId.parse('rule_999999999999')], 1)).toBe(false);
  expect(first.approvalRules.list().map(({ uses, lastUsedAt }) => [uses, lastUsedAt])).toEqual([[2, 99], [2, 99], [1, 99]]);
});

test('a damaged rule allows nothing, is told about once, and hides no other', () => {
  const told: string[] = [];
  const storage = open({ ...silentLog, error: (message) => { told.push(message); } });
  storage.approvalRules.insert(aRule(1));
  storage.approvalRules.insert(aRule(2));
  const raw = new Sqlite(file);
  raw.prepare("UPDATE approval_rules SET rule = json_remove(rule, '$.tokens') WHERE id = ?").run('rule_000000000001');
  raw.close();
  expect(storage.approvalRules.list()).toEqual([aRule(2)]);
  storage.approvalRules.list();
  expect(told).toEqual(['a stored approval rule is not readable and does not count']);
});
