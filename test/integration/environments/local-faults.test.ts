/** A disk that is full on this machine, at every moment (issue 5: fault matrix); a host that is killed is in terminals/restart. */
import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLocalEnvironment, LocalMachine } from '../../../environments/local.ts';
import { Watched } from '../../conformance/running.ts';
import { meet, within } from '../../support/faults/moments.ts';
import { canMount, mountSmallDisk, type SmallDisk } from '../../support/small-disk.ts';

describe.skipIf(!await canMount())('local, on a disk that is full', () => {
  let folder: string;
  let disk: SmallDisk;
  let small: string;
  let machine: LocalMachine;
  const full = async () => { await Promise.resolve(); execFileSync('sh', ['-c', 'head -c 10000000 /dev/zero > "$1/fill" 2>/dev/null || true', 'sh', small]); };
  const make = (tmp: string) => {
    machine = new LocalMachine({ env: { PATH: process.env['PATH'], HOME: folder, SHELL: '/bin/bash', TMPDIR: tmp } });
    return createLocalEnvironment(machine, { cwd: folder });
  };
  beforeAll(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'talaria-full-')));
    disk = await mountSmallDisk(512);
    small = await realpath(disk.folder);
  });
  afterAll(async () => {
    await disk.remove();
    await rm(folder, { recursive: true, force: true });
  });

  test.each([
    ['create', /^opened$/], ['exec', /^exit: fine/], ['output', /^abort: /], ['cleanup', /^closed$/],
  ] as const)('of temporary files, during %s', async (moment, outcome) => {
    await rm(join(small, 'fill'), { force: true });
    const environment = make(small);
    const met = await meet(moment, environment, full, { endsIt: false });
    expect(met).toMatch(outcome);
    await within(environment.close());
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
  });
});
