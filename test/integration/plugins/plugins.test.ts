import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, expect, test } from 'vitest';
import type { ToolsetInfo } from '../../../preload/contract/settings.ts';
import { registry } from '../../../tools/registry.ts';
import { openHostBench, type HostBench } from '../../support/test-host.ts';

const EXAMPLES = join(import.meta.dirname, '../../../docs/examples');
const benches: HostBench[] = [];
afterEach(async () => { await Promise.all(benches.splice(0).map((bench) => bench.close())); });

type Files = Readonly<Record<string, string>>;

async function open(plugins: Readonly<Record<string, Files>>, yaml = ''): Promise<HostBench> {
  const bench = await openHostBench({ withoutModel: true, yaml });
  benches.push(bench);
  for (const [id, files] of Object.entries(plugins)) await put(bench, id, files);
  await bench.restart();
  return bench;
}

async function put(bench: HostBench, id: string, files: Files): Promise<void> {
  const folder = join(bench.home, 'plugins', id);
  await mkdir(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
}

const toolset = async (bench: HostBench, name: string): Promise<ToolsetInfo | undefined> => (await bench.request('toolsets.list', {})).find((each) => each.name === name);
async function call(bench: HostBench, name: string, args: object = {}): Promise<string> {
  const session = await bench.session();
  return (await bench.host.callTool(name, args, { sessionId: session.id, signal: new AbortController().signal })).fullText;
}

const plugin = (body: string, manifest = 'version: 1\n'): Files => ({ 'plugin.yaml': manifest, 'index.js': `export async function register(ctx) { ${body} }` });
const one = (name: string, answer = 'fine'): string => `ctx.registerTool({ name: '${name}', toolset: '${name}-set', schema: { description: 'x' }, handler: () => '${answer}' });`;

test('the sample plugin is off until it is trusted, then its tool, its hook and its setting work', async () => {
  const bench = await open({});
  await cp(join(EXAMPLES, 'word-count'), join(bench.home, 'plugins/word-count'), { recursive: true });
  await bench.request('toolsets.check', {});
  expect(await toolset(bench, 'plugin-word-count')).toMatchObject({ available: false, reason: { step: 'plugin-not-trusted', fix: expect.stringContaining('talaria tools trust word-count') as string } });
  expect(registry.getEntry('word_count')).toBeUndefined();

  await bench.request('toolsets.trust', { name: 'word-count' });
  expect(await readFile(join(bench.home, 'config.yaml'), 'utf8')).toMatch(/plugins:\s+enabled:\s+- word-count/);
  expect(await toolset(bench, 'word-count')).toMatchObject({ available: true, enabled: true });
  expect(await toolset(bench, 'plugin-word-count')).toBeUndefined();
  expect(await call(bench, 'word_count', { text: 'one two' })).toBe('{"words":2}');

  await writeFile(join(bench.home, 'config.yaml'), 'plugins:\n  enabled: [word-count]\n  entries:\n    word-count:\n      settings:\n        forbidden_word: cheese\n');
  await bench.restart();
  expect(await call(bench, 'terminal', { command: 'echo cheese' })).toContain("the command contains 'cheese'");
  expect(await call(bench, 'terminal', { command: 'echo bread' })).toContain('bread');
});

test('the sample passes its own test without the app, and the sample tool file works as the guide says', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--test', '--test-reporter=tap', join(EXAMPLES, 'word-count/word-count.test.mjs')], { env: { PATH: process.env['PATH'] } });
  expect(stdout).toMatch(/# pass 2\n# fail 0/);

  const bench = await open({});
  await mkdir(join(bench.home, 'tools'));
  await cp(join(EXAMPLES, 'dice.ts'), join(bench.home, 'tools/dice.ts'));
  await bench.request('toolsets.trust', { name: 'dice.ts' });
  expect(JSON.parse(await call(bench, 'roll_die', { sides: 6 }))).toMatchObject({ rolled: expect.any(Number) as number });
});

test('plugins that throw, hang or are malformed are shown with the reason, and the host and the others go on', async () => {
  const bench = await open({
    thrower: plugin(`${one('half_done')} throw new Error('no fuel');`), hanger: plugin(`${one('never_there')} await new Promise(() => undefined);`),
    nothing: { 'plugin.yaml': 'version: 1\n', 'index.js': 'export const x = 1;' }, empty: { 'plugin.yaml': 'version: 1\n' }, odd: { ...plugin(''), 'plugin.yaml': 'version: [1' },
    keyless: plugin(one('keyed'), 'requires_env: [WORD_KEY]\n'), notAPlugin: { 'readme.txt': 'hello' }, good: plugin(one('good_one')),
  }, 'plugins:\n  enabled: [thrower, hanger, nothing, empty, odd, keyless, notAPlugin, good]\n');
  const reason = async (id: string): Promise<[string | undefined, string | undefined]> => {
    const info = await toolset(bench, `plugin-${id}`);
    return [info?.reason?.step, info?.reason?.message];
  };
  expect(await call(bench, 'good_one')).toBe('fine');
  expect(await reason('thrower')).toEqual(['check-failed', expect.stringContaining('no fuel')]);
  expect(await reason('hanger')).toEqual(['check-failed', expect.stringContaining('is being loaded')]);
  expect(await reason('nothing')).toEqual(['check-failed', expect.stringContaining('no function register')]);
  expect(await reason('empty')).toEqual(['check-failed', expect.stringContaining('it has no index.ts')]);
  expect(await reason('odd')).toEqual(['check-failed', expect.stringContaining('cannot be used')]);
  expect(await reason('keyless')).toEqual(['missing-variable', expect.stringContaining('WORD_KEY')]);
  expect(await reason('notAPlugin')).toEqual([undefined, undefined]);
  expect(registry.getEntry('half_done')).toBeUndefined();
});

test('a plugin takes the place of a built-in tool only with the operator\'s consent, and gives it back', async () => {
  const taker = plugin("ctx.registerTool({ name: 'todo', toolset: 'todo', schema: { description: 'x' }, handler: () => 'mine', override: true });");
  const bench = await open({ taker }, 'plugins:\n  enabled: [taker]\n');
  expect((await toolset(bench, 'plugin-taker'))?.reason?.message).toContain('plugins.entries.taker.allow_tool_override: true');
  const builtIn = registry.getEntry('todo');
  expect(builtIn?.owner).toBeUndefined();

  await writeFile(join(bench.home, 'config.yaml'), 'plugins:\n  enabled: [taker]\n  entries:\n    taker:\n      allow_tool_override: true\n');
  await bench.restart();
  expect(await call(bench, 'todo')).toBe('mine');
  await rm(join(bench.home, 'plugins/taker'), { recursive: true });
  await bench.request('toolsets.check', {});
  expect(registry.getEntry('todo')).toBe(builtIn);
});

test('a changed plugin is loaded anew at the next check, and its old tools are gone', async () => {
  const bench = await open({ shifty: plugin(one('first_tool')) }, 'plugins:\n  enabled: [shifty]\n');
  expect(await call(bench, 'first_tool')).toBe('fine');
  await put(bench, 'shifty', plugin(one('second_tool')));
  await bench.request('toolsets.check', {});
  expect(registry.getEntry('first_tool')).toBeUndefined();
  expect(await call(bench, 'second_tool')).toBe('fine');
});

test('a plugin that was unloaded can register nothing more', async () => {
  const bench = await open({ late: plugin(`${one('early_tool')} globalThis.lateRegistration = () => { ${one('late_tool')} };`) }, 'plugins:\n  enabled: [late]\n');
  expect(await call(bench, 'early_tool')).toBe('fine');
  const lateRegistration = Reflect.get(globalThis, 'lateRegistration') as () => void;
  await rm(join(bench.home, 'plugins/late'), { recursive: true });
  await bench.request('toolsets.check', {});
  expect(lateRegistration).toThrow('was unloaded');
  expect(registry.getEntry('late_tool')).toBeUndefined();
  Reflect.deleteProperty(globalThis, 'lateRegistration');
});
