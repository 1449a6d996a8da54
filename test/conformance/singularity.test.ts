import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createSingularityEnvironment, readSingularitySettings } from '../../environments/singularity.ts';
import { haveStandIn, openStandIn, type StandIn } from '../support/singularity.ts';
import { describeEnvironment } from './environment.ts';

function make(standIn: StandIn, values: Readonly<Record<string, string>>) {
  return createSingularityEnvironment({
    program: standIn.program, env: standIn.env, task: 'conformance', sandboxes: join(standIn.folder, 'sandboxes'), cwd: '',
    settings: readSingularitySettings((variable) => ({ TERMINAL_SINGULARITY_IMAGE: standIn.image, ...values })[variable]),
  });
}

describe.skipIf(!await haveStandIn())('in an instance', () => {
  describeEnvironment('singularity', async () => {
    const standIn = await openStandIn();
    const environment = make(standIn, { TERMINAL_CONTAINER_PERSISTENT: 'false' });
    await environment.open();
    return {
      environment, directory: '/workspace/conformance',
      close: async () => {
        await environment.close();
        expect(await readdir(join(standIn.folder, 'state'))).toEqual([]);
        await standIn.close();
      },
    };
  });

  test('a persistent overlay brings back what an earlier instance wrote, and this machine sees none of it', async () => {
    const standIn = await openStandIn();
    const first = make(standIn, {});
    await first.writeFile('/root/kept-inside', Buffer.from('kept'));
    expect(await stat('/root/kept-inside').catch(() => undefined)).toBeUndefined();
    await first.close();
    const second = make(standIn, {});
    expect(Buffer.from(await second.readFile('/root/kept-inside')).toString()).toBe('kept');
    await second.close();
    expect(Object.keys(JSON.parse(await readFile(join(standIn.folder, 'sandboxes', 'singularity_snapshots.json'), 'utf8')) as object)).toEqual(['conformance']);
    await standIn.close();
  });

  test('an image that is not there is told', async () => {
    const standIn = await openStandIn();
    await expect(make(standIn, { TERMINAL_SINGULARITY_IMAGE: '/no/such.sif' }).open()).rejects.toThrow('could not open image /no/such.sif');
    await standIn.close();
  });
});
