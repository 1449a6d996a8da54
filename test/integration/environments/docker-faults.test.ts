/** Every fault of an Engine at every moment: a right message, nothing that hangs for 10 s, nothing left after the sweep (issue 5: fault matrix). */
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createDockerEnvironment, readDockerSettings, type DockerOptions } from '../../../environments/docker.ts';
import { ENGINE_TIMING } from '../../../environments/docker/watch.ts';
import { startCutProxy, type CutProxy } from '../../support/cut-proxy.ts';
import { haveDockerd, IMAGE, startDockerd, type TestDockerd } from '../../support/dockerd.ts';
import { describeFullDisk } from '../../support/faults/full-disk.ts';
import { killHost } from '../../support/faults/killed-host.ts';
import { FAULT_TEST_MS, meet, MOMENTS, rows, SWEEP_MS, within } from '../../support/faults/moments.ts';
import { mountSmallDisk } from '../../support/small-disk.ts';

/** With TALARIA_LONG=1 silence is found out as late as in the app; else the machine may be slow until the fault strikes, and silence is found out sooner. */
const isLong = process.env['TALARIA_LONG'] === '1';
const PATIENT = { lookEveryMs: 250, answerMs: 10_000 } as const;
const IMPATIENT = { answerMs: 700 } as const;

const values = { TERMINAL_DOCKER_IMAGE: IMAGE, TERMINAL_DOCKER_NETWORK: 'false', TERMINAL_CONTAINER_MEMORY: '256', TERMINAL_DOCKER_PERSIST_ACROSS_PROCESSES: 'false', TERMINAL_CONTAINER_PERSISTENT: 'false' };

test('an Engine that falls silent is noticed in less than 10 seconds', () => {
  expect(2 * (ENGINE_TIMING.lookEveryMs + ENGINE_TIMING.answerMs)).toBeLessThan(9_000);
});

describe.skipIf(!await haveDockerd())('docker', () => {
  let dockerd: TestDockerd;
  let network: CutProxy;
  beforeAll(async () => {
    dockerd = await startDockerd();
    network = await startCutProxy(dockerd.host.replace('unix://', ''));
  });
  afterAll(async () => {
    await network.close();
    await dockerd.close();
  });

  const here = () => dockerd.host;
  const make = (self: string, host = here(), more: Partial<DockerOptions> = {}) => createDockerEnvironment({
    settings: readDockerSettings((variable) => (values as Readonly<Record<string, string>>)[variable]), task: 'faults', profile: 'faults', sandboxes: join(dockerd.folder, 'sandboxes'), hostCwd: '/', lifetimeMs: 60_000,
    env: { DOCKER_HOST: host }, cwd: '', machine: 'here', hosts: { self, isAlive: (name) => name !== 'victim' && !name.startsWith('killed-') }, ...more,
  });
  const all = () => dockerd.docker.listContainers({ all: true });
  /** The next host of the home finds everything that is left. */
  async function nothingIsLeft(host = here()): Promise<void> {
    const sweeper = make('sweeper', host);
    await within(sweeper.open(), SWEEP_MS);
    expect(await all()).toHaveLength(1);
    await within(sweeper.close());
    expect(await all()).toEqual([]);
  }

  const faults: Readonly<Record<string, { act(): Promise<void>; undo(): Promise<void>; readonly host?: () => string }>> = {
    'Engine killed': { act: () => dockerd.kill(), undo: () => dockerd.start() },
    'Engine silent, as behind a half-open connection': { act: async () => { dockerd.freeze(); }, undo: async () => { dockerd.thaw(); } },
    'network cut': { act: async () => { network.fail('cut'); }, undo: async () => { network.heal(); }, host: () => `tcp://127.0.0.1:${network.port}` },
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
    ...rows('Engine silent, as behind a half-open connection', {
      create: /^unreachable: the Docker Engine does not answer any more$/, exec: /^unreachable: the Docker Engine does not answer any more$/,
      output: /^lost: the Docker Engine does not answer any more; the command may still be running there$/, 'file write': /^unreachable: the Docker Engine does not answer any more$/, cleanup: /^closed$/,
    }),
    ...rows('network cut', {
      create: /^unreachable: the Docker Engine does not answer: /, exec: /^unreachable: the Docker Engine does not answer: /, output: /^lost: .*the Docker Engine.*the command may still be running there$/,
      'file write': /^unreachable: the Docker Engine does not answer: /, cleanup: /^closed$/,
    }),
    ...rows('container removed', {
      create: /^opened$/, exec: /^exit, made anew: fine$/, output: /^lost: the container was removed while the command ran in it$/, 'file write': /^written$/, cleanup: /^closed$/,
    }),
  ])('%s during %s', async (fault, moment, outcome) => {
    const { act, undo, host } = faults[fault] ?? expect.unreachable();
    const timing = { ...isLong ? ENGINE_TIMING : PATIENT };
    const environment = make('victim', host?.(), { timing });
    const strike = async (): Promise<void> => {
      await act();
      if (!isLong) Object.assign(timing, IMPATIENT);
    };
    const met = await meet(moment, environment, strike).finally(undo);
    expect(met).toMatch(outcome);
    await within(environment.close());
    await nothingIsLeft(host?.());
  }, FAULT_TEST_MS);

  // What one test could not sweep is not the next one's; the environment of the full disk lives on from test to test.
  afterEach(async () => {
    for (const { Id, Labels } of await all()) if (Labels['talaria-owner'] !== 'full') await dockerd.docker.getContainer(Id).remove({ force: true, v: true }).catch((error: unknown) => { if (!/already in progress|no such container/i.test(String(error))) throw error; });
  });

  test('hosts that are killed at any moment leave containers, and the next host sweeps them', async () => {
    const mine = async (task: string) => (await all()).filter(({ Labels }) => Labels['hermes-task-id'] === task);
    await Promise.all(MOMENTS.map((moment) => killHost({
      backend: 'docker', moment, given: { values, task: `killed-${moment}`, env: { DOCKER_HOST: dockerd.host }, sandboxes: join(dockerd.folder, 'sandboxes') },
      ...(moment === 'create' ? { until: async () => { await expect.poll(() => mine('killed-create'), { interval: 5 }).toHaveLength(1); } } : {}),
    })));
    expect((await all()).length).toBeGreaterThanOrEqual(MOMENTS.length - 2); // the one that was closing, and the one that had hardly begun, may have none
    await nothingIsLeft();
  }, FAULT_TEST_MS);

  describeFullDisk(async () => {
    const disk = await mountSmallDisk(256);
    return {
      make: () => make('full', here(), { settings: readDockerSettings((variable) => ({ ...values, TERMINAL_DOCKER_VOLUMES: JSON.stringify([`${disk.folder}:/tmp`]) } as Readonly<Record<string, string>>)[variable]) }),
      close: async () => {
        expect(await all()).toEqual([]);
        await disk.remove();
      },
    };
  });
});
