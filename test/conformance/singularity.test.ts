import { mkdir, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createSingularityEnvironment, readSingularitySettings, type SingularityOptions } from '../../environments/singularity.ts';
import { haveStandIn, openStandIn, type StandIn } from '../support/singularity.ts';
import { describeEnvironment } from './environment.ts';

function make(standIn: StandIn, values: Readonly<Record<string, string>>, more: Partial<SingularityOptions> = {}) {
  return createSingularityEnvironment({
    program: standIn.program, env: standIn.env, task: 'conformance', sandboxes: join(standIn.folder, 'sandboxes'), cwd: '', hostCwd: standIn.folder, hosts: { self: 'test', isAlive: (name) => name === 'test' }, ...more,
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

  test('directories are bound, skills of the home read-only, and the graphics card is asked for', async () => {
    const standIn = await openStandIn();
    const home = join(standIn.folder, 'home');
    await mkdir(join(home, 'skills', 'greet'), { recursive: true });
    await mkdir(join(standIn.folder, 'data'));
    await writeFile(join(home, 'skills', 'greet', 'SKILL.md'), 'hello');
    await writeFile(join(home, 'token'), 'secret');
    const binds = JSON.stringify(['./data:/data', `${home}:/whole:ro`]);
    const environment = make(standIn, { TERMINAL_CONTAINER_PERSISTENT: 'false', TERMINAL_SINGULARITY_BINDS: binds, TERMINAL_SINGULARITY_GPU: 'nvidia' }, { home: { directory: home, credentialFiles: ['token', '../escape', 'absent'] } });
    await environment.writeFile('/data/from-inside', Buffer.from('x'));
    expect(await readFile(join(standIn.folder, 'data', 'from-inside'), 'utf8')).toBe('x');
    expect(Buffer.from(await environment.readFile('/root/.hermes/skills/greet/SKILL.md')).toString()).toBe('hello');
    await expect(environment.writeFile('/root/.hermes/skills/greet/SKILL.md', Buffer.from('changed'))).rejects.toThrow();
    await expect(environment.writeFile('/whole/new', Buffer.from('x'))).rejects.toThrow();
    expect(Buffer.from(await environment.readFile('/root/.hermes/token')).toString()).toBe('secret');
    expect(Buffer.from(await environment.readFile('/.singularity.d/gpu')).toString()).toBe('nv\n');
    expect(environment.describe()).toMatchObject({ isolated: false, mounts: [{ inside: '/data', readOnly: false }, { inside: '/whole', readOnly: true }, { inside: '/root/.hermes/skills', readOnly: true }, { inside: '/root/.hermes/token', readOnly: true }] });
    await environment.close();
    await standIn.close();
  });

  test('a directory to be bound that is not there is told, and malformed settings by name', async () => {
    const standIn = await openStandIn();
    await expect(make(standIn, { TERMINAL_SINGULARITY_BINDS: '["/no/such:/x"]' }).open()).rejects.toThrow('/no/such cannot be bound');
    for (const [name, value] of [['TERMINAL_SINGULARITY_BINDS', '["a,b:/x"]'], ['TERMINAL_SINGULARITY_BINDS', '["only"]'], ['TERMINAL_SINGULARITY_GPU', 'voodoo']] as const) {
      expect(() => make(standIn, { [name]: value })).toThrow(`Invalid value for ${name}`);
    }
    await standIn.close();
  });

  test('an image by its address is built once and kept', async () => {
    const standIn = await openStandIn();
    const registry = join(standIn.folder, 'state', 'registry');
    await mkdir(registry);
    await rename(standIn.image, join(registry, 'tree'));
    for (let round = 0; round < 2; round++) {
      const environment = make(standIn, { TERMINAL_SINGULARITY_IMAGE: 'docker://tree', TERMINAL_CONTAINER_PERSISTENT: 'false' });
      expect((await environment.exec({ command: 'id -un', timeoutMs: 10_000, maxBytes: 100 })).exitCode).toBe(0);
      expect(environment.describe().image).toBe('docker://tree');
      await environment.close();
    }
    expect(await readFile(join(registry, 'builds'), 'utf8')).toBe('x\n');
    await expect(make(standIn, { TERMINAL_SINGULARITY_IMAGE: 'docker://no/such' }).open()).rejects.toThrow('could not open image docker://no/such');
    await standIn.close();
  });

  test('an image that is not there is told', async () => {
    const standIn = await openStandIn();
    await expect(make(standIn, { TERMINAL_SINGULARITY_IMAGE: '/no/such.sif' }).open()).rejects.toThrow('could not open image /no/such.sif');
    await standIn.close();
  });
});
