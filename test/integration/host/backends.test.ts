/** A chat whose commands and files are elsewhere: the same paths for both, and approvals by what can be reached from there. */
import { copyFile, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { haveDockerd, IMAGE, startDockerd, type TestDockerd } from '../../support/dockerd.ts';
import { standInSudo } from '../../support/sudo.ts';
import { haveStandIn, openStandIn } from '../../support/singularity.ts';
import { haveSshd, startSshd, type TestSshd } from '../../support/sshd.ts';
import { openHostBench, type HostBench } from '../../support/test-host.ts';

let bench: HostBench | undefined;
afterEach(async () => {
  await bench?.close();
  bench = undefined;
});

async function call(name: string, args: object): Promise<Record<string, unknown>> {
  if (bench === undefined) throw new Error('no host is open');
  const session = (await bench.host.openSession('elsewhere')).id;
  const outcome = await bench.host.callTool(name, args, { sessionId: session, signal: AbortSignal.timeout(25_000) });
  return JSON.parse(outcome.fullText) as Record<string, unknown>; // tools answer with JSON objects
}

describe.skipIf(!await haveSshd())('over ssh', () => {
  let sshd: TestSshd;
  beforeAll(async () => { sshd = await startSshd(); });
  afterAll(() => sshd.close());

  const open = async (more: Record<string, string> = {}) => {
    bench = await openHostBench({ env: {
      TERMINAL_ENV: 'ssh', TERMINAL_SSH_HOST: '127.0.0.1', TERMINAL_SSH_USER: sshd.user, TERMINAL_SSH_PORT: String(sshd.port), TERMINAL_SSH_KEY: sshd.key, TERMINAL_CWD: sshd.folder, ...more,
    } });
    return bench;
  };
  const openKnown = async () => {
    const host = await open();
    await copyFile(sshd.knownHosts, join(host.home, 'desktop', 'known_hosts'));
    return host;
  };

  test('commands and file tools see the same place, and the directory is kept', async () => {
    await openKnown();
    expect(await call('terminal', { command: 'mkdir -p work && cd work && echo "$SSH_CONNECTION" | cut -d" " -f3' })).toMatchObject({ output: '127.0.0.1', exit_code: 0 });
    await call('write_file', { path: `${sshd.folder}/work/note.txt`, content: 'written by the tool\n' });
    expect(await call('terminal', { command: 'pwd; cat note.txt' })).toMatchObject({ output: `${sshd.folder}/work\nwritten by the tool`, exit_code: 0 });
    await call('terminal', { command: 'echo more >> note.txt' });
    expect(JSON.stringify(await call('read_file', { path: 'note.txt' }))).toContain('more');
  });

  test('the key of a new server is asked about in the chat that connects, and kept under the home', async () => {
    const host = await open();
    const { home } = host;
    const session = (await host.host.openSession('elsewhere')).id;
    const running = call('terminal', { command: 'true' });
    const asked = await host.next('credentials', ({ type }) => type === 'asked');
    expect(asked).toMatchObject({ request: { sessionId: session, kind: 'confirm', purpose: 'ssh-host-key', host: `${sshd.user}@[127.0.0.1]:${sshd.port}`, fingerprint: expect.stringMatching(/^ssh-ed25519 SHA256:/) as unknown } });
    const [waiting] = await host.request('credentials.list', {});
    if (waiting === undefined) throw new Error('nothing is asked');
    await host.request('credentials.answer', { id: waiting.id, value: 'yes' });
    expect(await running).toMatchObject({ exit_code: 0 });
    await expect(host.request('credentials.answer', { id: waiting.id, value: 'yes' })).rejects.toMatchObject({ code: 'not-found' });
    expect(await readFile(join(home, 'desktop', 'known_hosts'), 'utf8')).toMatch(new RegExp(`^\\[127\\.0\\.0\\.1\\]:${sshd.port} ssh-ed25519 `));
  });

  test.each([
    ['a line', 'printf "Name: "; read -r name; echo "hello $name"', 'The program waits for input.'],
    ['a password', 'printf "Password: "; read -rs secret; echo; echo done', 'asks for a secret'],
  ])('a program that waits for %s is told at once, long before its time limit', async (_what, command, words) => {
    await openKnown();
    const began = performance.now();
    expect(await call('terminal', { command, pty: true, timeout: 60 })).toMatchObject({ status: 'waiting_for_input', note: expect.stringContaining(words) as unknown });
    expect(performance.now() - began).toBeLessThan(10_000);
  });

  test('a dangerous command is asked about: a server is nobody\'s sandbox', async () => {
    const host = await openKnown();
    const session = (await host.host.openSession('elsewhere')).id;
    const running = host.host.callTool('terminal', { command: `rm -rf ${sshd.folder}/work` }, { sessionId: session, signal: AbortSignal.timeout(25_000) });
    const asked = await host.approval();
    expect(asked).toMatchObject({ backend: 'ssh', host: '127.0.0.1', user: sshd.user });
    await host.request('approvals.decide', { id: asked.id, choice: 'deny' });
    expect(JSON.parse((await running).fullText)).toMatchObject({ status: 'blocked' });
  });
});

describe.skipIf(!await haveDockerd())('in a container', () => {
  let dockerd: TestDockerd;
  beforeAll(async () => { dockerd = await startDockerd(); });
  afterAll(() => dockerd.close());

  const open = async (more: Record<string, string> = {}, yaml = '') => {
    bench = await openHostBench({ yaml, env: {
      TERMINAL_ENV: 'docker', DOCKER_HOST: dockerd.host, TERMINAL_DOCKER_IMAGE: IMAGE, TERMINAL_DOCKER_NETWORK: 'false', TERMINAL_CONTAINER_MEMORY: '256', TERMINAL_DOCKER_PERSIST_ACROSS_PROCESSES: 'false', ...more,
    } });
    return bench;
  };

  test('commands and file tools see the container, and this machine sees nothing of it', async () => {
    await open();
    await call('write_file', { path: '/tmp/only-inside.txt', content: 'inside\n' });
    expect(await call('terminal', { command: 'cat /tmp/only-inside.txt; cd /tmp; id -un' })).toMatchObject({ output: 'inside\nroot', exit_code: 0 });
    expect(JSON.stringify(await call('read_file', { path: 'only-inside.txt' }))).toContain('inside');
    expect(await stat('/tmp/only-inside.txt').catch(() => undefined)).toBeUndefined();
  });

  test('whole outputs and long results, which this machine keeps, are read by the path that the model was told; nothing else of this machine is', async () => {
    const { home } = await open();
    const result = await call('terminal', { command: 'seq 1 60000; ln -s /etc/hostname /tmp/link' });
    const told = String(result['full_output_path']);
    expect(await call('read_file', { path: told, offset: 59_999, limit: 5 })).toMatchObject({ content: '59999|59999\n60000|60000', total_lines: 60_000, truncated: false });
    await writeFile(join(home, 'desktop', 'outputs', '..', 'private.txt'), 'of this machine');
    await symlink(join(home, 'desktop', 'private.txt'), join(home, 'desktop', 'outputs', 'link.log'));
    for (const path of [join(home, 'desktop', 'private.txt'), join(home, 'config.yaml'), join(home, 'desktop', 'outputs', 'link.log'), `${join(home, 'desktop', 'outputs')}/../private.txt`]) {
      expect(await call('read_file', { path })).toMatchObject({ error: expect.stringMatching(/^File not found/) as string });
    }
  });

  test('execute_code runs inside, calls tools there, is held to its time, and leaves nothing behind', async () => {
    const withPrograms = { TERMINAL_DOCKER_VOLUMES: JSON.stringify(['/usr:/usr:ro', '/lib:/lib:ro', '/lib64:/lib64:ro']) };
    const host = await open(withPrograms, 'approvals:\n  mode: off\n');
    const script = (code: string) => call('execute_code', { code });
    expect(await script('from hermes_tools import *\nwrite_file("/tmp/é x.txt", "a\\nb\\n")\nprint(read_file("/tmp/é x.txt", raw=True)["content"] + terminal("cat /etc/passwd")["output"])')).toMatchObject({ status: 'success', output: 'a\nb\nroot:x:0:0:root:/root:/bin/bash\n', tool_calls_made: 3 });
    expect(await script('import subprocess\nsubprocess.Popen(["sleep", "600"], start_new_session=True)\nprint("x" * 70000)')).toMatchObject({ status: 'success', stdout_truncated: true, stdout_bytes_total: 70_001 });
    expect(await script('import os; os.kill(os.getpid(), 9)')).toMatchObject({ status: 'error', exit_code: 137, output: '' });
    await host.close();
    await open(withPrograms, 'approvals:\n  mode: off\ncode_execution:\n  timeout: 3\n');
    expect(await script('import time\nprint("begun", flush=True)\ntime.sleep(600)')).toMatchObject({ status: 'timeout', output: 'begun\n' });
    expect(await call('terminal', { command: 'ps -A -o args | grep -E "sleep 600|script.py" | grep -v grep; ls -d /tmp/talaria-script-*' })).toMatchObject({ output: expect.stringMatching(/^ls: [^\n]*No such file[^\n]*$/) as string });
  });

  test('search_files finds lines and names where there is neither ripgrep nor GNU grep', async () => {
    await open();
    expect(await call('terminal', { command: 'mkdir -p /workspace/s/.git /workspace/s/sub && cd /workspace/s && printf "one\\ntwo: 2\\nthree\\n" > "a b:1.txt" && echo "two again" > sub/c.md && echo "two" > .git/x && echo "TOKEN=two" > .env && printf "two\\0" > sub/bin.txt && touch -d "2001-01-01 00:00" sub/c.md' })).toMatchObject({ exit_code: 0 });
    const lines = await call('search_files', { pattern: '^tw(o)', path: '/workspace/s', context: 1 });
    expect(lines).toMatchObject({ matches: [
      { path: '/workspace/s/a b:1.txt', line: 1, content: 'one', context: true }, { path: '/workspace/s/a b:1.txt', line: 2, content: 'two: 2' },
      { path: '/workspace/s/a b:1.txt', line: 3, content: 'three', context: true }, { path: '/workspace/s/sub/c.md', line: 1, content: 'two again' },
    ] });
    expect(await call('search_files', { pattern: 'two', path: '/workspace/s', file_glob: '*.md' })).toMatchObject({ total_count: 1 });
    expect(await call('search_files', { pattern: '*.*', target: 'files', path: '/workspace/s' })).toMatchObject({ files: expect.arrayContaining(['/workspace/s/a b:1.txt']) as string[] });
    expect((await call('search_files', { pattern: '.md', target: 'files', path: '/workspace/s' }))['files']).toEqual(['/workspace/s/sub/c.md']);
    expect(await call('search_files', { pattern: 'nothing here', path: '/workspace/s' })).toMatchObject({ matches: [], total_count: 0 });
    expect(await call('search_files', { pattern: 'broken(', path: '/workspace/s' })).toHaveProperty('error');
  });

  test('files inside are kept before they change, by name and as a whole directory, and put back inside', async () => {
    const host = await open();
    const session = (await host.host.openSession('elsewhere')).id;
    await call('terminal', { command: 'mkdir -p /workspace/app/deep/node_modules && cd /workspace/app && printf "a\r\nb" > deep/file && chmod 600 deep/file && echo x > deep/node_modules/y' });
    await call('write_file', { path: 'deep/file', content: 'changed' });
    await call('terminal', { command: 'rm -rf deep' });
    const [whole, named] = await host.request('checkpoints.list', { sessionId: session });
    expect(whole).toMatchObject({ tool: 'terminal', backend: 'docker', paths: ['deep'], root: '/workspace/app' });
    expect(await host.request('checkpoints.restore', { id: whole?.id ?? '' })).toMatchObject({ restored: ['deep/file'], failed: [] });
    expect(await call('terminal', { command: 'cat deep/file; ls deep' })).toMatchObject({ output: expect.stringMatching(/^changed\s*file$/) as string });
    expect((await host.request('checkpoints.diff', { id: named?.id ?? '' })).changes).toEqual([{ path: 'deep/file', state: 'changed' }]);
    await host.request('checkpoints.restore', { id: named?.id ?? '' });
    expect(await call('terminal', { command: 'od -An -c deep/file; stat -c %a deep/file' })).toMatchObject({ output: expect.stringMatching(/a\s+\\r\s+\\n\s+b\s+600$/) as string });
  });

  test('sudo asks for its password in the chat, and gets it, inside a container, too', async () => {
    const host = await open();
    host.host.events.subscribe('credentials', (event) => {
      if (event.type === 'asked') void host.request('credentials.answer', { id: event.request.id, value: 'docker-canary-3' });
    });
    await call('write_file', { path: '/tmp/bin/sudo', content: standInSudo('docker-canary-3') });
    await call('terminal', { command: 'chmod 755 /tmp/bin/sudo; export PATH=/tmp/bin:$PATH' });
    expect(await call('terminal', { command: 'sudo echo ran; echo piped | sudo cat; sudo echo docker-canary-3' })).toMatchObject({ output: 'ran\npiped\n***', exit_code: 0 });
  });

  test('inside nothing is asked about; a deny rule still counts', async () => {
    await open({}, 'approvals:\n  deny:\n    - "*forbidden-word*"\n');
    await call('terminal', { command: 'mkdir -p /tmp/tree/deep' });
    expect(await call('terminal', { command: 'rm -rf /tmp/tree; ls /tmp/tree 2>&1 | head -1' })).toMatchObject({ exit_code: 0 });
    expect(await call('terminal', { command: 'echo forbidden-word' })).toMatchObject({ status: 'blocked' });
  });

  test('with a directory of this machine mounted, the same command is asked about', async () => {
    const host = await open({ TERMINAL_DOCKER_VOLUMES: JSON.stringify([`${dockerd.folder}:/host`]) });
    const session = (await host.host.openSession('elsewhere')).id;
    const running = host.host.callTool('terminal', { command: 'rm -rf /host/tree' }, { sessionId: session, signal: AbortSignal.timeout(25_000) });
    const asked = await host.approval();
    expect(asked.backend).toBe('docker');
    await host.request('approvals.decide', { id: asked.id, choice: 'deny' });
    expect(JSON.parse((await running).fullText)).toMatchObject({ status: 'blocked' });
  });

  test('a container that vanished is made again once, and the result says so', async () => {
    await open();
    await call('terminal', { command: 'true' });
    for (const { Id } of await dockerd.docker.listContainers()) await dockerd.docker.getContainer(Id).remove({ force: true });
    expect(await call('terminal', { command: 'echo back' })).toMatchObject({ output: 'back', exit_code: 0, environment_recreated: true });
    expect(await call('terminal', { command: 'echo again' })).not.toHaveProperty('environment_recreated');
  });

  test('closing the app takes the container away', async () => {
    const host = await open();
    await call('terminal', { command: 'true' });
    expect(await dockerd.docker.listContainers({ all: true })).toHaveLength(1);
    await host.close();
    bench = undefined;
    expect(await dockerd.docker.listContainers({ all: true })).toEqual([]);
  });
});

describe.skipIf(!await haveStandIn())('in an instance of singularity', () => {
  test('commands, files and the list of backends work through the app, and closing it stops the instance', async () => {
    const standIn = await openStandIn();
    const bin = join(standIn.folder, 'bin');
    await mkdir(bin);
    await symlink(standIn.program, join(bin, 'apptainer'));
    bench = await openHostBench({ env: {
      TERMINAL_ENV: 'singularity', TERMINAL_SINGULARITY_IMAGE: standIn.image, TERMINAL_CONTAINER_PERSISTENT: 'false', PATH: `${bin}:${process.env['PATH'] ?? ''}`, TALARIA_STAND_IN: standIn.env['TALARIA_STAND_IN'] ?? '',
    } });
    await call('write_file', { path: '/root/note.txt', content: 'inside\n' });
    expect(await call('terminal', { command: 'cd /root && cat note.txt && tty', pty: true })).toMatchObject({ output: expect.stringMatching(/^inside\s+\/dev\//) as string });
    expect(await call('terminal', { command: 'pwd' })).toMatchObject({ output: '/root', exit_code: 0 });
    const background = await call('terminal', { command: 'echo up; sleep 600', background: true });
    expect(await call('process', { action: 'kill', session_id: background['session_id'] })).toMatchObject({ status: 'killed' });
    expect(await stat('/root/note.txt').catch(() => undefined)).toBeUndefined();
    await bench.close();
    bench = undefined;
    expect(await readdir(join(standIn.folder, 'state'))).toEqual([]);
    await standIn.close();
  });
});
