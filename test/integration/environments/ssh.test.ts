/** The ssh backend when the server changes, dies, or comes back. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { AskCredential, Environment } from '../../../environments/base.ts';
import { createSshEnvironment } from '../../../environments/ssh.ts';
import { haveSshd, startSshd, type TestSshd } from '../../support/sshd.ts';

let sshd: TestSshd | undefined;
let environment: Environment | undefined;
afterEach(async () => {
  await environment?.close();
  environment = undefined;
  await sshd?.close();
  sshd = undefined;
});

const yes: AskCredential = () => Promise.resolve({ kind: 'given', value: 'yes' });

function make(server: TestSshd, more: { readonly user?: string; readonly key?: string } = {}, ask = yes): Environment {
  environment = createSshEnvironment({
    settings: { host: '127.0.0.1', user: server.user, port: server.port, key: server.key, ...more }, knownHosts: join(server.folder, 'desktop', 'known_hosts'), userHome: server.folder, cwd: server.folder, ask,
  });
  return environment;
}

const LIMITS = { timeoutMs: 20_000, maxBytes: 10_000 } as const;

describe.skipIf(!await haveSshd())('ssh', () => {
  test('a server whose key has changed is refused loudly, and nothing is sent', async () => {
    sshd = await startSshd();
    await make(sshd).open();
    await environment?.close();
    await sshd.kill();
    await sshd.start({ newHostKey: true });
    const before = await readFile(join(sshd.folder, 'desktop', 'known_hosts'), 'utf8');
    await expect(make(sshd).open()).rejects.toMatchObject({ code: 'denied', message: expect.stringMatching(/HAS CHANGED.*known_hosts, line 1/) as unknown });
    expect(await readFile(join(sshd.folder, 'desktop', 'known_hosts'), 'utf8')).toBe(before);
  });

  test('a command whose server dies is told as lost with what arrived, and the next one connects anew', async () => {
    sshd = await startSshd();
    const remote = make(sshd);
    await remote.open();
    const running = await remote.start({ command: 'echo before; exec sleep 5', cwd: sshd.folder, shell: 'command' });
    let text = '';
    const seen = Promise.withResolvers<undefined>();
    running.onOutput((bytes) => { text += Buffer.from(bytes).toString(); seen.resolve(undefined); });
    await seen.promise;
    await sshd.kill();
    expect(await running.ended).toMatchObject({ why: 'lost', detail: expect.stringContaining('may still be running') as unknown });
    expect(text).toBe('before\n');
    await expect(remote.exec({ command: 'true', ...LIMITS })).rejects.toMatchObject({ code: 'unreachable' });
    await sshd.start();
    expect(Buffer.from((await remote.exec({ command: 'echo again', ...LIMITS })).output).toString()).toBe('again\n');
  });

  test('more commands than one connection may carry run side by side', async () => {
    sshd = await startSshd();
    const remote = make(sshd);
    const ends = await Promise.all(Array.from({ length: 14 }, (_, index) => remote.exec({ command: `sleep 0.3; echo ${index}`, ...LIMITS })));
    expect(ends.map((end) => Buffer.from(end.output).toString())).toEqual(Array.from({ length: 14 }, (_, index) => `${index}\n`));
  });

  test('a key that may not log in, and one that is not there, say so', async () => {
    sshd = await startSshd();
    await expect(make(sshd, { key: join(sshd.folder, 'none') }).open()).rejects.toMatchObject({ code: 'denied', message: expect.stringContaining('cannot be read') as unknown });
    await expect(make(sshd, { key: join(sshd.folder, 'host_key') }).open()).rejects.toMatchObject({ code: 'denied', message: expect.stringContaining('refused the login') as unknown });
  });
});
