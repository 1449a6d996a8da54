/** A chat with a backend of its own: where its commands run, what its sub-agents share, and what the others keep. */
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Session } from '../../../preload/contract/index.ts';
import { haveStandIn, openStandIn, type StandIn } from '../../support/singularity.ts';
import { openHostBench, type HostBench } from '../../support/test-host.ts';

const ready = await haveStandIn();

describe.skipIf(!ready)(`a chat that chose its backend${ready ? '' : ' (namespaces or busybox are not to be had here)'}`, () => {
  let standIn: StandIn;
  let bench: HostBench;
  beforeAll(async () => {
    standIn = await openStandIn();
    await mkdir(join(standIn.folder, 'bin'));
    await symlink(standIn.program, join(standIn.folder, 'bin', 'apptainer'));
  });
  afterAll(() => standIn.close());
  afterEach(() => bench.close());

  const open = async (options: { readonly yaml?: string; readonly env?: Record<string, string>; readonly script?: Parameters<typeof openHostBench>[0] } = {}): Promise<void> => {
    bench = await openHostBench({
      ...options.script, yaml: `terminal:\n  singularity_image: ${standIn.image}\n  container_persistent: false\n${options.yaml ?? ''}`,
      env: { PATH: `${join(standIn.folder, 'bin')}:${process.env['PATH'] ?? ''}`, TALARIA_STAND_IN: standIn.env['TALARIA_STAND_IN'] ?? '', ...options.env },
    });
  };
  async function run(session: Session, command: string): Promise<Record<string, unknown>> {
    const outcome = await bench.host.callTool('terminal', { command }, { sessionId: session.id, signal: AbortSignal.timeout(25_000) });
    return JSON.parse(outcome.fullText) as Record<string, unknown>; // the tool answers with an object
  }
  const now = async (session: Session): Promise<Session | undefined> => (await bench.request('sessions.list', {})).find(({ id }) => id === session.id);

  test('runs there from its next command on, alone, also after a restart, and goes back when it follows the setting again', async () => {
    await open();
    const moved = await bench.session();
    const stays = await bench.session();
    expect(await run(moved, 'pwd')).toMatchObject({ output: bench.folder });
    expect(await bench.request('sessions.setBackend', { sessionId: moved.id, backend: 'singularity' })).toMatchObject({ backend: 'singularity', cwd: '' });
    expect(await run(moved, 'touch /only-here; ls -d /only-here')).toMatchObject({ output: '/only-here', exit_code: 0 });
    expect(await run(stays, 'ls /only-here')).toMatchObject({ exit_code: 2 });
    await bench.restart();
    expect(await now(moved)).toMatchObject({ backend: 'singularity' });
    expect(await run(moved, 'test -e /etc/debian_version || echo elsewhere')).toMatchObject({ output: 'elsewhere' });
    expect(await bench.request('sessions.setBackend', { sessionId: moved.id, backend: null })).toMatchObject({ backend: 'local', cwd: bench.folder });
    expect(await run(moved, 'pwd')).toMatchObject({ output: bench.folder });
  });

  test('an approval says where it would run', async () => {
    await open();
    const chat = await bench.session();
    await bench.request('sessions.setBackend', { sessionId: chat.id, backend: 'singularity' });
    const other = await bench.session();
    const running = run(other, 'rm -rf /srv/x');
    const asked = await bench.approval();
    expect(asked).toMatchObject({ backend: 'local' });
    await bench.request('approvals.decide', { id: asked.id, choice: 'deny' });
    expect(await running).toMatchObject({ exit_code: -1 });
    expect(await run(chat, 'rm -rf /srv/x')).toMatchObject({ exit_code: 0 });
  });

  test('a sub-agent works in the same place as the chat that sends it', async () => {
    await open({ script: { script: ({ body }) => {
      const last = JSON.stringify(body.messages.at(-1));
      if (last.includes('send somebody')) return { calls: [{ name: 'delegate_task', arguments: { goal: 'look for the mark' } }] };
      if (last.includes('look for the mark')) return { calls: [{ name: 'terminal', arguments: { command: 'cat /mark' } }] };
      return { text: `It says: ${last.includes('left by the parent') ? 'left by the parent' : 'nothing'}` };
    } } });
    const chat = await bench.session();
    await bench.request('sessions.setBackend', { sessionId: chat.id, backend: 'singularity' });
    await run(chat, 'echo left by the parent > /mark');
    await bench.say(chat.id, 'send somebody');
    expect(await bench.answer(chat.id)).toBe('It says: left by the parent');
    const child = (await bench.request('sessions.list', {})).find(({ origin }) => origin === 'delegate');
    expect(child ?? chat).toMatchObject({ backend: 'singularity' });
  });

  test('the others follow the setting when it changes, and a name nobody knows is refused with those that are', async () => {
    await open();
    const follows = await bench.session();
    const chose = await bench.session();
    await bench.request('sessions.setBackend', { sessionId: chose.id, backend: 'singularity' });
    await expect(bench.request('sessions.setBackend', { sessionId: chose.id, backend: 'dcoker' })).rejects.toMatchObject({ code: 'request/invalid', hint: expect.stringContaining('docker') as string });
    await bench.request('settings.set', { terminalBackend: 'singularity' });
    await expect.poll(() => now(follows)).toMatchObject({ backend: 'singularity' });
    await bench.request('settings.set', { terminalBackend: 'local' });
    await expect.poll(() => now(follows)).toMatchObject({ backend: 'local' });
    expect(await now(chose)).toMatchObject({ backend: 'singularity' });
  });

  test('a chat that leaves a backend which does not answer has its tools again', async () => {
    await open({ yaml: '  backend: docker\n', env: { DOCKER_HOST: 'unix:///nowhere/docker.sock' } });
    const chat = await bench.session();
    const terminal = async () => (await bench.request('toolsets.list', { sessionId: chat.id })).find(({ name }) => name === 'terminal');
    expect(await terminal()).toMatchObject({ available: false, reason: { message: expect.stringContaining('/nowhere/docker.sock') as string } });
    await bench.request('sessions.setBackend', { sessionId: chat.id, backend: 'local' });
    expect(await terminal()).toMatchObject({ available: true });
    expect(await run(chat, 'echo back')).toMatchObject({ output: 'back', exit_code: 0 });
  });

  test('the setting is refused, and nothing written, where the environment decides', async () => {
    await open({ env: { TERMINAL_ENV: 'local' } });
    await expect(bench.request('settings.set', { terminalBackend: 'docker' })).rejects.toMatchObject({ code: 'request/not-possible', message: expect.stringContaining('TERMINAL_ENV') as string });
    expect((await bench.request('settings.get', {})).terminal.backend).toBe('local');
  });
});
