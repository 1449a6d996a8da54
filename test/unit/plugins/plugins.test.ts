import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { HookBus } from '../../../main/calls/hooks.ts';
import { Middleware } from '../../../main/calls/middleware.ts';
import { createPluginCommands } from '../../../main/plugins/commands.ts';
import { createPlugins, type Plugins } from '../../../main/plugins/plugins.ts';
import { ToolRegistry } from '../../../tools/registry.ts';
import { CORE_TOOLS, ToolsetCatalog } from '../../../tools/toolsets.ts';
import { handClock, type HandClock } from '../../support/hand-clock.ts';
import { contextOf, noChecks, parsed, recordingLog, type LogLine } from '../calls/support.ts';

let home: string;
let clock: HandClock;
let registry: ToolRegistry;
let hooks: HookBus;
let middleware: Middleware;
let plugins: Plugins;
let catalog: ToolsetCatalog;
let lines: LogLine[];
let enabled: string[];
let disabled: string[];

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'talaria-plugins-'));
  clock = handClock();
  const { log, lines: written } = recordingLog();
  lines = written;
  registry = new ToolRegistry({ log: () => undefined });
  hooks = new HookBus({ clock, log });
  middleware = new Middleware();
  catalog = new ToolsetCatalog(registry);
  enabled = ['it'];
  disabled = [];
  plugins = createPlugins({
    home, places: { user: join(home, 'plugins'), project: undefined }, registry, hooks, middleware, commands: createPluginCommands(), platforms: catalog, checks: noChecks, clock, log,
    reach: { dispatchTool: () => Promise.resolve('dispatched'), injectMessage: () => undefined }, onChange: () => undefined,
    config: { get: (path) => (path === 'plugins.enabled' ? enabled : path === 'plugins.disabled' ? disabled : undefined), set: () => Promise.resolve(), update: () => Promise.resolve(undefined), env: () => undefined, onChange: () => () => undefined },
  });
});
afterEach(async () => {
  await plugins.close();
  await rm(home, { recursive: true, force: true });
});

async function write(body: string): Promise<void> {
  await mkdir(join(home, 'plugins/it'), { recursive: true });
  await writeFile(join(home, 'plugins/it/plugin.yaml'), 'version: 2\n');
  await writeFile(join(home, 'plugins/it/index.mjs'), body);
}
const register = (body: string): Promise<void> => write(`export async function register(ctx) { ${body} }`);
const tool = (name: string, handler: string): string => `ctx.registerTool({ name: '${name}', toolset: 'it', schema: { description: 'x' }, handler: ${handler} });`;

const state = (): [string | undefined, string | null | undefined] => [plugins.records()[0]?.state, plugins.records()[0]?.error];
/** Moves time on until it is so: what another thread does takes real time. */
const until = (condition: () => unknown, step = 1_000): Promise<void> => expect.poll(() => { clock.advance(step); return condition(); }, { timeout: 30_000, interval: 20 }).toBeTruthy();
async function load(): Promise<void> {
  void plugins.rescan();
  await expect.poll(() => plugins.records()[0]?.state, { timeout: 30_000 }).toBe('loaded');
}
const dispatch = (name: string): Promise<unknown> => registry.dispatch(name, {}, contextOf());

test.each([
  ['hangs in register(ctx)', `export function register(ctx) { ${tool('half', '() => 1')} return new Promise(() => undefined); }`],
  ['hangs while it is loaded', 'await new Promise(() => undefined); export function register() {}'],
  ['loops in register(ctx)', `export function register(ctx) { ${tool('half', '() => 1')} for (;;); }`],
  ['loops while it is loaded', 'for (;;); export function register() {}'],
])('a plugin that %s is given up after 10 s, nothing of it is there, and its process is gone', async (_, body) => {
  await write(body);
  void plugins.rescan();
  await expect.poll(() => state()[0], { timeout: 30_000 }).toBe('loading');
  clock.advance(9_999);
  expect(state()[0]).toBe('loading');
  clock.advance(1);
  await expect.poll(state, { timeout: 30_000 }).toEqual(['failed', expect.stringContaining('did not finish loading within 10 s') as string]);
  expect(registry.getAllToolNames()).toEqual(['plugin_it']);
});

test('a tool that loops without end fails its call and the plugin is started again', async () => {
  await register(tool('looper', '() => { for (;;); }') + tool('fine', '() => "fine"'));
  await load();
  const called = dispatch('looper');
  let answer: unknown;
  void called.then((value) => { answer = value; });
  await until(() => answer);
  expect(answer).toContain('did not react for 10 s (a loop without end?)');
  await expect.poll(() => dispatch('fine'), { timeout: 30_000 }).toBe('fine');
  expect(lines).toContainEqual({ level: 'error', message: 'a plugin was stopped' });
});

test('a pre_tool_call hook that loops blocks the call instead of letting it pass', async () => {
  await register("ctx.registerHook('pre_tool_call', () => { for (;;); });");
  await load();
  const payload = { tool_name: 'x', args: {}, task_id: '', session_id: '', tool_call_id: '', turn_id: '', api_request_id: '', middleware_trace: [] };
  let answer: unknown;
  void hooks.preToolCall(payload).then((value) => { answer = value; });
  await until(() => answer);
  expect(answer).toMatchObject({ action: 'block', message: expect.stringContaining("the pre_tool_call hook of 'it' failed") as string });
});

test.each([
  ['throws in a timer', 'setTimeout(() => { throw new Error("late"); }, 0)', 'it failed outside a call: Error: late'],
  ['leaves a promise rejected', 'Promise.reject(new Error("left"))', 'it failed outside a call: Error: left'],
  ['ends the process', 'process.exit(3)', 'it ended itself (exit code 3)'],
])('a plugin that %s takes only itself with it', async (_, code, why) => {
  await register(tool('ender', `() => { ${code}; return new Promise(() => undefined); }`));
  await load();
  expect(await dispatch('ender')).toContain(why);
});

test('a plugin that goes down again and again stays off with the reason, until its files change', { timeout: 90_000 }, async () => {
  await register(tool('bomb', '() => { setTimeout(() => { throw new Error("again"); }, 0); return new Promise(() => undefined); }'));
  void plugins.rescan();
  for (let start = 0; start < 4; start += 1) {
    await expect.poll(() => state()[0], { timeout: 30_000 }).toBe('loaded');
    expect(await dispatch('bomb')).toContain('it failed outside a call: Error: again');
  }
  await expect.poll(state, { timeout: 30_000 }).toEqual(['failed', expect.stringContaining('after 3 restarts it stays off') as string]);
  expect(registry.getEntry('plugin_it')).toBeDefined();
  await register(tool('mended', '() => "mended"'));
  await load();
  expect(await dispatch('mended')).toBe('mended');
});

test('a handler that never answers is given up when the call is stopped', async () => {
  await register(tool('never', '() => new Promise(() => undefined)'));
  await load();
  const stop = new AbortController();
  const called = registry.dispatch('never', {}, contextOf({ signal: stop.signal }));
  stop.abort();
  let answer: unknown;
  void called.then((value) => { answer = value; });
  await until(() => answer);
  expect(answer).toContain('The call was stopped.');
});

test('a handler gets the whole context: services that answer later or at once, its signal, and progress', async () => {
  await register(tool('asker', `async (args, { services, sessionId, cwd, emit }) => {
    emit({ kind: 'output', tail: 'working' });
    const environment = await services.files.environment('t');
    return JSON.stringify([sessionId, cwd, services.config.get('a.b'), services.redact('secret'), environment.describe().host, await environment.list('/x'), services.paths.home]);
  }`));
  await load();
  const progress: unknown[] = [];
  const environment = { describe: () => ({ host: 'here' }), list: (path: string) => Promise.resolve([`${path}/1`]) };
  const answer = await registry.dispatch('asker', {}, contextOf({
    emit: (event) => progress.push(event), home: '/h',
    services: { config: { get: (path) => `value of ${path}`, env: () => undefined }, redact: () => '***', files: { environment: () => Promise.resolve(environment as never) } }, // cast: the two methods that are asked for
  }));
  expect(parsed(answer)).toEqual(['chat', '/', 'value of a.b', '***', 'here', ['/x/1'], '/h']);
  expect(progress).toEqual([{ kind: 'output', tail: 'working' }]);
});

test('errors, checks and schema overrides reach the host in their own words', async () => {
  await register(`
    ctx.registerTool({ name: 'odd', toolset: 'it', schema: { description: 'first' }, handler: () => { throw new RangeError('too far'); },
      checkFn: (checks) => checks.which('bash') ?? 'no bash on ' + checks.path, dynamicSchemaOverrides: () => ({ description: 'now ' + (globalThis.count = (globalThis.count ?? 0) + 1) }) });
    try { ctx.registerTool({ name: 'late', toolset: 'it', schema: { description: 'x' }, handler: () => 'x', rewriteSchema: () => null }); } catch (error) { ctx.log('warn', error.message); }
    try { ctx.registerTool({ name: 'bad', toolset: 'it', schema: [], handler: () => 'x' }); } catch (error) { ctx.log('warn', error.constructor.name + ': ' + error.message); }
  `);
  await load();
  expect(await dispatch('odd')).toContain('RangeError: too far');
  expect(lines.map(({ message }) => message)).toContain("plugin it: TypeError: Tool 'bad': schema must be an object, got array.");
  expect(lines.map(({ message }) => message)).toContainEqual(expect.stringMatching(/^plugin it: Tool 'late': rewriteSchema has to answer while .*; use dynamicSchemaOverrides/));
  const entry = registry.getEntry('odd');
  expect(await entry?.checkFn?.(noChecks)).toBe('no bash on /usr/bin:/bin');
  expect(entry?.dynamicSchemaOverrides?.(noChecks)).toEqual({ description: 'now 1' });
  await expect.poll(() => registry.getEntry('odd'), { timeout: 30_000 }).not.toBe(entry);
  expect(registry.getEntry('odd')?.dynamicSchemaOverrides?.(noChecks)).toEqual({ description: 'now 2' });
});

test('middleware of a plugin changes arguments and wraps the execution, and goes with it', async () => {
  await register("ctx.registerMiddleware({ request: ({ args }) => ({ ...args, added: 1 }), execution: async (call, next) => 'wrapped ' + await next() });");
  await load();
  expect(await middleware.rewrite('x', { a: 2 }, contextOf())).toEqual({ args: { a: 2, added: 1 }, trace: ['it'] });
  expect(await middleware.execute({ name: 'x', args: {}, context: contextOf() }, () => Promise.resolve('inner'))).toBe('wrapped inner');
  enabled = [];
  await plugins.rescan();
  expect(middleware.rewrites).toBe(false);
  expect(plugins.records()).toMatchObject([{ state: 'off', tools: [], hooks: [] }]);
});

test('a plugin that brings a messenger adds its preset, is told of hooks that nothing fires, and takes both along', async () => {
  await register(`${tool('carrier_pigeon', '() => "sent"')} ctx.registerPlatform('pigeon', 'it'); ctx.registerHook('pre_tool_cal', () => null);
    try { ctx.registerPlatform('No Pigeon', 'it'); } catch (error) { ctx.log('warn', error.message); }`);
  await load();
  expect(catalog.resolveToolset('hermes-pigeon')).toEqual([...CORE_TOOLS, 'carrier_pigeon'].sort());
  expect(lines.map(({ message }) => message)).toEqual(expect.arrayContaining([expect.stringMatching(/^Plugin 'it' waits for hook 'pre_tool_cal', which nothing here fires\. Did it mean pre_tool_call/), "plugin it: 'No Pigeon' is no name of a platform: small letters, digits and -."]));
  enabled = [];
  await plugins.rescan();
  expect([catalog.resolveToolset('hermes-pigeon'), catalog.validateToolset('hermes-pigeon')]).toEqual([[], false]);
});

test('a plugin that is listed as disabled stays off, enabled or not', async () => {
  await register(tool('fine', '() => "fine"'));
  disabled = ['it'];
  await plugins.rescan();
  expect([state(), registry.getAllToolNames()]).toEqual([['off', null], ['plugin_it']]);
});

test('request middleware that never answers fails its call after 30 s', async () => {
  await register("ctx.registerMiddleware({ request: () => new Promise(() => undefined) });");
  await load();
  let failure: unknown;
  middleware.rewrite('x', {}, contextOf()).catch((error: unknown) => { failure = error; });
  await until(() => failure, 10_000);
  expect(String(failure)).toContain("the request middleware of plugin 'it' did not answer within 30 s");
});

test.each(['for (;;);', 'await new Promise(() => undefined);'])('closing, or switching off, ends a process that is still loading (%s)', async (body) => {
  await register(body);
  const scanned = plugins.rescan();
  await expect.poll(() => state()[0], { timeout: 30_000 }).toBe('loading');
  enabled = [];
  const off = plugins.rescan();
  await expect.poll(() => state()[0], { timeout: 30_000 }).toBe('off');
  await plugins.close();
  await Promise.all([scanned, off]);
  expect(registry.getAllToolNames()).toEqual([]);
});
