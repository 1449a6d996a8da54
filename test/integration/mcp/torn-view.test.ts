/** The live half of `unit/mcp/torn-view`: real connections, real notices, a real dispatcher, and readers all the while. A thousand changes with TALARIA_LONG=1. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { createCalls, type CallsRuntime } from '../../../main/calls/calls.ts';
import { systemClock } from '../../../main/clock.ts';
import { silentLog } from '../../../main/log.ts';
import { createMcp, type Mcp } from '../../../main/mcp/mcp.ts';
import { ToolRegistry, type PluginOwner } from '../../../tools/registry.ts';
import type { JsonValue, ToolContext } from '../../../tools/context.ts';
import { startChangingServer, type ChangingServer } from '../../support/mcp/changing-server.ts';

const SERVERS = ['alpha', 'beta'] as const;
type ServerName = (typeof SERVERS)[number];
const STEPS = 12;
const RUNS = process.env['TALARIA_LONG'] === '1' ? Math.ceil(1_000 / STEPS) : 6;
const READERS = 3;
const OWNER: PluginOwner = { id: 'one', scope: 'global', allowOverride: false };

type Step =
  | { readonly kind: 'change'; readonly server: ServerName; readonly count: number }
  | { readonly kind: 'restart' | 'settle'; readonly server: ServerName }
  | { readonly kind: 'plugin-add' | 'plugin-take'; readonly tool: number };
const server = fc.constantFrom(...SERVERS);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('change' as const), server, count: fc.integer({ min: 0, max: 4 }) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('restart' as const, 'settle' as const), server }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('plugin-add' as const, 'plugin-take' as const), tool: fc.nat(2) }) },
);

interface Live { readonly registry: ToolRegistry; readonly calls: CallsRuntime; readonly mcp: Mcp; readonly servers: ReadonlyMap<ServerName, ChangingServer> }

async function openLive(slowness: () => number): Promise<Live> {
  const folder = mkdtempSync(join(tmpdir(), 'talaria-torn-'));
  const servers = new Map(await Promise.all(SERVERS.map(async (name) => [name, await startChangingServer(slowness)] as const)));
  const configured: JsonValue = Object.fromEntries([...servers].map(([name, { url }]) => [name, { url }]));
  const config = { get: (path: string): JsonValue | undefined => (path === 'mcp_servers' ? configured : undefined), env: () => undefined, onChange: () => () => undefined, update: () => Promise.resolve(undefined) };
  const registry = new ToolRegistry({ log: () => undefined });
  const calls = createCalls({
    registry, clock: systemClock, log: silentLog, cache: folder, config,
    checks: { env: () => undefined, which: () => undefined, path: '', backend: 'local', config: () => undefined, probeBackend: () => Promise.resolve(true) },
  });
  const values = new Map<string, string>();
  const mcp = createMcp({
    registry, clock: systemClock, log: silentLog, config, media: folder, redact: (text) => text, onChange: () => undefined, prepare: (toolset) => void calls.definitions.prepareAhead(toolset),
    newState: () => 'state', newCallId: () => 'call_000000000000', chatFor: () => undefined, openPage: () => Promise.resolve(),
    values: { get: (key) => values.get(key), set: (key, value) => { if (value === undefined) values.delete(key); else values.set(key, value); } },
    place: { clock: systemClock, environment: {}, cwd: folder, version: 'test' }, secrets: { get: () => Promise.resolve(undefined), set: () => Promise.resolve(), warning: undefined },
    questions: { available: false, askForm: () => Promise.resolve(undefined) }, askModel: () => Promise.reject(new Error('no model here')),
  });
  onTestFinished(async () => {
    await mcp.close();
    calls.close();
    await Promise.all([...servers.values()].map((each) => each.close()));
    rmSync(folder, { recursive: true, force: true });
  });
  await mcp.rescan();
  await mcp.ready();
  return { registry, calls, mcp, servers };
}

/** Throws when a view holds tools of two lists of one server, or not all of one. Gives what it holds: server → version. */
function checkView(names: readonly string[]): Map<ServerName, string> {
  const seen = new Map<ServerName, string>();
  for (const name of SERVERS) {
    const own = names.map((each) => /^mcp_(\w+?)_(v\d+of(\d+))_\d+$/.exec(each)).filter((match) => match?.[1] === name);
    const [first] = own;
    if (first?.[2] === undefined) continue;
    expect(new Set(own.map((match) => match?.[2])).size, `two lists of ${name} in one view: ${names.join()}`).toBe(1);
    expect(own.length, `a part of a list of ${name}: ${names.join()}`).toBe(Number(first[3]));
    seen.set(name, first[2]);
  }
  return seen;
}

/** What a call answers: tools of these servers and plugins give one JSON object as text. */
async function answerOf<Answer>(calls: CallsRuntime, name: string, args: object, context: ToolContext): Promise<Answer> {
  const result = await calls.handleFunctionCall(name, args, context);
  return JSON.parse(typeof result === 'string' ? result : expect.fail(`no text: ${JSON.stringify(result)}`)) as Answer; // cast: see above
}

function contextOf(sessionId: string, offered?: readonly string[]): ToolContext {
  const services = { redact: (text: string) => text } as ToolContext['services']; // cast: the tools of these servers use no other service
  return { sessionId, taskId: 'default', toolCallId: 'call_000000000001', signal: new AbortController().signal, cwd: '/', emit: () => undefined, services, ...(offered === undefined ? {} : { enabledTools: offered }) };
}

test('readers of live connections see whole lists only, what they call is what they saw or gone, and the last list is the one that stays', { timeout: 300_000 }, async () => {
  const pace = { turns: 0 };
  const { registry, calls, mcp, servers } = await openLive(() => pace.turns);
  const serverOf = (name: ServerName): ChangingServer => servers.get(name) ?? expect.fail(name);
  const shown = async (): Promise<string[]> => (await calls.getToolDefinitions({ quiet: true })).map((each) => each.function.name);
  const settled = (name: ServerName): Promise<unknown> => expect.poll(async () => {
    const { version, count } = serverOf(name);
    return checkView(await shown()).get(name) === (count === 0 ? undefined : `v${String(version)}of${String(count)}`);
  }, { timeout: 60_000, interval: 5 }).toBe(true);
  let reads = 0;
  let done = 0;

  async function act(now: Step): Promise<void> {
    switch (now.kind) {
      case 'change': serverOf(now.server).change(now.count); return;
      case 'restart': return mcp.desk.restart(now.server);
      case 'settle': await settled(now.server); return;
      case 'plugin-add':
        registry.register({ name: `plugin_${String(now.tool)}`, toolset: 'plugin-one', schema: { description: 'of a plugin' }, handler: () => '{"result":"did it"}', checkFn: async () => { await turn(); return true; } }, { owner: OWNER });
        return;
      case 'plugin-take': registry.deregister(`plugin_${String(now.tool)}`, { owner: OWNER });
    }
  }

  async function read(reader: number, goOn: () => boolean): Promise<void> {
    const chat = `reader-${String(reader)}`;
    while (goOn()) {
      const view = await calls.getToolDefinitions({ quiet: true, sessionId: chat });
      const then = JSON.stringify(view);
      const names = view.map((each) => each.function.name);
      checkView(names);
      checkView(registry.entries().filter(({ checkFn }) => checkFn === undefined).map(({ name }) => name));
      // Behind the bridge, the same holds for what a search finds.
      await calls.getToolDefinitions({ quiet: true, sessionId: `${chat}-small`, contextTokens: 1 });
      const found = await answerOf<{ results: { name: string }[] }>(calls, 'tool_search', { query: 'mcp tool', limit: 20 }, contextOf(`${chat}-small`));
      checkView(found.results.map(({ name }) => name));
      const called = names[reads % Math.max(names.length, 1)];
      if (called !== undefined) {
        const result = await answerOf<{ result?: string; error?: string }>(calls, called, {}, contextOf(chat, names));
        if (result.error === undefined) {
          expect(result.result).toBe(called.startsWith('plugin_') ? 'did it' : `did ${called.replace(/^mcp_(?:alpha|beta)_/, '')}`);
          done += 1;
        } else expect(result.error).toMatch(/is gone|Unknown tool|reconnect|ended while this call ran|not connected|left alone/);
      }
      expect(JSON.stringify(view), 'what a reader holds is changed behind its back').toBe(then);
      reads += 1;
      await turn();
    }
  }

  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: STEPS, maxLength: STEPS }), fc.nat(30), async (steps, turns) => {
    pace.turns = turns;
    let writing = true;
    const readers = Promise.all(Array.from({ length: READERS }, (_, reader) => read(reader, () => writing)));
    readers.catch(() => undefined); // told below; a reader that fails early must not end the process
    try {
      for (const now of steps) {
        await act(now);
        await turn();
      }
      for (const name of SERVERS) await settled(name);
    } finally {
      writing = false;
      await readers;
    }
  }), { numRuns: RUNS, endOnFailure: true });
  expect(reads).toBeGreaterThan(RUNS);
  expect(done, 'not one call of a reader reached its tool').toBeGreaterThan(0);
  for (const each of servers.values()) expect(each.listings).toBeGreaterThan(1);
});
