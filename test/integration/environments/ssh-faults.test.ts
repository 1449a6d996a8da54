/** What may break under an ssh environment, at each of its deeds: the right words, nothing hung, nothing left behind. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Environment, ProcessEnd, RunningProcess } from '../../../environments/base.ts';
import { createSshEnvironment, type SshOptions } from '../../../environments/ssh.ts';
import { startCutProxy, type CutProxy } from '../../support/cut-proxy.ts';
import { killHost } from '../../support/faults/killed-host.ts';
import { FAULT_TEST_MS, MOMENTS } from '../../support/faults/moments.ts';
import { canMount, mountSmallDisk, type SmallDisk } from '../../support/small-disk.ts';
import { haveSshd, startSshd, type TestSshd } from '../../support/sshd.ts';

/** The bar: nothing hangs for longer. */
const HUNG_MS = 10_000;
const NOBODY = () => Promise.resolve({ kind: 'nobody' as const });
const OLD = 'as it was\n';

interface Place { readonly sshd: TestSshd; readonly proxy: CutProxy; readonly environment: Environment }
interface Fault { readonly name: string; strike(place: Place): Promise<void>; mend(place: Place): Promise<void>; readonly words: RegExp }

const FAULTS: readonly Fault[] = [
  { name: 'the server is killed', strike: ({ sshd }) => sshd.kill(), mend: ({ sshd }) => sshd.start(), words: /lost|no connection/ },
  { name: 'the network is cut', strike: async ({ proxy }) => { proxy.fail('cut'); await Promise.resolve(); }, mend: async ({ proxy }) => { proxy.heal(); await Promise.resolve(); }, words: /lost|no connection/ },
  { name: 'the network is half-open', strike: async ({ proxy }) => { proxy.fail('silent'); await Promise.resolve(); }, mend: async ({ proxy }) => { proxy.heal(); await Promise.resolve(); }, words: /lost|no answer|did not answer/ },
];

function make(sshd: TestSshd, port: number, more: Partial<SshOptions> = {}): Environment {
  return createSshEnvironment({
    settings: { host: '127.0.0.1', user: sshd.user, port, key: sshd.key }, knownHosts: join(sshd.folder, 'none'), configFiles: [join(sshd.folder, 'trusting')], userHome: sshd.folder, cwd: sshd.folder, ask: NOBODY, ...more,
  });
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  const began = performance.now();
  try {
    return await work;
  } finally {
    expect(performance.now() - began).toBeLessThan(HUNG_MS);
  }
}

async function withPlace(work: (place: Place) => Promise<void>): Promise<void> {
  const sshd = await startSshd();
  const proxy = await startCutProxy(sshd.port);
  await writeFile(join(sshd.folder, 'trusting'), 'StrictHostKeyChecking accept-new\n');
  const environment = make(sshd, proxy.port);
  try {
    await work({ sshd, proxy, environment });
  } finally {
    await environment.close();
    await proxy.close();
    await sshd.close();
  }
}

function firstOutput(running: RunningProcess): Promise<void> {
  return new Promise((resolve) => { running.onOutput(() => resolve()); });
}

/** Programs of this test that still run there, by the word in their command line. */
async function stillRunning(word: string): Promise<string[]> {
  const found: string[] = [];
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => ''); // it has ended meanwhile
    if (line.split('\0')[0] === 'sleep' && line.includes(word)) found.push(pid);
  }
  return found;
}

async function listProcesses(): Promise<{ readonly pid: string; readonly environment: readonly string[] }[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  return Promise.all(pids.map(async (pid) => ({ pid, environment: (await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '')).split('\0') }))); // it has ended meanwhile
}

describe.skipIf(!await haveSshd())('ssh, when', () => {
  describe.each(FAULTS)('$name', { concurrent: true }, ({ strike, mend, words }) => {
    test('before anything was opened: it is told, and works once it is mended', async () => {
      await withPlace(async (place) => {
        await strike(place);
        await inTime(expect(place.environment.open()).rejects.toMatchObject({ code: 'unreachable', message: expect.stringMatching(words) as unknown, hint: expect.any(String) as unknown }));
        await mend(place);
        await place.environment.open();
      });
    });

    test('before a command is started: it is told in time, or runs over a new connection once it is mended', async () => {
      await withPlace(async (place) => {
        await place.environment.open();
        await strike(place);
        await inTime(expect(place.environment.start({ command: 'echo fine', cwd: '/', shell: 'command' })).rejects.toMatchObject({ code: 'unreachable', message: expect.stringMatching(words) as unknown }));
        await mend(place);
        const { output } = await place.environment.exec({ command: 'echo fine', timeoutMs: 9_000, maxBytes: 100 });
        expect(Buffer.from(output).toString()).toBe('fine\n');
      });
    });

    test('while a silent command runs: it is told as lost, and ended there once it can be', async () => {
      await withPlace(async (place) => {
        const word = `8${String(Math.round(performance.now() * 1_000) % 1_000_000)}`;
        const running = await place.environment.start({ command: `echo begun; exec sleep ${word}`, cwd: '/', shell: 'command' });
        await firstOutput(running);
        await strike(place);
        expect(await inTime(running.ended)).toMatchObject({ why: 'lost', exitCode: null, detail: expect.stringContaining('may still be running there') as unknown } satisfies Partial<Record<keyof ProcessEnd, unknown>>);
        await mend(place);
        await place.environment.exec({ command: 'true', timeoutMs: 9_000, maxBytes: 100 });
        await inTime(place.environment.close());
        expect(await stillRunning(word)).toEqual([]);
      });
    });

    test('in the middle of output: what arrived is kept', async () => {
      await withPlace(async (place) => {
        let bytes = 0;
        const running = await place.environment.start({ command: 'head -c 3000 /dev/zero; echo; while sleep 0.01; do echo more; done', cwd: '/', shell: 'command' });
        await new Promise<void>((resolve) => { running.onOutput((chunk) => { bytes += chunk.length; if (bytes > 3_000) resolve(); }); });
        await strike(place);
        expect(await inTime(running.ended)).toMatchObject({ why: 'lost' });
        expect(bytes).toBeGreaterThan(3_000);
        await mend(place);
      });
    });

    test('while a file is written: the old one stays whole, and the next write works', async ({ expect }) => {
      await withPlace(async (place) => {
        const path = join(place.sshd.folder, 'kept.txt');
        await place.environment.writeFile(path, Buffer.from(OLD));
        const writing = place.environment.writeFile(path, Buffer.alloc(24_000_000, 'x'));
        writing.catch(() => undefined); // looked at below
        await expect.poll(async () => (await readdir(place.sshd.folder)).some((name) => name.startsWith('.talaria-')), { interval: 1 }).toBe(true);
        await strike(place);
        await inTime(expect(writing).rejects.toMatchObject({ code: 'unreachable', message: expect.stringMatching(words) as unknown }));
        expect(await readFile(path, 'utf8')).toBe(OLD);
        await mend(place);
        await place.environment.writeFile(path, Buffer.from('new\n'));
        expect(await readFile(path, 'utf8')).toBe('new\n');
        await expect.poll(async () => (await readdir(place.sshd.folder)).filter((name) => name.startsWith('.talaria-'))).toEqual([]);
      });
    });

    test('before it is closed: closing ends in time', async () => {
      await withPlace(async (place) => {
        await place.environment.start({ command: 'exec sleep 30', cwd: '/', shell: 'command' });
        await strike(place);
        await inTime(place.environment.close());
      });
    });
  });
});

describe.skipIf(!await haveSshd() || !await canMount())('ssh, when the disk there is full', () => {
  let disk: SmallDisk;
  let sshd: TestSshd;
  beforeAll(async () => {
    disk = await mountSmallDisk(256);
    sshd = await startSshd({ config: [`SetEnv HOME=${disk.folder} TMPDIR=${disk.folder}`] });
    await writeFile(join(sshd.folder, 'trusting'), 'StrictHostKeyChecking accept-new\n');
  });
  afterAll(async () => {
    await sshd.close();
    await disk.remove();
  });

  const fill = async (environment: Environment): Promise<void> => { await environment.exec({ command: `head -c 300000 /dev/zero >'${disk.folder}/filler' 2>/dev/null`, timeoutMs: 9_000, maxBytes: 100 }); };

  test('a file that does not fit is told so, the old one stays, nothing half is left', async () => {
    const environment = make(sshd, sshd.port);
    const path = join(disk.folder, 'kept.txt');
    await environment.open();
    await environment.writeFile(path, Buffer.from(OLD));
    await inTime(expect(environment.writeFile(path, Buffer.alloc(2_000_000, 'x'))).rejects.toMatchObject({ code: 'failed', message: `${path}: no space left on the disk` }));
    expect(await readFile(path, 'utf8')).toBe(OLD);
    expect((await readdir(disk.folder)).filter((name) => name.startsWith('.talaria-'))).toEqual([]);
    await environment.close();
  });

  test('commands still run and say their own words, closing still tidies up', async () => {
    const environment = make(sshd, sshd.port);
    await environment.open();
    await fill(environment);
    const end = await inTime(environment.exec({ command: `echo hello; echo x >'${disk.folder}/more'`, timeoutMs: 9_000, maxBytes: 10_000 }));
    expect(Buffer.from(end.output).toString()).toMatch(/^hello\n[^]*No space left on device/);
    await inTime(environment.close());
    expect((await readdir(disk.folder)).filter((name) => name.startsWith('talaria-'))).toEqual([]);
  });

  test('an environment that has no room for its own state says what it needs', async () => {
    await writeFile(join(disk.folder, 'filler'), Buffer.alloc(300_000)).catch((error: unknown) => { if (!String(error).includes('ENOSPC')) throw error; });
    const environment = make(sshd, sshd.port);
    await inTime(expect(environment.open()).rejects.toMatchObject({ code: 'failed', message: expect.stringMatching(/No space left|could not be prepared/) as unknown, hint: expect.stringContaining('temporary directory') as unknown }));
    await environment.close();
  });
});

describe.skipIf(!await haveSshd())('ssh, when the host process is killed', () => {
  test('whatever it was doing, the next host of the home ends what it left running, and takes its directories away', async () => {
    const sshd = await startSshd();
    const left = async () => (await readdir(sshd.folder)).filter((name) => name.startsWith('talaria-'));
    const sessions = async () => (await listProcesses()).filter(({ environment }) => environment.includes(`HOME=${sshd.folder}`) && environment.some((entry) => entry.startsWith('TALARIA_MARK=')));
    try {
      await writeFile(join(sshd.folder, 'kept'), OLD);
      await Promise.all(MOMENTS.map((moment) => killHost({
        backend: 'ssh', moment, given: { task: `killed-${moment.replace(' ', '-')}`, values: {}, ssh: { port: sshd.port, user: sshd.user, key: sshd.key, knownHosts: sshd.knownHosts, folder: sshd.folder, owner: 'abc123' } },
        ...(moment === 'create' ? { until: async () => { await expect.poll(left, { interval: 5 }).not.toEqual([]); } } : {}),
      })));
      expect((await sessions()).length).toBeGreaterThan(MOMENTS.length - 2);
      const owner = { home: 'abc123', self: 'next', isAlive: () => false };
      const next = make(sshd, sshd.port, { knownHosts: sshd.knownHosts, owner });
      await inTime(next.open());
      expect(await left()).toHaveLength(1);
      await expect.poll(sessions).toEqual([]);
      expect((await readFile(join(sshd.folder, 'kept'))).length).toBeOneOf([OLD.length, 40_000_000]);
      await inTime(next.close());
      expect(await left()).toEqual([]);
    } finally {
      await sshd.close();
    }
  }, FAULT_TEST_MS);

  test('what a living host of the home runs is left alone', async () => {
    const sshd = await startSshd();
    const word = '987653';
    const owner = { home: 'abc124', isAlive: (self: string) => self === '1-alive' };
    const first = make(sshd, sshd.port, { knownHosts: sshd.knownHosts, owner: { ...owner, self: '1-alive' } });
    const second = make(sshd, sshd.port, { knownHosts: sshd.knownHosts, owner: { ...owner, self: '2-alive' } });
    try {
      await first.open();
      await first.start({ command: `exec sleep ${word}`, cwd: '/', shell: 'command' });
      await expect.poll(() => stillRunning(word)).toHaveLength(1);
      await second.open();
      expect(await stillRunning(word)).toHaveLength(1);
    } finally {
      await first.close();
      await second.close();
      await sshd.close();
    }
  });
});
