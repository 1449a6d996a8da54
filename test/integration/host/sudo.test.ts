/** sudo through the whole host: a real sudo, a real account with a password, on this machine and over ssh. */
import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { canMakeAccounts, makeAccount, type TestAccount } from '../../support/account.ts';
import { haveSudo, standInSudo } from '../../support/sudo.ts';
import { haveSshd, startSshd, type TestSshd } from '../../support/sshd.ts';
import { openHostBench, type HostBench } from '../../support/test-host.ts';

const run = promisify(execFile);
let bench: HostBench | undefined;
afterEach(async () => {
  await bench?.close();
  bench = undefined;
});

/** Answers what is asked, in order; `null` = not given. */
function answering(host: HostBench, answers: (string | null)[]): string[] {
  const asked: string[] = [];
  host.host.events.subscribe('credentials', (event) => {
    if (event.type !== 'asked') return;
    asked.push(`${event.request.title}${event.request.problem === null ? '' : `: ${event.request.problem}`}`);
    void host.request('credentials.answer', { id: event.request.id, value: answers.shift() ?? null });
  });
  return asked;
}

async function terminal(host: HostBench, args: object, session = 'one'): Promise<Record<string, unknown>> {
  const id = (await host.host.openSession(session)).id;
  const outcome = await host.host.callTool('terminal', args, { sessionId: id, signal: AbortSignal.timeout(28_000) });
  return JSON.parse(outcome.fullText) as Record<string, unknown>; // tools answer with JSON objects
}

describe.skipIf(!await haveSshd() || !canMakeAccounts() || !await haveSudo())('sudo over ssh', () => {
  let account: TestAccount;
  let sshd: TestSshd;
  let rule: string;
  beforeAll(async () => {
    account = await makeAccount();
    rule = `/etc/sudoers.d/${account.name}`;
    await writeFile(rule, `Defaults:${account.name} !fqdn, passwd_tries=1\n${account.name} ALL=(ALL) ALL\n`, { mode: 0o440 });
    sshd = await startSshd({ config: ['UsePAM yes'], home: account.home });
  });
  afterAll(async () => {
    await rm(rule, { force: true });
    await sshd.close();
    await account.remove();
  });

  async function open(env: Record<string, string> = {}, unattended = false): Promise<HostBench> {
    const opened = await openHostBench({ unattended, yaml: 'approvals:\n  mode: "off"\n', env: {
      TERMINAL_ENV: 'ssh', TERMINAL_SSH_HOST: '127.0.0.1', TERMINAL_SSH_USER: account.name, TERMINAL_SSH_PORT: String(sshd.port), TERMINAL_SSH_KEY: sshd.key, ...env,
    } });
    bench = opened;
    await copyFile(sshd.knownHosts, join(opened.home, 'desktop', 'known_hosts'));
    return opened;
  }

  test('the password is asked for once in a chat, a wrong one again in words, and works in pipes and loops', async () => {
    const host = await open();
    const asked = answering(host, ['not it', account.password]);
    const where = `${account.name}@`;
    expect(await terminal(host, { command: 'sudo id -un' })).toMatchObject({ output: 'root', exit_code: 0 });
    expect(asked).toEqual([expect.stringContaining(`sudo needs the password of ${where}`), expect.stringContaining('sudo refused that password (1 of 3)')]);
    expect(await terminal(host, { command: 'echo piped | sudo tee /dev/null; for i in 1 2; do sudo -k; sudo id -u; done; sudo cat </dev/null; echo "$(sudo id -g)"' })).toMatchObject({ output: 'piped\n0\n0\n0', exit_code: 0 });
    expect(asked).toHaveLength(2);
  });

  test('another chat is asked for itself; one that gives nothing runs nothing', async () => {
    const host = await open();
    const asked = answering(host, [account.password, null]);
    expect(await terminal(host, { command: 'sudo id -un' })).toMatchObject({ output: 'root' });
    expect(await terminal(host, { command: 'echo ran; sudo id -un' }, 'two')).toMatchObject({ output: '', exit_code: -1, error: expect.stringContaining('the user did not give it; nothing was run') as unknown });
    expect(asked).toHaveLength(2);
  });

  test('SUDO_PASSWORD is used without asking; a wrong one is told, and the person asked', async () => {
    const asked = answering(await open({ SUDO_PASSWORD: account.password }), []);
    expect(await terminal(await current(), { command: 'sudo id -un' })).toMatchObject({ output: 'root' });
    expect(asked).toEqual([]);
    await bench?.close();
    const again = answering(await open({ SUDO_PASSWORD: 'outdated' }), [account.password]);
    expect(await terminal(await current(), { command: 'sudo id -un' })).toMatchObject({ output: 'root' });
    expect(again).toEqual([expect.stringContaining('The password in SUDO_PASSWORD was refused.')]);
  });

  test('where nobody can be asked, sudo says so itself', async () => {
    const host = await open({}, true);
    expect(await terminal(host, { command: 'sudo id -un' })).toMatchObject({ output: expect.stringContaining('nobody could be asked for it') as unknown, exit_code: 1 });
  });

  test('a password that stopped being right is forgotten, and asked for again', async () => {
    const host = await open();
    const asked = answering(host, [account.password, 'fresh-password-1']);
    expect(await terminal(host, { command: 'sudo -k; sudo id -un' })).toMatchObject({ output: 'root' });
    const changing = run('chpasswd');
    changing.child.stdin?.end(`${account.name}:fresh-password-1\n`);
    await changing;
    try {
      expect(await terminal(host, { command: 'sudo -k; sudo id -un' })).toMatchObject({ exit_code: 1, sudo_auth_failed: true, sudo_cache_cleared: true });
      expect(await terminal(host, { command: 'sudo -k; sudo id -un' })).toMatchObject({ output: 'root' });
      expect(asked).toHaveLength(2);
    } finally {
      const back = run('chpasswd');
      back.child.stdin?.end(`${account.name}:${account.password}\n`);
      await back;
    }
  });

  test('a background command gets it too, a terminal as well, and no helper is left behind', async () => {
    const host = await open();
    answering(host, [account.password]);
    expect(await terminal(host, { command: 'sudo id -un', pty: true })).toMatchObject({ output: 'root', exit_code: 0 });
    const started = await terminal(host, { command: 'sudo sh -c "id -un; sleep 0.1"', background: true });
    const session = (await host.host.openSession('one')).id;
    const ended = await host.host.callTool('process', { action: 'wait', session_id: started['session_id'], timeout: 20 }, { sessionId: session, signal: AbortSignal.timeout(25_000) });
    expect(JSON.parse(ended.fullText)).toMatchObject({ status: 'exited', output: expect.stringContaining('root') as unknown });
    await host.close();
    bench = undefined;
    expect((await readdir(account.home)).filter((name) => name.startsWith('talaria-'))).toEqual([]);
  });

  test('the model can neither bring a password nor reach the helper', async () => {
    const host = await open();
    for (const command of ['echo pw | sudo -S id', 'sudo -A id', '"$SUDO_ASKPASS"', 'sudo true; env | grep SUDO_ASKPASS']) {
      expect(await terminal(host, { command })).toMatchObject({ status: 'blocked' });
    }
  });

  const current = (): Promise<HostBench> => (bench === undefined ? Promise.reject(new Error('no host is open')) : Promise.resolve(bench));
});

describe('sudo on this machine, by a stand-in', () => {
  let home: string;
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'talaria-sudo-home-'));
    await mkdir(join(home, 'bin'));
    await writeFile(join(home, 'bin', 'sudo'), standInSudo('local-canary-1'), { mode: 0o755 });
    await writeFile(join(home, '.bash_profile'), `export PATH=${home}/bin:$PATH\n`);
  });
  afterAll(() => rm(home, { recursive: true, force: true }));

  test('the password is asked for, checked, used and kept out of the result', async () => {
    bench = await openHostBench({ yaml: 'approvals:\n  mode: "off"\n', env: { HOME: home } });
    const asked = answering(bench, ['wrong-canary-2', 'local-canary-1']);
    expect(await terminal(bench, { command: 'sudo echo ran; echo x | sudo cat; "$HOME/bin/sudo" echo again; env | grep -c SUDO_ASKPASS' })).toMatchObject({ status: 'blocked' });
    expect(await terminal(bench, { command: 'sudo echo ran; echo x | sudo cat; "$HOME/bin/sudo" echo again' })).toMatchObject({ output: 'ran\nx\nagain', exit_code: 0 });
    expect(await terminal(bench, { command: 'sudo echo local-canary-1' })).toMatchObject({ output: '***', exit_code: 0 });
    expect(asked).toHaveLength(2);
  });
});
