/** What is decided without asking anybody is in the history too: what ran, what let it, and how it ended. */
import { afterEach, expect, test } from 'vitest';
import type { ApprovalId } from '../../../preload/contract/ids.ts';
import { aSession } from '../../support/stored.ts';
import { desk, type Desk, type DeskOptions } from '../../support/approvals-desk.ts';

let desks: Desk[] = [];
const start = (options: DeskOptions = {}): Desk => {
  const made = desk(options);
  desks.push(made);
  return made;
};
afterEach(() => {
  for (const made of desks) made.remove();
  desks = [];
});

test.each<[string, DeskOptions, string, object]>([
  ['a rule of config.yaml', { yaml: 'command_allowlist: ["recursive delete"]\n' }, 'rm -rf build', { state: 'approved', decidedBy: 'rule', review: { verdict: 'allow', rule: 'Allowed by the rule recursive delete' } }],
  ['mode off', { yaml: 'approvals: {mode: off}\n' }, 'rm -rf build', { state: 'approved', decidedBy: 'off' }],
  ['yolo', { yolo: true }, 'rm -rf build', { state: 'approved', decidedBy: 'yolo' }],
  ['the reviewing model', { yaml: 'approvals: {mode: smart}\n', judge: async () => 'APPROVE' }, 'rm -rf build', { state: 'approved', decidedBy: 'smart' }],
  ['a floor', {}, 'rm -rf /', { state: 'denied', decidedBy: 'floor', review: { verdict: 'block' } }],
  ['a deny rule', { yaml: 'approvals: {deny: ["git push *"]}\n' }, 'git push origin', { state: 'denied', decidedBy: 'deny rule', review: { rule: 'git push * (approvals.deny)' } }],
  ['nobody being there', { screens: 0 }, 'rm -rf build', { state: 'denied', decidedBy: 'unattended', review: { rule: 'approvals.unattended_mode: deny' } }],
  ['nobody being there, where that is fine', { screens: 0, yaml: 'approvals: {unattended_mode: approve}\n' }, 'rm -rf build', { state: 'approved', decidedBy: 'unattended' }],
])('%s leaves a row with its name', async (_name, options, command, row) => {
  const at = start(options);
  const { approvalId } = await at.review(command);
  expect(at.approvals.history({})).toMatchObject([{ id: approvalId, automatic: true, command, ...row }]);
  expect(at.approvals.list()).toEqual([]);
});

test('the exit code comes to the row, and the search finds it by what decided', async () => {
  const at = start({ yaml: 'command_allowlist: ["recursive delete"]\n' });
  const { approvalId } = await at.review('rm -rf build');
  at.approvals.recordExit(approvalId ?? '', 3);
  expect(at.storage.approvals.get(approvalId as ApprovalId)?.exitCode).toBe(3);
  for (const query of ['recursive delete', 'exit 3', 'local', '/srv/app', 'approved']) expect(at.approvals.history({ query })).toHaveLength(1);
  expect(at.approvals.history({ query: 'denied' })).toEqual([]);
});

test('harmless commands leave no row', async () => {
  const at = start();
  expect(await at.review('ls -la')).toEqual({ approved: true, message: null, command: 'ls -la' });
  expect(at.approvals.history({})).toEqual([]);
});

test('a record that cannot be kept stops no command, and a floor stays a floor', async () => {
  const at = start({ yolo: true });
  at.storage.approvals.insert = () => { throw new Error('disk full'); };
  expect(await at.review('rm -rf build')).toEqual({ approved: true, message: null, command: 'rm -rf build' });
  expect(await at.review('rm -rf /')).toMatchObject({ approved: false, hardline: true });
});

test('what a floor stopped is not said to have been refused by the person', async () => {
  const at = start();
  await at.review('rm -rf /home');
  void at.review('rm -rf /home/me/x');
  expect(at.only().deniedBefore).toBeUndefined();
});

test('what ran by a rule does not count as asked about when a new rule is looked at', async () => {
  const at = start({ yaml: 'command_allowlist: ["git push --force a"]\n' });
  await at.review('git push --force a');
  void at.review('git push --force b');
  expect(at.approvals.rules.preview(at.only().id, {}).levels[0]?.alsoAllowed).toEqual({ count: 0, searched: 0, commands: [] });
});

test('in a chat of a messenger that nobody watches the question stays open, and what is allowed later runs once', async () => {
  const at = start({ screens: 0 });
  const chat = aSession({ origin: 'gateway' });
  at.storage.sessions.insert(chat);
  const review = () => at.review('rm -rf build', { sessionId: chat.id });
  expect(await review()).toMatchObject({ approved: false, approval_pending: true, allow_permanent: true, pattern_key: 'recursive delete', message: expect.stringContaining('STOP') });
  expect(await review()).toMatchObject({ approval_pending: true });
  expect(at.only()).toMatchObject({ state: 'held', expiresAt: null, leftOpen: 'waiting' });
  at.clock.advance(3_600_000);
  expect(await at.approvals.gateway.command(chat.id, '/approve')).toBe(1);
  const id = at.approvals.history({})[0]?.id;
  expect(await review()).toMatchObject({ approved: true, user_approved: true, approvalId: id });
  expect(await review()).toMatchObject({ approved: false, approval_pending: true });
  at.approvals.clearSession(chat.id);
  expect(at.approvals.list()).toEqual([]);
});

test('in ask mode a question of any unattended chat stays open', async () => {
  const at = start({ screens: 0, askMode: true });
  expect(await at.review('rm -rf build')).toMatchObject({ approved: false, approval_pending: true });
});
