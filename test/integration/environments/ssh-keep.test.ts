/** Background programs that outlive the host which started them over ssh. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Environment, RunningProcess } from '../../../environments/base.ts';
import { createSshEnvironment } from '../../../environments/ssh.ts';
import { startCutProxy } from '../../support/cut-proxy.ts';
import { haveSshd, startSshd, type TestSshd } from '../../support/sshd.ts';

describe.skipIf(!await haveSshd())('a background program over ssh', () => {
  let sshd: TestSshd;
  const opened: Environment[] = [];
  beforeAll(async () => {
    sshd = await startSshd();
    await writeFile(join(sshd.folder, 'trusting'), 'StrictHostKeyChecking accept-new\n');
  });
  afterEach(async () => { await Promise.all(opened.splice(0).map((environment) => environment.close())); });
  afterAll(() => sshd.close());

  function make(self: string, alive: boolean, port = sshd.port): Environment {
    const environment = createSshEnvironment({
      settings: { host: '127.0.0.1', user: sshd.user, port, key: sshd.key }, knownHosts: join(sshd.folder, 'none'), configFiles: [join(sshd.folder, 'trusting')], userHome: sshd.folder, cwd: sshd.folder, ask: () => Promise.resolve({ kind: 'nobody' }),
      owner: { home: 'feedbeef', self, isAlive: () => alive },
    });
    opened.push(environment);
    return environment;
  }

  const start = (environment: Environment, command: string) => environment.start({ command, cwd: sshd.folder, shell: 'plain', keepStdin: true, survive: true });

  function collect(running: RunningProcess): { text(): string; until(words: string): Promise<void> } {
    let text = '';
    const wanted: (() => void)[] = [];
    running.onOutput((bytes) => {
      text += Buffer.from(bytes).toString();
      for (const look of wanted) look();
    });
    return {
      text: () => text,
      until: (words) => new Promise((resolve) => {
        const look = (): void => { if (text.includes(words)) resolve(); };
        wanted.push(look);
        look();
      }),
    };
  }

  test('takes input, tells its output and exit code, and leaves no directory', async () => {
    const environment = make('1-a', true);
    const running = await start(environment, 'read -r x; echo "got $x"; cat; exit 7');
    const seen = collect(running);
    running.write('one\n');
    await seen.until('got one');
    running.write('two\n');
    await seen.until('two');
    running.closeStdin();
    expect(await running.ended).toMatchObject({ why: 'exit', exitCode: 7 });
    expect(seen.text()).toBe('got one\ntwo\n');
    await expect.poll(async () => (await readdir(sshd.folder)).filter((name) => name.startsWith('talaria-keep'))).toEqual([]);
  });

  test('goes on without its host, and is followed again by the next one from its first byte', async () => {
    const first = make('1-b', true);
    const running = await start(first, 'echo early; read -r x; echo "then $x"; exit 3');
    await collect(running).until('early');
    const { handle } = running;
    if (handle === undefined) throw new Error('it has no handle');
    await first.close({ keep: true });
    expect(await running.ended).toMatchObject({ why: 'lost' });

    // The next host sweeps what dead ones left, and must leave this alone.
    const second = make('2-b', false);
    await second.open();
    const again = await second.reattach?.(handle);
    if (again === undefined) throw new Error('it was not found again');
    const seen = collect(again);
    await seen.until('early');
    again.write('late\n');
    expect(await again.ended).toMatchObject({ why: 'exit', exitCode: 3 });
    expect(seen.text()).toBe('early\nthen late\n');
    expect(await second.reattach?.(handle)).toBeUndefined();
    expect(await second.reattach?.('{"directory":"/","mark":"x","pid":1}')).toBeUndefined();
  });

  test('that ended while nobody looked still has its output and exit code', async () => {
    const first = make('1-c', true);
    const running = await start(first, 'echo alone; exit 5');
    const { handle = '' } = running;
    await first.close({ keep: true });
    const second = make('2-c', false);
    const again = await second.reattach?.(handle);
    // Either host may have been the one that saw the end; told once it is gone.
    if (again === undefined) expect(await running.ended).toMatchObject({ exitCode: 5 });
    else {
      const seen = collect(again);
      expect(await again.ended).toMatchObject({ why: 'exit', exitCode: 5 });
      expect(seen.text()).toBe('alone\n');
    }
  });

  test.each([['cut', false], ['silent', false], ['cut', true]] as const)('whose network is %s (server killed, too: %s) goes on, and is followed again from the byte that was missing', async (how, kill) => {
    const proxy = await startCutProxy(sshd.port);
    try {
      const environment = make(`1-${how}`, true, proxy.port);
      const running = await start(environment, 'echo early; read -r x; echo "then $x"; seq 1 20000; read -r y; echo "last $y"; exit 3');
      const seen = collect(running);
      await seen.until('early');
      proxy.fail(how);
      if (kill) await sshd.kill();
      await expect.poll(() => running.away?.()).toMatch(/lost.*may still be running there/);
      running.write('typed meanwhile\n');
      if (kill) await sshd.start();
      proxy.heal();
      await seen.until('20000\n');
      expect(running.away?.()).toBeUndefined();
      running.write('word\n');
      expect(await running.ended).toMatchObject({ why: 'exit', exitCode: 3 });
      expect(seen.text()).toBe(`early\nthen typed meanwhile\n${Array.from({ length: 20_000 }, (_, index) => `${index + 1}\n`).join('')}last word\n`);
      await expect.poll(async () => (await readdir(sshd.folder)).filter((name) => name.startsWith('talaria-keep'))).toEqual([]);
    } finally {
      await proxy.close();
    }
  });

  test('that ends while the connection is lost has its output and exit code once it is back', async () => {
    const proxy = await startCutProxy(sshd.port);
    try {
      const running = await start(make('1-ends', true, proxy.port), 'echo early; sleep 0.5; echo alone; exit 6');
      const seen = collect(running);
      await seen.until('early');
      proxy.fail('cut');
      const kept = (await readdir(sshd.folder)).find((name) => name.startsWith('talaria-keep')) ?? '';
      await expect.poll(() => readFile(join(sshd.folder, kept, 'exit'), 'utf8').catch(() => '')).toBe('6\n');
      proxy.heal();
      expect(await running.ended).toMatchObject({ why: 'exit', exitCode: 6 });
      expect(seen.text()).toBe('early\nalone\n');
    } finally {
      await proxy.close();
    }
  });

  test('is ended at once when its environment closes while it is out of reach, as soon as that can be', async () => {
    const proxy = await startCutProxy(sshd.port);
    try {
      const environment = make('1-closes', true, proxy.port);
      const running = await start(environment, 'echo early; exec sleep 32.5');
      await collect(running).until('early');
      proxy.fail('cut');
      await expect.poll(() => running.away?.()).toBeDefined();
      proxy.heal();
      await environment.close();
      await running.ended;
      const left = await Promise.all((await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map((pid) => readFile(join('/proc', pid, 'cmdline'), 'utf8').catch(() => '')));
      expect(left.filter((line) => line === 'sleep\x0032.5\0')).toEqual([]);
    } finally {
      await proxy.close();
    }
  });

  test('is interrupted by a signal, and ended with all its children', async () => {
    const environment = make('1-d', true);
    const polite = await start(environment, 'trap "echo caught; exit 9" INT; echo ready; while :; do sleep 0.1; done');
    const seen = collect(polite);
    await seen.until('ready');
    polite.signal('SIGINT');
    expect(await polite.ended).toMatchObject({ exitCode: 9 });
    const tree = await start(environment, '(setsid sleep 31.5 &); trap "" TERM; echo ready; sleep 31.5; sleep 31.5');
    await collect(tree).until('ready');
    expect(await tree.end({ why: 'abort', graceMs: 300 })).toEqual([]);
    expect(await tree.ended).toMatchObject({ why: 'abort' });
    const left = await Promise.all((await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map((pid) => readFile(join('/proc', pid, 'cmdline'), 'utf8').catch(() => '')));
    expect(left.filter((line) => line.startsWith('sleep\0') && line.includes('31.5'))).toEqual([]);
  });

  test('a flood arrives whole', async () => {
    const running = await start(make('1-e', true), 'seq 1 200000');
    const seen = collect(running);
    expect(await running.ended).toMatchObject({ exitCode: 0 });
    expect(seen.text().length).toBe(1_288_895);
    expect(seen.text().endsWith('199999\n200000\n')).toBe(true);
  });
});
