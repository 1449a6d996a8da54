/** What no thread survives alone: the process of the plugin ends, the app says why and goes on. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parse } from 'yaml';
import { HookBus } from '../../../main/calls/hooks.ts';
import { Middleware } from '../../../main/calls/middleware.ts';
import { createPluginCommands } from '../../../main/plugins/commands.ts';
import { forkNode, processModule } from '../../../main/plugins/plugin-process.ts';
import { startUnit, type Unit } from '../../../main/plugins/unit.ts';
import { forkUtility } from '../../../main/shells/electron/forked.ts';
import type { Shell } from '../../../main/ports.ts';
import { ToolRegistry } from '../../../tools/registry.ts';
import { ToolsetCatalog } from '../../../tools/toolsets.ts';
import { handClock, type HandClock } from '../../support/hand-clock.ts';
import { recorded } from '../../support/electron.ts';
import { contextOf, noChecks, recordingLog } from '../calls/support.ts';

const ROOT = join(import.meta.dirname, '../../..');
let folder: string;
let clock: HandClock;
let registry: ToolRegistry;
const units: Unit[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'talaria-process-'));
  clock = handClock();
  registry = new ToolRegistry({ log: () => undefined });
});
afterEach(async () => {
  for (const unit of units.splice(0)) unit.close();
  await rm(folder, { recursive: true, force: true });
});

interface Loaded { readonly unit: Unit; readonly pid: number; readonly down: Promise<string> }
const PID = "ctx.registerTool({ name: 'pid', toolset: 'it', schema: { description: 'x' }, handler: () => String(process.pid) });";
const dispatch = (name: string): Promise<unknown> => registry.dispatch(name, {}, contextOf());

async function load(body: string, { fork, memoryMb }: { readonly fork?: Shell['fork']; readonly memoryMb?: number } = {}): Promise<Loaded> {
  const entry = join(folder, 'index.mjs');
  await writeFile(entry, `export function register(ctx) { ${PID} ${body} }`);
  const { log } = recordingLog();
  const unit = await startUnit({ owner: { id: 'it', allowOverride: false, scope: 'global' }, kind: 'plugin', version: '1', folder, entry, rules: { folder } }, {
    registry, clock, log, hooks: new HookBus({ clock, log }), middleware: new Middleware(), commands: createPluginCommands(), platforms: new ToolsetCatalog(registry), checks: noChecks,
    config: { get: (path) => (path === 'plugins.memory_limit_mb' ? memoryMb : undefined), set: () => Promise.resolve() },
    reach: { dispatchTool: () => Promise.resolve(''), injectMessage: () => undefined }, ...(fork === undefined ? {} : { fork }),
  }, { unwanted: new AbortController().signal });
  units.push(unit);
  const down = Promise.withResolvers<string>();
  unit.onDown(({ message }) => { down.resolve(message); });
  return { unit, down: down.promise, pid: Number(await dispatch('pid')) };
}
const tool = (name: string, body: string): string => `ctx.registerTool({ name: '${name}', toolset: 'it', schema: { description: 'x' }, handler: () => { ${body} } });`;

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    // ESRCH: it is gone.
    return false;
  }
}
const gone = (pid: number): Promise<void> => expect.poll(() => isAlive(pid), { timeout: 30_000 }).toBe(false);

test.each([
  ['small lists, in a loop that no interrupt reaches', 'const all = []; for (;;) all.push(new Array(1000).fill({}));'],
  ['large lists', 'const all = []; for (;;) all.push(new Array(1e6).fill(0.5));'],
  ['buffers, which V8 does not count', 'const all = []; setInterval(() => { all.push(Buffer.alloc(2e7, 1)); }, 1); return new Promise(() => undefined);'],
])('a plugin that fills its memory with %s is ended at its limit, with the reason, and this process lives on', async (_, body) => {
  const { pid, down } = await load(tool('eat', body), { memoryMb: 64 });
  const answer = dispatch('eat');
  expect(await down).toBe('it used more than 64 MB of memory');
  expect(await answer).toContain('it used more than 64 MB of memory');
  await gone(pid);
  expect(registry.getAllToolNames()).toEqual([]);
});

test('a loop that no interrupt reaches is stopped after 10 s, and its process is gone', async () => {
  const { pid, down } = await load(tool('spin', 'for (;;) new Array(1000).fill({});'));
  const answer = dispatch('spin');
  let reason: string | undefined;
  void down.then((message) => { reason = message; });
  await expect.poll(() => { clock.advance(1_000); return reason; }, { timeout: 30_000, interval: 20 }).toContain('did not react for 10 s');
  expect(await answer).toContain('did not react for 10 s');
  await gone(pid);
});

test('an unloaded plugin leaves no process, nor does a crash of native code take this one along', async () => {
  const first = await load('');
  first.unit.close();
  await gone(first.pid);
  const second = await load(tool('crash', 'process.kill(process.pid, "SIGSEGV"); return new Promise(() => undefined);'));
  const answer = dispatch('crash');
  expect(await second.down).toBe('its process ended (SIGSEGV)');
  expect(await answer).toContain('its process ended (SIGSEGV)');
  await gone(second.pid);
});

test('what threads share and processes cannot is refused to whoever waits for it', async () => {
  const { unit } = await load(tool('port', 'return new MessageChannel().port1;') + tool('shared', 'return new SharedArrayBuffer(8);') + tool('fine', "return 'fine';"));
  expect(await dispatch('port')).toContain('error');
  expect(await dispatch('shared')).toContain('error');
  expect(await dispatch('fine')).toBe('fine');
  expect(unit.tools).toContain('fine');
});

test('when the app is killed its plugins end by themselves, loops included', async () => {
  const entry = join(folder, 'index.mjs');
  await writeFile(entry, "console.log('loaded ' + process.pid); export function register() { for (;;) new Array(1000).fill({}); }");
  const program = `
    const { forkNode, processModule } = await import(${JSON.stringify(join(ROOT, 'main/plugins/plugin-process.ts'))});
    const child = forkNode(processModule());
    child.onOutput((text) => { process.stdout.write(text); });
    child.send({ kind: 'start', memoryMb: 64, source: ${JSON.stringify({ kind: 'plugin', id: 'it', version: '1', folder, entry, rules: { folder } })} });
    child.send({ kind: 'message', message: { kind: 'request', id: 1, name: 'load', args: [] } });
    setInterval(() => undefined, 1_000);`;
  const app = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(app.stdout, 'data') as [Buffer];
  const pid = Number(/loaded (\d+)/.exec(line.toString())?.[1]);
  expect(isAlive(pid)).toBe(true);
  app.kill('SIGKILL');
  await gone(pid);
});

test('in Electron a plugin runs in a utility process', async () => {
  const { pid, unit, down } = await load(tool('ender', 'process.kill(process.pid, "SIGKILL"); return new Promise(() => undefined);'), { fork: forkUtility });
  expect(recorded.utilities).toEqual(['Talaria plugin']);
  expect(pid).not.toBe(process.pid);
  void dispatch('ender');
  expect(await down).toContain('its process ended');
  unit.close();
  await gone(pid);
});

test('a packaged app starts plugins from beside its archive, where everything that they need lies unpacked', async () => {
  const packed = 'file:///opt/Talaria/resources/app.asar/dist/main/plugins/plugin-process.js';
  expect(processModule(packed)).toBe('/opt/Talaria/resources/app.asar.unpacked/dist/main/plugins/worker/process.js');
  // The same files, as sources, and nothing besides.
  const { asarUnpack } = parse(await readFile(join(ROOT, 'electron-builder.yml'), 'utf8')) as { asarUnpack: string[] }; // cast: an import that fails tells
  const patterns = asarUnpack.filter((pattern) => pattern.startsWith('dist/')).map((pattern) => pattern.replace(/^dist\//, '').replace(/\.js$/, '.ts'));
  const unpacked = globSync(patterns, { cwd: ROOT }).filter((file) => file.endsWith('.ts'));
  expect(unpacked.length).toBeLessThan(20);
  for (const file of unpacked) {
    await mkdir(dirname(join(folder, 'app.asar.unpacked', file)), { recursive: true });
    await cp(join(ROOT, file), join(folder, 'app.asar.unpacked', file));
  }
  const { unit } = await load(tool('fine', "return 'fine';"), { fork: () => forkNode(join(folder, 'app.asar.unpacked/main/plugins/worker/process.ts')) });
  expect(unit.tools).toEqual(['pid', 'fine']);
  expect(await dispatch('fine')).toBe('fine');
});
