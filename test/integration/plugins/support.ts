/** A host with plugins and tool files in its home. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import type { ToolsetInfo } from '../../../preload/contract/settings.ts';
import type { PluginInfo } from '../../../preload/contract/plugins.ts';
import { openHostBench, type HostBench, type TestHostOptions } from '../../support/test-host.ts';

export type Files = Readonly<Record<string, string>>;

/** Files below the home, and a host that has found them. */
export async function openWith(files: Files, options: TestHostOptions = {}): Promise<HostBench> {
  const bench = await openHostBench({ withoutModel: true, ...options });
  await put(bench.home, files);
  await bench.request('toolsets.check', {});
  await loaded(bench);
  return bench;
}

/** Plugins that are not made to hang are loaded or have failed. */
export async function loaded(bench: HostBench): Promise<void> {
  await expect.poll(async () => (await bench.request('plugins.list', {})).filter(({ id, state }) => state === 'loading' && id !== 'hanger'), { timeout: 30_000 }).toEqual([]);
}

export async function put(root: string, files: Files): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, name)), { recursive: true });
    await writeFile(join(root, name), text);
  }
}

/** The files of a plugin whose `register(ctx)` has this body. */
export function plugin(id: string, body: string, manifest = 'version: 1\n'): Files {
  return { [`plugins/${id}/plugin.yaml`]: manifest, [`plugins/${id}/index.js`]: `export async function register(ctx) { ${body} }` };
}

export const enabled = (...ids: readonly string[]): string => `plugins:\n  enabled: [${ids.join(', ')}]\n`;
export const tool = (name: string, handler = "() => 'fine'", more = ''): string => `ctx.registerTool({ name: '${name}', toolset: '${name}-set', schema: { description: 'x' }, handler: ${handler}, ${more} });`;

export async function toolset(bench: HostBench, name: string): Promise<ToolsetInfo | undefined> {
  return (await bench.request('toolsets.list', {})).find((each) => each.name === name);
}

export async function record(bench: HostBench, id: string): Promise<PluginInfo | undefined> {
  return (await bench.request('plugins.list', {})).find((each) => each.id === id);
}

export async function call(bench: HostBench, name: string, args: object = {}, signal = new AbortController().signal): Promise<string> {
  const session = await bench.session();
  return (await bench.host.callTool(name, args, { sessionId: session.id, signal })).fullText;
}
