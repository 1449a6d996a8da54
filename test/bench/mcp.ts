/** Fifty MCP servers of twenty tools each: how long until all are connected, and the definitions right after. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCalls } from '../../main/calls/calls.ts';
import { systemClock } from '../../main/clock.ts';
import { silentLog } from '../../main/log.ts';
import type { DefinitionsRequest } from '../../main/ports.ts';
import { createMcp } from '../../main/mcp/mcp.ts';
import type { JsonValue } from '../../tools/context.ts';
import { ToolRegistry } from '../../tools/registry.ts';
import { median, type Figure } from '../support/figures.ts';
import { manyServers } from '../support/mcp/many.ts';

const SERVERS = 50;
const TOOLS = 20;

export async function bench(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'talaria-bench-mcp-'));
  const servers = await manyServers(SERVERS, TOOLS, folder);
  const config = { get: (path: string): JsonValue | undefined => (path === 'mcp_servers' ? servers as JsonValue : undefined), env: () => undefined, onChange: () => () => undefined, update: () => Promise.resolve(undefined) }; // cast: made of JSON
  const registry = new ToolRegistry({ log: () => undefined });
  const calls = createCalls({
    registry, clock: systemClock, log: silentLog, cache: folder, config,
    checks: { env: () => undefined, which: () => undefined, path: '', backend: 'local', config: () => undefined, probeBackend: () => Promise.resolve(true) },
  });
  const values = new Map<string, string>();
  const mcp = createMcp({
    prepare: (toolset) => void calls.definitions.prepareAhead(toolset), registry, clock: systemClock, log: silentLog, config, media: folder, redact: (text) => text, onChange: () => undefined, newState: () => 'state', newCallId: () => 'call_000000000000', chatFor: () => undefined, openPage: () => Promise.resolve(),
    values: { get: (key) => values.get(key), set: (key, value) => { if (value === undefined) values.delete(key); else values.set(key, value); } },
    place: { clock: systemClock, environment: process.env, cwd: folder, version: 'bench' },
    secrets: { get: () => Promise.resolve(undefined), set: () => Promise.resolve(), warning: undefined },
    questions: { available: false, askForm: () => Promise.resolve(undefined) }, askModel: () => Promise.reject(new Error('no model in a bench')),
  });
  try {
    const started = performance.now();
    await mcp.rescan();
    await mcp.ready();
    const start = (performance.now() - started) / 1_000;
    const listed = registry.getAllToolNames().length;
    if (listed !== SERVERS * TOOLS) throw new Error(`only ${String(listed)} of ${String(SERVERS * TOOLS)} tools are there after ${start.toFixed(1)} s`);
    // As a chat asks: every toolset by its name, and a window that puts the servers' tools behind the bridge.
    const chat: DefinitionsRequest = { enabled: Object.keys(servers), disabled: [], sessionId: 'bench', contextTokens: 200_000, quiet: true };
    const once = async (request?: DefinitionsRequest): Promise<number> => {
      const asked = performance.now();
      await calls.getToolDefinitions(request);
      return performance.now() - asked;
    };
    const first = await once();
    const firstOfChat = await once(chat);
    const changed: number[] = [];
    const refreshed: number[] = [];
    const refreshedOfChat: number[] = [];
    for (let round = 0; round < 51; round += 1) {
      // What a `list_changed` of one server does, step by step as the server does it.
      const toolset = `mcp-s${String(round % SERVERS)}`;
      const began = performance.now();
      registry.replaceToolset(toolset, registry.toolsets().get(toolset)?.map(({ name, schema, handler }) => ({ name, toolset, schema, handler })) ?? []);
      await calls.definitions.prepareAhead(toolset);
      changed.push(performance.now() - began);
      refreshed.push(await once());
      refreshedOfChat.push(await once(chat));
    }
    return [
      { name: '50 MCP servers × 20 tools, from nothing to all connected', value: start, unit: 's', bar: '≤ 10' },
      { name: 'the definitions of those 1,000 tools, first time', value: first, unit: 'ms', bar: '≤ 2' },
      { name: 'the definitions of those 1,000 tools, first time as a chat asks, deferred', value: firstOfChat, unit: 'ms', bar: '≤ 2' },
      { name: 'taking in the changed list of one server', value: median(changed), unit: 'ms', bar: '≤ 2' },
      { name: 'the definitions of those 1,000 tools, after one server changed its list', value: median(refreshed), unit: 'ms', bar: '≤ 2' },
      { name: 'the same as a chat asks, deferred', value: median(refreshedOfChat), unit: 'ms', bar: '≤ 2' },
    ];
  } finally {
    await mcp.close();
    calls.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
