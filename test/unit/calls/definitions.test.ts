import { describe, expect, test } from 'vitest';
import { plainNames, restoreNames, sanitizeParameters } from '../../../main/calls/sanitize-schema.ts';
import { withoutUnavailable, withoutWebAdvice } from '../../../main/calls/rewrites.ts';
import { jsonTokens } from '../../../main/calls/tokens.ts';
import type { ToolDefinition } from '../../../main/ports.ts';
import type { ToolSchema } from '../../../tools/registry.ts';
import { bench, contextOf, parsed, tool, type Bench } from './support.ts';

const names = (definitions: readonly ToolDefinition[]): string[] => definitions.map((definition) => definition.function.name);
const describedAs = (definitions: readonly ToolDefinition[], name: string): string | undefined => definitions.find((definition) => definition.function.name === name)?.function.description;

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

describe('schemas', () => {
  test('the name is the registered one, whatever the schema says', async () => {
    const { calls, registry } = bench();
    registry.register(tool('a', { schema: { name: 'other', description: 'd' } }));
    expect(await calls.getToolDefinitions()).toEqual([{ type: 'function', function: { name: 'a', description: 'd', parameters: { type: 'object', properties: {} } } }]);
  });

  test('overrides are merged at each rebuild, and a failing or odd one leaves the static schema', async () => {
    const { calls, registry, lines } = bench();
    let now = 'first';
    registry.register(tool('a', { dynamicSchemaOverrides: () => ({ description: now }) }));
    registry.register(tool('b', { dynamicSchemaOverrides: () => { throw new Error('x'); } }));
    registry.register(tool('c', { dynamicSchemaOverrides: () => 'odd' as unknown as Partial<ToolSchema> })); // cast: the point is a callback that breaks its type
    const first = await calls.getToolDefinitions();
    expect(['a', 'b', 'c'].map((name) => describedAs(first, name))).toEqual(['first', 'Tool b', 'Tool c']);
    expect(lines.some(({ level, message }) => level === 'warn' && message.includes("'b'"))).toBe(true);
    now = 'second';
    registry.register(tool('d'));
    expect(describedAs(await calls.getToolDefinitions(), 'a')).toBe('second');
  });

  test('execute_code names only tools that are really offered', async () => {
    const { calls, registry } = bench();
    const description = 'Run Python.\n  web_search(query) - search\n  read_file(path) - read\nAvailable: web_search, terminal, read_file.\nPrint the result.';
    registry.register(tool('execute_code', { toolset: 'code_execution', schema: { description } }));
    registry.register(tool('read_file', { toolset: 'file' }));
    registry.register(tool('web_search', { toolset: 'web', checkFn: () => false }));
    expect(describedAs(await calls.getToolDefinitions(), 'execute_code')).toBe('Run Python.\n  read_file(path) - read\nAvailable: read_file.\nPrint the result.');
  });

  test('a tool rewrites its own schema by what is offered, or leaves itself out', async () => {
    const { calls, registry } = bench();
    registry.register(tool('a', { rewriteSchema: (schema, available) => ({ ...schema, description: [...available].join() }) }));
    registry.register(tool('b', { rewriteSchema: () => null }));
    registry.register(tool('c', { rewriteSchema: () => { throw new Error('x'); } }));
    const definitions = await calls.getToolDefinitions();
    expect(names(definitions)).toEqual(['a', 'c']);
    expect(describedAs(definitions, 'a')).toBe('a,b,c');
    expect(describedAs(definitions, 'c')).toBe('Tool c');
  });

  test('browser_navigate recommends web tools only where they are', async () => {
    const { calls, registry } = bench();
    const description = 'Open a page. For plain reading prefer web_search or web_extract (faster, cheaper). Then use browser_snapshot.';
    registry.register(tool('browser_navigate', { toolset: 'browser', schema: { description } }));
    expect(describedAs(await calls.getToolDefinitions(), 'browser_navigate')).toBe('Open a page. Then use browser_snapshot.');
    registry.register(tool('web_extract', { toolset: 'web' }));
    expect(describedAs(await calls.getToolDefinitions(), 'browser_navigate')).toBe(description);
  });

  test('advice and names go wherever they stand', () => {
    expect(withoutWebAdvice('Prefer web_search. Open it.')).toBe('Open it.');
    expect(withoutWebAdvice('Open it. Prefer web_extract')).toBe('Open it.');
    expect(withoutUnavailable('none of them here', new Set())).toBe('none of them here');
    expect(withoutUnavailable('read_file, write_file', new Set(['read_file']))).toBe('read_file');
  });

  test.each([
    [undefined, { type: 'object', properties: {} }],
    [{ type: 'object' }, { type: 'object', properties: {} }],
    [{ properties: { a: { type: 'object' } } }, { type: 'object', properties: { a: { type: 'object', properties: {} } } }],
    [{ properties: { a: 'string', b: 'object', c: 'words' } }, { type: 'object', properties: { a: { type: 'string' }, b: { type: 'object', properties: {} }, c: { description: 'words' } } }],
    [{ properties: { a: { type: 'array', items: 'integer' } } }, { type: 'object', properties: { a: { type: 'array', items: { type: 'integer' } } } }],
    [{ properties: { a: { anyOf: ['string', { type: 'object' }] } } }, { type: 'object', properties: { a: { anyOf: [{ type: 'string' }, { type: 'object', properties: {} }] } } }],
    [{ properties: { a: {} }, required: ['a', 'gone', 7] }, { type: 'object', properties: { a: {} }, required: ['a'] }],
    [{ $schema: 'http://json-schema.org/draft-07/schema#', type: ['object', 'null'], properties: {}, additionalProperties: false }, { type: 'object', properties: {}, additionalProperties: false }],
  ])('%j is sent as %j', (given, sent) => {
    expect(sanitizeParameters(given)).toEqual(sent);
  });

  test('odd property names become plain ones, apart from each other, and are mapped back at any depth', () => {
    const schema = { type: 'object', properties: { 'a b': { type: 'string' }, a_b: { type: 'string' }, 'ä': { type: 'array', items: { type: 'object', properties: { 'x/y': { type: 'integer' } }, required: ['x/y'] } }, ['long'.repeat(40)]: {} }, required: ['a b'] };
    const sent = sanitizeParameters(schema);
    const sentNames = Object.keys(sent['properties'] as object); // cast: always an object
    for (const name of sentNames) expect(name).toMatch(/^[A-Za-z0-9_.-]{1,64}$/);
    expect(new Set(sentNames).size).toBe(4);
    expect(sent['required']).toEqual(['a_b_2']);
    expect(restoreNames({ a_b_2: '1', a_b: '2', _: [{ x_y: 3 }], other: 4 }, schema)).toEqual({ 'a b': '1', a_b: '2', 'ä': [{ 'x/y': 3 }], other: 4 });
    expect(plainNames({ fine: {}, 'also-fine.1': {} })).toBeUndefined();
  });

  test('renamed arguments reach the handler under their own names', async () => {
    const { calls, registry } = bench();
    let got: unknown;
    registry.register(tool('odd', { schema: { description: 'x', parameters: { type: 'object', properties: { 'user id': { type: 'integer' } }, required: ['user id'] } }, handler: (args) => { got = args; return '{}'; } }));
    const [definition] = await calls.getToolDefinitions();
    expect(definition?.function.parameters).toEqual({ type: 'object', properties: { user_id: { type: 'integer' } }, required: ['user_id'] });
    await calls.handleFunctionCall('odd', { user_id: '5' }, contextOf());
    expect(got).toEqual({ 'user id': 5 });
  });

  test('the registered schema is never written to, and a schema that is no JSON is left out', async () => {
    const { calls, registry } = bench();
    const parameters = Object.freeze({ type: 'object', properties: Object.freeze({ a: Object.freeze({ type: 'object', enum: [['x']] }) }) });
    registry.register(tool('a', { schema: { description: 'x', parameters } }));
    const circle: Record<string, unknown> = { type: 'object' };
    circle['default'] = circle;
    registry.register(tool('b', { schema: { description: 'x', parameters: circle as never } })); // cast: the point is a schema that is no JSON
    expect(names(await calls.getToolDefinitions())).toEqual(['a']);
    expect(Object.isFrozen(parameters.properties.a.enum)).toBe(false);
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
    const circle: Record<string, unknown> = {};
    circle['enum'] = [circle];
    registry.register(tool('mcp_x_bad', { toolset: 'mcp-x', schema: { description: 'd', parameters: { type: 'object', properties: { circle } } as never } })); // cast: the point is a schema that is no JSON
    await calls.definitions.prepareAhead('mcp-x');
    await calls.definitions.prepareAhead('mcp-none');
    expect(lines.filter(({ level }) => level === 'error').map(({ message }) => message)).toEqual([expect.stringContaining("'mcp_x_bad' cannot be sent as JSON")]);
    expect(await calls.getToolDefinitions()).toEqual([]);
  });
});

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
    expect(await named(b, {})).toEqual(['read_file', 'tool_call', 'tool_describe', 'tool_search']);
    b.config.set('tools.max_tools', 0);
    expect(await named(b, {})).toHaveLength(5);
    expect(b.calls.definitions.droppedFor('chat').size).toBe(0);
  });
});

describe('token estimates', () => {
  /** Counted with o200k_base. */
  test.each<[string, number]>([
    ['{"type":"function","function":{"name":"mcp_github_create_pull_request","description":"Create a pull request","parameters":{"type":"object","properties":{"owner":{"type":"string"},"repo":{"type":"string"},"title":{"type":"string"},"head":{"type":"string"},"base":{"type":"string"},"draft":{"type":"boolean"},"maintainer_can_modify":{"type":"boolean"}},"required":["owner","repo","title","head","base"]}}}', 98],
  ])('are near what a tokenizer counts', (json, counted) => {
    expect(Math.abs(jsonTokens(json) - counted) / counted).toBeLessThan(0.06);
  });

  test('are nothing for nothing, and count other scripts higher', () => {
    expect(jsonTokens('')).toBe(0);
    expect(jsonTokens('東京'.repeat(30))).toBeGreaterThan(jsonTokens('ab'.repeat(30)));
  });
});
