/** What a real Engine was told, what is reused and swept by label, and every way an Engine is reached. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Docker from 'dockerode';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Environment } from '../../../environments/base.ts';
import { createDockerEnvironment, probeEngine, readDockerSettings, type DockerOptions } from '../../../environments/docker.ts';
import { startCutProxy } from '../../support/cut-proxy.ts';
import { buildTree, haveDockerd, IMAGE, startDockerd, type TestDockerd } from '../../support/dockerd.ts';
import { install } from '../../support/install.ts';
import { startRegistry } from '../../support/registry.ts';
import { haveSshd, startSshd } from '../../support/sshd.ts';
import { openHostBench } from '../../support/test-host.ts';

const HOUR_MS = 3_600_000;
const opened: Environment[] = [];

function make(dockerd: Pick<TestDockerd, 'host' | 'folder'>, values: Readonly<Record<string, string>> = {}, more: Partial<DockerOptions> = {}): Environment {
  const settings = readDockerSettings((variable) => ({ TERMINAL_DOCKER_IMAGE: IMAGE, TERMINAL_DOCKER_NETWORK: 'false', TERMINAL_CONTAINER_MEMORY: '256', ...values })[variable]);
  const environment = createDockerEnvironment({
    settings, task: 'default', profile: 'test', sandboxes: join(dockerd.folder, 'sandboxes'), hostCwd: dockerd.folder, lifetimeMs: HOUR_MS, env: { DOCKER_HOST: dockerd.host }, cwd: '',
    machine: 'here', hosts: { self: 'first', isAlive: (name) => name === 'first' }, ...more,
  });
  opened.push(environment);
  return environment;
}

async function output(environment: Environment, command: string): Promise<string> {
  return Buffer.from((await environment.exec({ command, timeoutMs: 20_000, maxBytes: 10_000 })).output).toString().trim();
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => { server.once('listening', resolve); });
  const { port } = server.address() as AddressInfo; // a TCP server's address is never a string
  await new Promise((resolve) => { server.close(resolve); });
  return port;
}

describe.skipIf(!await haveDockerd())('a real Engine', () => {
  let dockerd: TestDockerd;
  let tlsPort: number;
  beforeAll(async () => {
    tlsPort = await freePort();
    dockerd = await startDockerd(async (folder) => {
      const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
      openssl('req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2', '-subj', '/CN=test-authority', '-keyout', 'ca-key.pem', '-out', 'ca.pem');
      await writeFile(join(folder, 'server.ext'), 'subjectAltName=IP:127.0.0.1\nextendedKeyUsage=serverAuth\n');
      await writeFile(join(folder, 'client.ext'), 'extendedKeyUsage=clientAuth\n');
      for (const [name, prefix] of [['server', 'server-'], ['client', '']] as const) {
        openssl('req', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-subj', `/CN=${name}`, '-keyout', `${prefix}key.pem`, '-out', `${name}.csr`);
        openssl('x509', '-req', '-in', `${name}.csr`, '-CA', 'ca.pem', '-CAkey', 'ca-key.pem', '-CAcreateserial', '-days', '2', '-extfile', `${name}.ext`, '-out', `${prefix}cert.pem`);
      }
      return [`--host=tcp://127.0.0.1:${tlsPort}`, '--tlsverify', `--tlscacert=${join(folder, 'ca.pem')}`, `--tlscert=${join(folder, 'server-cert.pem')}`, `--tlskey=${join(folder, 'server-key.pem')}`];
    });
  });
  afterEach(async () => {
    for (const environment of opened.splice(0)) await environment.close();
    for (const { Id } of await dockerd.docker.listContainers({ all: true })) await dockerd.docker.getContainer(Id).remove({ force: true, v: true });
  });
  afterAll(() => dockerd.close());
  const containers = () => dockerd.docker.listContainers({ all: true });

  test('is told every wall and limit, and the kernel keeps those of capabilities and new privileges', async () => {
    const home = join(dockerd.folder, 'home');
    await mkdir(join(home, 'skills'), { recursive: true });
    await writeFile(join(home, 'skills', 'SKILL.md'), 'hello');
    const environment = make(dockerd, { TERMINAL_CONTAINER_CPU: '1.5', TERMINAL_DOCKER_ENV: '{"ONE":"1"}', TERMINAL_DOCKER_FORWARD_ENV: '["TWO"]', TERMINAL_DOCKER_VOLUMES: JSON.stringify([`${dockerd.folder}:/read-only:ro`]) }, {
      env: { DOCKER_HOST: dockerd.host, TWO: '2', THREE: '3' }, home: { directory: home, credentialFiles: [] },
    });
    await environment.open();
    const [row] = await containers();
    const { HostConfig, Config } = await dockerd.docker.getContainer(row?.Id ?? '').inspect();
    expect(HostConfig).toMatchObject({
      Memory: 256 * 1_048_576, NanoCpus: 1.5e9, PidsLimit: 256, CapDrop: ['ALL'], SecurityOpt: ['no-new-privileges'], NetworkMode: 'none', Init: true, ShmSize: 1_073_741_824, Privileged: false,
      Tmpfs: { '/tmp': expect.stringContaining('size=512m') as string, '/var/tmp': expect.stringContaining('noexec') as string },
    });
    expect((HostConfig.CapAdd as string[] /* names, says the Engine's reference; its type is unknown */).map((name) => name.replace('CAP_', '')).sort()).toEqual(['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'SETGID', 'SETUID']);
    expect(Config.Env.join(' ')).not.toContain('TWO');
    expect(await output(environment, 'grep -E "^(CapEff|NoNewPrivs)" /proc/self/status | tr "\\n\\t" "  "; echo "$ONE $TWO"; env | grep THREE || echo none')).toMatch(/^CapEff: +00000000000000cb NoNewPrivs: +1 1 2\nnone$/);
    await expect(environment.writeFile('/read-only/x', Buffer.from('x'))).rejects.toMatchObject({ code: 'denied' });
    await expect(environment.writeFile('/root/.hermes/skills/x', Buffer.from('x'))).rejects.toMatchObject({ code: 'denied' });
    expect(Buffer.from(await environment.readFile('/root/.hermes/skills/SKILL.md')).toString()).toBe('hello');
    expect(environment.describe().mounts.filter(({ readOnly }) => readOnly).map(({ inside }) => inside)).toEqual(['/read-only', '/root/.hermes/skills']);
  });

  test('the container is found again by its labels after a restart, with what was kept in it', async () => {
    const first = make(dockerd);
    await first.writeFile('/srv/note', Buffer.from('kept'));
    const [{ Id } = { Id: '' }] = await containers();
    await first.close();
    expect((await containers()).map(({ State }) => State)).toEqual(['exited']);
    const second = make(dockerd);
    expect(Buffer.from(await second.readFile('/srv/note')).toString()).toBe('kept');
    expect((await containers()).map((row) => row.Id)).toEqual([Id]);
    const other = make(dockerd, { TERMINAL_CONTAINER_MEMORY: '128' });
    await other.open();
    expect(await containers()).toHaveLength(2);
  });

  test('a background command outlives a host that is killed, and the next one follows it with all its output', async () => {
    const alive = new Set(['first', 'second']);
    const as = (self: string): Partial<DockerOptions> => ({ hosts: { self, isAlive: (name) => alive.has(name) }, owner: { home: 'test', self, isAlive: (name) => alive.has(name) } });
    const running = await make(dockerd, {}, as('first')).start({ command: 'echo one; read -r x; echo "two $x"; exit 3', cwd: '/', shell: 'plain', keepStdin: true, survive: true });
    const { handle } = running;
    if (handle === undefined) throw new Error('nothing says where it is kept');
    alive.delete('first');
    const again = await make(dockerd, {}, as('second')).reattach?.(handle);
    if (again === undefined) throw new Error('it is not there any more');
    let text = '';
    again.onOutput((bytes) => { text += Buffer.from(bytes).toString(); });
    again.write('more\n');
    expect((await again.ended).exitCode).toBe(3);
    expect(text).toBe('one\ntwo more\n');
  });

  test('a background command goes on while the Engine is out of reach, and is followed again from the byte that was missing', async () => {
    const network = await startCutProxy(dockerd.host.replace('unix://', ''));
    try {
      const environment = make(dockerd, {}, { env: { DOCKER_HOST: `tcp://127.0.0.1:${network.port}` }, owner: { home: 'test', self: 'first', isAlive: (name) => name === 'first' } });
      const running = await environment.start({ command: 'echo one; read -r x; echo "two $x"; exit 3', cwd: '/', shell: 'plain', keepStdin: true, survive: true });
      let text = '';
      running.onOutput((bytes) => { text += Buffer.from(bytes).toString(); });
      await expect.poll(() => text).toBe('one\n');
      network.fail('cut');
      await expect.poll(() => running.away?.()).toMatch(/the Docker Engine.*may still be running there/);
      running.write('typed meanwhile\n');
      network.heal();
      expect(await running.ended).toMatchObject({ why: 'exit', exitCode: 3 });
      expect(text).toBe('one\ntwo typed meanwhile\n');
      const doomed = await environment.start({ command: 'echo one; exec sleep 600', cwd: '/', shell: 'plain', keepStdin: true, survive: true });
      await new Promise<void>((resolve) => { doomed.onOutput(() => { resolve(); }); });
      for (const { Id } of await containers()) await dockerd.docker.getContainer(Id).remove({ force: true });
      expect(await doomed.ended).toMatchObject({ why: 'lost', gone: true, detail: 'the container was removed while the command ran in it' });
      expect(await containers()).toEqual([]);
    } finally {
      await network.close();
    }
  });

  test('a container that another host of the home is using is not stopped under it', async () => {
    const hosts = (self: string) => ({ self, isAlive: () => true });
    const app = make(dockerd, {}, { hosts: hosts('app') });
    await app.open();
    const cli = make(dockerd, {}, { hosts: hosts('cli') });
    await cli.open();
    await cli.close();
    expect(await output(app, 'echo still here')).toBe('still here');
    expect((await containers()).map(({ State }) => State)).toEqual(['running']);
  });

  test('what a killed host left running is swept by label, and nothing that is in use or of somebody else', async () => {
    const values = { TERMINAL_DOCKER_PERSIST_ACROSS_PROCESSES: 'false' };
    const alive = new Set(['dead', 'alive', 'new']);
    const hosts = (self: string) => ({ self, isAlive: (name: string) => alive.has(name) });
    for (const self of ['dead', 'alive']) await make(dockerd, values, { hosts: hosts(self), task: self }).open();
    await make(dockerd, values, { hosts: hosts('dead'), profile: 'another home' }).open();
    alive.delete('dead');
    await make(dockerd, values, { hosts: hosts('new'), task: 'new' }).open();
    const left = await containers();
    expect(left.map(({ Labels }) => `${Labels['hermes-profile'] ?? ''}/${Labels['hermes-task-id'] ?? ''}`).sort()).toEqual(['another home/default', 'test/alive', 'test/new']);
  });

  test('a start that fails leaves no half-made container', async () => {
    await expect(make(dockerd, { TERMINAL_DOCKER_EXTRA_ARGS: '["--device=/dev/no-such-device"]' }).open()).rejects.toMatchObject({ code: 'failed' });
    expect(await containers()).toEqual([]);
  });

  test('is reached over tcp with TLS, keeps things in volumes of its own, and refuses a mount of this machine', async () => {
    const env = { DOCKER_HOST: `tcp://127.0.0.1:${tlsPort}`, DOCKER_TLS_VERIFY: '1', DOCKER_CERT_PATH: dockerd.folder };
    expect(await probeEngine(env)).toEqual({ ok: true });
    const environment = make(dockerd, {}, { env });
    expect(await output(environment, 'id -un')).toBe('root');
    const running = await environment.start({ command: 'stty size; read -r x; echo "got $x"', cwd: '/', shell: 'plain', pty: { cols: 90, rows: 30 } });
    running.write('it\r');
    let text = '';
    running.onOutput((bytes) => { text += Buffer.from(bytes).toString(); });
    expect((await running.ended).exitCode).toBe(0);
    expect(text).toMatch(/30 90[\s\S]*got it/);
    expect(environment.describe().mounts.map(({ host }) => host)).toEqual(['hermes-test_here-default-home', 'hermes-test_here-default-workspace']);
    await expect(make(dockerd, { TERMINAL_DOCKER_MOUNT_CWD_TO_WORKSPACE: 'true' }, { env }).open()).rejects.toThrow('runs on another machine');
    expect(await probeEngine({ ...env, DOCKER_CERT_PATH: '/nowhere' })).toMatchObject({ ok: false, message: expect.stringContaining('/nowhere/ca.pem') as string });
    expect(await probeEngine({ DOCKER_HOST: env.DOCKER_HOST })).toMatchObject({ ok: false });
  });

  test('is reached over ssh, as docker itself does it', async ({ skip }) => {
    if (!await haveSshd()) skip('no OpenSSH server can be had here');
    const sshd = await startSshd({ config: [`SetEnv DOCKER_HOST=${dockerd.host}`] });
    // The person's own OpenSSH decides whom it trusts; here it is one with a configuration of the test's.
    const bin = await mkdtemp(join(tmpdir(), 'talaria-ssh-'));
    await writeFile(join(bin, 'ssh'), `#!/bin/sh\nexec /usr/bin/ssh -F /dev/null -i ${sshd.key} -o IdentitiesOnly=yes -o UserKnownHostsFile=${sshd.knownHosts} -o StrictHostKeyChecking=yes "$@"\n`);
    await chmod(join(bin, 'ssh'), 0o755);
    const env = { DOCKER_HOST: `ssh://${sshd.user}@127.0.0.1:${sshd.port}`, PATH: `${bin}:${process.env['PATH'] ?? ''}` };
    expect(await probeEngine(env)).toEqual({ ok: true });
    const environment = make(dockerd, {}, { env });
    expect(await output(environment, 'echo over $((40 + 2))')).toBe('over 42');
    await environment.close();
    await sshd.kill();
    expect(await probeEngine(env)).toMatchObject({ ok: false, message: expect.stringMatching(/Connection refused|ssh 127/) as string });
    await sshd.close();
    await rm(bin, { recursive: true });
  });

  test('a pull is shown on the card of the call that waits for it, and stopping does not wait for its end', async () => {
    const registry = await startRegistry(await readFile(join(dockerd.folder, 'tree.tar')));
    const bench = await openHostBench({ env: { TERMINAL_ENV: 'docker', DOCKER_HOST: dockerd.host, TERMINAL_DOCKER_IMAGE: registry.image, TERMINAL_DOCKER_NETWORK: 'false', TERMINAL_DOCKER_PERSIST_ACROSS_PROCESSES: 'false' } });
    try {
      const session = await bench.session();
      const shown = bench.next('chat', (event) => event.type === 'call-output' && /^Pulling 127\.0\.0\.1:\d+\/test\/image:1: 0 of 1 layers, \d+ % of [\d.]+ MB\n\w+: Downloading/.test(event.tail));
      const stopped = bench.next('chat', (event) => event.type === 'call-changed' && event.call.endedAt !== null);
      await bench.request('chat.send', { sessionId: session.id, text: '!echo first' });
      await shown;
      await bench.request('chat.stop', { sessionId: session.id });
      await stopped;
      registry.release();
      await bench.say(session.id, '!echo pulled');
      expect(JSON.stringify(await bench.messages(session.id))).toContain('pulled');
    } finally {
      await bench.close();
      await registry.close();
    }
  });

  test('an image that nobody has is told with its name', async () => {
    await expect(make(dockerd, { TERMINAL_DOCKER_IMAGE: '127.0.0.1:1/no/such:1' }).open()).rejects.toMatchObject({ code: 'missing', message: expect.stringContaining('127.0.0.1:1/no/such:1') as string });
  });
});

/** podman from Debian, serving its Docker API on a socket of its own. */
async function startPodman(): Promise<{ readonly host: string; readonly folder: string; close(): Promise<void> } | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'talaria-podman-'));
  const socket = join(folder, 'p.sock');
  // Machines that are containers themselves may not raise limits.
  await writeFile(join(folder, 'containers.conf'), '[containers]\ndefault_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]\n');
  const child: ChildProcess = spawn('podman', [
    '--root', join(folder, 'root'), '--runroot', join(folder, 'run'), '--storage-driver', 'vfs', '--cgroup-manager', 'cgroupfs', '--events-backend', 'none', '--runtime', 'runc',
    'system', 'service', '--time=0', `unix://${socket}`,
  ], { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, CONTAINERS_CONF: join(folder, 'containers.conf') } });
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => { said += chunk.toString(); });
  const docker = new Docker({ socketPath: socket });
  for (const end = performance.now() + 30_000; !await docker.ping().then(() => true, () => false); await new Promise((resolve) => { setTimeout(resolve, 50); })) {
    if (child.exitCode === null && performance.now() < end) continue;
    console.log(`skipped: podman does not serve here: ${said.trim().slice(-300)}`);
    child.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true });
    return undefined;
  }
  return {
    host: `unix://${socket}`, folder,
    close: async () => {
      for (const { Id } of await docker.listContainers({ all: true })) await docker.getContainer(Id).remove({ force: true, v: true });
      const gone = new Promise((resolve) => { child.once('exit', resolve); });
      child.kill('SIGTERM');
      await gone;
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

describe.skipIf(!await haveDockerd() || !(existsSync('/usr/bin/podman') || await install('podman', 'runc')))('podman', () => {
  test('serves containers by the same interface', async ({ skip }) => {
    const podman = await startPodman();
    if (podman === undefined) return skip('podman does not serve here');
    try {
      const tree = buildTree(podman.folder);
      const archive = join(podman.folder, 'tree.tar');
      execFileSync('tar', ['cf', archive, '-C', tree, '.']);
      const stream = await new Docker({ socketPath: podman.host.replace('unix://', '') }).importImage(archive, { repo: 'localhost/talaria-test' });
      stream.resume();
      await new Promise((resolve) => { stream.once('end', resolve); });
      const environment = make(podman, { TERMINAL_DOCKER_IMAGE: 'localhost/talaria-test:latest', TERMINAL_CONTAINER_MEMORY: '0', TERMINAL_CONTAINER_CPU: '0' });
      expect(await output(environment, 'echo inside; id -un')).toBe('inside\nroot');
      const end = await (await environment.start({ command: 'exit 7', cwd: '/', shell: 'plain', pty: { cols: 80, rows: 24 } })).ended;
      expect(end.exitCode).toBe(7);
      await environment.writeFile('/workspace/x', Buffer.from('y'));
      expect(await readdir(join(podman.folder, 'sandboxes', 'docker', 'default', 'workspace'))).toEqual(['x']);
      await environment.close();
    } finally {
      await podman.close();
    }
  });
});
