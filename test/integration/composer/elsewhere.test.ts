/** The composer of a chat whose commands run on another machine: files are named there, and attached ones are brought there. */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { haveSshd, startSshd, type TestSshd } from '../../support/sshd.ts';
import { openHostBench, type HostBench } from '../../support/test-host.ts';

describe.skipIf(!await haveSshd())('over ssh (skipped where no sshd is installed)', () => {
  let sshd: TestSshd;
  let bench: HostBench;
  beforeAll(async () => { sshd = await startSshd(); });
  afterAll(() => sshd.close());
  beforeEach(async () => {
    bench = await openHostBench({
      env: { TERMINAL_ENV: 'ssh', TERMINAL_SSH_HOST: '127.0.0.1', TERMINAL_SSH_USER: sshd.user, TERMINAL_SSH_PORT: String(sshd.port), TERMINAL_SSH_KEY: sshd.key, TERMINAL_CWD: sshd.folder },
    });
    const ssh = join(bench.home, '..', '.ssh');
    await mkdir(ssh);
    await writeFile(join(ssh, 'config'), `Host *\n  UserKnownHostsFile ${sshd.knownHosts}\n`);
  });
  afterEach(() => bench.close());

  test('files are listed once something has run there, by the other machine itself', async () => {
    await writeFile(join(sshd.folder, 'far-away.txt'), 'x');
    const { id: sessionId } = await bench.session();
    expect((await bench.request('composer.files', { sessionId, query: 'far' })).note).toMatch(/^Files on ssh are listed once/);
    await bench.say(sessionId, '!true');
    expect(await bench.request('composer.files', { sessionId, query: 'far' })).toEqual({ paths: ['far-away.txt'], note: null });
  });

  test('an attached file is copied to where the tools are, byte for byte, and the model is given that path', async () => {
    const bytes = Buffer.from([0, 1, 2, 255, 10, 13]);
    const { attachment, id } = await bench.request('composer.attach', { name: 'data.bin', total: bytes.length, offset: 0, data: bytes.toString('base64') });
    expect(attachment).not.toBeNull();
    const { id: sessionId } = await bench.session();
    await bench.request('chat.send', { sessionId, text: 'Use it', attachments: [id] });
    await bench.host.idle(sessionId);
    const said = String(bench.model.requests[0]?.body.messages.at(-1)?.content);
    const path = /: (\/\S+data\.bin) — read it/.exec(said)?.[1] ?? '';
    expect(path).toContain(`/talaria-attachments/${id}/`);
    expect(path).not.toContain(bench.home);
    expect(await readFile(path)).toEqual(bytes);
    await rm(path);
  });

  test('what could not be copied is said to the model instead of a path that is not there', async () => {
    const { id } = await bench.request('composer.attach', { name: 'data.bin', total: 1, offset: 0, data: 'AA==' });
    const { id: sessionId } = await bench.session();
    await bench.request('chat.send', { sessionId, text: 'Use it', attachments: [id] });
    await bench.host.idle(sessionId);
    const copy = /: (\/\S+data\.bin) — read it/.exec(String(bench.model.requests[0]?.body.messages.at(-1)?.content))?.[1] ?? '';
    await rm(copy);
    await rm(join(bench.home, 'desktop', 'outputs', 'attachments', id, 'data.bin'));
    await bench.request('chat.retry', { sessionId });
    await bench.host.idle(sessionId);
    expect(String(bench.model.requests[1]?.body.messages.at(-1)?.content)).toMatch(/Your tools cannot reach it: it could not be copied to ssh/);
  });
});
