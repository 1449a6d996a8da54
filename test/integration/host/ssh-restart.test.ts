/** A host that is killed while background commands run over ssh: the next one follows them again, or says honestly that they are lost. */
import { spawn } from 'node:child_process';
import { mkdtemp, mkdir, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createHost, type Host } from '../../../main/host.ts';
import type { Shell } from '../../../main/ports.ts';
import type { SessionId, TerminalId } from '../../../preload/contract/index.ts';
import { haveSshd, startSshd, type TestSshd } from '../../support/sshd.ts';

const SHELL: Shell = { name: 'test', openExternal: () => Promise.resolve(), notify: () => undefined, secrets: { get: () => Promise.resolve(undefined), set: () => Promise.resolve(), warning: undefined } };
const HOST = new URL('../../../main/host.ts', import.meta.url).pathname;

describe.skipIf(!await haveSshd())('after a host was killed', () => {
  let sshd: TestSshd;
  let root: string;
  let host: Host | undefined;
  beforeAll(async () => { sshd = await startSshd(); });
  afterAll(() => sshd.close());
  beforeEach(async () => {
    root = await realpath(await mkdtemp(join(tmpdir(), 'talaria-ssh-restart-')));
    await mkdir(join(root, '.ssh'));
    await writeFile(join(root, '.ssh', 'config'), `Host *\n  UserKnownHostsFile ${sshd.knownHosts}\n`);
  });
  afterEach(async () => {
    await host?.close();
    host = undefined;
    await rm(root, { recursive: true, force: true });
  });

  const env = () => ({
    PATH: process.env['PATH'] ?? '', HOME: root, TERMINAL_ENV: 'ssh', TERMINAL_SSH_HOST: '127.0.0.1', TERMINAL_SSH_USER: sshd.user, TERMINAL_SSH_PORT: String(sshd.port), TERMINAL_SSH_KEY: sshd.key, TERMINAL_CWD: sshd.folder,
  });

  /** Starts the commands in a host of its own, waits until each has said "ready", and kills it. Resolves with their ids. */
  async function killedHost(commands: readonly string[], more: { readonly pty?: boolean } = {}): Promise<string[]> {
    const source = `
      import { existsSync, readFileSync } from 'node:fs';
      import { createHost } from ${JSON.stringify(HOST)};
      const list = ${JSON.stringify(join(root, 'home', 'processes.json'))};
      const secrets = { get: async () => undefined, set: async () => {}, warning: undefined };
      const host = await createHost({ shell: { name: 'test', openExternal: async () => {}, notify: () => {}, secrets }, home: ${JSON.stringify(join(root, 'home'))}, cwd: ${JSON.stringify(root)}, env: ${JSON.stringify(env())} });
      const session = await host.openSession('chat');
      const call = async (name, args) => JSON.parse((await host.callTool(name, args, { sessionId: session.id, signal: AbortSignal.timeout(20000) })).fullText);
      const ids = [];
      for (const command of ${JSON.stringify(commands)}) {
        const started = await call('terminal', { command, background: true, notify_on_complete: true, ...${JSON.stringify(more)} });
        ids.push(started.session_id);
        for (;;) {
          const { output } = await call('process', { action: 'log', session_id: started.session_id });
          // A host that dies within milliseconds of a start has not written it down yet.
          if (String(output).includes('ready') && existsSync(list) && readFileSync(list, 'utf8').includes(started.session_id)) break;
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      }
      // Output is on disk a moment after it came (20 ms).
      await new Promise((resolve) => setTimeout(resolve, 200));
      console.log(JSON.stringify(ids));
      setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', source], { stdio: ['ignore', 'pipe', 'inherit'], cwd: root });
    try {
      return await new Promise<string[]>((resolve, reject) => {
        let text = '';
        child.stdout.on('data', (chunk: Buffer) => {
          text += chunk.toString();
          if (text.includes('\n')) resolve(JSON.parse(text) as string[]); // written by the script above
        });
        child.once('exit', () => reject(new Error(`the host ended early: ${text}`)));
      });
    } finally {
      const gone = new Promise((resolve) => { child.once('exit', resolve); });
      child.kill('SIGKILL');
      await gone;
    }
  }

  async function open(): Promise<{ call(name: string, args: object): Promise<Record<string, unknown>>; state(id: string): string; session: SessionId }> {
    const opened = await createHost({ shell: SHELL, home: join(root, 'home'), cwd: root, env: env() });
    host = opened;
    const session = (await opened.openSession('chat')).id;
    return {
      session, state: (id) => { const row = opened.terminals.get(id as TerminalId); return `${row?.state ?? 'none'} ${row?.ended ?? ''}`.trim(); }, // ids of terminals, as the tool told them
      call: async (name, args) => JSON.parse((await opened.callTool(name, args, { sessionId: session, signal: AbortSignal.timeout(20_000) })).fullText) as Record<string, unknown>, // tools answer with JSON objects
    };
  }

  test('background commands are there again: all output, input, exit code and the notice of their end', async () => {
    const [answering = '', counting = ''] = await killedHost(['echo ready; read -r x; echo "got $x"; exit 4', 'echo ready; sleep 3; echo counted']);
    const { call, state, session } = await open();
    await expect.poll(() => call('process', { action: 'poll', session_id: answering }), { timeout: 15_000, interval: 100 }).toMatchObject({ status: 'running' });
    expect(state(answering)).toBe('running');
    await expect.poll(() => call('process', { action: 'submit', session_id: answering, data: 'word' }), { timeout: 15_000, interval: 200 }).toMatchObject({ status: 'ok' });
    expect(await call('process', { action: 'wait', session_id: answering, timeout: 15 })).toMatchObject({ status: 'exited', exit_code: 4, output: expect.stringMatching(/^ready\ngot word/) as unknown });
    expect(await call('process', { action: 'wait', session_id: counting, timeout: 15 })).toMatchObject({ status: 'exited', exit_code: 0, output: expect.stringContaining('counted') as unknown });
    expect(host?.terminals.list().map(({ id }) => id).sort()).toEqual([answering, counting].sort());
    expect(host?.terminals.drainNotices(session)).toEqual([]);
  });

  test('a background command whose connection breaks says so, and goes on when the server is back', async () => {
    const { call } = await open();
    const { session_id: id } = await call('terminal', { command: 'echo ready; read -r x; echo "got $x"; exit 5', background: true });
    await expect.poll(() => call('process', { action: 'log', session_id: id })).toMatchObject({ output: 'ready' });
    await sshd.kill();
    try {
      await expect.poll(() => call('process', { action: 'poll', session_id: id })).toMatchObject({ status: 'running', note: expect.stringMatching(/was lost.*looked for again/) as unknown });
    } finally {
      await sshd.start();
    }
    expect(await call('process', { action: 'submit', session_id: id, data: 'word' })).toMatchObject({ status: 'ok' });
    expect(await call('process', { action: 'wait', session_id: id, timeout: 18 })).toMatchObject({ status: 'exited', exit_code: 5, output: 'ready\ngot word\n' });
  });

  test('a background command with a terminal ends with its host: it is told as lost, with what was captured, and nothing of it is left there', async () => {
    const [id = ''] = await killedHost(['echo ready; exec sleep 33.5'], { pty: true });
    const { call, state } = await open();
    await expect.poll(() => state(id)).toMatch(/^lost lost when the app ended/);
    await expect.poll(async () => (await host?.terminals.text(id as TerminalId))?.text).toContain('ready'); // an id of ours
    expect(await call('terminal', { command: 'ps -A -o args= | grep -c "^sleep 33.5$"' })).toMatchObject({ output: '0' });
  });

  test('a server that is gone meanwhile: lost, in words, with what was captured', async () => {
    const [id = ''] = await killedHost(['echo ready; exec sleep 30']);
    await sshd.kill();
    try {
      const { state } = await open();
      await expect.poll(() => state(id), { timeout: 20_000 }).toMatch(/^lost lost when the app ended; it may still be running there \(no connection to/);
      await expect.poll(async () => (await host?.terminals.text(id as TerminalId))?.text, { timeout: 10_000 }).toContain('ready'); // an id of ours
    } finally {
      await sshd.start();
    }
  });
});
