/** Hosts that share a home as processes of their own, and hosts that are killed. */
import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createApprovals, type ApprovalsService } from '../../../main/approvals/service.ts';
import { systemClock } from '../../../main/clock.ts';
import { createRedact } from '../../../main/redact.ts';
import { silentLog } from '../../../main/log.ts';
import { readConfig } from '../../../main/config/document.ts';
import { openStorage } from '../../../main/storage/storage.ts';
import type { ApprovalId } from '../../../preload/contract/ids.ts';
import { desk, type Desk } from '../../support/approvals-desk.ts';
import { ids } from '../../support/stored.ts';

const CHILD = fileURLToPath(new URL('child.ts', import.meta.url));

interface Child { readonly process: ChildProcess; say(line: string): void; heard(name: string): Promise<Record<string, unknown>>; /** Resolves when that many lines have come. */ count(lines: number): Promise<void>; readonly lines: Record<string, unknown>[]; kill(): Promise<void> }

let home: Desk;
let children: Child[] = [];
let here: ApprovalsService[] = [];
beforeEach(() => { home = desk({ screens: 0 }); });
afterEach(async () => {
  await Promise.all(children.map((child) => child.kill()));
  for (const approvals of here) approvals.close();
  children = [];
  here = [];
  home.remove();
});

async function child(): Promise<Child> {
  const made = spawn(process.execPath, [CHILD, home.sessionId], { env: { ...process.env, HERMES_HOME: home.paths.home }, stdio: ['pipe', 'pipe', 'inherit'] });
  const lines: Record<string, unknown>[] = [];
  const waiting: { name: string; done: (line: Record<string, unknown>) => void }[] = [];
  const gone = new Promise<void>((done) => { made.once('exit', () => done()); });
  createInterface({ input: made.stdout }).on('line', (text) => {
    const line: Record<string, unknown> = JSON.parse(text);
    lines.push(line);
    for (const wait of waiting.splice(0)) if (wait.name in line) wait.done(line); else waiting.push(wait);
    made.emit('line');
  });
  const result: Child = {
    process: made, lines,
    say: (line) => { made.stdin.write(`${line}\n`); },
    heard: (name) => new Promise((done) => {
      const earlier = lines.find((line) => name in line);
      if (earlier === undefined) waiting.push({ name, done });
      else done(earlier);
    }),
    count: (wanted) => new Promise((done) => {
      const look = (): void => {
        if (lines.length < wanted) return;
        made.off('line', look);
        done();
      };
      made.on('line', look);
      look();
    }),
    kill: async () => {
      made.kill('SIGKILL');
      await gone;
    },
  };
  children.push(result);
  await result.heard('ready');
  return result;
}

/** A host in this process with the real clock, so that it hears what others do. */
function host(): ApprovalsService {
  const approvals = createApprovals({
    clock: systemClock, ids, log: silentLog, events: home.events, storage: home.storage, config: home.config, redact: createRedact({ enabled: true }),
    place: () => ({ backend: 'local', isolated: false, cwd: '/srv', host: 'here', user: 'me' }),
  });
  approvals.addSurface('here');
  here.push(approvals);
  return approvals;
}

/** Resolves when a request of this command has been told about in this process. */
function told(command: string, state?: string): Promise<ApprovalId> {
  return new Promise((done) => {
    const off = home.events.subscribe('approvals', ({ request }) => {
      if (request.command !== command || (state !== undefined && request.state !== state)) return;
      off();
      done(request.id);
    });
  });
}

test('what was stored before a kill −9 is there after it', async () => {
  const writer = await child();
  writer.say('insert row');
  await writer.count(300);
  await writer.kill();
  const confirmed = writer.lines.flatMap((line) => (typeof line['inserted'] === 'string' ? [line['inserted']] : []));
  home.storage.close();
  const storage = openStorage(home.paths.database, { clock: systemClock, ids, log: silentLog });
  const { messages } = storage.messages.page(home.sessionId, { limit: 100_000 });
  const stored = new Set<string>(messages.map((message) => message.id));
  expect(confirmed.length).toBeGreaterThan(200);
  expect(confirmed.filter((id) => !stored.has(id))).toEqual([]);
  expect(messages.map((message) => message.seq)).toEqual(messages.map((_, index) => index + 1));
  expect(storage.sessions.get(home.sessionId)?.messageCount).toBe(messages.length);
  expect(storage.messages.search('row', 1_000_000)).toHaveLength(messages.length);
  storage.close();
  home = desk({ screens: 0 });
});

test('a question whose host was killed is listed by the next one, waits without a limit, and its answer is carried out once', async () => {
  const asker = await child();
  asker.say('review rm -rf build');
  await asker.heard('asked');
  await asker.kill();
  const approvals = host();
  const [request] = approvals.list();
  expect(request).toMatchObject({ command: 'rm -rf build', state: 'held', expiresAt: null });
  const carried: string[] = [];
  approvals.onOrphanDecided(({ id, state }) => carried.push(`${id} ${state}`));
  await approvals.decide({ id: request?.id ?? ids.approval(), choice: 'once' }, 'desktop');
  expect(carried).toEqual([`${request?.id} approved`]);
  const later = await child();
  later.say(`decide ${request?.id} once`);
  expect(await later.heard('failed')).toEqual({ failed: 'approval/late' });
  expect(later.lines.some((line) => 'carriesOut' in line)).toBe(false);
});

test('a host that lives on takes over from one that was killed, without a restart', async () => {
  const approvals = host();
  const asker = await child();
  const heard = told('rm -rf build');
  asker.say('review rm -rf build');
  await heard;
  const held = told('rm -rf build', 'held');
  await asker.kill();
  const id = await held;
  expect(approvals.list()).toMatchObject([{ id, state: 'held' }]);
});

test('a host that was closed in this process leaves its question to the next one here', () => {
  const first = host();
  void first.review({ tool: 'terminal', command: 'rm -rf build', cwd: '/srv', sessionId: home.sessionId, taskId: 'default', toolCallId: 'x', signal: new AbortController().signal });
  expect(first.list()).toMatchObject([{ state: 'delivered' }]);
  first.close();
  expect(host().list()).toMatchObject([{ command: 'rm -rf build', state: 'held', expiresAt: null }]);
});

test('a question asked in one process is answered in another, and runs where it was asked', async () => {
  const approvals = host();
  const asker = await child();
  const heard = told('rm -rf build');
  asker.say('review rm -rf build');
  const id = await heard;
  await approvals.decide({ id, choice: 'once' }, 'desktop');
  expect(await asker.heard('outcome')).toMatchObject({ outcome: { approved: true, approvalId: id, command: 'rm -rf build', user_approved: true } });
  expect(approvals.history({})[0]).toMatchObject({ id, decidedBy: 'desktop' });
});

test('of two processes that answer at once, one is told that it was late', async () => {
  const approvals = host();
  const asker = await child();
  const other = await child();
  const heard = told('rm -rf build');
  asker.say('review rm -rf build');
  const id = await heard;
  other.say(`decide ${id} deny`);
  const [mine, theirs] = await Promise.all([
    approvals.decide({ id, choice: 'once' }, 'desktop').then(() => true, (error: unknown) => { expect(error).toMatchObject({ code: 'approval/late' }); return false; }),
    Promise.race([other.heard('decided').then(() => true), other.heard('failed').then(() => false)]),
  ]);
  expect([mine, theirs].filter(Boolean)).toHaveLength(1);
  expect(await asker.heard('outcome')).toMatchObject({ outcome: { approved: mine } });
});

test('two processes write messages and rules at the same time and lose none', async () => {
  const [a, b] = [await child(), await child()];
  a.say('write 25 alpha');
  b.say('write 25 beta');
  await Promise.all([a.heard('wrote'), b.heard('wrote')]);
  const { messages } = home.storage.messages.page(home.sessionId, { limit: 1_000 });
  expect(messages.map((message) => message.seq)).toEqual(Array.from({ length: 50 }, (_, index) => index + 1));
  const { values } = readConfig(home.yaml(), 'c');
  const expected = Array.from({ length: 25 }, (_, index) => [`alpha ${index}`, `beta ${index}`]).flat().sort();
  expect([...(values['command_allowlist'] as string[])].sort()).toEqual(expected); // cast: compared whole
  expect(home.storage.messages.search('alpha', 100)).toHaveLength(25);
});
