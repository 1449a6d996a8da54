import { mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { ReviewOutcome } from '../../../tools/context.ts';
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

/** Lets everything that waits for nothing but a promise go on. */
const turn = (): Promise<void> => new Promise((done) => { setImmediate(done); });

const RISKY = 'rm -rf build';
const once = async (at: Desk, command = RISKY): Promise<ReviewOutcome> => {
  const outcome = at.review(command);
  await at.approvals.decide({ id: at.only().id, choice: 'once' }, 'test');
  return outcome;
};

describe('the order of evaluation', () => {
  test('a harmless command runs without a question', async () => {
    const at = start();
    expect(await at.review('ls -la')).toEqual({ approved: true, message: null, command: 'ls -la' });
    expect(at.approvals.list()).toEqual([]);
  });

  test('a floor is never run: neither yolo, mode off, the allowlist, a chat yolo nor unattended approval reach over it', async () => {
    const yaml = 'approvals: {mode: off, unattended_mode: approve}\ncommand_allowlist: ["rm -rf /", "rm *", "recursive delete of root filesystem"]\n';
    const at = start({ yaml, yolo: true, screens: 0 });
    at.approvals.setYolo(at.sessionId, true);
    const outcome = await at.review('rm -rf /');
    expect(outcome).toMatchObject({ approved: false, hardline: true, outcome: 'blocked', pattern_key: 'recursive delete of root filesystem' });
    expect(outcome.message).toMatch(/^BLOCKED \(hardline\)/);
  });

  test('a sandbox that cannot reach the host is asked nothing but the deny rules', async () => {
    const place = () => ({ backend: 'modal', isolated: true, host: 'cloud', user: 'root' });
    const at = start({ place, yaml: 'approvals: {deny: ["curl *"]}\n' });
    expect((await at.review('rm -rf /')).approved).toBe(true);
    expect(await at.review('curl https://x')).toMatchObject({ approved: false, user_deny: true });
  });

  test('deny rules come before yolo, mode off and the allowlist, and name themselves', async () => {
    const at = start({ yaml: 'approvals: {mode: off, deny: ["git push *"]}\ncommand_allowlist: ["git push *"]\n', yolo: true });
    const outcome = await at.review('sudo /usr/bin/GIT push origin main');
    expect(outcome).toMatchObject({ approved: false, user_deny: true, outcome: 'blocked' });
    expect(outcome.message).toContain("'git push *'");
  });

  test.each<[string, DeskOptions]>([
    ['yolo', { yolo: true }], ['mode off', { yaml: 'approvals: {mode: off}\n' }], ['an exact rule', { yaml: 'command_allowlist: ["rm -rf build"]\n' }],
    ['a glob', { yaml: 'command_allowlist: ["rm -rf *"]\n' }], ['an approval key', { yaml: 'command_allowlist: ["recursive delete"]\n' }],
    ['an old key', { yaml: 'command_allowlist:\n  - rm\\s+-[^\\s]*r\n' }], ['a list written as text', { yaml: "command_allowlist: '[recursive delete]'\n" }],
  ])('%s lets a flagged command through without a question', async (_name, options) => {
    const at = start(options);
    const outcome = await at.review(RISKY);
    expect(outcome).toEqual({ approved: true, message: null, command: RISKY, approvalId: expect.stringMatching(/^apr_/) });
    expect(at.approvals.list()).toEqual([]);
  });

  test('yolo is not read from the environment of the moment', async () => {
    const at = start();
    process.env['HERMES_YOLO_MODE'] = '1';
    void at.review(RISKY);
    delete process.env['HERMES_YOLO_MODE'];
    expect(at.only().command).toBe(RISKY);
  });

  test('a chat may be set to yolo, and clearing it takes that back', async () => {
    const at = start();
    at.approvals.setYolo(at.sessionId, true);
    expect((await at.review(RISKY)).approved).toBe(true);
    at.approvals.clearSession(at.sessionId);
    void at.review(RISKY);
    expect(at.open(1)).toHaveLength(1);
  });

  test('two findings make one question that names both', async () => {
    const at = start();
    void at.review('rm -rf build && git reset --hard');
    expect(at.only().review.findings.map((finding) => finding.key)).toEqual(['recursive delete', 'git reset --hard (destroys uncommitted changes)']);
    expect(at.only().reason).toMatch(/Recursive delete: .*\. Git reset/);
  });

  test('what is allowed for the chat is dropped from the question, the rest is asked', async () => {
    const at = start();
    at.storage.approvals.grantSession(at.sessionId, ['recursive delete']);
    expect((await at.review(RISKY)).approved).toBe(true);
    void at.review('rm -rf build && git reset --hard');
    expect(at.only().alwaysEntries).toEqual(['git reset --hard (destroys uncommitted changes)']);
  });
});

describe('where nobody can be asked', () => {
  const RUN = { screens: 0 } as const;
  test('flagged commands are refused, and the setting is named', async () => {
    const outcome = await start(RUN).review(RISKY);
    expect(outcome).toMatchObject({ approved: false, outcome: 'blocked', user_consent: false, pattern_key: 'recursive delete' });
    expect(outcome.message).toContain('approvals.unattended_mode');
    expect(outcome.message).toContain('Silence is not consent');
  });

  test('harmless ones run', async () => {
    expect((await start(RUN).review('ls')).approved).toBe(true);
  });

  test.each(['approve', 'allow', 'yes', '"off"'])('%s lets them run, with a note', async (word) => {
    const outcome = await start({ ...RUN, yaml: `approvals: {unattended_mode: ${word}}\n` }).review(RISKY);
    expect(outcome).toMatchObject({ approved: true, note: expect.stringContaining('recursive delete') });
  });

  test('scheduled and one-shot work have settings of their own, and scheduled work is not put to a person who happens to be there', async () => {
    const at = start({ yaml: 'approvals: {cron_mode: deny, single_query_mode: approve, unattended_mode: deny}\n', screens: 1 });
    at.storage.sessions.update(at.sessionId, { origin: 'cron' });
    expect((await at.review(RISKY)).message).toContain('approvals.cron_mode');
    const lonely = start({ yaml: 'approvals: {single_query_mode: approve}\n', screens: 0 });
    lonely.storage.sessions.update(lonely.sessionId, { origin: 'cli' });
    expect((await lonely.review(RISKY)).approved).toBe(true);
  });

  test('a surface that has gone counts no more', async () => {
    const at = start(RUN);
    const leave = at.approvals.addSurface('window');
    leave();
    leave();
    expect((await at.review(RISKY)).approved).toBe(false);
  });

  test('a hook that wants a person is not satisfied by an unattended approval', async () => {
    const at = start({ ...RUN, yaml: 'approvals: {unattended_mode: approve}\n' });
    expect((await at.review('memory {}', { tool: 'memory', requirePerson: { description: 'Write to memory' } })).approved).toBe(false);
  });
});

describe('a hook that wants a person', () => {
  const wanted = { tool: 'memory', requirePerson: { description: 'Write to memory', ruleKey: 'memory_write' } };
  test('is asked whatever the mode, and a grant of its own key holds', async () => {
    const at = start({ yaml: 'approvals: {mode: off}\ncommand_allowlist: ["*"]\n', yolo: true });
    const outcome = at.review('add x', wanted);
    expect(at.only()).toMatchObject({ tool: 'memory', command: 'add x', reason: 'Write to memory.', alwaysEntries: ['plugin_rule:memory_write'] });
    await at.approvals.decide({ id: at.only().id, choice: 'session' }, 'test');
    expect(await outcome).toMatchObject({ approved: true, pattern_key: 'plugin_rule:memory_write' });
    expect((await at.review('add y', wanted)).approved).toBe(true);
  });

  test('gets a key made of tool and reason when the hook names none', async () => {
    const at = start();
    void at.review('x', { tool: 'memory', requirePerson: { description: 'Why' } });
    expect(at.only().alwaysEntries[0]).toMatch(/^plugin_rule:memory:[0-9a-f]{12}$/);
  });
});

test('a script is put to the person as a whole, and deny rules look at each of its lines', async () => {
  const at = start({ yaml: 'approvals: {deny: ["*requests.post*"]}\n' });
  void at.review('import os\nprint(os.getcwd())', { tool: 'execute_code' });
  expect(at.only().alwaysEntries).toEqual(['execute_code']);
  expect(await at.review('a = 1\n  requests.post(u)', { tool: 'execute_code' })).toMatchObject({ user_deny: true });
});

describe('answers', () => {
  test('once lets this one run and nothing after it', async () => {
    const at = start();
    const outcome = await once(at);
    expect(outcome).toMatchObject({ approved: true, user_approved: true, command: RISKY, description: 'recursive delete', approvalId: expect.stringMatching(/^apr_/) });
    expect(outcome.note).toContain('approved by the user');
    void at.review(RISKY);
    expect(at.open(1)).toHaveLength(1);
  });

  test('session holds for this chat only', async () => {
    const at = start();
    void at.review(RISKY);
    await at.approvals.decide({ id: at.only().id, choice: 'session' }, 'test');
    expect((await at.review('rm -rf dist')).approved).toBe(true);
    void at.review('rm -rf dist', { sessionId: 'another' });
    expect(at.open(1)[0]?.sessionId).toBe('another');
    expect(at.yaml.bind(at)).toThrow();
  });

  test('always writes what was shown into config.yaml, keeps where it came from, and holds everywhere', async () => {
    const at = start({ yaml: '# mine\ncommand_allowlist:\n  - podman * # rootless\n' });
    void at.review(RISKY);
    const { id, alwaysEntries } = at.only();
    await at.approvals.decide({ id, choice: 'always' }, 'desktop');
    expect(at.yaml()).toBe('# mine\ncommand_allowlist:\n  - podman * # rootless\n  - recursive delete\n');
    expect(alwaysEntries).toEqual(['recursive delete']);
    expect((await at.review('rm -rf dist', { sessionId: 'another' })).approved).toBe(true);
    expect(at.approvals.allowlist()[1]).toMatchObject({ entry: 'recursive delete', kind: 'description', createdFrom: RISKY, createdBy: 'desktop', uses: 1 });
  });

  test('a refusal with a reason reaches the model, and is no invitation to try again', async () => {
    const at = start();
    const outcome = at.review(RISKY);
    await at.approvals.decide({ id: at.only().id, choice: 'deny', reason: ' keep the cache ' }, 'test');
    expect(await outcome).toMatchObject({ approved: false, outcome: 'denied', deny_reason: 'keep the cache', user_consent: false });
    expect((await outcome).message).toContain(`The user's reason: keep the cache. Do not`);
    expect((await outcome).message).toMatch(/do not rephrase/i);
  });

  test('silence is no consent: after the time limit the command is blocked as a timeout', async () => {
    const at = start({ yaml: 'approvals: {timeout: 60}\n' });
    const outcome = at.review(RISKY);
    at.clock.advance(59_999);
    expect(at.open(1)).toHaveLength(1);
    at.clock.advance(1);
    expect(await outcome).toMatchObject({ approved: false, outcome: 'timeout', user_consent: false });
    for (const words of [/60 seconds/, /silence is not consent/i, /do not retry/i, /rephrase/, /different command/]) expect((await outcome).message).toMatch(words);
    expect(at.approvals.history({})[0]).toMatchObject({ state: 'expired', choice: 'timeout' });
  });

  test('holding stops the clock, letting go starts it anew', async () => {
    const at = start();
    const outcome = at.review(RISKY);
    const { id } = at.only();
    expect(at.approvals.hold(id, true)).toMatchObject({ state: 'held', expiresAt: null });
    at.clock.advance(10_000_000);
    expect(at.approvals.hold(id, false)).toMatchObject({ state: 'seen', expiresAt: at.clock.now() + 300_000 });
    at.clock.advance(300_000);
    expect((await outcome).outcome).toBe('timeout');
  });

  test('an interrupt is a cancellation, never a refusal by the user', async () => {
    const at = start();
    const stop = new AbortController();
    const outcome = at.review(RISKY, { signal: stop.signal });
    stop.abort();
    expect(await outcome).toMatchObject({ approved: false, outcome: 'cancelled' });
    expect((await outcome).message).toContain('no refusal');
    expect((await outcome).user_consent).toBeUndefined();
    expect(await at.review(RISKY, { signal: stop.signal })).toMatchObject({ outcome: 'cancelled' });
    expect(at.approvals.history({})).toHaveLength(1);
  });

  test('a second answer is told that it came too late, and an unknown id is no fallback', async () => {
    const at = start();
    void at.review(RISKY);
    const { id } = at.only();
    await at.approvals.decide({ id, choice: 'deny' }, 'cli');
    await expect(at.approvals.decide({ id, choice: 'once' }, 'desktop')).rejects.toMatchObject({ code: 'approval/late', message: expect.stringContaining('denied before (cli)') });
    expect(() => at.approvals.hold(id, true)).toThrow(expect.objectContaining({ code: 'approval/late' }));
    void at.review('rm -rf other');
    await expect(at.approvals.decide({ id: `${id.slice(0, -1)}0` as typeof id, choice: 'once' }, 'x')).rejects.toMatchObject({ code: 'not-found' });
    expect(at.open(1)).toHaveLength(1);
  });

  test('of two answers at the same moment one counts', async () => {
    const at = start();
    const outcome = at.review(RISKY);
    const { id } = at.only();
    const answers = await Promise.allSettled([at.approvals.decide({ id, choice: 'always' }, 'a'), at.approvals.decide({ id, choice: 'deny' }, 'b')]);
    expect(answers.map((answer) => answer.status)).toEqual(['fulfilled', 'rejected']);
    expect((await outcome).approved).toBe(true);
  });

  test('an answer that is being carried out when the time runs out still counts', async () => {
    const at = start();
    const outcome = at.review(RISKY);
    const decided = at.approvals.decide({ id: at.only().id, choice: 'always' }, 'a');
    at.clock.advance(400_000);
    await decided;
    expect((await outcome).approved).toBe(true);
  });

  test('a rule that cannot be saved leaves the question open, and the time limit running', async () => {
    const at = start();
    const outcome = at.review(RISKY);
    writeFileSync(at.paths.config, 'broken: [');
    await expect(at.approvals.decide({ id: at.only().id, choice: 'always' }, 'a')).rejects.toMatchObject({ code: 'config/malformed' });
    expect(at.only().state).toBe('delivered');
    at.clock.advance(300_000);
    expect((await outcome).outcome).toBe('timeout');
  });

  test('seeing a request is kept, and the exit code of what ran is kept with it', async () => {
    const at = start();
    void at.review(RISKY);
    const { id } = at.only();
    at.approvals.seen(id);
    expect(at.only().state).toBe('seen');
    await at.approvals.decide({ id, choice: 'once' }, 'a');
    at.approvals.recordExit(id, 3);
    at.approvals.recordExit('apr_unknown00000000', 3);
    expect(at.approvals.history({ query: 'build' })[0]).toMatchObject({ id, exitCode: 3, decidedBy: 'a' });
  });
});

describe('a standing rule is not offered', () => {
  const token = 'sk-aB3dE5fG7hI9kL1mN3pQ5rS7';
  test.each<[string, string, boolean]>([
    ['for text that cannot be parsed', 'rm -rf build $(', false], ['for a secret in the command', `rm -rf build # ${token}`, true],
    ['for a heredoc', 'bash <<E\nrm -rf build\nE', true], ['for more than 10,000 characters', `rm -rf build; ${`echo ${'x'.repeat(60)}; `.repeat(160)}`, true],
  ])('%s', async (_name, command, session) => {
    const at = start();
    void at.review(command);
    expect(at.only()).toMatchObject({ allowAlways: false, alwaysEntries: [], allowSession: session });
    await expect(at.approvals.decide({ id: at.only().id, choice: 'always' }, 'a')).rejects.toMatchObject({ code: 'request/not-possible' });
    if (!session) await expect(at.approvals.decide({ id: at.only().id, choice: 'session' }, 'a')).rejects.toMatchObject({ code: 'request/not-possible' });
    expect(at.open(1)).toHaveLength(1);
  });
});

describe('editing before running', () => {
  test('runs the changed text and tells the model', async () => {
    const at = start();
    const outcome = at.review(RISKY);
    await at.approvals.decide({ id: at.only().id, choice: 'once', editedCommand: 'rm -rf build/cache' }, 'a');
    expect(await outcome).toMatchObject({ approved: true, edited: true, command: 'rm -rf build/cache', note: expect.stringMatching(/user changed the command.*rm -rf build\/cache.*instead of rm -rf build\b/) });
    expect(at.approvals.history({})[0]).toMatchObject({ command: RISKY, editedCommand: 'rm -rf build/cache' });
  });

  test.each([['a floor', 'rm -rf /'], ['something that was not asked about', 'rm -rf build; git push --force'], ['nothing', '  ']])('into %s is refused and the question stays', async (_name, editedCommand) => {
    const at = start();
    void at.review(RISKY);
    await expect(at.approvals.decide({ id: at.only().id, choice: 'once', editedCommand }, 'a')).rejects.toMatchObject({ code: 'request/not-possible' });
    expect(at.only().state).toBe('delivered');
  });

  test('is for this once only, and for terminal commands only', async () => {
    const at = start();
    void at.review(RISKY);
    await expect(at.approvals.decide({ id: at.only().id, choice: 'always', editedCommand: 'ls' }, 'a')).rejects.toMatchObject({ code: 'request/not-possible' });
    await at.approvals.decide({ id: at.only().id, choice: 'deny', editedCommand: 'ls' }, 'a');
    void at.review('x', { tool: 'terminal', requirePerson: { description: 'why' } });
    await expect(at.approvals.decide({ id: at.only().id, choice: 'once', editedCommand: 'ls' }, 'a')).rejects.toMatchObject({ code: 'request/not-possible' });
  });
});

describe('identical requests at the same time', () => {
  test('make one question; once covers only the first, the second is asked anew', async () => {
    const at = start();
    const waits: (readonly [string, boolean])[] = [];
    const [first, second] = [at.review(RISKY), at.review(RISKY, { onWaiting: (id, waiting) => waits.push([id, waiting]) })];
    const leader = at.only();
    await at.approvals.decide({ id: leader.id, choice: 'once' }, 'a');
    expect((await first).approved).toBe(true);
    await turn();
    const next = at.only();
    expect(next.id).not.toBe(leader.id);
    await at.approvals.decide({ id: next.id, choice: 'deny' }, 'a');
    expect((await second).outcome).toBe('denied');
    expect(waits).toEqual([[leader.id, true], [leader.id, false], [next.id, true], [next.id, false]]);
  });

  test.each<['session' | 'always' | 'deny', boolean]>([['session', true], ['always', true], ['deny', false]])('%s holds for all of them', async (choice, approved) => {
    const at = start();
    const all = [at.review(RISKY), at.review(RISKY), at.review(RISKY)];
    await at.approvals.decide({ id: at.only().id, choice }, 'a');
    expect((await Promise.all(all)).map((outcome) => outcome.approved)).toEqual([approved, approved, approved]);
    expect(at.approvals.list()).toEqual([]);
  });

  test('silence holds for all of them, an interrupt of the first for it alone', async () => {
    const at = start();
    const stop = new AbortController();
    const [first, second, third] = [at.review(RISKY, { signal: stop.signal }), at.review(RISKY), at.review(RISKY)];
    stop.abort();
    expect((await first).outcome).toBe('cancelled');
    await turn();
    expect(at.open(1)).toHaveLength(1);
    at.clock.advance(300_000);
    expect([(await second).outcome, (await third).outcome]).toEqual(['timeout', 'timeout']);
  });

  test('an interrupt of a follower leaves the first waiting', async () => {
    const at = start();
    const stop = new AbortController();
    const first = at.review(RISKY);
    const second = at.review(RISKY, { signal: stop.signal });
    stop.abort();
    expect((await second).outcome).toBe('cancelled');
    await at.approvals.decide({ id: at.only().id, choice: 'once' }, 'a');
    expect((await first).approved).toBe(true);
  });

  test('different commands, chats or directories are different questions', () => {
    const at = start();
    void at.review(RISKY);
    void at.review('rm -rf  build');
    void at.review(RISKY, { cwd: '/elsewhere' });
    void at.review(RISKY, { sessionId: 'another' });
    expect(at.open(4)).toHaveLength(4);
  });
});

describe('what was refused before in the chat', () => {
  const refuse = async (at: Desk, command: string): Promise<void> => {
    void at.review(command);
    await at.approvals.decide({ id: at.only().id, choice: 'deny' }, 'a');
    at.clock.advance(120_000);
  };

  test.each([['again', RISKY], ['through another wrapper', `bash -c "rm -rf ./build"`], ['through an interpreter', `python3 -c "import shutil; shutil.rmtree('build')"`]])(
    'is said when it is asked %s', async (_name, command) => {
      const at = start();
      await refuse(at, RISKY);
      void at.review(command);
      expect(at.only().deniedBefore).toBe('You denied the same effect in this chat 2 minutes ago: “rm -rf build”.');
    });

  test('is not said of something else, nor in another chat', async () => {
    const at = start();
    await refuse(at, RISKY);
    void at.review('git push --force');
    void at.review(RISKY, { sessionId: 'another' });
    for (const request of at.open(2)) expect(request.deniedBefore).toBeUndefined();
  });
});

test('the card says where, who, and why in the model\'s words', () => {
  const at = start({ place: () => ({ backend: 'ssh', isolated: false, host: 'web-1', user: 'deploy' }) });
  void at.review(RISKY, { wants: 'to free space' });
  expect(at.only()).toMatchObject({ sessionTitle: 'Clean up', backend: 'ssh', host: 'web-1', user: 'deploy', cwd: '/srv/app', wants: 'to free space', command: RISKY });
  expect(at.only().callId).toMatch(/^call_/);
});

test('a fault on the way to the person is a refusal, not a pass, and never an exception', async () => {
  const at = start();
  at.storage.approvals.insert = () => { throw new Error('disk full'); };
  expect(await at.review(RISKY)).toMatchObject({ approved: false, outcome: 'notify_failed' });
  const blind = start({ detect: () => { throw new Error('bug'); } });
  expect((await blind.review('ls')).approved).toBe(false);
  const mute = start({ detect: () => ({ verdict: 'ask', findings: [], parts: [] }) });
  void mute.review('ls');
  expect(mute.only().allowSession).toBe(false);
});

describe('a command that is too long to be judged', () => {
  const LONG = 'x'.repeat(4_300);
  test('is blocked, kept as a script for its owner, and the model is told where', async () => {
    const at = start();
    const outcome = await at.review(LONG);
    expect(outcome).toMatchObject({ approved: false, hardline: true, pattern_key: 'command parser limit exceeded' });
    const file = /saved to (\S+\.sh):/.exec(outcome.message ?? '')?.[1] ?? '';
    expect(file).toMatch(/\/cache\/blocked-scripts\/blocked-\d+-[0-9a-f]{8}\.sh$/);
    expect(readFileSync(file, 'utf8')).toBe(`${LONG}\n`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect((await at.review('rm -rf /')).message).not.toContain('saved to');
    expect(readdirSync(dirname(file))).toHaveLength(1);
  });

  test('leaves scripts of more than a week ago no longer there', async () => {
    const at = start();
    const folder = join(at.paths.cache, 'blocked-scripts');
    mkdirSync(folder, { recursive: true });
    for (const [name, days] of [['blocked-old.sh', 8], ['blocked-new.sh', 6], ['mine.sh', 8]] as const) {
      writeFileSync(join(folder, name), '');
      const seconds = at.clock.now() / 1_000 - days * 86_400;
      utimesSync(join(folder, name), seconds, seconds);
    }
    await at.review(LONG);
    expect(readdirSync(folder).sort().slice(-2)).toEqual(['blocked-new.sh', 'mine.sh']);
    expect(readdirSync(folder)).toHaveLength(3);
  });
});

test('clearing a chat drops its grants and wakes what waits in it', async () => {
  const at = start();
  at.storage.approvals.grantSession(at.sessionId, ['recursive delete']);
  const waiting = at.review('git reset --hard');
  at.approvals.clearSession(at.sessionId);
  expect((await waiting).outcome).toBe('cancelled');
  void at.review(RISKY);
  expect(at.open(1)).toHaveLength(1);
});

test('a test of a command says what would happen and why, and asks nobody', () => {
  const at = start({ yaml: 'approvals: {deny: ["git push *"]}\ncommand_allowlist: ["podman *"]\n' });
  expect(at.approvals.test('git push x', {})).toMatchObject({ verdict: 'block', rule: expect.stringContaining('git push *') });
  expect(at.approvals.test('podman rm -f x', {})).toMatchObject({ verdict: 'allow', rule: expect.stringContaining('podman *') });
  expect(at.approvals.test(RISKY, {}).verdict).toBe('ask');
  expect(at.approvals.test('rm -rf /', {}).verdict).toBe('block');
  expect(at.approvals.test('ls', {}).verdict).toBe('allow');
  at.storage.approvals.grantSession(at.sessionId, ['recursive delete']);
  expect(at.approvals.test(RISKY, { sessionId: at.sessionId })).toMatchObject({ verdict: 'allow', rule: 'Allowed for this chat.' });
  expect(at.approvals.list()).toEqual([]);
});
