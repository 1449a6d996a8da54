import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from 'vitest';
import { createSshEnvironment } from '../../environments/ssh.ts';
import { haveSshd, startSshd } from '../support/sshd.ts';
import { describeEnvironment } from './environment.ts';

describe.skipIf(!await haveSshd())('over a real sshd', () => {
  describeEnvironment('ssh', async () => {
    const sshd = await startSshd();
    const directory = await realpath(await mkdtemp(join(tmpdir(), 'talaria-conformance-ssh-')));
    const environment = createSshEnvironment({
      settings: { host: '127.0.0.1', user: sshd.user, port: sshd.port, key: sshd.key }, knownHosts: sshd.knownHosts, userHome: sshd.folder, cwd: directory, ask: () => Promise.resolve({ kind: 'nobody' }),
    });
    await environment.open();
    return {
      environment, directory,
      close: async () => {
        await environment.close();
        await sshd.close();
        await rm(directory, { recursive: true, force: true });
      },
    };
  });
});
