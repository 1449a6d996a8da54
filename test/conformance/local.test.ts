import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createLocalEnvironment, LocalMachine } from '../../environments/local.ts';
import { allCases, describeEnvironment } from './environment.ts';

describeEnvironment('local', async () => {
  const directory = await realpath(await mkdtemp(join(tmpdir(), 'talaria-conformance-')));
  const machine = new LocalMachine({ env: { ...process.env, SHELL: '/bin/bash' }, home: directory });
  const environment = createLocalEnvironment(machine, { cwd: directory });
  await environment.open();
  return {
    environment, directory,
    close: async () => {
      await environment.close();
      expect(await machine.close()).toEqual([]);
      await rm(directory, { recursive: true, force: true });
    },
  };
});

test('the suite has at least 80 cases with different names', () => {
  expect(allCases.length).toBeGreaterThanOrEqual(80);
  expect(new Set(allCases.map((one) => one.name)).size).toBe(allCases.length);
});
