import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, expect, test } from 'vitest';
import { claim, isOwnedElsewhere } from '../../../main/agent/owner.ts';
import { followOrphans, recoverChats } from '../../../main/agent/recover.ts';
import type { ApprovalRequest } from '../../../preload/contract/approvals.ts';
import type { SessionId } from '../../../preload/contract/ids.ts';
import type { Session, ToolCall } from '../../../preload/contract/sessions.ts';
import { aCall, aMessage, anApproval, aSession } from '../../support/stored.ts';
import { openAgentBench, type AgentBench } from './bench.ts';

const benches: AgentBench[] = [];
afterEach(async () => { await Promise.all(benches.splice(0).map((bench) => bench.close())); });

/** A chat as a host leaves it that died in the middle of a turn with these calls. */
async function abandoned(...calls: readonly Partial<ToolCall>[]): Promise<AgentBench & { calls: ToolCall[] }> {
  const bench = await openAgentBench({ script: [{ text: 'I understand' }] });
  benches.push(bench);
  bench.storage.sessions.update(bench.sessionId, { status: 'running' });
  bench.storage.messages.insert(aMessage(bench.sessionId, { text: 'clean up' }));
  const message = bench.storage.messages.insert(aMessage(bench.sessionId, { role: 'assistant', text: 'On it.', model: 'm' }));
  const inserted = calls.map((change, index) => aCall(bench.sessionId, message.id, { modelCallId: `c${index}`, ...change }));
  bench.storage.calls.insert(inserted);
  return Object.assign(bench, { calls: inserted });
}

const states = (bench: AgentBench): string[] => bench.messages().flatMap((message) => message.calls.map((call) => call.state));

test('what ran is unknown, what had not started did not run, what was done stays done', async () => {
  const bench = await abandoned({ state: 'done', result: 'x', resultChars: 1 }, { state: 'running' }, { state: 'pending' }, { state: 'waiting' });
  bench.storage.messages.insert(aMessage(bench.sessionId, { role: 'assistant', text: 'half', state: 'streaming', model: 'm', endedAt: null }));
  expect(recoverChats(bench.parts)).toEqual([bench.sessionId]);
  expect(states(bench)).toEqual(['done', 'unknown', 'cancelled', 'cancelled']);
  expect(bench.messages().map((message) => [message.role, message.state, message.text.slice(0, 18)]).slice(2)).toEqual([['assistant', 'interrupted', 'half'], ['notice', 'complete', 'The app was closed']]);
  expect(bench.storage.sessions.get(bench.sessionId)?.status).toBe('idle');

  await bench.say('what now?');
  const told = bench.model.requests[0]?.body.messages.filter((message) => message.role === 'tool').map((message) => String(message.content)) ?? [];
  expect(told).toHaveLength(4);
  expect(told[1]).toContain('is unknown');
});

test('mending twice changes nothing more', async () => {
  const bench = await abandoned({ state: 'running' });
  recoverChats(bench.parts);
  const once = bench.messages();
  expect(recoverChats(bench.parts)).toEqual([]);
  expect(bench.messages()).toEqual(once);
});

test('a chat whose command still waits is told of the restart once, however often it is opened', async () => {
  const { bench } = await orphaned();
  const once = bench.messages();
  expect(once.filter((message) => message.role === 'notice')).toHaveLength(1);
  recoverChats(bench.parts);
  recoverChats(bench.parts);
  expect(bench.messages()).toEqual(once);
});

test('a chat that another living process works in is left alone, that of a dead one is not', async () => {
  const bench = await abandoned({ state: 'running' });
  const program = `
    const { claim } = await import(${JSON.stringify(new URL('../../../main/agent/owner.ts', import.meta.url).href)});
    claim({ get: () => undefined, set: (key, value) => console.log(JSON.stringify([key, value])) }, ${JSON.stringify(bench.sessionId)});
    process.stdin.resume();`;
  const other = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [line] = await once(other.stdout, 'data') as [Buffer];
  const [key, value] = JSON.parse(line.toString()) as [string, string];
  bench.storage.values.set(key, value);
  expect(isOwnedElsewhere(bench.storage.values, bench.sessionId)).toBe(true);
  expect(recoverChats(bench.parts)).toEqual([]);
  expect(states(bench)).toEqual(['running']);
  other.kill('SIGKILL');
  await once(other, 'exit');
  expect(recoverChats(bench.parts)).toEqual([bench.sessionId]);
});

test('a chat of this very process counts as its own', async () => {
  const bench = await abandoned();
  claim(bench.storage.values, bench.sessionId);
  expect(isOwnedElsewhere(bench.storage.values, bench.sessionId)).toBe(false);
});

interface Orphaned { readonly bench: AgentBench; readonly request: ApprovalRequest; readonly ran: string[]; readonly off: () => void; decide(change: Partial<ApprovalRequest>): void }

/** A call that waits for a decision since its process died. */
async function orphaned(verdict: 'ask' | 'block' = 'ask'): Promise<Orphaned> {
  const bench = await abandoned();
  const message = bench.messages().at(-1);
  if (!message) throw new Error('no message');
  const call = aCall(bench.sessionId, message.id, { modelCallId: 'c0', name: 'terminal', arguments: '{"command":"rm -rf build"}', state: 'waiting' });
  const request = anApproval(bench.sessionId, { command: 'rm -rf build', callId: call.id });
  bench.storage.approvals.insert(request);
  bench.storage.calls.insert([{ ...call, approvalId: request.id }]);
  const ran: string[] = [];
  bench.tool('terminal', async (args, context) => {
    const outcome = await context.services.approvals.review({ tool: 'terminal', command: String(args['command']), cwd: '/', sessionId: context.sessionId, taskId: 'default', toolCallId: context.toolCallId, signal: context.signal });
    if (outcome.approved) ran.push(outcome.command);
    return outcome.approved ? '{"output":"gone","exit_code":0}' : JSON.stringify({ error: outcome.message });
  });
  recoverChats(bench.parts);
  expect([states(bench), bench.storage.sessions.get(bench.sessionId)?.status]).toEqual([['waiting'], 'waiting']);
  const review = { verdict, findings: [], parts: [] };
  let tell: ((settled: ApprovalRequest) => void) | undefined;
  const off = followOrphans(bench.agent, { test: () => review, recordExit: () => undefined, onOrphanDecided: (listener) => { tell = listener; return () => { tell = undefined; }; } }, bench.parts);
  return {
    bench, request, ran, off,
    decide(change) {
      bench.storage.approvals.transition(request.id, [request.state], change);
      tell?.({ ...request, ...change });
    },
  };
}

async function withOrphan(decide: (request: ApprovalRequest) => Partial<ApprovalRequest>, verdict: 'ask' | 'block' = 'ask'): Promise<Orphaned> {
  const orphan = await orphaned(verdict);
  orphan.decide(decide(orphan.request));
  await orphan.bench.agent.idle(orphan.bench.sessionId);
  return orphan;
}

test('an approval given after the restart runs its command once, and the model goes on', async () => {
  const { bench, ran, off } = await withOrphan(() => ({ state: 'approved', choice: 'once', decidedAt: 2 }));
  expect(ran).toEqual(['rm -rf build']);
  expect(states(bench)).toEqual(['done']);
  expect(bench.answer()).toBe('I understand');
  expect(JSON.stringify(bench.model.requests[0]?.body.messages)).toContain('gone');
  expect(bench.storage.sessions.get(bench.sessionId)?.status).toBe('idle');
  off();
});

test('an edited command runs as it was edited', async () => {
  const { ran, off } = await withOrphan(() => ({ state: 'approved', choice: 'once', editedCommand: 'rm -rf build/tmp' }));
  expect(ran).toEqual(['rm -rf build/tmp']);
  off();
});

test('a refusal after the restart reaches the model with its reason', async () => {
  const { bench, ran, off } = await withOrphan(() => ({ state: 'denied', choice: 'deny', denyReason: 'I need that folder' }));
  expect([ran, states(bench)]).toEqual([[], ['blocked']]);
  expect(JSON.stringify(bench.model.requests[0]?.body.messages)).toContain('I need that folder');
  off();
});

test('an expired request runs nothing and does not wake the model', async () => {
  const { bench, ran, off } = await withOrphan(() => ({ state: 'expired', choice: 'timeout' }));
  expect([ran, states(bench), bench.model.requests]).toEqual([[], ['blocked'], []]);
  off();
});

test('what has become forbidden meanwhile does not run, approved or not', async () => {
  const { ran, off } = await withOrphan(() => ({ state: 'approved', choice: 'once' }), 'block');
  expect(ran).toEqual([]);
  off();
});

test('a late decision and the death of another process leave the chats alone that this process works in', async () => {
  const { bench, off, decide } = await orphaned();
  const addChat = (change: Partial<Session> = {}): SessionId => {
    const session = aSession({ cwd: bench.folder, ...change });
    bench.storage.sessions.insert(session);
    return session.id;
  };
  const statusOf = (id: SessionId): string | undefined => bench.storage.sessions.get(id)?.status;
  const shape = (id: SessionId): unknown[] => {
    const messages = bench.storage.messages.transcript(id);
    return [statusOf(id), messages.map(({ role }) => role), messages.flatMap(({ calls }) => calls.map(({ state }) => state))];
  };
  const alive = addChat();
  const started = Promise.withResolvers<undefined>();
  const finish = Promise.withResolvers<string>();
  bench.tool('slow', () => { started.resolve(undefined); return finish.promise; });
  bench.model.use([{ calls: [{ name: 'slow', arguments: {} }] }, { text: 'done here' }]);
  bench.agent.send(alive, 'take your time');
  try {
    await started.promise;
    const [seenDead, unseenDead] = [addChat({ status: 'running' }), addChat({ status: 'running' })];
    bench.agent.opened(seenDead, []);
    await expect.poll(() => statusOf(seenDead)).toBe('idle');
    expect([statusOf(unseenDead), shape(alive)]).toEqual(['idle', ['running', ['user', 'assistant'], ['running']]]);

    bench.storage.sessions.update(unseenDead, { status: 'running' });
    decide({ state: 'expired', choice: 'timeout' });
    await bench.agent.idle(bench.sessionId);
    expect([statusOf(unseenDead), shape(alive)]).toEqual(['idle', ['running', ['user', 'assistant'], ['running']]]);
  } finally {
    finish.resolve('{"ok":true}');
  }
  await bench.agent.idle(alive);
  expect(shape(alive)).toEqual(['idle', ['user', 'assistant', 'assistant'], ['done']]);
  off();
});
