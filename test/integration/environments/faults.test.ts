/** Every fault at every moment: a right message, nothing that hangs for 10 s, nothing left after the sweep (issue: fault matrix). */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EnvironmentError, type Environment } from '../../../environments/base.ts';
import { createDockerEnvironment, readDockerSettings } from '../../../environments/docker.ts';
import { createLocalEnvironment, LocalMachine } from '../../../environments/local.ts';
import { createSingularityEnvironment, readSingularitySettings } from '../../../environments/singularity.ts';
import { Watched } from '../../conformance/running.ts';
import { haveDockerd, IMAGE, startDockerd, type TestDockerd } from '../../support/dockerd.ts';
import { haveStandIn, openStandIn, type StandIn } from '../../support/singularity.ts';

const MOMENTS = ['create', 'exec', 'output', 'file write', 'cleanup'] as const;
type Moment = (typeof MOMENTS)[number];
/** The bar of the issue. */
const LONGEST_MS = 10_000;
/** A fault test waits for what has to be noticed, one after the other. */
const TEST_MS = 45_000;

async function within<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => { timer = setTimeout(() => reject(new Error(`nothing happened for ${LONGEST_MS / 1_000} s`)), LONGEST_MS); });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** What came of it, in words: the error's message, how a command ended, or that it went well. */
async function meet(moment: Moment, environment: Environment, fault: () => Promise<void>, { endsIt = true }: { readonly endsIt?: boolean } = {}): Promise<string> {
  const words = (error: unknown): string => {
    if (error instanceof EnvironmentError) return `${error.code}: ${error.message}`;
    throw error;
  };
  if (moment === 'create') {
    await fault();
    return within(environment.open()).then(() => 'opened', words);
  }
  await environment.open();
  switch (moment) {
    case 'exec': {
      await fault();
      return within((async () => {
        const running = await environment.start({ command: 'echo fine', cwd: '/', shell: 'command' });
        const end = await new Watched(running).finished;
        return `${end.why}${running.recreated === true ? ', made anew' : ''}: ${end.text.trim()}${end.detail ?? ''}`;
      })().catch(words));
    }
    case 'output': {
      const watched = new Watched(await environment.start({ command: 'echo ready; while :; do echo more; sleep 0.1; done', cwd: '/', shell: 'command' }));
      await watched.saw(/ready/);
      await fault();
      if (!endsIt) await within(watched.process.end({ why: 'abort' }));
      const end = await within(watched.finished);
      expect(end.text).toMatch(/^ready\n/);
      return `${end.why}: ${end.detail ?? ''}`;
    }
    case 'file write': {
      await fault();
      return within(environment.writeFile('/root/written', Buffer.from('x')).then(() => 'written', words));
    }
    case 'cleanup': {
      await fault();
      return within(environment.close().then(() => 'closed', words));
    }
  }
}

/** The whole matrix takes minutes, since silence has to last before it is noticed; without TALARIA_LONG=1 each fault of the Engine meets two moments. */
const SHORT: readonly Moment[] = ['output', 'file write'];
const isLong = process.env['TALARIA_LONG'] === '1';

type Row = readonly [fault: string, moment: Moment, outcome: RegExp];
const rows = (fault: string, outcomes: Readonly<Record<Moment, RegExp>>): Row[] => MOMENTS.map((moment) => [fault, moment, outcomes[moment]]);

describe.skipIf(!await haveDockerd())('docker', () => {
  let dockerd: TestDockerd;
  beforeAll(async () => { dockerd = await startDockerd(); });
  afterAll(() => dockerd.close());

  const values = { TERMINAL_DOCKER_IMAGE: IMAGE, TERMINAL_DOCKER_NETWORK: 'false', TERMINAL_CONTAINER_MEMORY: '256', TERMINAL_DOCKER_PERSIST_ACROSS_PROCESSES: 'false', TERMINAL_CONTAINER_PERSISTENT: 'false' };
  const make = (self: string, more: Readonly<Record<string, string>> = {}) => createDockerEnvironment({
    settings: readDockerSettings((variable) => ({ ...values, ...more })[variable]), task: 'faults', profile: 'faults', sandboxes: join(dockerd.folder, 'sandboxes'), hostCwd: '/', lifetimeMs: 60_000,
    env: { DOCKER_HOST: dockerd.host }, cwd: '', machine: 'here', hosts: { self, isAlive: (name) => name === 'sweeper' },
  });
  const all = () => dockerd.docker.listContainers({ all: true });
  /** The next host of the home finds everything that is left. */
  async function nothingIsLeft(): Promise<void> {
    const sweeper = make('sweeper');
    await sweeper.open();
    expect(await all()).toHaveLength(1);
    await sweeper.close();
    expect(await all()).toEqual([]);
  }

  const faults: Readonly<Record<string, { act(): Promise<void>; undo(): Promise<void> }>> = {
    'Engine killed': { act: () => dockerd.kill(), undo: () => dockerd.start() },
    'Engine silent, as behind a cut network': { act: async () => { dockerd.freeze(); }, undo: async () => { dockerd.thaw(); } },
    'container removed': {
      act: async () => {
        // One of an earlier test may be on its way already.
        for (const { Id } of await all()) await dockerd.docker.getContainer(Id).remove({ force: true }).catch((error: unknown) => { if (!String(error).includes('already in progress')) throw error; });
      },
      undo: () => Promise.resolve(),
    },
  };
  test.each([
    ...rows('Engine killed', {
      create: /^unreachable: the Docker Engine does not answer: /, exec: /^unreachable: the Docker Engine does not answer/, output: /^lost: .*the Docker Engine.*the command may still be running there$/,
      'file write': /^unreachable: the Docker Engine does not answer/, cleanup: /^closed$/,
    }),
    ...rows('Engine silent, as behind a cut network', {
      create: /^unreachable: the Docker Engine does not answer any more$/, exec: /^unreachable: the Docker Engine does not answer any more$/,
      output: /^lost: the Docker Engine does not answer any more; the command may still be running there$/, 'file write': /^unreachable: the Docker Engine does not answer any more$/, cleanup: /^closed$/,
    }),
    ...rows('container removed', {
      create: /^opened$/, exec: /^exit, made anew: fine$/, output: /^lost: the container was removed while the command ran in it$/, 'file write': /^written$/, cleanup: /^closed$/,
    }),
  ].filter(([, moment]) => isLong || SHORT.includes(moment)))('%s during %s', async (fault, moment, outcome) => {
    const environment = make('victim');
    const { act, undo } = faults[fault] ?? expect.unreachable();
    const met = await meet(moment, environment, act).finally(undo);
    expect(met).toMatch(outcome);
    await environment.close();
    await nothingIsLeft();
  }, TEST_MS);

  test('a disk that is full inside: the command says so, a file keeps what it held, and cleaning up works', async () => {
    const environment = make('victim', { TERMINAL_DOCKER_EXTRA_ARGS: '[]' });
    const run = async (command: string) => new Watched(await environment.start({ command, cwd: '/', shell: 'command' })).finished;
    await run('mkdir -p /workspace/small && head -c 60000000 /dev/zero > /run/fill; echo kept > /run/note; head -c 10000000 /dev/zero >> /run/fill; true');
    expect(await run('head -c 5000000 /dev/zero > /run/more')).toMatchObject({ exitCode: 1, text: expect.stringMatching(/No space left|I\/O error/) as string });
    await expect(environment.writeFile('/run/note', Buffer.alloc(5_000_000))).rejects.toMatchObject({ code: 'failed', message: expect.stringMatching(/^\/run\/note: .*(?:no space left on the disk|I\/O error)/i) as string });
    expect(Buffer.from(await environment.readFile('/run/note')).toString()).toBe('kept\n');
    expect((await run('cd /run && echo still usable')).text).toBe('still usable\n');
    await within(environment.close());
    await nothingIsLeft();
  });

  test('a host that is killed leaves a container, and the next host sweeps it', async () => {
    await killHost('docker', { values, env: { DOCKER_HOST: dockerd.host }, sandboxes: join(dockerd.folder, 'sandboxes'), program: '' });
    expect(await all()).toHaveLength(1);
    await nothingIsLeft();
  });
});

describe.skipIf(!await haveStandIn())('singularity', () => {
  let standIn: StandIn;
  beforeAll(async () => { standIn = await openStandIn(); });
  afterAll(() => standIn.close());

  const make = (self: string, more: Readonly<Record<string, string>> = {}, program = standIn.program) => createSingularityEnvironment({
    settings: readSingularitySettings((variable) => ({ TERMINAL_SINGULARITY_IMAGE: standIn.image, TERMINAL_CONTAINER_PERSISTENT: 'false', ...more })[variable]),
    task: 'faults', sandboxes: join(standIn.folder, 'sandboxes'), env: standIn.env, program, cwd: '', hostCwd: '/', hosts: { self, isAlive: (name) => name === 'sweeper' },
  });
  const state = () => join(standIn.folder, 'state');
  const instances = async () => (await readdir(state())).filter((name) => name.endsWith('.pid'));
  async function nothingIsLeft(): Promise<void> {
    const sweeper = make('sweeper');
    await sweeper.open();
    expect(await instances()).toHaveLength(1);
    await sweeper.close();
    expect(await instances()).toEqual([]);
    expect(await readdir(join(standIn.folder, 'sandboxes', 'singularity', 'instances'))).toEqual([]);
  }

  test.each(rows('instance killed', {
    create: /^opened$/, exec: /^exit, made anew: fine$/, output: /^lost: the container was stopped while the command ran in it$/, 'file write': /^written$/, cleanup: /^closed$/,
  }))('%s during %s', async (_fault, moment, outcome) => {
    const environment = make('victim');
    const met = await meet(moment, environment, async () => { for (const name of await instances()) process.kill(Number(await readFile(join(state(), name), 'utf8')), 'SIGKILL'); });
    expect(met).toMatch(outcome);
    await environment.close();
    for (const name of await instances()) await rm(join(state(), name)); // a real apptainer forgets killed instances by itself
    await nothingIsLeft();
  }, TEST_MS);

  test.each(MOMENTS)('the program is taken away during %s', async (moment) => {
    const program = join(standIn.folder, 'apptainer');
    await writeFile(program, await readFile(standIn.program), { mode: 0o755 });
    const environment = make('victim', {}, program);
    const met = await meet(moment, environment, () => rm(program), { endsIt: false });
    expect(met).toMatch(moment === 'output' ? /^abort: it could not be ended \(.*\) and may still be running there$/ : moment === 'cleanup' ? /^(?:closed|failed: the container could not be stopped)/ : /ENOENT|No such file|could not be started/);
    await environment.close().catch(() => undefined); // what could not be stopped is swept below
    await nothingIsLeft();
  }, TEST_MS);

  test('a host that is killed leaves an instance, and the next host sweeps it', async () => {
    await killHost('singularity', { values: { TERMINAL_SINGULARITY_IMAGE: standIn.image, TERMINAL_CONTAINER_PERSISTENT: 'false' }, env: standIn.env, sandboxes: join(standIn.folder, 'sandboxes'), program: standIn.program });
    expect(await instances()).toHaveLength(1);
    await nothingIsLeft();
  });
});

async function killHost(backend: string, given: object): Promise<void> {
  const host = spawn(process.execPath, [join(import.meta.dirname, '../../fixtures/host-that-dies.ts'), backend, JSON.stringify(given)], { stdio: ['ignore', 'pipe', 'inherit'] });
  await new Promise<void>((resolve, reject) => {
    host.stdout.once('data', () => { resolve(); });
    host.once('exit', (code) => { reject(new Error(`the host ended early with code ${String(code)}`)); });
  });
  host.removeAllListeners('exit');
  const gone = new Promise((resolve) => { host.once('exit', resolve); });
  host.kill('SIGKILL');
  await gone;
}

const canMount = process.getuid?.() === 0;

describe.skipIf(!canMount)(`local, on a disk that is full${canMount ? '' : ' (only root can mount a small one)'}`, () => {
  let folder: string;
  let small: string;
  let machine: LocalMachine;
  const full = async () => { await Promise.resolve(); execFileSync('sh', ['-c', 'head -c 10000000 /dev/zero > "$1/fill" 2>/dev/null || true', 'sh', small]); };
  const make = (tmp: string) => {
    machine = new LocalMachine({ env: { PATH: process.env['PATH'], HOME: folder, SHELL: '/bin/bash', TMPDIR: tmp } });
    return createLocalEnvironment(machine, { cwd: folder });
  };
  beforeAll(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'talaria-full-')));
    small = join(folder, 'small');
    await mkdir(small);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=512k', 'tmpfs', small]);
  });
  afterAll(async () => {
    execFileSync('umount', [small]);
    await rm(folder, { recursive: true, force: true });
  });

  test.each([
    ['create', /^opened$/], ['exec', /^exit: fine/], ['output', /^abort: /], ['cleanup', /^closed$/],
  ] as const)('of temporary files, during %s', async (moment, outcome) => {
    await rm(join(small, 'fill'), { force: true });
    const environment = make(small);
    const met = await meet(moment, environment, full, { endsIt: false });
    expect(met).toMatch(outcome);
    await environment.close();
    expect(await within(machine.close())).toEqual([]);
  });

  test('of the files it works on: the old content stays, and the error says why', async () => {
    await rm(join(small, 'fill'), { force: true });
    const environment = make(folder);
    await environment.writeFile(join(small, 'note'), Buffer.from('kept'));
    await full();
    await expect(environment.writeFile(join(small, 'note'), Buffer.alloc(400_000))).rejects.toMatchObject({ message: `${join(small, 'note')}: no space left on the disk` });
    expect(await readFile(join(small, 'note'), 'utf8')).toBe('kept');
    expect((await readdir(small)).sort()).toEqual(['fill', 'note']);
    const end = await new Watched(await environment.start({ command: `head -c 400000 /dev/zero > ${join(small, 'more')}`, cwd: folder, shell: 'command' })).finished;
    expect(end).toMatchObject({ exitCode: 1, text: expect.stringContaining('No space left') as string });
    await environment.close();
    await machine.close();
    expect(existsSync(small)).toBe(true);
  });
});
