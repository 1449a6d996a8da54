/** Every fault of an instance at every moment: a right message, nothing that hangs for 10 s, nothing left after the sweep (issue 5: fault matrix). */
import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createSingularityEnvironment, readSingularitySettings } from '../../../environments/singularity.ts';
import { describeFullDisk } from '../../support/faults/full-disk.ts';
import { killHost } from '../../support/faults/killed-host.ts';
import { FAULT_TEST_MS, meet, MOMENTS, rows, SWEEP_MS, within } from '../../support/faults/moments.ts';
import { haveStandIn, openStandIn, type StandIn } from '../../support/singularity.ts';
import { mountSmallDisk } from '../../support/small-disk.ts';

describe.skipIf(!await haveStandIn())('singularity', () => {
  let standIn: StandIn;
  beforeAll(async () => { standIn = await openStandIn(); });
  afterAll(() => standIn.close());

  const values = () => ({ TERMINAL_SINGULARITY_IMAGE: standIn.image, TERMINAL_CONTAINER_PERSISTENT: 'false' });
  const make = (self: string, more: Readonly<Record<string, string>> = {}, program = standIn.program) => createSingularityEnvironment({
    settings: readSingularitySettings((variable) => ({ ...values(), ...more } as Readonly<Record<string, string>>)[variable]),
    task: 'faults', sandboxes: join(standIn.folder, 'sandboxes'), env: standIn.env, program, cwd: '', hostCwd: '/', hosts: { self, isAlive: (name) => name !== 'victim' && !name.startsWith('killed-') },
  });
  const state = () => join(standIn.folder, 'state');
  const instances = async () => (await readdir(state())).filter((name) => name.endsWith('.pid'));
  const noted = () => readdir(join(standIn.folder, 'sandboxes', 'singularity', 'instances')).catch(() => []); // none was ever noted
  async function nothingIsLeft(): Promise<void> {
    const sweeper = make('sweeper');
    await within(sweeper.open(), SWEEP_MS);
    expect(await instances()).toHaveLength(1);
    await within(sweeper.close());
    expect(await instances()).toEqual([]);
    expect(await noted()).toEqual([]);
  }

  test.each(rows('instance killed', {
    create: /^opened$/, exec: /^exit, made anew: fine$/, output: /^lost: the container was stopped while the command ran in it$/, 'file write': /^written$/, cleanup: /^closed$/,
  }))('%s during %s', async (_fault, moment, outcome) => {
    const environment = make('victim');
    onTestFinished(() => environment.close());
    const met = await meet(moment, environment, async () => { for (const name of await instances()) process.kill(Number(await readFile(join(state(), name), 'utf8')), 'SIGKILL'); });
    expect(met).toMatch(outcome);
    await within(environment.close());
    for (const name of await instances()) await rm(join(state(), name)); // a real apptainer forgets killed instances by itself
    await nothingIsLeft();
  }, FAULT_TEST_MS);

  test.each(MOMENTS)('the program is taken away during %s', async (moment) => {
    const program = join(standIn.folder, 'apptainer');
    await writeFile(program, await readFile(standIn.program), { mode: 0o755 });
    const environment = make('victim', {}, program);
    onTestFinished(() => environment.close().catch(() => undefined)); // what could not be stopped was swept
    const met = await meet(moment, environment, () => rm(program), { endsIt: false });
    expect(met).toMatch(moment === 'output' ? /^abort: it could not be ended \(.*\) and may still be running there$/ : moment === 'cleanup' ? /^(?:closed|failed: the container could not be stopped)/ : /ENOENT|No such file|could not be started/);
    await within(environment.close().catch(() => undefined)); // what could not be stopped is swept below
    await nothingIsLeft();
  }, FAULT_TEST_MS);

  test('hosts that are killed at any moment leave instances, and the next host sweeps them', async () => {
    const notes = join(standIn.folder, 'sandboxes', 'singularity', 'instances');
    const begun = async (task: string) => {
      const names = await Promise.all((await noted()).map(async (name) => [name, await readFile(join(notes, name), 'utf8').catch(() => '')] as const)); // it has just been forgotten
      const started = await readdir(state());
      return names.some(([name, self]) => self === task && started.includes(`${name}.root`));
    };
    await Promise.all(MOMENTS.map((moment) => killHost({
      backend: 'singularity', moment, given: { values: values(), task: `killed-${moment}`, env: standIn.env, sandboxes: join(standIn.folder, 'sandboxes'), program: standIn.program },
      ...(moment === 'create' ? { until: async () => { await expect.poll(() => begun('killed-create'), { interval: 5 }).toBe(true); } } : {}),
    })));
    // The program that starts an instance does not die with the host. The one that was closing may have none any more.
    await expect.poll(async () => (await instances()).length).toBeGreaterThanOrEqual(MOMENTS.length - 1);
    await nothingIsLeft();
  }, FAULT_TEST_MS);

  test('an instance that comes up after a sweep that did not find it is stopped by the next one; one that never came is forgotten in time', async () => {
    const notes = join(standIn.folder, 'sandboxes', 'singularity', 'instances');
    await mkdir(notes, { recursive: true });
    const [late, never] = ['hermes_0123456789ab', 'hermes_ba9876543210'];
    for (const name of [late, never]) await writeFile(join(notes, name), 'killed-earlier');
    const first = make('sweeper');
    await first.open();
    expect(await noted()).toEqual(expect.arrayContaining([late, never]));
    execFileSync(standIn.program, ['instance', 'start', '--containall', '--no-home', '--writable-tmpfs', standIn.image, late], { env: standIn.env, stdio: 'ignore' });
    await utimes(join(notes, never), 0, 0);
    await first.close();
    await nothingIsLeft();
  });

  describeFullDisk(async () => {
    const disk = await mountSmallDisk(256);
    return {
      make: () => make('full', { TERMINAL_SINGULARITY_BINDS: JSON.stringify([`${disk.folder}:/tmp`]) }),
      close: async () => {
        expect(await instances()).toEqual([]);
        await disk.remove();
      },
    };
  });
});
