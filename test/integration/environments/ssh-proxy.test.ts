/** `ProxyCommand` of ~/.ssh/config, and lines of known_hosts that revoke a key or trust an authority, against a real sshd. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Environment } from '../../../environments/base.ts';
import { createSshEnvironment, type SshOptions } from '../../../environments/ssh.ts';
import { person } from '../../support/answers.ts';
import { haveSshd, startSshd, type TestSshd } from '../../support/sshd.ts';

const run = promisify(execFile);
const HUNG_MS = 10_000;
/** Passes the bytes on with what every machine has; quotes, a number sign and a `%` stand in it as in many a real one. */
const BASH_PROXY = 'bash -c \'exec 3<>"/dev/tcp/%h/%p"; : "100 %% # $#"; cat <&3 & exec cat >&3\'';

describe.skipIf(!await haveSshd())('over ssh', () => {
  let sshd: TestSshd;
  let home: string;
  let opened: Environment[];
  beforeAll(async () => { sshd = await startSshd(); });
  afterAll(() => sshd.close());
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'talaria-ssh-proxy-'));
    await mkdir(join(home, '.ssh'), { mode: 0o700 });
    opened = [];
  });
  afterEach(async () => {
    await Promise.all(opened.map((environment) => environment.close()));
    await rm(home, { recursive: true, force: true });
  });

  async function make(command: string | undefined, more: Partial<SshOptions> = {}): Promise<Environment> {
    await writeFile(join(home, '.ssh', 'config'), `Host box\n  HostName 127.0.0.1\n  Port ${sshd.port}\n  User ${sshd.user}\n  IdentityFile ${sshd.key}\n${command === undefined ? '' : `  ProxyCommand ${command}\n`}`);
    const environment = createSshEnvironment({
      settings: { host: 'box' }, ask: person({}).ask, knownHosts: sshd.knownHosts, userHome: home, configFiles: [join(home, '.ssh', 'config')], cwd: '', env: { PATH: process.env['PATH'], OPENAI_API_KEY: 'sk-not-for-you', OWN: 'mine' }, ...more,
    });
    opened.push(environment);
    return environment;
  }

  async function says(environment: Environment, command: string): Promise<string> {
    return Buffer.from((await environment.exec({ command, timeoutMs: 9_000, maxBytes: 10_000 })).output).toString().trim();
  }

  /** Programs of this test: they work in its folder, or name it. */
  async function programs(): Promise<string[]> {
    const found: string[] = [];
    for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
      const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => ''); // it has ended meanwhile
      if (environment.split('\0').includes(`OF_TEST=${home}`)) found.push(pid);
    }
    return found;
  }

  async function refusal(environment: Environment): Promise<{ readonly message: string; readonly hint: string }> {
    const began = performance.now();
    const error = await environment.open().then(() => undefined, (reason: unknown) => reason);
    expect(performance.now() - began).toBeLessThan(HUNG_MS);
    expect(error).toMatchObject({ name: 'EnvironmentError', message: expect.any(String) as unknown, hint: expect.any(String) as unknown });
    return error as { message: string; hint: string }; // just looked at
  }

  test('a ProxyCommand is the connection: commands, files and many channels go through it, and it ends with it', async () => {
    const environment = await make(`env OF_TEST=${home} ${BASH_PROXY}`);
    expect(await Promise.all(Array.from({ length: 10 }, (_, index) => says(environment, `sleep 0.2; echo ${index}`)))).toEqual(Array.from({ length: 10 }, (_, index) => String(index)));
    await environment.writeFile(join(home, 'big'), Buffer.alloc(3_000_000, 'x'));
    expect((await environment.readFile(join(home, 'big'))).length).toBe(3_000_000);
    expect(await programs()).not.toEqual([]);
    await environment.close();
    await expect.poll(programs).toEqual([]);
  });

  test('another ssh is a ProxyCommand, as it is mostly used', async () => {
    const through = `ssh -F none -i ${sshd.key} -o IdentitiesOnly=yes -o UserKnownHostsFile=${sshd.knownHosts} -p %p -W %h:%p %r@%h`;
    expect(await says(await make(through), 'echo "through $((40 + 2))"')).toBe('through 42');
  });

  test('it is given no key of a provider, and what else stands in the environment', async () => {
    await says(await make(`sh -c 'env >${home}/seen; exec ${BASH_PROXY.replaceAll("'", `'\\''`)}'`), 'true');
    const seen = await readFile(join(home, 'seen'), 'utf8');
    expect(seen).toContain('OWN=mine');
    expect(seen).not.toContain('sk-not-for-you');
  });

  test('one that is killed is a lost connection, told with what arrived; the next command starts it anew', async () => {
    const environment = await make(`env OF_TEST=${home} ${BASH_PROXY}`);
    const running = await environment.start({ command: 'echo begun; exec sleep 60', cwd: '/', shell: 'command' });
    let text = '';
    await new Promise<void>((resolve) => { running.onOutput((bytes) => { text += Buffer.from(bytes).toString(); resolve(); }); });
    for (const pid of await programs()) process.kill(Number(pid), 'SIGKILL');
    expect(await running.ended).toMatchObject({ why: 'lost', detail: expect.stringContaining('may still be running there') as unknown });
    expect(text).toBe('begun\n');
    expect(await says(environment, 'echo again')).toBe('again');
  });

  test.each([
    ['that fails', 'sh -c \'echo "no way to %n" >&2; exit 7\'', /: the ProxyCommand ended with code 7 \(no way to box\)$/],
    ['that is not there', 'no-such-program %h %p', /: the ProxyCommand ended with code 127 \(.*no-such-program.*\)$/],
    ['that says nothing', 'sleep 600', /no answer within 8 s$/],
    ['that talks of something else', 'echo "HTTP/1.1 400 Bad Request"', /: the ProxyCommand ended with code 0$/],
  ] as const)('one %s is told in words, in time, and leaves nothing', async (_name, command, words) => {
    const { message, hint } = await refusal(await make(`env OF_TEST=${home} ${command}`));
    expect(message).toMatch(words);
    expect(hint).not.toBe('');
    await expect.poll(programs).toEqual([]);
  });

  test('a name that a shell would act on reaches no shell', async () => {
    const environment = await make(`sh -c 'touch ${home}/ran'`, { settings: { host: 'box', user: 'me;reboot' } });
    expect((await refusal(environment)).message).toContain('"me;reboot" may not stand in a ProxyCommand');
    expect(await readdir(home)).not.toContain('ran');
  });

  test('a revoked key is refused, though another line knows it', async () => {
    const known = join(home, 'revoking');
    const line = (await readFile(sshd.knownHosts, 'utf8')).trim();
    await writeFile(known, `${line}\n@revoked * ${line.split(' ').slice(1).join(' ')}\n`);
    const { message, hint } = await refusal(await make(undefined, { knownHosts: known }));
    expect(message).toMatch(/^THE KEY OF THE SERVER WAS REVOKED: .*, line 2\. /);
    expect(hint).toContain('Ask whoever runs the server');
  });
});

describe.skipIf(!await haveSshd())('a server with a certificate of an authority', () => {
  test('is not taken for a new one: it is refused with the next step, and let in once that was taken', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'talaria-ssh-authority-'));
    const sshd = await startSshd();
    try {
      const authority = join(folder, 'authority');
      await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', authority]);
      const known = join(folder, 'known_hosts');
      await writeFile(known, `@cert-authority [127.0.0.1]:* ${await readFile(`${authority}.pub`, 'utf8')}`);
      const asked = person({ 'ssh-host-key': 'yes' });
      const make = () => createSshEnvironment({ settings: { host: '127.0.0.1', port: sshd.port, user: sshd.user, key: sshd.key }, ask: asked.ask, knownHosts: join(folder, 'own'), userHome: folder, configFiles: [], cwd: '' });
      await mkdir(join(folder, '.ssh'));
      await writeFile(join(folder, '.ssh', 'known_hosts'), await readFile(known));
      await expect(make().open()).rejects.toMatchObject({
        code: 'denied', message: expect.stringMatching(/known_hosts, line 1, trusts an authority for it \(@cert-authority\)/) as unknown, hint: expect.stringContaining(`ssh-keyscan -p ${sshd.port} 127.0.0.1 >> '${join(folder, 'own')}'`) as unknown,
      });
      expect(asked.asked).toEqual([]);
      await run('sh', ['-c', `ssh-keyscan -p ${sshd.port} 127.0.0.1 >> '${join(folder, 'own')}'`]);
      const environment = make();
      await environment.open();
      await environment.close();
    } finally {
      await sshd.close();
      await rm(folder, { recursive: true, force: true });
    }
  });
});
