/** Files over ssh: by SFTP, without it, and the home that follows. */
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Environment } from '../../../environments/base.ts';
import { createSshEnvironment, type SshOptions } from '../../../environments/ssh.ts';
import { haveSshd, startSshd, type TestSshd } from '../../support/sshd.ts';

async function withServer(options: { readonly withoutSftp?: boolean }, more: (sshd: TestSshd) => Partial<SshOptions>, work: (environment: Environment, sshd: TestSshd) => Promise<void>): Promise<void> {
  const sshd = await startSshd(options);
  const environment = createSshEnvironment({
    settings: { host: '127.0.0.1', user: sshd.user, port: sshd.port, key: sshd.key }, knownHosts: sshd.knownHosts, userHome: sshd.folder, cwd: sshd.folder, ask: () => Promise.resolve({ kind: 'nobody' }), ...more(sshd),
  });
  try {
    await environment.open();
    await work(environment, sshd);
  } finally {
    await environment.close();
    await sshd.close();
  }
}

describe.skipIf(!await haveSshd())('files over ssh', () => {
  test.each([{ how: 'by SFTP', withoutSftp: false }, { how: 'through the shell, where the server has no SFTP', withoutSftp: true }])('are read, written whole and listed $how', async ({ withoutSftp }) => {
    await withServer({ withoutSftp }, () => ({}), async (environment, { folder }) => {
      const path = join(folder, 'deep', 'er', 'file.bin');
      const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, index) => (index * 31) % 256));
      await environment.writeFile(path, bytes);
      expect(Buffer.from(await environment.readFile(path)).equals(bytes)).toBe(true);
      await chmod(path, 0o750);
      await environment.writeFile(path, Buffer.from('short'));
      expect((await stat(path)).mode & 0o777).toBe(0o750);
      expect(await environment.stat(path)).toMatchObject({ kind: 'file', size: 5, mode: 0o750, link: false });
      expect(await environment.list(join(folder, 'deep', 'er'))).toEqual(['file.bin']);
      expect(await environment.stat(join(folder, 'nothing'))).toBeUndefined();
      await expect(environment.readFile(join(folder, 'nothing'))).rejects.toMatchObject({ code: 'not-found' });
      await expect(environment.readFile(path, { maxBytes: 4 })).rejects.toMatchObject({ code: 'too-large' });
      expect(Buffer.from(await environment.readFile('/proc/self/comm')).length).toBeGreaterThan(0);
    });
  });

  test('two hundred small files take a fraction of what as many commands would', async () => {
    await withServer({}, () => ({}), async (environment, { folder }) => {
      const began = performance.now();
      for (let index = 0; index < 200; index++) await environment.stat(join(folder, `none-${index}`));
      const files = performance.now() - began;
      const before = performance.now();
      for (let index = 0; index < 10; index++) await environment.exec({ command: 'true', timeoutMs: 9_000, maxBytes: 10 });
      expect(files).toBeLessThan((performance.now() - before) * 20);
    });
  });

  test('skills go over before a command, and what it changed in the cache comes back', async () => {
    const problems: string[] = [];
    let here = '';
    await withServer({}, (sshd) => {
      here = join(sshd.folder, 'here');
      return { sync: { home: here, files: [], force: true, onProblem: (message) => problems.push(message) } };
    }, async (environment, { folder }) => {
      await mkdir(join(here, 'skills', 'one'), { recursive: true });
      await writeFile(join(here, 'skills', 'one', 'SKILL.md'), 'how to\n');
      const running = await environment.start({ command: 'cat ~/.hermes/skills/one/SKILL.md; mkdir -p ~/.hermes/cache; echo made >~/.hermes/cache/new.txt; echo bad >~/.hermes/skills/one/SKILL.md', cwd: folder, shell: 'command' });
      let text = '';
      running.onOutput((bytes) => { text += Buffer.from(bytes).toString(); });
      await running.ended;
      expect(text).toBe('how to\n');
      await environment.close();
      expect(await readFile(join(here, 'cache', 'new.txt'), 'utf8')).toBe('made\n');
      expect(await readFile(join(here, 'skills', 'one', 'SKILL.md'), 'utf8')).toBe('how to\n');
      expect((await readdir(here)).sort()).toEqual(['cache', 'skills']);
    });
    expect(problems).toEqual([]);
  });
});
