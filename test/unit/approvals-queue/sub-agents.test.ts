/** What a person grants in a chat, and how a chat is attended, holds for the agents that it sends out. */
import { afterEach, expect, test } from 'vitest';
import type { AllowDraft } from '../../../preload/contract/approval-rules.ts';
import type { SessionId, SessionOrigin } from '../../../preload/contract/index.ts';
import { writeLineage } from '../../../main/lineage.ts';
import type { GatewayEntry } from '../../../main/approvals/gateway.ts';
import { desk, type Desk, type DeskOptions } from '../../support/approvals-desk.ts';
import { aSession } from '../../support/stored.ts';

let desks: Desk[] = [];
const start = (options: DeskOptions = {}): Desk => {
  const made = desk(options);
  desks.push(made);
  return made;
};
afterEach(() => {
  for (const made of desks.toReversed()) made.remove();
  desks = [];
});

/** A chat sent out by another one. */
function sentOut(at: Desk, parent: SessionId, origin: SessionOrigin = 'delegate'): SessionId {
  const session = aSession({ origin, title: 'Look around' });
  at.storage.sessions.insert(session);
  writeLineage(at.storage.values, session.id, { parent, depth: 1 });
  return session.id;
}

test('a rule for a chat lets its sub-agents through, at any depth, and no other chat', async () => {
  const at = start();
  const child = sentOut(at, at.sessionId);
  const grandchild = sentOut(at, child);
  const stranger = aSession();
  at.storage.sessions.insert(stranger);
  const rule: AllowDraft = { kind: 'allow', tokens: ['rm', '-rf', 'build'], anyArgs: false, path: null, scope: { kind: 'chat', sessionId: at.sessionId }, backend: null, expiresAt: null, maxUses: null, examples: { matches: [], not: [] } };
  at.approvals.rules.add(rule, 'desktop');
  expect(await at.review('rm -rf build', { sessionId: child })).toMatchObject({ approved: true });
  expect(await at.review('rm -rf build', { sessionId: grandchild })).toMatchObject({ approved: true });
  void at.review('rm -rf build', { sessionId: stranger.id });
  expect(at.only().sessionId).toBe(stranger.id);
});

test('"for this chat" on a card of a sub-agent holds for the chat and for its other sub-agents', async () => {
  const at = start();
  const [one, other] = [sentOut(at, at.sessionId), sentOut(at, at.sessionId)];
  const outcome = at.review('rm -rf build', { sessionId: one });
  expect(at.only()).toMatchObject({ agent: 'Look around' });
  await at.approvals.decide({ id: at.only().id, choice: 'session' }, 'desktop');
  expect(await outcome).toMatchObject({ approved: true });
  expect(await at.review('rm -rf dist', { sessionId: other })).toMatchObject({ approved: true });
  expect(await at.review('rm -rf dist')).toMatchObject({ approved: true });
});

test('a rule made on a card of a sub-agent for "this chat" is a rule of the chat the person talks to', async () => {
  const at = start();
  const child = sentOut(at, at.sessionId);
  void at.review('git push --force', { sessionId: child });
  const { id } = at.only();
  const level = at.approvals.rules.preview(id, { scope: 'chat' }).levels[0];
  await at.approvals.decide({ id, choice: 'always', rule: { level: level?.id ?? '', scope: 'chat' } }, 'desktop');
  expect(at.storage.approvalRules.list()).toMatchObject([{ scope: { kind: 'chat', sessionId: at.sessionId } }]);
});

test('not asking in a chat reaches its sub-agents, and ends there when it ends in the chat', async () => {
  const at = start();
  const child = sentOut(at, at.sessionId);
  at.approvals.setYolo(at.sessionId, true);
  expect(await at.review('rm -rf build', { sessionId: child })).toMatchObject({ approved: true });
  at.approvals.setYolo(at.sessionId, false);
  void at.review('rm -rf build', { sessionId: child });
  expect(at.open(1)).toHaveLength(1);
});

test('what was refused in the chat is said when a sub-agent of it tries the same', async () => {
  const at = start();
  void at.review('rm -rf build');
  await at.approvals.decide({ id: at.only().id, choice: 'deny' }, 'desktop');
  void at.review('sudo rm -rf ./build', { sessionId: sentOut(at, at.sessionId) });
  expect(at.only().deniedBefore).toContain('You denied the same effect');
});

test('sub-agents of scheduled work are never put to a person, though somebody is there', async () => {
  const at = start();
  const scheduled = aSession({ origin: 'cron' });
  at.storage.sessions.insert(scheduled);
  const outcome = await at.review('rm -rf build', { sessionId: sentOut(at, scheduled.id) });
  expect(outcome).toMatchObject({ approved: false, outcome: 'blocked', user_consent: false });
  expect(outcome.message).toContain('approvals.cron_mode');
});

test('questions of sub-agents come to the messenger of the chat that sent them out, and are answered there', async () => {
  const at = start({ screens: 0 });
  const heard: GatewayEntry[] = [];
  at.approvals.gateway.register(at.sessionId, (entry) => { heard.push(entry); });
  const outcomes = [sentOut(at, at.sessionId), sentOut(at, at.sessionId)].map((sessionId, index) => at.review(`rm -rf ${index}`, { sessionId }));
  expect(heard.map(({ command }) => command)).toEqual(['rm -rf 0', 'rm -rf 1']);
  expect(at.approvals.gateway.pending(at.sessionId)).toHaveLength(2);
  expect(await at.approvals.gateway.command(at.sessionId, `/approve ${heard[1]?.request_id}`)).toBe(1);
  expect(await outcomes[1]).toMatchObject({ approved: true });
  expect(await at.approvals.gateway.command(at.sessionId, '/deny all not now')).toBe(1);
  expect(await outcomes[0]).toMatchObject({ approved: false, deny_reason: 'not now' });
});
