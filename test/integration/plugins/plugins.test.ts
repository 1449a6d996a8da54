import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, expect, test } from 'vitest';
import { registry } from '../../../tools/registry.ts';
import { type HostBench, type TestHostOptions } from '../../support/test-host.ts';
import { call, enabled, loaded, openWith, plugin, put, record, tool, toolset, type Files } from './support.ts';

const EXAMPLES = join(import.meta.dirname, '../../../docs/examples');
const benches: HostBench[] = [];
afterEach(async () => { await Promise.all(benches.splice(0).map((bench) => bench.close())); });

async function open(files: Files, options: TestHostOptions = {}): Promise<HostBench> {
  const bench = await openWith(files, options);
  benches.push(bench);
  return bench;
}

test('the sample plugin is off until it is trusted, then its tool, its hook, its setting and its command work', async () => {
  const bench = await open({});
  await cp(join(EXAMPLES, 'word-count'), join(bench.home, 'plugins/word-count'), { recursive: true });
  await bench.request('toolsets.check', {});
  expect(await toolset(bench, 'plugin-word-count')).toMatchObject({ available: false, reason: { step: 'plugin-not-trusted', fix: expect.stringContaining('talaria plugins enable word-count') as string } });
  expect(registry.getEntry('word_count')).toBeUndefined();

  await bench.request('toolsets.trust', { name: 'plugin-word-count' });
  expect(await readFile(join(bench.home, 'config.yaml'), 'utf8')).toMatch(/plugins:\s+enabled:\s+- word-count/);
  expect(await toolset(bench, 'word-count')).toMatchObject({ available: true, enabled: true, tools: [{ name: 'word_count', owner: 'word-count' }] });
  expect(await toolset(bench, 'plugin-word-count')).toBeUndefined();
  expect(await call(bench, 'word_count', { text: 'one two' })).toBe('{"words":2}');
  const session = await bench.session();
  await bench.say(session.id, '/words one two three');
  expect((await bench.messages(session.id)).at(-1)).toMatchObject({ role: 'notice', text: '3 words' });

  await writeFile(join(bench.home, 'config.yaml'), 'plugins:\n  enabled: [word-count]\n  entries:\n    word-count:\n      settings:\n        forbidden_word: cheese\n');
  await bench.restart();
  await loaded(bench);
  expect(await call(bench, 'terminal', { command: 'echo cheese' })).toContain("the command contains 'cheese'");
  expect(await call(bench, 'terminal', { command: 'echo bread' })).toContain('bread');
});

test('the sample passes its own test without the app, and the sample tool file works as the guide says', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--test', '--test-reporter=tap', join(EXAMPLES, 'word-count/word-count.test.mjs')], { env: { PATH: process.env['PATH'] } });
  expect(stdout).toMatch(/# pass 3\n# fail 0/);

  const bench = await open({});
  await mkdir(join(bench.home, 'tools'));
  await cp(join(EXAMPLES, 'dice.ts'), join(bench.home, 'tools/dice.ts'));
  await bench.request('toolsets.trust', { name: 'dice.ts' });
  expect(JSON.parse(await call(bench, 'roll_die', { sides: 6 }))).toMatchObject({ rolled: expect.any(Number) as number });
});

test('plugins that throw, hang or are malformed are shown with the reason, and the host and the others go on', async () => {
  const bench = await open({
    ...plugin('thrower', `${tool('half_done')} throw new Error('no fuel');`), ...plugin('hanger', `${tool('never_there')} await new Promise(() => undefined);`),
    'plugins/nothing/plugin.yaml': 'version: 1\n', 'plugins/nothing/index.js': 'export const x = 1;', 'plugins/empty/plugin.yaml': 'version: 1\n',
    ...plugin('odd', ''), 'plugins/odd/plugin.yaml': 'version: [1', ...plugin('keyless', tool('keyed'), 'requires_env: [WORD_KEY]\n'),
    'plugins/notAPlugin/readme.txt': 'hello', ...plugin('good', tool('good_one')),
  }, { yaml: enabled('thrower', 'hanger', 'nothing', 'empty', 'odd', 'keyless', 'notAPlugin', 'good') });
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
  expect(registry.getEntry('never_there')).toBeUndefined();
});

test('a tool of another toolset is overridden only with the operator\'s consent, and given back', async () => {
  const taker = plugin('taker', "ctx.registerTool({ name: 'todo', toolset: 'taken', schema: { description: 'x' }, handler: () => 'mine', override: true });");
  const bench = await open(taker, { yaml: enabled('taker') });
  expect((await toolset(bench, 'plugin-taker'))?.reason?.message).toMatch(/PermissionError.*plugins\.entries\.taker\.allow_tool_override: true/);
  const builtIn = registry.getEntry('todo');
  expect(builtIn?.owner).toBeUndefined();

  await writeFile(join(bench.home, 'config.yaml'), 'plugins:\n  enabled: [taker]\n  entries:\n    taker:\n      allow_tool_override: true\n');
  await bench.restart();
  await loaded(bench);
  expect(await call(bench, 'todo')).toBe('mine');
  await rm(join(bench.home, 'plugins/taker'), { recursive: true });
  await bench.request('toolsets.check', {});
  expect(registry.getEntry('todo')).toBe(builtIn);
});

test('a tool of the same toolset is replaced as Hermes does it, and the panel and the list say by whom', async () => {
  const bench = await open(plugin('better', "ctx.registerTool({ name: 'todo', toolset: 'todo', schema: { description: 'x' }, handler: () => 'better' });"), { yaml: enabled('better') });
  expect(await call(bench, 'todo')).toBe('better');
  expect((await toolset(bench, 'todo'))?.tools).toMatchObject([{ name: 'todo', owner: 'better', replaces: 'built-in' }]);
  await bench.request('plugins.set', { id: 'better', enabled: false });
  expect((await toolset(bench, 'todo'))?.tools[0]?.owner).toBeUndefined();
});

test('a name that another toolset has stays there without stopping the plugin, and the list names it', async () => {
  const bench = await open(plugin('clumsy', `${tool('clumsy_own')} ctx.registerTool({ name: 'read_file', toolset: 'mine', schema: { description: 'x' }, handler: () => 'stolen' });`), { yaml: enabled('clumsy') });
  expect(await call(bench, 'clumsy_own')).toBe('fine');
  expect(registry.getEntry('read_file')?.owner).toBeUndefined();
  expect(await record(bench, 'clumsy')).toMatchObject({ state: 'loaded', tools: ['clumsy_own'], rejected: ['read_file'] });
});

test('a changed plugin is loaded anew by itself, its old tools go in the same step, and a version that fails leaves the one before', async () => {
  const bench = await open({ ...plugin('shifty', tool('first_tool')), 'plugins/shifty/lib/word.ts': 'export const word: string = "one";' }, { yaml: enabled('shifty') });
  expect(await call(bench, 'first_tool')).toBe('fine');
  await put(bench.home, { 'plugins/shifty/index.js': "import { word } from './lib/word.ts'; export function register(ctx) { ctx.registerTool({ name: 'second_tool', toolset: 's', schema: { description: word }, handler: () => word }); }" });
  await expect.poll(() => registry.getEntry('second_tool'), { timeout: 30_000 }).toBeDefined();
  expect(registry.getEntry('first_tool')).toBeUndefined();
  expect(await call(bench, 'second_tool')).toBe('one');

  await put(bench.home, { 'plugins/shifty/lib/word.ts': 'export const word: string = "two";' });
  await expect.poll(() => call(bench, 'second_tool'), { timeout: 30_000 }).toBe('two');

  await put(bench.home, { 'plugins/shifty/lib/word.ts': 'export const word: string = ;' });
  await expect.poll(async () => (await record(bench, 'shifty'))?.error, { timeout: 30_000 }).toContain('The version before it still runs');
  expect(await call(bench, 'second_tool')).toBe('two');
});

test('a plugin of a project is looked at only when that was asked for', async () => {
  const { 'plugins/local/plugin.yaml': manifest = '', 'plugins/local/index.js': index = '' } = plugin('local', tool('project_tool'));
  const bench = await open({}, { yaml: enabled('local') });
  await put(bench.folder, { '.hermes/plugins/local/plugin.yaml': manifest, '.hermes/plugins/local/index.js': index });
  await bench.request('toolsets.check', {});
  expect(await record(bench, 'local')).toBeUndefined();

  const asked = await open({}, { yaml: enabled('local'), env: { HERMES_ENABLE_PROJECT_PLUGINS: '1' } });
  await put(asked.folder, { '.hermes/plugins/local/plugin.yaml': manifest, '.hermes/plugins/local/index.js': index });
  await asked.request('toolsets.check', {});
  await loaded(asked);
  expect(await record(asked, 'local')).toMatchObject({ origin: 'project', state: 'loaded', tools: ['project_tool'] });
  expect(await call(asked, 'project_tool')).toBe('fine');
});

test('packages with the keyword, or with an entry point, are plugins, and come before a folder of that name', async () => {
  const bench = await open({
    ...plugin('packed', tool('from_folder')),
    'plugins/node_modules/packed/package.json': JSON.stringify({ name: 'packed', version: '3.1.0', description: 'Packed.', keywords: ['hermes-plugin'], main: 'main.js', type: 'module' }),
    'plugins/node_modules/packed/main.js': `import { answer } from 'helper'; export function register(ctx) { ${tool('from_package', '() => answer')} }`,
    'plugins/node_modules/helper/package.json': JSON.stringify({ name: 'helper', main: 'index.js', type: 'module' }), 'plugins/node_modules/helper/index.js': "export const answer = 'packed answer';",
    'plugins/node_modules/@team/kit/package.json': JSON.stringify({ name: '@team/kit', 'hermes_agent.plugins': { 'kit-one': './one.ts' }, type: 'module' }),
    'plugins/node_modules/@team/kit/one.ts': `export function register(ctx: { registerTool(tool: object): void }): void { ${tool('kit_tool')} }`,
  }, { yaml: enabled('packed', 'kit-one') });
  expect(await call(bench, 'from_package')).toBe('packed answer');
  expect(await call(bench, 'kit_tool')).toBe('fine');
  expect(registry.getEntry('from_folder')).toBeUndefined();
  expect(await record(bench, 'packed')).toMatchObject({ origin: 'package', version: '3.1.0', state: 'loaded' });
  expect(await record(bench, 'helper')).toBeUndefined();
});
