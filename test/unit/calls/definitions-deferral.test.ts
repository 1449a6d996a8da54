import { describe, expect, test } from 'vitest';
import type { ToolDefinition } from '../../../main/ports.ts';
import { CORE_TOOLS } from '../../../tools/toolsets.ts';
import { bench, contextOf, parsed, tool, type Bench } from './support.ts';

const names = (definitions: readonly ToolDefinition[]): string[] => definitions.map((definition) => definition.function.name);

describe('deferral', () => {
  function crowded(): ReturnType<typeof bench> {
    const made = bench();
    made.registry.register(tool('terminal', { toolset: 'terminal' }));
    for (let number = 0; number < 30; number += 1) {
      made.registry.register(tool(`mcp_git_${number === 7 ? 'create_branch' : `tool${String(number)}`}`, {
        toolset: 'mcp-git', schema: { description: number === 7 ? 'Make a new branch in the repository' : 'Something else entirely', parameters: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } },
        handler: (args) => JSON.stringify({ got: args }),
      }));
    }
    return made;
  }

  test('foreign tools beyond a tenth of the window stand behind three bridge tools; core tools never do', async () => {
    const { calls } = crowded();
    expect(names(await calls.getToolDefinitions({ contextTokens: 4_000, sessionId: 's' }))).toEqual(['terminal', 'tool_call', 'tool_describe', 'tool_search']);
    expect(await calls.getToolDefinitions({ contextTokens: 400_000 })).toHaveLength(31);
    expect(await calls.getToolDefinitions({})).toHaveLength(31);
  });

  test('it can be switched off and on', async () => {
    const { calls, config } = crowded();
    config.set('tools.tool_search.enabled', 'off');
    expect(await calls.getToolDefinitions({ contextTokens: 4_000 })).toHaveLength(31);
    config.set('tools.tool_search.enabled', true);
    expect(await calls.getToolDefinitions({ contextTokens: 400_000 })).toHaveLength(4);
  });

  test('the bridge finds, describes and calls, hooks see the real tool, and other names stay out of reach', async () => {
    const { calls, registry } = crowded();
    registry.register(tool('secret', { toolset: 'hidden' }));
    const offered = names(await calls.getToolDefinitions({ enabled: ['terminal', 'mcp-git'], contextTokens: 4_000, sessionId: 'chat' }));
    const context = contextOf({ enabledTools: offered });
    const seen: string[] = [];
    calls.hooks.on('pre_tool_call', (payload: { tool_name: string }) => { seen.push(payload.tool_name); return null; }, { owner: 'test' });
    expect(parsed(await calls.handleFunctionCall('tool_search', { query: 'new branch' }, context))['results']).toEqual([{ name: 'mcp_git_create_branch', description: 'Make a new branch in the repository' }]);
    expect(parsed(await calls.handleFunctionCall('tool_describe', { name: 'mcp_git_create_branch' }, context))).toMatchObject({ name: 'mcp_git_create_branch', parameters: { required: ['name'] } });
    expect(parsed(await calls.handleFunctionCall('tool_call', { name: 'mcp_git_create_branch', arguments: { name: 'x' } }, context))).toEqual({ got: { name: 'x' } });
    expect(parsed(await calls.handleFunctionCall('tool_call', { name: 'mcp_git_create_branch', arguments: '{"name":"y"}' }, context))).toEqual({ got: { name: 'y' } });
    expect(seen).toEqual(['mcp_git_create_branch', 'mcp_git_create_branch']);
    for (const name of ['secret', 'terminal', 'nothing']) {
      expect(parsed(await calls.handleFunctionCall('tool_call', { name, arguments: {} }, context))).toEqual({ error: `'${name}' is not available in this session. Use tool_search to find tools you can call.` });
    }
    expect(parsed(await calls.handleFunctionCall('tool_search', { query: 'branch' }, contextOf({ sessionId: 'another' })))['results']).toEqual([]);
  });

  test.each<[string, Record<string, unknown>, RegExp]>([
    ['tool_search', {}, /needs 'query'/], ['tool_search', { query: ' ' }, /needs 'query'/], ['tool_describe', {}, /needs 'name'/], ['tool_call', { name: 7 }, /needs 'name'/],
    ['tool_call', { name: 'mcp_git_tool1', path: 'x' }, /under 'arguments'.*got path.*Nothing was run/], ['tool_call', { name: 'mcp_git_tool1', args: {} }, /got args/],
    ['tool_call', { name: 'mcp_git_tool1', arguments: '{"name": ' }, /no valid JSON.*Nothing was run/],
  ])('%s with %j is told what is wrong with it', async (bridge, args, message) => {
    const { calls } = crowded();
    await calls.getToolDefinitions({ sessionId: 'chat', contextTokens: 1_000 });
    expect(parsed(await calls.handleFunctionCall(bridge, args, contextOf()))).toEqual({ error: expect.stringMatching(message) as string, error_type: 'invalid_arguments' });
  });

  test('a search without a find says what to do, and a name that is nearly right is told the right one', async () => {
    const { calls } = crowded();
    expect(parsed(await calls.handleFunctionCall('tool_search', { query: 'branch' }, contextOf()))['hint']).toMatch(/all tools of this chat are listed/);
    await calls.getToolDefinitions({ sessionId: 'chat', contextTokens: 1_000 });
    expect(parsed(await calls.handleFunctionCall('tool_search', { query: 'zzz' }, contextOf()))).toEqual({ results: [], hint: expect.stringMatching(/None of the 30 tools matches/) as string });
    expect(parsed(await calls.handleFunctionCall('tool_call', { name: 'create_branch' }, contextOf()))).toMatchObject({ error: expect.stringContaining("'create_branch' is not available") as string, did_you_mean: ['mcp_git_create_branch'] });
  });
});

describe('the cap on tools of one request', () => {
  const named = async (b: Bench, request: object): Promise<string[]> => (await b.calls.getToolDefinitions({ sessionId: 'chat', contextTokens: 1_000_000, ...request })).map((each) => each.function.name);

  test('core tools stay, what plugins and servers bring goes behind the bridge, and what is left out is remembered for the chat', async () => {
    const b = bench();
    for (const name of ['read_file', 'terminal', 'alpha', 'beta']) b.registry.register(tool(name));
    b.config.set('tools.max_tools', 3);
    expect(await named(b, {})).toEqual(['alpha', 'read_file', 'terminal']);
    expect([...b.calls.definitions.droppedFor('chat')]).toEqual(['beta']);
    expect(b.calls.definitions.droppedFor('another').size).toBe(0);
    expect(await named(b, { contextTokens: undefined })).toHaveLength(4);

    b.registry.register(tool('mcp_x_one', { toolset: 'mcp-x' }));
    b.config.set('tools.max_tools', 5);
    expect(await named(b, {})).toHaveLength(5);
    b.config.set('tools.max_tools', 4);
    expect(await named(b, {})).toEqual(['terminal', 'tool_call', 'tool_describe', 'tool_search']);
    b.config.set('tools.max_tools', 0);
    expect(await named(b, {})).toHaveLength(5);
    expect(b.calls.definitions.droppedFor('chat').size).toBe(0);
  });

  test('of the core what a chat needs most stays: the order is that of the core list, not of the alphabet', async () => {
    const { calls, registry, config } = bench();
    for (const name of CORE_TOOLS) registry.register(tool(name, { toolset: 'core' }));
    config.set('tools.max_tools', 8);
    expect(names(await calls.getToolDefinitions({ contextTokens: 100_000 }))).toEqual(CORE_TOOLS.slice(0, 8).sort());
  });
});
