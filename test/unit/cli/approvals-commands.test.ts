import { describe, expect, test } from 'vitest';
import { openApprovalDesk } from '../../../main/shells/cli/approval-desk.ts';
import { RuleId, type AllowRule, type ApprovalRequest, type ListedRule } from '../../../preload/contract/index.ts';
import { SessionId } from '../../../preload/contract/ids.ts';
import { approvalRecord, runWith, sessionRecord, testCliHost, testStreams, type TestCliHost } from '../../support/cli-host.ts';
import type { Handlers } from '../../support/bridge-host.ts';

const MINE = SessionId.parse('ses_0000000000000000');
const OTHER = SessionId.parse('ses_1111111111111111');
const ID = RuleId.parse('rule_000000000001');
const turn = (): Promise<void> => new Promise((done) => { setImmediate(done); });

async function run(handlers: Handlers, ...argv: string[]): Promise<{ code: number; out: string; err: string; host: TestCliHost; last: unknown }> {
  const streams = testStreams({ interactive: false });
  const host = testCliHost(handlers);
  const code = await runWith(host, streams, ...argv);
  return { code, out: streams.out(), err: streams.err(), host, last: host.calls.at(-1) };
}

describe('a command that answers by its own rule', () => {
  test.each(['once', 'deny'] as const)('with %s answers what its own chat and its sub-agents ask, and leaves other processes\' questions alone', async (rule) => {
    const host = testCliHost({ 'approvals.decide': () => approvalRecord() });
    const close = openApprovalDesk({ host, streams: testStreams({ interactive: false }), sessionId: MINE, rule, onInterrupt: () => undefined });
    const ids = ['apr_0000000000000001', 'apr_0000000000000002', 'apr_0000000000000003'] as const;
    const requests = [{ sessionId: OTHER }, { sessionId: OTHER, chatId: MINE }, { sessionId: MINE }].map((change, index) => ({ ...approvalRecord(change), id: ids[index] }) as ApprovalRequest); // cast: ids of the right form
    for (const request of requests) host.bus.publish('approvals', { type: 'changed', request });
    await turn();
    expect(host.calls.map(({ input }) => input)).toMatchObject([{ id: ids[1] }, { id: ids[2] }]);
    close();
  });
});

describe('--yolo', () => {
  const handlers: Handlers = { 'approvals.yolo': () => ({ process: true, sessions: [] }), 'sessions.delete': () => sessionRecord(MINE) };
  test('is for this process alone, and says so on stderr', async () => {
    const { host, err, out } = await run(handlers, '--yolo', 'call', 'terminal', '{"command":"ls"}');
    expect(host.opened).toMatchObject([{ yolo: true }]);
    expect(err).toContain('YOLO: nothing is asked in this run');
    expect(out).toBe('{}\n');
    expect((await run({ ...handlers, 'approvals.yolo': () => ({ process: false, sessions: [] }) }, 'call', 'terminal', '{}')).err).toBe('');
  });

  test('may stand behind the command too', async () => {
    expect((await run(handlers, 'call', 'terminal', '{}', '--yolo')).host.opened).toMatchObject([{ yolo: true }]);
  });
});

describe('allowlist', () => {
  const limits = { scope: { kind: 'everywhere' }, backend: null, expiresAt: null, maxUses: null };
  const rule: AllowRule = { kind: 'allow', tokens: ['git', 'push'], anyArgs: true, path: '/usr/bin/git', scope: { kind: 'everywhere' }, backend: 'local', expiresAt: null, maxUses: null, examples: { matches: ['git push a'], not: [] }, id: ID, createdAt: 1, createdBy: 'x', createdFrom: null, createdIn: null, uses: 2, lastUsedAt: 3 };
  const listed: ListedRule = { rule, text: 'allow git push …', holds: true, remarks: [] };
  const handlers: Handlers = { 'approvalRules.add': () => [], 'approvalRules.list': () => [listed], 'approvalRules.update': () => [] };

  test('writes rules that deny and ask, with where, how long and what they must match', async () => {
    expect((await run(handlers, 'allowlist', 'deny', 'npm publish*', '--example', 'npm publish', '--example', 'npm publish --tag x', '--not', 'npm pack')).last)
      .toMatchObject({ name: 'approvalRules.add', input: { rule: { kind: 'deny', pattern: 'npm publish*', ...limits, examples: { matches: ['npm publish', 'npm publish --tag x'], not: ['npm pack'] } } } });
    expect((await run(handlers, 'allowlist', 'ask', 'make *', '--project', '/srv/app', '--backend', 'ssh', '--uses', '3')).last)
      .toMatchObject({ input: { rule: { kind: 'ask', scope: { kind: 'project', root: '/srv/app' }, backend: 'ssh', maxUses: 3, expiresAt: null } } });
  });

  test('narrows a rule and leaves what is not named', async () => {
    expect((await run(handlers, 'allowlist', 'edit', ID, '--exact', '--project', '/srv/app', '--not', 'git push --force')).last).toEqual(expect.objectContaining({
      name: 'approvalRules.update', input: { id: ID, rule: { kind: 'allow', tokens: ['git', 'push'], anyArgs: false, path: '/usr/bin/git', scope: { kind: 'project', root: '/srv/app' }, backend: 'local', expiresAt: null, maxUses: null, examples: { matches: ['git push a'], not: ['git push --force'] } } },
    }));
    expect((await run(handlers, 'allowlist', 'edit', ID, '--backend', 'any')).last).toMatchObject({ input: { rule: { anyArgs: true, backend: null } } });
  });

  test.each([['deny'], ['deny', 'x', '--exact'], ['edit', 'x'], ['edit', 'rule_000000000002'], ['edit', ID, '--exact', '--any-args'], ['edit', ID, '--for-good', '--days', '3'], ['edit', ID, '--everywhere', '--project', '/x'], ['ask', 'x', '--uses', '0']])(
    '%j %j %j %j is wrong use', async (...argv) => { expect((await run(handlers, 'allowlist', ...argv)).code).toBe(2); });

  test('prints what stops commands, one\'s own patterns among them', async () => {
    const { out } = await run({ 'allowlist.patterns': () => [{ pattern: 'rm -r', description: 'recursive delete', tier: 'danger', own: false }, { pattern: 'make deploy*', description: 'ships', tier: 'danger', own: true }, { pattern: 'mkfs', description: 'format filesystem (mkfs)', tier: 'floor', own: false }] }, 'allowlist', 'patterns');
    expect(out).toBe('asks       recursive delete\n             rm -r\nasks       ships  (config.yaml)\n             make deploy*\nnever runs format filesystem (mkfs)\n             mkfs\n');
  });
});

describe('approvals', () => {
  const settled = approvalRecord({ state: 'approved', choice: 'once', decidedBy: 'smart', automatic: true, decidedAt: 0, exitCode: 3, review: { verdict: 'allow', findings: [], parts: [], rule: 'The reviewing model let it pass.' } });

  test('history says when, what, who or what decided, and how it ended', async () => {
    const { out, last } = await run({ 'approvals.history': () => [settled] }, 'approvals', 'history', 'rm', '--limit', '7');
    expect(last).toMatchObject({ input: { query: 'rm', limit: 7 } });
    expect(out).toBe('1970-01-01 00:00:00  approved   rm -rf /srv/data\n  A chat · local · once · by smart · The reviewing model let it pass. · exit 3\n');
  });

  test('export writes the text as it is', async () => {
    const { out, last } = await run({ 'approvals.export': () => ({ text: '"id"\r\n', count: 0 }) }, 'approvals', 'export', '--format', 'csv');
    expect(out).toBe('"id"\r\n');
    expect(last).toMatchObject({ input: { format: 'csv' } });
  });

  test('hold stops the clock of the one that is meant', async () => {
    const { last } = await run({ 'approvals.list': () => [approvalRecord()], 'approvals.hold': () => approvalRecord({ state: 'held' }) }, 'approvals', 'hold', 'apr_0000');
    expect(last).toMatchObject({ name: 'approvals.hold', input: { id: 'apr_0000000000000000', held: true } });
  });

  test('watch shows what other processes ask and how it was settled, and is a screen of this process', async () => {
    const streams = testStreams({ interactive: false });
    const host = testCliHost({ 'approvals.list': () => [] });
    const done = runWith(host, streams, 'approvals', 'watch');
    await streams.shows('Ctrl-C ends');
    expect([...host.surfaces]).toEqual(['cli']);
    host.bus.publish('approvals', { type: 'changed', request: approvalRecord({ sessionId: OTHER, sessionTitle: 'Elsewhere' }) });
    host.bus.publish('approvals', { type: 'changed', request: approvalRecord({ sessionId: OTHER, state: 'denied', decidedBy: 'desktop' }) });
    expect(streams.out()).toContain('Elsewhere');
    expect(streams.out()).toContain('apr_0000000000000000  denied by desktop');
    process.emit('SIGINT');
    expect(await done).toBe(0);
    expect([...host.surfaces]).toEqual([]);
  });
});

test('/yolo in a conversation switches the questions of that chat off and on, and says so', async () => {
  const streams = testStreams({ interactive: true });
  let on = false;
  const host = testCliHost({ 'approvals.yolo': () => ({ process: false, sessions: on ? [MINE] : [] }), 'approvals.setYolo': (input) => { on = input.on; return { process: false, sessions: on ? [MINE] : [] }; } });
  host.openSession = async () => sessionRecord(MINE);
  const done = runWith(host, streams, 'chat');
  await streams.shows('›');
  streams.stdin.write('/yolo\n');
  await streams.shows('YOLO: nothing is asked in this chat');
  streams.stdin.write('/yolo\n');
  await streams.shows('Questions are asked again.');
  streams.stdin.write('/exit\n');
  expect(await done).toBe(0);
});
