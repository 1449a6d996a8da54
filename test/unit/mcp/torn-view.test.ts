import type { Tool } from '@modelcontextprotocol/client';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toolsetName } from '../../../main/mcp/names.ts';
import { outOfReach, registrationsOf, type ServerCalls } from '../../../main/mcp/tools.ts';
import type { ToolDefinition } from '../../../main/ports.ts';
import type { PluginOwner } from '../../../tools/registry.ts';
import { bench } from '../calls/support.ts';

const SERVERS = ['alpha', 'beta', 'gamma'] as const;
const PLUGINS = ['one', 'two'] as const;
const FILTER = { resources: true, prompts: true };
const answers = (): Promise<string> => Promise.resolve('{}');
const CALLS: ServerCalls = { callTool: answers, listResources: answers, readResource: answers, listPrompts: answers, getPrompt: answers };

/** Every tool of one refresh says which refresh it came with and how many tools that had. */
const words = (version: number, count: number): string => `version ${String(version)} of ${String(count)}`;
const toolsOf = (version: number, count: number): Tool[] => Array.from({ length: count }, (_, index) => ({ name: `tool${String(index)}`, description: words(version, count), inputSchema: { type: 'object' } }));

interface ServerStep { readonly kind: 'refresh' | 'down' | 'remove'; readonly server: number; readonly count: number }
interface PluginStep { readonly kind: 'add' | 'take'; readonly plugin: number; readonly tool: number }
type Step = ServerStep | PluginStep;

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record<ServerStep>({ kind: fc.constantFrom('refresh', 'refresh', 'refresh', 'down', 'remove'), server: fc.nat(2), count: fc.integer({ min: 1, max: 4 }) }) },
  { weight: 3, arbitrary: fc.record<PluginStep>({ kind: fc.constantFrom('add', 'take'), plugin: fc.nat(1), tool: fc.nat(2) }) },
);

/** Throws when a view holds tools of two refreshes of one server, or not all of one. */
function checkView(tools: readonly { readonly name: string; readonly description: string }[]): void {
  for (const server of SERVERS) {
    const own = tools.filter(({ name }) => name.startsWith(`mcp_${server}_`));
    if (own.length === 0) continue;
    expect(new Set(own.map(({ description }) => description)).size, `two refreshes of ${server} in one view`).toBe(1);
    const [, count] = /of (\d+)$/.exec(own[0]?.description ?? '') ?? [];
    expect(own.length, `a part of a refresh of ${server}`).toBe(Number(count));
  }
}

test('1,000 interleavings of servers and plugins that come, change and go, with readers in between: no reader sees a torn view', { timeout: 240_000 }, async () => {
  await fc.assert(fc.asyncProperty(fc.scheduler(), fc.array(step, { minLength: 4, maxLength: 14 }), fc.integer({ min: 2, max: 4 }), async (scheduler, steps, readers) => {
    const { calls, registry } = bench();
    const owners = PLUGINS.map((id): PluginOwner => ({ id, scope: 'global', allowOverride: false }));
    const registered = new Map<string, ReturnType<typeof registrationsOf>['list']>();
    let version = 0;

    function act(now: Step): void {
      if ('plugin' in now) {
        const [owner, name] = [owners[now.plugin], `plugin_${String(now.plugin)}_${String(now.tool)}`];
        if (owner === undefined) return;
        if (now.kind === 'take') registry.deregister(name, { owner });
        // Its check takes its time: a reader stands in the middle of its work while others write.
        else registry.register({ name, toolset: `plugin-${owner.id}`, schema: { description: 'of a plugin' }, handler: () => '{}', checkFn: () => scheduler.schedule(Promise.resolve(true), 'check') }, { owner });
        return;
      }
      const server = SERVERS[now.server] ?? 'alpha';
      const list = now.kind === 'refresh' ? registrationsOf({ server, filter: FILTER, capabilities: {}, tools: toolsOf(version += 1, now.count), held: new Map() }, CALLS).list : registered.get(server) ?? [];
      if (now.kind === 'refresh') registered.set(server, list);
      if (now.kind === 'remove') registered.delete(server);
      const placed = registry.replaceToolset(toolsetName(server), now.kind === 'remove' ? [] : now.kind === 'down' ? outOfReach(server, list, { step: 'check-failed', message: 'down' }) : list);
      if (placed.length > 0) registry.registerToolsetAlias(server, toolsetName(server));
    }

    const held: { readonly list: readonly unknown[]; readonly then: string }[] = [];
    const hold = (list: readonly unknown[]): void => { held.push({ list, then: JSON.stringify(list) }); };
    async function read(): Promise<void> {
      for (let round = 0; round < 4; round += 1) {
        await scheduler.schedule(Promise.resolve(), 'reader');
        const definitions: readonly ToolDefinition[] = await calls.getToolDefinitions({ quiet: true });
        checkView(definitions.map(({ function: { name, description } }) => ({ name, description })));
        hold(definitions);
        // A server that is out of reach keeps its tools in the list, or shows one line about itself.
        checkView(registry.entries().filter(({ checkFn, toolset }) => checkFn === undefined && toolset.startsWith('mcp-')));
        hold(registry.entries().map(({ name }) => name));
        for (const server of SERVERS) expect(registry.getToolsetAliasTarget(server) !== undefined, 'a toolset has its alias for as long as it is there').toBe(registry.getToolNamesForToolset(toolsetName(server)).length > 0);
      }
    }

    const writing = scheduler.scheduleSequence(steps.map((each, index) => ({ label: `${String(index)} ${each.kind}`, builder: () => { act(each); return Promise.resolve(); } })));
    const reading = Promise.all(Array.from({ length: readers }, read));
    await scheduler.waitFor(Promise.all([writing.task, reading]));
    for (const { list, then } of held) expect(JSON.stringify(list), 'what a reader holds is changed behind its back').toBe(then);
  }), { numRuns: 1_000 });
});
