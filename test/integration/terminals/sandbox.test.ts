/** Commands behind a wall of the operating system: what they write and reach, through the terminal and the file tools alike. */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { SessionId } from '../../../preload/contract/index.ts';
import { install } from '../../support/install.ts';
import { openHostBench, type HostBench, type TestHostOptions } from '../../support/test-host.ts';

let bench: HostBench;
let sessionId: SessionId;
afterEach(() => bench.close());

async function open(options: TestHostOptions = {}): Promise<void> {
  bench = await openHostBench({ yaml: 'approvals: {mode: off}\n', ...options });
  sessionId = (await bench.session()).id;
}
const sandbox = (mode: 'off' | 'workspace-write' | 'read-only', network = true) => bench.request('sandbox.set', { sessionId, sandbox: { mode, network } });

async function call(name: string, args: object): Promise<Record<string, unknown>> {
  const outcome = await bench.host.callTool(name, args, { sessionId, signal: AbortSignal.timeout(25_000) });
  return JSON.parse(outcome.fullText) as Record<string, unknown>; // tools answer with JSON objects
}
const terminal = (command: string) => call('terminal', { command });
/** Somewhere else. When it lies among the temporary directories it is not even seen from inside: those are the sandbox's own. */
let outside: string;
beforeAll(async () => { outside = await mkdtemp(join(import.meta.dirname, '.outside-')); });
afterAll(() => rm(outside, { recursive: true, force: true }));

const haveBubblewrap = existsSync('/usr/bin/bwrap') || await install('bubblewrap');

describe.skipIf(!haveBubblewrap)('with bubblewrap', () => {
  test('workspace-write: the folder is written, nothing else, by no way', async () => {
    await open();
    await mkdir(join(bench.folder, '.git', 'hooks'), { recursive: true });
    await sandbox('workspace-write');
    expect(await terminal(`echo in > inside.txt; cd ${outside} && echo out > x; echo "code $?"`)).toMatchObject({ output: expect.stringMatching(/(?:Read-only file system|No such file)[\s\S]*code 1/) as string });
    expect(await readFile(join(bench.folder, 'inside.txt'), 'utf8')).toBe('in\n');
    // It has moved; what it may write has not.
    expect(await terminal(`pwd; echo out > ${outside}/x`)).toMatchObject({ exit_code: 1 });
    await bench.restart();
    expect(await terminal(`echo out > ${outside}/x`)).toMatchObject({ exit_code: 1 });
    expect(await readdir(outside)).toEqual([]);
    expect(await terminal(`echo '#!/bin/sh' > ${bench.folder}/.git/hooks/pre-commit`)).toMatchObject({ exit_code: 1, output: expect.stringContaining('Read-only') as string });
    expect(await terminal(`cat ${bench.home}/.env ${bench.home}/desktop/talaria.db | wc -c; echo x > ${bench.home}/config.yaml`)).toMatchObject({ exit_code: 1, output: expect.stringMatching(/^(?:cat: .*\n)*0\n/) as string });
  });

  test('the file tools stand behind the same wall, and a link does not lead round it', async () => {
    await open();
    await writeFile(join(outside, 'victim'), 'safe');
    await symlink(outside, join(bench.folder, 'link'));
    await sandbox('workspace-write');
    expect(await call('write_file', { path: 'ok.txt', content: 'fine\n' })).toMatchObject({ files_modified: [join(bench.folder, 'ok.txt')] });
    for (const path of [join(outside, 'victim'), 'link/victim']) await call('write_file', { path, content: 'broken' });
    expect(await readFile(join(outside, 'victim'), 'utf8')).toBe('safe');
    await terminal('echo temporary > /tmp/shared.txt');
    expect(JSON.stringify(await call('read_file', { path: '/tmp/shared.txt' }))).toContain('temporary');
    expect(existsSync('/tmp/shared.txt')).toBe(false);
  });

  test('read-only: nothing is written; without network not even loopback answers', async () => {
    await open();
    const server = createServer((socket) => socket.end('hello')).listen(0, '127.0.0.1');
    await new Promise((resolve) => { server.once('listening', resolve); });
    const { port } = server.address() as AddressInfo; // a TCP server's address is never a string
    await sandbox('read-only', true);
    expect(await terminal(`cat < /dev/tcp/127.0.0.1/${port}`)).toMatchObject({ output: 'hello' });
    expect(await terminal('touch x')).toMatchObject({ exit_code: 1 });
    await sandbox('read-only', false);
    expect(await terminal(`cat < /dev/tcp/127.0.0.1/${port}`)).toMatchObject({ exit_code: 1, output: expect.stringMatching(/refused|unreachable/) as string });
    await sandbox('off');
    expect(await terminal('touch x')).toMatchObject({ exit_code: 0 });
    await new Promise((resolve) => { server.close(resolve); });
  });

  test('processes outside are neither seen nor reached, pseudo-terminals work, and a stop ends everything', async () => {
    await open();
    await sandbox('read-only');
    expect(await terminal(`[ -e /proc/${process.pid}/stat ] && tr '\\0' ' ' < /proc/${process.pid}/cmdline | grep -c vitest || echo unreachable; ls /proc | grep -c '^[0-9]'`)).toMatchObject({ output: expect.stringMatching(/unreachable\n[1-9]$/) as string });
    expect(await call('terminal', { command: 'tty; stty size', pty: true })).toMatchObject({ output: expect.stringContaining('30 120') as string });
    const started = await call('terminal', { command: '(setsid sleep 600 &); sleep 600', background: true });
    expect(await call('process', { action: 'kill', session_id: started['session_id'] })).toMatchObject({ status: 'killed' });
  });

  test('approvals stay what they are, and their cards and terminals say what stands around a command', async () => {
    await open({ yaml: '' });
    await sandbox('workspace-write', false);
    const running = terminal('rm -rf everything');
    const asked = await bench.approval();
    expect(asked.sandbox).toBe('sandbox: writes only in its folder, no network');
    await bench.request('approvals.decide', { id: asked.id, choice: 'once' });
    await running;
    expect((await bench.request('terminals.list', {})).at(-1)?.sandbox).toBe('sandbox: writes only in its folder, no network');
    expect(await terminal('rm -rf /')).toMatchObject({ status: 'blocked' });
  });

  test('the setting for all counts where a chat has no choice of its own, also when it changes', async () => {
    await open({ yaml: 'approvals: {mode: off}\nterminal: {sandbox: read-only}\n' });
    expect(await bench.request('sandbox.get', { sessionId })).toEqual({ mode: 'read-only', network: true, own: false });
    expect(await terminal('touch x')).toMatchObject({ exit_code: 1 });
    await bench.request('settings.set', { terminalSandbox: 'workspace-write' });
    expect(await terminal('touch x')).toMatchObject({ exit_code: 0 });
  });

  test('a folder that is no project is not opened for writing', async () => {
    await open();
    await bench.request('sessions.setCwd', { sessionId, cwd: '/' });
    await sandbox('workspace-write');
    expect(await terminal('true')).toMatchObject({ exit_code: -1, error: expect.stringContaining('far more than one project') as string });
  });
});

test('where bubblewrap is missing, a wanted sandbox is an error and nothing runs without it', async () => {
  await open({ env: { TERMINAL_SANDBOX: 'read-only', PATH: '/nowhere' } });
  expect((await bench.request('sandbox.get', { sessionId })).problem).toContain('bubblewrap');
  expect(await terminal('echo ran')).toMatchObject({ status: 'disabled', error: expect.stringContaining('bubblewrap') as string });
});
