/** Fifty MCP servers of twenty tools each, started and asked for their definitions once: one fresh process of the bench. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { createCalls } from '../../../main/calls/calls.ts';
import { createToolsets } from '../../../main/calls/toolsets-service.ts';
import { systemClock } from '../../../main/clock.ts';
import { createEventBus } from '../../../main/events.ts';
import { warmFirstRequest } from '../../../main/host/warm.ts';
import { silentLog } from '../../../main/log.ts';
import type { DefinitionsRequest } from '../../../main/ports.ts';
import { createMcp } from '../../../main/mcp/mcp.ts';
import type { JsonValue } from '../../../tools/context.ts';
import { ToolRegistry } from '../../../tools/registry.ts';
import { median } from '../figures.ts';
import { manyServers } from './many.ts';

const SERVERS = 50;
const TOOLS = 20;
const SETTLE_MS = 2_000;

/** `start` in seconds, the others in milliseconds. */
export interface McpWorld { readonly start: number; readonly first: number; readonly firstOfChat: number; readonly changed: number; readonly refreshed: number; readonly refreshedOfChat: number }

/** Seconds for the start, milliseconds for the rest. Throws when not every tool came. */
export async function mcpWorld(): Promise<McpWorld> {
  const folder = mkdtempSync(join(tmpdir(), 'talaria-bench-mcp-'));
  const servers = await manyServers(SERVERS, TOOLS, folder);
  const config = { get: (path: string): JsonValue | undefined => (path === 'mcp_servers' ? servers as JsonValue : undefined), env: () => undefined, onChange: () => () => undefined, update: () => Promise.resolve(undefined) }; // cast: made of JSON
  const registry = new ToolRegistry({ log: () => undefined });
  const calls = createCalls({
    registry, clock: systemClock, log: silentLog, cache: folder, config,
    checks: { env: () => undefined, which: () => undefined, path: '', backend: 'local', config: () => undefined, probeBackend: () => Promise.resolve(true) },
  });
  const toolsets = createToolsets({
    registry, calls, config, clock: systemClock, log: silentLog, checks: { env: () => undefined, path: '' }, events: createEventBus(silentLog),
    sessions: { get: () => undefined, update: () => { throw new Error('no chat is kept in a bench'); } }, uses: { usesSince: () => new Map() },
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
    // As a chat asks: every toolset that is on, and a window that puts the servers' tools behind the bridge.
    const ofChat = (): DefinitionsRequest => ({ ...toolsets.enabledFor(undefined), sessionId: 'bench', contextTokens: 131_072, quiet: true });
    const once = async (request?: () => DefinitionsRequest): Promise<number> => {
      const asked = performance.now();
      await calls.getToolDefinitions(request?.());
      return performance.now() - asked;
    };
    const first = await once();
    // Fifty processes have just begun on two processors; the host warms up two seconds after its start.
    await setTimeout(SETTLE_MS);
    await warmFirstRequest({ calls, toolsets });
    // The common chat is made ahead; this one is a chat whose model has another window, and finds no list of its own.
    const firstOfChat = await once(ofChat);
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
      refreshedOfChat.push(await once(ofChat));
    }
    return { start, first, firstOfChat, changed: median(changed), refreshed: median(refreshed), refreshedOfChat: median(refreshedOfChat) };
  } finally {
    await mcp.close();
    toolsets.close();
    calls.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
