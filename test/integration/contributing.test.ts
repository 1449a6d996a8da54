/** The five-minute guide of CONTRIBUTING.md, followed step by step. */
import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createHost, type Host } from '../../main/host.ts';
import type { Shell } from '../../main/ports.ts';
import { registry } from '../../tools/registry.ts';

const ROOT = join(import.meta.dirname, '../..');
const shell: Shell = {
  name: 'test', openExternal: () => Promise.resolve(), notify: () => undefined,
  secrets: { get: () => Promise.resolve(undefined), set: () => Promise.resolve(), warning: undefined },
};

let folder: string;
let host: Host | undefined;
beforeEach(async () => { folder = await realpath(await mkdtemp(join(tmpdir(), 'talaria-guide-'))); });
afterEach(async () => {
  registry.deregister('roll_dice');
  await host?.close();
  await rm(folder, { recursive: true, force: true });
});

test('a file made from the guide is found, listed and callable without touching another file', async () => {
  const guide = await readFile(join(ROOT, 'CONTRIBUTING.md'), 'utf8');
  const [, name, source] = /```ts (tools\/[\w-]+\.ts)\n([\s\S]+?)```/.exec(guide) ?? [];
  const [, tool, argumentsText] = /npx talaria call (\w+) '(.+)'/.exec(guide) ?? [];
  if (name === undefined || source === undefined || tool === undefined || argumentsText === undefined) throw new Error('the guide has lost a step');

  const tools = join(folder, 'tools');
  await mkdir(tools);
  for (const core of ['registry.ts', 'result.ts', 'context.ts']) await symlink(join(ROOT, 'tools', core), join(tools, core));
  await writeFile(join(folder, name), source);

  host = await createHost({ shell, home: join(folder, 'home'), cwd: folder, env: { ...process.env }, toolsFolder: `${tools}/` });
  const session = await host.openSession(undefined);
  const listed = await host.handle('toolsets.list', { sessionId: session.id }, { via: 'test', client: 'guide' });
  expect(listed.find((toolset) => toolset.name === 'games')).toMatchObject({ available: true, enabled: true, tools: [{ name: tool }] });

  const outcome = await host.callTool(tool, JSON.parse(argumentsText), { sessionId: session.id, signal: new AbortController().signal });
  const { rolls, sum } = JSON.parse(outcome.fullText) as { rolls: number[]; sum: number };
  expect(rolls).toHaveLength(2);
  expect(sum).toBe(rolls.reduce((total, roll) => total + roll, 0));
  expect(rolls.every((roll) => roll >= 1 && roll <= 20)).toBe(true);
});
