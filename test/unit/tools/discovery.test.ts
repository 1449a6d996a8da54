import { mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { discoverBuiltinTools, findToolModules, isToolModule } from '../../../tools/discovery.ts';

const registryPath = fileURLToPath(new URL('../../../tools/registry.ts', import.meta.url));

function folder(files: Readonly<Record<string, string>>): string {
  const path = mkdtempSync(join(tmpdir(), 'talaria-discovery-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), text);
  }
  return path;
}
const names = (paths: readonly string[]): string[] => paths.map((path) => basename(path));

describe('what counts as a tool module', () => {
  test.each([
    ['a call in the module body', `registry.register({ name: 'a' });`, true],
    ['a call in a module-level for…of', `for (const tool of tools) { registry.register(tool); }`, true],
    ['the same without braces', `for (const tool of tools) registry.register(tool);`, true],
    ['a counting loop', `for (let i = 0; i < 3; i++) { registry.register(tools[i]); }`, true],
    ['TypeScript around it', `import type { A } from './a.ts'; const x = 1 as const satisfies number; registry.register<A>({ name: x } as A);`, true],
    ['a byte order mark in front', `\uFEFFregistry.register({});`, true],
    ['a call in a function', `export function setUp() { registry.register({}); }`, false],
    ['a call in an arrow function', `const f = () => registry.register({});`, false],
    ['a call in a condition', `if (true) { registry.register({}); }`, false],
    ['a call in a nested loop', `for (const a of b) { for (const c of a) { registry.register(c); } }`, false],
    ['a call whose value is used', `const ok = registry.register({});`, false],
    ['another method', `registry.deregister('registry.register');`, false],
    ['another registry', `commands.register({}); const registry = 1;`, false],
    ['words in text', `const text = "registry.register({})";`, false],
    ['no such words at all', `export const helper = 1;`, false],
  ])('what makes a tool module: %s', async (_what, source, expected) => {
    expect(await isToolModule(source)).toBe(expected);
  });

  test('text that is no module is told', async () => {
    await expect(isToolModule('registry.register({;')).rejects.toThrow(SyntaxError);
  });
});

describe('discovery', () => {
  test('loads tool modules in order of name, leaves helpers and the core alone', async () => {
    const path = folder({
      'b.ts': `registry.register({});`, 'a.js': `registry.register({});`, 'helper.ts': `export const registry = { register() {} };`,
      'registry.ts': `registry.register({});`, 'types.d.ts': `registry.register({});`, 'notes.md': 'registry.register',
    });
    const loaded: string[] = [];
    const found = await discoverBuiltinTools(path, { load: (file) => { loaded.push(basename(file)); return Promise.resolve(); } });
    expect(loaded).toEqual(['a.js', 'b.ts']);
    expect(names(found)).toEqual(['a.js', 'b.ts']);
  });

  test('a module that does not parse or throws is told and stops no other', async () => {
    const path = folder({ 'a.ts': `registry.register({;`, 'b.ts': `registry.register({}); throw new Error('boom');`, 'c.ts': `registry.register({});` });
    const failures: string[] = [];
    const warnings: string[] = [];
    const found = await discoverBuiltinTools(path, {
      load: (file) => (file.endsWith('b.ts') ? Promise.reject(new Error('boom')) : Promise.resolve()),
      onFailure: (file) => failures.push(basename(file)), log: (level, message) => { if (level === 'warn') warnings.push(message); },
    });
    expect(names(found)).toEqual(['c.ts']);
    expect(failures).toEqual(['a.ts', 'b.ts']);
    expect(warnings[1]).toMatch(/Could not import tool module .*b\.ts: Error: boom/);
  });

  test('a dropped file is found and registers for real, unbuilt', async () => {
    const path = folder({ 'hello.ts': `import { registry } from ${JSON.stringify(registryPath)};\nregistry.register({ name: 'hello_dropped', toolset: 'dropped', schema: { description: 'x' }, handler: (): string => '{}' });` });
    expect(names(await discoverBuiltinTools(path))).toEqual(['hello.ts']);
    const { registry } = await import('../../../tools/registry.ts');
    expect(registry.getToolsetForTool('hello_dropped')).toBe('dropped');
    registry.deregister('hello_dropped');
  });

  test('a verdict is kept until size or time of the file changes, and a damaged cache is made anew', async () => {
    const path = folder({ 'a.ts': `registry.register({});` });
    const cacheDir = folder({});
    expect(names(await findToolModules(path, { cacheDir }))).toEqual(['a.ts']);
    const file = join(path, 'a.ts');
    const cache = join(cacheDir, 'tool_discovery_cache.json');
    expect(JSON.parse(readFileSync(cache, 'utf8'))).toMatchObject({ verdicts: { [file]: { isTool: true } } });

    // Same size and time: the verdict stands although the text is another.
    utimesSync(file, 1_000, 1_000);
    await findToolModules(path, { cacheDir });
    writeFileSync(file, `registry.registra({});`);
    utimesSync(file, 1_000, 1_000);
    expect(names(await findToolModules(path, { cacheDir }))).toEqual(['a.ts']);
    utimesSync(file, 2_000, 2_000);
    expect(await findToolModules(path, { cacheDir })).toEqual([]);

    writeFileSync(cache, '{"version":1,"verdicts":{"x":7}');
    writeFileSync(file, `registry.register({});`);
    expect(names(await findToolModules(path, { cacheDir }))).toEqual(['a.ts']);
  });

  test('a cache folder that cannot be written costs nothing but the time', async () => {
    const path = folder({ 'a.ts': `registry.register({});`, blocked: '' });
    expect(names(await findToolModules(path, { cacheDir: join(path, 'blocked', 'below') }))).toEqual(['a.ts']);
  });

  test('the app\'s own tools are found by the same scan', async () => {
    const own = await findToolModules(fileURLToPath(new URL('../../../tools', import.meta.url)));
    expect(names(own)).toEqual(expect.arrayContaining(['clarify.ts', 'files.ts', 'memory.ts', 'session-search.ts', 'todo.ts']));
    expect(names(own)).not.toEqual(expect.arrayContaining(['registry.ts']));
  });
});

test('a folder with tool.ts is a tool module at its place in the order; a folder without, and other files in it, are not', async () => {
  const registers = 'registry.register({});';
  const path = folder({ 'b.ts': registers, 'dice/tool.ts': registers, 'dice/helper.ts': registers, 'a/other.ts': registers, 'z/tool.ts': 'export const nothing = 1;' });
  expect((await findToolModules(path)).map((found) => relative(path, found))).toEqual(['b.ts', 'dice/tool.ts']);
});
