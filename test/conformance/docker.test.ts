import { join } from 'node:path';
import { describe } from 'vitest';
import { createDockerEnvironment, readDockerSettings } from '../../environments/docker.ts';
import { haveDockerd, IMAGE, startDockerd } from '../support/dockerd.ts';
import { describeEnvironment } from './environment.ts';

describe.skipIf(!await haveDockerd())('in a container of a real Engine', () => {
  describeEnvironment('docker', async () => {
    const dockerd = await startDockerd();
    const values = new Map([['TERMINAL_DOCKER_IMAGE', IMAGE], ['TERMINAL_DOCKER_NETWORK', 'false'], ['TERMINAL_CONTAINER_MEMORY', '512']]);
    const environment = createDockerEnvironment({
      settings: readDockerSettings((variable) => values.get(variable)), task: 'conformance', profile: 'test', sandboxes: join(dockerd.folder, 'sandboxes'), hostCwd: dockerd.folder,
      lifetimeMs: 300_000, env: { DOCKER_HOST: dockerd.host }, cwd: '', machine: 'here', hosts: { self: 'test', isAlive: (name) => name === 'test' },
    });
    await environment.open();
    return {
      environment, directory: '/workspace/conformance',
      close: async () => {
        await environment.close();
        await dockerd.close();
      },
    };
  });
});
