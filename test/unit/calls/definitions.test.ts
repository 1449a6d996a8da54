import { describe, expect, test } from 'vitest';
import type { ToolDefinition } from '../../../main/ports.ts';
import type { ToolSchema } from '../../../tools/registry.ts';
import { bench, contextOf, tool } from './support.ts';

const names = (definitions: readonly ToolDefinition[]): string[] => definitions.map((definition) => definition.function.name);

describe('which tools', () => {
  function filled(): ReturnType<typeof bench> {
    const made = bench();
    for (const [toolset, list] of [['web', ['web_search', 'web_extract']], ['terminal', ['terminal', 'process']], ['file', ['read_file', 'write_file']], ['discord', ['discord']], ['todo', ['todo']]] as const) {
      for (const name of list) made.registry.register(tool(name, { toolset }));
    }
    return made;
  }
  const ask = async (request: Parameters<ReturnType<typeof bench>['calls']['getToolDefinitions']>[0]): Promise<string[]> => names(await filled().calls.getToolDefinitions(request));

  test('an empty list of toolsets means no tools, none given means all, sorted', async () => {
    expect(await ask({ enabled: [] })).toEqual([]);
    expect(await ask({})).toEqual(['discord', 'process', 'read_file', 'terminal', 'todo', 'web_extract', 'web_search', 'write_file']);
    expect(await ask({ enabled: ['all'] })).toEqual(await ask({}));
  });

  test('old names work, unknown ones are told unless quiet and ignored', async () => {
    const { calls, lines } = filled();
    expect(names(await calls.getToolDefinitions({ enabled: ['web_tools', 'terminal_tools', 'nonsense', ''], quiet: true }))).toEqual(['terminal', 'web_extract', 'web_search']);
    expect(lines).toEqual([]);
    await calls.getToolDefinitions({ enabled: ['nonsense'] });
    expect(lines).toEqual([{ level: 'warn', message: 'Unknown toolset: nonsense' }]);
  });

  test('the bare name of a plugin\'s tool stands for itself, that of a built-in one does not', async () => {
    const b = bench();
    b.registry.register(tool('theirs'), { owner: { id: 'p', allowOverride: false, scope: 'global' } });
    b.registry.register(tool('ours'));
    expect((await b.calls.getToolDefinitions({ enabled: ['theirs', 'ours'] })).map((each) => each.function.name)).toEqual(['theirs']);
  });

  test('what is disabled is taken away last, even when it was enabled by name', async () => {
    expect(await ask({ enabled: ['terminal', 'web'], disabled: ['terminal', 'search'] })).toEqual(['web_extract']);
  });

  test('disabling a bundle or a posture takes away only what is not core, told once', async () => {
    const { calls, lines } = filled();
    expect(names(await calls.getToolDefinitions({ enabled: ['hermes-discord'], disabled: ['hermes-discord', 'coding'] }))).not.toContain('discord');
    expect(names(await calls.getToolDefinitions({ disabled: ['hermes-discord'] }))).toContain('terminal');
    expect(lines.filter(({ message }) => message.includes('hermes-discord'))).toHaveLength(1);
  });

  test('a kanban task brings the board along', async () => {
    const { calls, registry, config } = filled();
    registry.register(tool('kanban_show', { toolset: 'kanban' }));
    expect(names(await calls.getToolDefinitions({ enabled: ['todo'] }))).toEqual(['todo']);
    config.environment.set('HERMES_KANBAN_TASK', 't1');
    expect(names(await calls.getToolDefinitions({ enabled: ['todo'] }))).toEqual(['kanban_show', 'todo']);
  });

  test('tools whose check fails are left out', async () => {
    const { calls, registry } = bench();
    registry.register(tool('ok', { checkFn: () => true }));
    registry.register(tool('no', { checkFn: () => false }));
    expect(names(await calls.getToolDefinitions())).toEqual(['ok']);
  });

  test('custom toolsets of config.yaml are followed', async () => {
    const { calls, config } = filled();
    config.set('custom_toolsets', { mine: { description: 'Mine', tools: ['todo'], includes: ['web'] }, bare: ['terminal'], broken: 7 });
    expect(names(await calls.getToolDefinitions({ enabled: ['mine', 'bare'] }))).toEqual(['terminal', 'todo', 'web_extract', 'web_search']);
    config.set('custom_toolsets', undefined);
    expect(await calls.getToolDefinitions({ enabled: ['mine'] })).toEqual([]);
  });
});

describe('the memo', () => {
  test('unchanged: the same members in a list of the caller\'s own', async () => {
    const { calls, registry } = bench();
    for (const name of ['a', 'b']) registry.register(tool(name));
    const first = await calls.getToolDefinitions();
    const second = await calls.getToolDefinitions();
    expect(second).not.toBe(first);
    expect(second[0]).toBe(first[0]);
    first.push(...first);
    expect(await calls.getToolDefinitions()).toHaveLength(2);
    expect(() => { (first[0] as { type: string }).type = 'x'; }).toThrow(TypeError); // cast: the point is a caller that writes
  });

  test('follows registrations, forgotten checks and the life of an answer', async () => {
    const { calls, registry, clock } = bench();
    let available = true;
    registry.register(tool('a', { checkFn: () => available }));
    expect(await calls.getToolDefinitions()).toHaveLength(1);
    registry.register(tool('b'));
    expect(await calls.getToolDefinitions()).toHaveLength(2);
    registry.deregister('b');
    available = false;
    expect(await calls.getToolDefinitions()).toHaveLength(1);
    calls.availability.invalidate();
    expect(await calls.getToolDefinitions()).toHaveLength(0);
    available = true;
    clock.advance(29_999);
    expect(await calls.getToolDefinitions()).toHaveLength(0);
    clock.advance(1);
    expect(await calls.getToolDefinitions()).toHaveLength(1);
  });

  test('names with any sign in them are not taken for others', async () => {
    const { calls, registry } = bench();
    for (const toolset of ['a', 'a|b', 'c', 'b|c', 'a\nc']) registry.register(tool(`in_${toolset.replaceAll(/\W/g, '_')}`, { toolset }));
    const ask = async (enabled: string[], disabled: string[] = []): Promise<string[]> => names(await calls.getToolDefinitions({ enabled, disabled, quiet: true }));
    expect(await ask(['a|b'], ['c'])).toEqual(['in_a_b']);
    expect(await ask(['a'], ['b|c'])).toEqual(['in_a']);
    expect(await ask(['a\nc'])).toEqual(['in_a_c']);
    expect(await ask(['a', 'c'])).toEqual(['in_a', 'in_c']);
  });

  test('more requests than it holds are all right', async () => {
    const { calls, registry } = bench();
    for (let number = 0; number < 20; number += 1) registry.register(tool(`t${String(number)}`, { toolset: `s${String(number)}` }));
    for (let round = 0; round < 2; round += 1) for (let number = 0; number < 20; number += 1) expect(names(await calls.getToolDefinitions({ enabled: [`s${String(number)}`] }))).toEqual([`t${String(number)}`]);
  });

  test('the names of the last request serve callers without a list of their own', async () => {
    const { calls, registry } = bench();
    let seen: readonly string[] | undefined;
    registry.register(tool('execute_code', { toolset: 'code_execution', handler: (_args, context) => { seen = context.enabledTools; return '{}'; } }));
    registry.register(tool('other'));
    await calls.getToolDefinitions();
    await calls.handleFunctionCall('execute_code', {}, contextOf());
    expect(seen).toEqual(['execute_code', 'other']);
    await calls.handleFunctionCall('execute_code', {}, contextOf({ enabledTools: ['execute_code'] }));
    expect(seen).toEqual(['execute_code']);
  });
});

describe('what a toolset that has just come costs the next request', () => {
  /** Counts how often a schema is read to be made into a definition. */
  function counted(): { readonly schema: ToolSchema; readonly reads: () => number } {
    let reads = 0;
    return { schema: { description: 'd', parameters: { type: 'object', get properties() { reads += 1; return { path: { type: 'string' } }; } } }, reads: () => reads };
  }

  test('once prepared ahead, its definitions are made and its checks answered, and whoever asks for the last request\'s names gets those', async () => {
    const { calls, registry } = bench();
    const { schema, reads } = counted();
    let checks = 0;
    registry.register(tool('before'));
    await calls.getToolDefinitions();
    registry.register(tool('mcp_x_one', { toolset: 'mcp-x', schema, checkFn: () => { checks += 1; return true; } }));
    await calls.definitions.prepareAhead('mcp-x');
    expect(calls.definitions.lastResolvedNames).toEqual(['before']);
    const made = reads();
    expect(made).toBeGreaterThan(0);
    expect(names(await calls.getToolDefinitions())).toEqual(['before', 'mcp_x_one']);
    expect(names(await calls.getToolDefinitions({ enabled: ['mcp-x'], contextTokens: 100_000 }))).toEqual(['mcp_x_one']);
    expect(reads()).toBe(made);
    expect(checks).toBe(1);
  });

  test('a toolset that changes leaves the definitions of the others as they are', async () => {
    const { calls, registry } = bench();
    const { schema, reads } = counted();
    registry.replaceToolset('mcp-x', [tool('mcp_x_one', { toolset: 'mcp-x', schema })]);
    const [first] = await calls.getToolDefinitions({ enabled: ['mcp-x'] });
    const made = reads();
    registry.replaceToolset('mcp-y', [tool('mcp_y_one', { toolset: 'mcp-y' })]);
    expect((await calls.getToolDefinitions())[0]).toBe(first);
    expect(reads()).toBe(made);
  });

  test('one that is no JSON or is not there is told or left alone, and nothing rejects', async () => {
    const { calls, registry, lines } = bench();
    registry.register(tool('mcp_x_bad', { toolset: 'mcp-x', schema: { description: 'd', parameters: { type: 'object', properties: { count: { minimum: 1n } } } as never } })); // cast: the point is a schema that is no JSON
    await calls.definitions.prepareAhead('mcp-x');
    await calls.definitions.prepareAhead('mcp-none');
    expect(lines.filter(({ level }) => level === 'error').map(({ message }) => message)).toEqual([expect.stringContaining("'mcp_x_bad' cannot be sent as JSON")]);
    expect(await calls.getToolDefinitions()).toEqual([]);
  });
});
