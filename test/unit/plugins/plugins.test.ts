import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { HookBus } from '../../../main/calls/hooks.ts';
import { createPlugins } from '../../../main/plugins/plugins.ts';
import type { Log } from '../../../main/ports.ts';
import { ToolRegistry } from '../../../tools/registry.ts';
import { handClock } from '../../support/hand-clock.ts';

const quiet: Log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

let folder: string;
beforeEach(async () => { folder = await mkdtemp(join(tmpdir(), 'talaria-plugins-')); });
afterEach(async () => { await rm(folder, { recursive: true, force: true }); });

test('a plugin that hangs in register(ctx) is given up after 10 s, and what it had registered is taken back', async () => {
  const clock = handClock();
  const registry = new ToolRegistry({ log: () => undefined });
  await mkdir(join(folder, 'stuck'));
  await writeFile(join(folder, 'stuck/plugin.yaml'), 'version: 2\n');
  await writeFile(join(folder, 'stuck/index.mjs'), `export function register(ctx) {
    ctx.registerTool({ name: 'stuck_tool', toolset: 'stuck', schema: { description: 'x' }, handler: () => 'x' });
    return new Promise(() => undefined);
  }`);
  const plugins = createPlugins({
    folders: [folder], registry, hooks: new HookBus({ clock, log: quiet }), clock, log: quiet, loader: { cache: folder, clock }, onChange: () => undefined,
    config: { get: (path) => (path === 'plugins.enabled' ? ['stuck'] : undefined), set: () => Promise.resolve(), update: () => Promise.resolve(undefined), env: () => undefined, onChange: () => () => undefined },
  });
  const scanned = plugins.rescan();
  await expect.poll(() => registry.getEntry('stuck_tool')).toBeDefined();
  expect(plugins.records()).toMatchObject([{ id: 'stuck', state: 'loading', version: '2' }]);
  clock.advance(10_000);
  await scanned;
  expect(plugins.records()).toMatchObject([{ state: 'failed', error: expect.stringContaining('did not finish within 10 s') as string }]);
  expect(registry.getAllToolNames()).toEqual(['plugin_stuck']);
  await plugins.close();
  expect(registry.getAllToolNames()).toEqual([]);
});
