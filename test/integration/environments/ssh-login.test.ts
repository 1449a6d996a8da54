/** Every way to log in, against a real sshd: agent, keys, passphrases, passwords, the server's own questions, jump hosts, ~/.ssh/config. */
import { execFile, spawn } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Environment } from '../../../environments/base.ts';
import { createSshEnvironment, type SshOptions } from '../../../environments/ssh.ts';
import { canMakeAccounts, makeAccount, type TestAccount } from '../../support/account.ts';
import { person, type ScriptedPerson } from '../../support/answers.ts';
import { haveSshd, startSshd, type TestSshd } from '../../support/sshd.ts';

const run = promisify(execFile);
const LIMITS = { timeoutMs: 20_000, maxBytes: 10_000 } as const;
const PASSPHRASE = 'open, sesame';

let home: string;
let opened: Environment[];
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'talaria-ssh-home-'));
  await mkdir(join(home, '.ssh'), { mode: 0o700 });
  opened = [];
});
afterEach(async () => {
  await Promise.all(opened.map((environment) => environment.close()));
  await rm(home, { recursive: true, force: true });
});

function make(settings: SshOptions['settings'], { ask }: ScriptedPerson, more: Partial<SshOptions> = {}): Environment {
  const environment = createSshEnvironment({ settings, ask, knownHosts: join(home, 'known_hosts'), userHome: home, configFiles: [join(home, '.ssh', 'config')], cwd: '', ...more });
  opened.push(environment);
  return environment;
}

async function says(environment: Environment, command: string): Promise<string> {
  return Buffer.from((await environment.exec({ command, ...LIMITS })).output).toString().trim();
}

describe.skipIf(!await haveSshd())('logging in with keys', () => {
  let sshd: TestSshd;
  let at: { readonly host: string; readonly port: number; readonly user: string };
  beforeAll(async () => {
    sshd = await startSshd({ config: ['AllowTcpForwarding yes'] });
    at = { host: '127.0.0.1', port: sshd.port, user: sshd.user };
  });
  afterAll(() => sshd.close());
  beforeEach(() => copyFile(sshd.knownHosts, join(home, 'known_hosts')));

  async function lockedKey(to: string): Promise<void> {
    await copyFile(sshd.key, to);
    await chmod(to, 0o600);
    await run('ssh-keygen', ['-q', '-p', '-P', '', '-N', PASSPHRASE, '-f', to]);
  }

  test('a certificate of the user that cannot be shown is named when the login is refused, also one that lies beside its key', async () => {
    const key = join(home, '.ssh', 'stranger');
    await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key]);
    await run('ssh-keygen', ['-q', '-s', sshd.key, '-I', 'me', '-n', at.user, `${key}.pub`]);
    for (const lines of [[`IdentityFile ${key}`], [`IdentityFile ${key}`, 'CertificateFile ~/.ssh/named-cert.pub']]) {
      await writeFile(join(home, '.ssh', 'config'), ['Host 127.0.0.1', ...lines, ''].join('\n'));
      await expect(make(at, person({})).open()).rejects.toMatchObject({ code: 'denied', message: expect.stringMatching(/refused the login, and the certificate .*-cert\.pub could not be shown/) as unknown, hint: expect.stringContaining('plain public key') as unknown });
    }
  });

  test('a key that the agent holds opens the server, and the file is not needed', async () => {
    const socket = join(home, 'agent');
    const agent = spawn('ssh-agent', ['-D', '-a', socket], { stdio: ['ignore', 'pipe', 'ignore'] });
    try {
      await new Promise((resolve) => { agent.stdout.once('data', resolve); });
      await run('ssh-add', [sshd.key], { env: { ...process.env, SSH_AUTH_SOCK: socket } });
      expect(await says(make(at, person({}), { agent: socket }), 'echo in')).toBe('in');
    } finally {
      agent.kill();
    }
  });

  test('an agent that is gone is passed over for the usual keys', async () => {
    await copyFile(sshd.key, join(home, '.ssh', 'id_ed25519'));
    expect(await says(make(at, person({}), { agent: join(home, 'nobody-listens') }), 'echo in')).toBe('in');
  });

  test('the passphrase of a key is asked for, again when it was wrong, and kept for the next connection', async () => {
    const key = join(home, 'locked');
    await lockedKey(key);
    const somebody = person({ 'ssh-passphrase': ['wrong', PASSPHRASE] });
    const environment = make({ ...at, key }, somebody);
    const both = await Promise.all(Array.from({ length: 12 }, () => says(environment, 'sleep 0.2; echo in')));
    expect(new Set(both)).toEqual(new Set(['in']));
    expect(somebody.asked).toMatchObject([{ kind: 'secret', host: key }, { problem: 'That passphrase does not open the key.' }]);
  });

  test('a passphrase that is not given is a clear end', async () => {
    const key = join(home, 'locked');
    await lockedKey(key);
    await expect(make({ ...at, key }, person({ 'ssh-passphrase': null })).open()).rejects.toMatchObject({ code: 'denied', message: `Passphrase for the key ${key}: not given, you cancelled it` });
  });

  test('a jump host is gone through, the key of each server checked; a server lost behind it is told', async () => {
    const inner = await startSshd();
    try {
      const authorized = join(inner.folder, 'authorized_keys');
      await writeFile(authorized, await readFile(`${sshd.key}.pub`), { flag: 'a' });
      const somebody = person({ 'ssh-host-key': 'yes' });
      const environment = make({ host: '127.0.0.1', port: inner.port, user: inner.user, key: sshd.key, jump: `${sshd.user}@127.0.0.1:${sshd.port}` }, somebody);
      // What the inner server sees as its client is the other server.
      expect(await says(environment, 'echo "$SSH_CONNECTION" | cut -d" " -f4')).toBe(String(inner.port));
      expect(somebody.asked.map(({ title }) => title)).toEqual([`First connection to [127.0.0.1]:${inner.port}: is this its key?`]);
      const running = await environment.start({ command: 'sleep 20', cwd: '/', shell: 'command' });
      await inner.kill();
      expect(await running.ended).toMatchObject({ why: 'lost' });
    } finally {
      await inner.close();
    }
  });

  test('~/.ssh/config says where a name is, as whom, with which key and through what', async () => {
    await mkdir(join(home, '.ssh', 'more'));
    await copyFile(sshd.key, join(home, '.ssh', 'work key'));
    await writeFile(join(home, '.ssh', 'config'), 'Include more/*.conf\nHost *\n  User nobody-here\n');
    await writeFile(join(home, '.ssh', 'more', 'a.conf'), [
      'Host jump', `  HostName 127.0.0.1`, `  Port ${sshd.port}`, `  User ${sshd.user}`, '  IdentityFile "~/.ssh/work key"',
      'Host build-*', '  HostName 127.0.0.1', `  Port ${sshd.port}`, `  User ${sshd.user}`, '  IdentityFile "%d/.ssh/work key"', '  IdentitiesOnly yes', '  ProxyJump jump', '  ServerAliveInterval 5', '',
    ].join('\n'));
    expect(await says(make({ host: 'build-1' }, person({})), 'id -un')).toBe(sshd.user);
  });

  test('the key of a new server is shown with its fingerprint, and kept once agreed to', async () => {
    const file = join(home, 'own', 'known_hosts');
    const somebody = person({ 'ssh-host-key': 'yes' });
    await make({ ...at, key: sshd.key }, somebody, { knownHosts: file }).open();
    const { stdout } = await run('ssh-keygen', ['-l', '-f', sshd.knownHosts]);
    expect(somebody.asked).toMatchObject([{ kind: 'confirm', fingerprint: `ssh-ed25519 ${stdout.split(' ')[1] ?? ''}` }]);
    await make({ ...at, key: sshd.key }, person({}), { knownHosts: file }).open();
  });

  test('a new server that nobody agrees to is not logged in to, and not kept', async () => {
    const file = join(home, 'own', 'known_hosts');
    await expect(make({ ...at, key: sshd.key }, person({ 'ssh-host-key': null }), { knownHosts: file }).open()).rejects.toMatchObject({ code: 'denied', message: expect.stringContaining('not given, you cancelled it') as unknown });
    const alone = { ask: () => Promise.resolve({ kind: 'nobody' as const }), asked: [] };
    await expect(make({ ...at, key: sshd.key }, alone, { knownHosts: file }).open()).rejects.toMatchObject({ message: expect.stringContaining('nobody can be asked here') as unknown, hint: expect.stringContaining('ssh-keyscan') as unknown });
    await expect(readFile(file)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('a hashed entry of the user\'s own known_hosts counts', async () => {
    await copyFile(sshd.knownHosts, join(home, '.ssh', 'known_hosts'));
    await run('ssh-keygen', ['-q', '-H', '-f', join(home, '.ssh', 'known_hosts')]);
    expect(await readFile(join(home, '.ssh', 'known_hosts'), 'utf8')).toMatch(/^\|1\|/);
    await make({ ...at, key: sshd.key }, person({}), { knownHosts: join(home, 'empty') }).open();
  });
});

describe.skipIf(!await haveSshd() || !canMakeAccounts())('logging in with a password', () => {
  let account: TestAccount;
  beforeAll(async () => { account = await makeAccount(); });
  afterAll(() => account.remove());

  async function withServer(config: readonly string[], work: (sshd: TestSshd, at: { host: string; port: number; user: string }) => Promise<void>): Promise<void> {
    const sshd = await startSshd({ config: [...config, 'PermitRootLogin no'], home: account.home });
    try {
      await copyFile(sshd.knownHosts, join(home, 'known_hosts'));
      await work(sshd, { host: '127.0.0.1', port: sshd.port, user: account.name });
    } finally {
      await sshd.close();
    }
  }

  test('it is asked for, again when the server refuses it, and not asked for by a second connection', async () => {
    await withServer(['PasswordAuthentication yes'], async (_sshd, at) => {
      const somebody = person({ 'ssh-password': ['not it', account.password] });
      const environment = make(at, somebody);
      const all = await Promise.all(Array.from({ length: 12 }, () => says(environment, 'sleep 0.2; id -un')));
      expect(new Set(all)).toEqual(new Set([account.name]));
      expect(somebody.asked).toMatchObject([{ kind: 'secret', host: `${account.name}@[127.0.0.1]:${at.port}` }, { problem: 'The server refused that password.' }]);
    });
  });

  test('one that is not given, or wrong three times, ends in words', async () => {
    await withServer(['PasswordAuthentication yes'], async (_sshd, at) => {
      await expect(make(at, person({ 'ssh-password': null })).open()).rejects.toMatchObject({ code: 'denied', message: expect.stringContaining('not given, you cancelled it') as unknown });
      const stubborn = person({ 'ssh-password': 'not it' });
      await expect(make(at, stubborn).open()).rejects.toMatchObject({ code: 'denied', message: expect.stringContaining('refused the login') as unknown });
      expect(stubborn.asked).toHaveLength(3);
    });
  });

  test('the server\'s own questions are put one by one, in its words', async () => {
    await withServer(['UsePAM yes', 'KbdInteractiveAuthentication yes', 'PasswordAuthentication no'], async (_sshd, at) => {
      const somebody = person({ 'ssh-password': account.password });
      expect(await says(make(at, somebody), 'id -un')).toBe(account.name);
      expect(somebody.asked).toMatchObject([{ kind: 'secret', detail: 'Password:' }]);
    });
  });
});
