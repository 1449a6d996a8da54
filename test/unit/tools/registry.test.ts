import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PermissionError, type PluginOwner, ToolRegistry, type ToolRegistration } from '../../../tools/registry.ts';
import { contextOf, parsed, tool } from '../calls/support.ts';

interface Line { level: string; message: string }
function quiet(): { registry: ToolRegistry; lines: Line[] } {
  const lines: Line[] = [];
  return { registry: new ToolRegistry({ log: (level, message) => lines.push({ level, message }) }), lines };
}
const plugin = (more: Partial<PluginOwner> = {}): PluginOwner => ({ id: 'acme', allowOverride: false, scope: 'global', ...more });
const say = (text: string) => (): string => JSON.stringify({ says: text });
async function says(registry: ToolRegistry, name: string): Promise<unknown> {
  return parsed(await registry.dispatch(name, {}, contextOf()))['says'];
}

describe('register', () => {
  test('keeps an entry with the default emoji, an empty list of variables and the schema description', () => {
    const { registry } = quiet();
    registry.register(tool('a'));
    expect(registry.getEntry('a')).toMatchObject({ emoji: '⚡', requiresEnv: [], isAsync: false, description: 'Tool a' });
  });

  test.each([[[], 'array'], [null, 'null'], ['x', 'string'], [7, 'number']])('refuses schema %j by naming the tool and %s', (schema, kind) => {
    const { registry } = quiet();
    const bad = { ...tool('broken'), schema } as unknown as ToolRegistration; // cast: the point is a registration of the wrong shape
    expect(() => registry.register(bad)).toThrow(new RegExp(`broken.*${kind}`));
    expect(registry.generation).toBe(0);
  });

  test('refuses a list as parameters but takes null', () => {
    const { registry } = quiet();
    const withParameters = (parameters: unknown): ToolRegistration => ({ ...tool('p'), schema: { description: 'x', parameters } }) as unknown as ToolRegistration; // cast: see above
    expect(() => registry.register(withParameters([]))).toThrow(/p.*parameters.*array/);
    expect(registry.register(withParameters(null))).toBe(true);
  });

  test('the same toolset replaces without a word', async () => {
    const { registry, lines } = quiet();
    registry.register(tool('a', { handler: say('old') }));
    expect(registry.register(tool('a', { handler: say('new') }))).toBe(true);
    expect(await says(registry, 'a')).toBe('new');
    expect(lines).toEqual([]);
  });

  test('another toolset is rejected with an error line and the old tool still answers', async () => {
    const { registry, lines } = quiet();
    registry.register(tool('a', { handler: say('old') }));
    const generation = registry.generation;
    expect(registry.register(tool('a', { toolset: 'other', handler: say('new') }))).toBe(false);
    expect(await says(registry, 'a')).toBe('old');
    expect(lines).toEqual([{ level: 'error', message: expect.stringMatching(/override: true.*deregister/) as string }]);
    expect(registry.generation).toBe(generation);
  });

  test('one MCP server does not take a tool from another', async () => {
    const { registry } = quiet();
    registry.register(tool('mcp_x', { toolset: 'mcp-a', handler: say('a') }));
    expect(registry.register(tool('mcp_x', { toolset: 'mcp-b', handler: say('b') }))).toBe(false);
    expect(await says(registry, 'mcp_x')).toBe('a');
  });

  test('override by the host replaces and is told', async () => {
    const { registry, lines } = quiet();
    registry.register(tool('a', { handler: say('old') }));
    registry.register(tool('a', { toolset: 'other', override: true, handler: say('new') }));
    expect(await says(registry, 'a')).toBe('new');
    expect(lines[0]?.level).toBe('info');
    expect(registry.getToolsetForTool('a')).toBe('other');
  });

  test('a plugin without opt-in that overrides is told by a PermissionError that names the setting, and nothing changes', async () => {
    const { registry, lines } = quiet();
    registry.register(tool('a', { handler: say('old') }));
    expect(() => registry.register(tool('a', { toolset: 'other', override: true }), { owner: plugin() }))
      .toThrow(expect.objectContaining({ name: 'PermissionError', message: expect.stringContaining('plugins.entries.acme.allow_tool_override') as string }) as Error);
    expect(await says(registry, 'a')).toBe('old');
    expect(lines[0]?.level).toBe('error');
  });

  test('a plugin with opt-in overrides', async () => {
    const { registry } = quiet();
    registry.register(tool('a', { handler: say('old') }));
    registry.register(tool('a', { toolset: 'other', override: true, handler: say('plugin') }), { owner: plugin({ allowOverride: true }) });
    expect(await says(registry, 'a')).toBe('plugin');
  });

  test.each([{ override: false }, { override: true }])('a plugin of one profile cannot shadow a shared tool of the same toolset ($override)', async ({ override }) => {
    const { registry } = quiet();
    registry.register(tool('a', { handler: say('shared') }));
    const shadow = (): boolean => registry.register(tool('a', { override, handler: say('profile') }), { owner: plugin({ scope: 'profile' }) });
    if (override) expect(shadow).toThrow(PermissionError);
    else expect(shadow()).toBe(false);
    expect(await says(registry, 'a')).toBe('shared');
  });

  test('the first check of a toolset is kept for display', () => {
    const { registry } = quiet();
    const first = (): boolean => true;
    registry.register(tool('a'));
    registry.register(tool('b', { checkFn: first, requiresEnv: ['A_KEY'] }));
    registry.register(tool('c', { checkFn: () => false, requiresEnv: ['A_KEY', 'B_KEY'] }));
    expect(registry.getToolsetRequirements().get('test')).toEqual({ name: 'test', envVars: ['A_KEY', 'B_KEY'], checkFn: first, setupUrl: null, tools: ['a', 'b', 'c'] });
  });
});

describe('deregister', () => {
  test('an unknown name does nothing, not even a new generation', () => {
    const { registry } = quiet();
    registry.deregister('nobody');
    expect(registry.generation).toBe(0);
  });

  test('the last tool of a toolset takes its check and its aliases along', () => {
    const { registry } = quiet();
    registry.register(tool('a', { toolset: 'mcp-git', checkFn: () => true }));
    registry.register(tool('b', { toolset: 'mcp-git' }));
    registry.registerToolsetAlias('git', 'mcp-git');
    registry.deregister('a');
    expect(registry.getToolsetAliasTarget('git')).toBe('mcp-git');
    registry.deregister('b');
    expect(registry.getToolsetAliasTarget('git')).toBeUndefined();
    expect(registry.getToolsetRequirements().has('mcp-git')).toBe(false);
  });

  test('a plugin removes its own tools, those of MCP servers, and others only with opt-in', () => {
    const { registry } = quiet();
    registry.register(tool('builtin'));
    registry.register(tool('mine', { toolset: 'acme' }), { owner: plugin() });
    registry.register(tool('mcp_x', { toolset: 'mcp-x' }));
    expect(() => registry.deregister('builtin', { owner: plugin() })).toThrow(PermissionError);
    registry.deregister('mine', { owner: plugin() });
    registry.deregister('mcp_x', { owner: plugin() });
    registry.deregister('builtin', { owner: plugin({ allowOverride: true }) });
    expect(registry.getAllToolNames()).toEqual([]);
  });

  test('a plugin of one profile cannot remove what all profiles share', () => {
    const { registry } = quiet();
    registry.register(tool('shared', { toolset: 'mcp-x' }));
    expect(() => registry.deregister('shared', { owner: plugin({ scope: 'profile', allowOverride: true }) })).toThrow(PermissionError);
  });
});

describe('generation, aliases and snapshots', () => {
  test('every change counts', () => {
    const { registry } = quiet();
    const counts: number[] = [];
    registry.register(tool('a')); counts.push(registry.generation);
    registry.registerToolsetAlias('x', 'test'); counts.push(registry.generation);
    registry.deregister('a'); counts.push(registry.generation);
    expect(counts).toEqual([1, 2, 3]);
  });

  test('an alias that changes its target warns', () => {
    const { registry, lines } = quiet();
    registry.registerToolsetAlias('x', 'one');
    registry.registerToolsetAlias('x', 'one');
    registry.registerToolsetAlias('x', 'two');
    expect(lines.map(({ level }) => level)).toEqual(['warn']);
    expect(registry.getRegisteredToolsetAliases()).toEqual(new Map([['x', 'two']]));
  });

  test('restore puts back the displaced entry itself, unless somebody came in between', () => {
    const { registry } = quiet();
    registry.register(tool('a'));
    const original = registry.getEntry('a');
    registry.register(tool('a', { toolset: 'other', override: true }));
    const replacement = registry.getEntry('a');
    if (original === undefined) throw new Error('not registered');
    expect(registry.restore(original, undefined)).toBe(false);
    expect(registry.restore(original, replacement)).toBe(true);
    expect(registry.getEntry('a')).toBe(original);
  });

  test('a refresh of a toolset is one step that adds, replaces and removes', () => {
    const { registry } = quiet();
    registry.register(tool('taken'));
    registry.replaceToolset('mcp-x', [tool('one', { toolset: 'mcp-x' }), tool('two', { toolset: 'mcp-x' })]);
    const placed = registry.replaceToolset('mcp-x', [tool('two', { toolset: 'mcp-x' }), tool('three', { toolset: 'mcp-x' }), tool('taken', { toolset: 'mcp-x' })]);
    expect(placed).toEqual(['two', 'three']);
    expect(registry.getToolNamesForToolset('mcp-x')).toEqual(['three', 'two']);
    expect(registry.getToolsetForTool('taken')).toBe('test');
  });

  test('a malformed tool in a refresh leaves the toolset as it was', () => {
    const { registry } = quiet();
    registry.replaceToolset('mcp-x', [tool('one', { toolset: 'mcp-x' })]);
    const broken = { ...tool('bad', { toolset: 'mcp-x' }), schema: [] } as unknown as ToolRegistration; // cast: the point is the wrong shape
    expect(() => registry.replaceToolset('mcp-x', [tool('two', { toolset: 'mcp-x' }), broken])).toThrow(TypeError);
    expect(registry.getToolNamesForToolset('mcp-x')).toEqual(['one']);
  });

  test('a thousand random changes never show a reader a torn view', () => {
    const change = fc.record({ kind: fc.constantFrom('register', 'deregister', 'refresh'), set: fc.integer({ min: 0, max: 5 }), tools: fc.uniqueArray(fc.integer({ min: 0, max: 20 }), { maxLength: 8 }), read: fc.boolean() });
    fc.assert(fc.property(fc.array(change, { minLength: 10, maxLength: 50 }), (changes) => {
      const { registry } = quiet();
      const views: { view: readonly { name: string }[]; names: string }[] = [];
      for (const { kind, set, tools, read } of changes) {
        const toolset = `mcp-${String(set)}`;
        const named = tools.map((number) => tool(`${toolset}_${String(number)}`, { toolset }));
        // Not after each change: one who reads seldom sees several of them at once.
        if (read) {
          const view = registry.entries();
          views.push({ view, names: view.map(({ name }) => name).join() });
        }
        if (kind === 'refresh') registry.replaceToolset(toolset, named);
        else for (const each of named) if (kind === 'register') registry.register(each); else registry.deregister(each.name);
        if (kind === 'refresh') expect(registry.getToolNamesForToolset(toolset)).toEqual(named.map(({ name }) => name).sort());
        if (!read) continue;
        const names = registry.getAllToolNames();
        expect(names).toEqual([...new Set(names)].sort());
        expect(registry.entries().every((entry) => registry.getEntry(entry.name) === entry), 'an entry that is not the one in place').toBe(true);
        expect([...registry.toolsets().values()].flat()).toHaveLength(names.length);
      }
      for (const { view, names } of views) expect(view.map(({ name }) => name).join()).toBe(names);
    }), { numRuns: 40 });
  });
});

describe('queries', () => {
  test('names are looked up as names: what objects inherit is no tool', async () => {
    const { registry } = quiet();
    for (const name of ['constructor', 'toString', '__proto__', 'hasOwnProperty']) {
      expect(registry.getEntry(name)).toBeUndefined();
      expect(parsed(await registry.dispatch(name, {}, contextOf()))).toEqual({ error: `Unknown tool: ${name}` });
    }
  });

  test('lists come sorted, maps by name', () => {
    const { registry } = quiet();
    for (const name of ['b', 'a', 'c']) registry.register(tool(name, { toolset: name === 'c' ? 'two' : 'one' }));
    expect(registry.getAllToolNames()).toEqual(['a', 'b', 'c']);
    expect(registry.getToolNamesForToolset('one')).toEqual(['a', 'b']);
    expect(registry.getToolToToolsetMap()).toEqual(new Map([['a', 'one'], ['b', 'one'], ['c', 'two']]));
    expect(registry.getSchema('a')?.description).toBe('Tool a');
  });

  test('the result size is the tool\'s, else the caller\'s, else 100,000 characters', () => {
    const { registry } = quiet();
    registry.register(tool('own', { maxResultSizeChars: 5 }));
    registry.register(tool('endless', { maxResultSizeChars: Number.POSITIVE_INFINITY }));
    registry.register(tool('plain'));
    expect([registry.getMaxResultSize('own', 9), registry.getMaxResultSize('endless'), registry.getMaxResultSize('plain', 9), registry.getMaxResultSize('plain')])
      .toEqual([5, Number.POSITIVE_INFINITY, 9, 100_000]);
  });
});

describe('dispatch', () => {
  test.each([['process_manage', 'process'], ['todo_list', 'todo'], ['cronjob_manage', 'cronjob']])('the later name %s reaches %s', async (late, classic) => {
    const { registry } = quiet();
    registry.register(tool(classic, { handler: say(classic) }));
    expect(await says(registry, late)).toBe(classic);
    registry.register(tool(late, { toolset: 'own', handler: say('its own') }));
    expect(await says(registry, late)).toBe('its own');
  });

  test('sync and async handlers answer alike', async () => {
    const { registry } = quiet();
    registry.register(tool('sync', { handler: say('s') }));
    registry.register(tool('async', { isAsync: true, handler: () => Promise.resolve('{"says":"a"}') }));
    expect([await says(registry, 'sync'), await says(registry, 'async')]).toEqual(['s', 'a']);
  });

  test('an exception becomes an error result with type and message', async () => {
    const { registry } = quiet();
    registry.register(tool('bad', { handler: () => { throw new RangeError('too far'); } }));
    expect(parsed(await registry.dispatch('bad', {}, contextOf()))).toEqual({ error: '[TOOL_ERROR] Tool execution failed: RangeError: too far' });
  });

  test.each([[undefined, 'null'], [null, 'null'], [42, 'number'], [{ a: 1 }, 'object'], [['x'], 'array'], [{ _multimodal: true }, 'object']])('a result of %j breaks the contract and is told so', async (value, kind) => {
    const { registry } = quiet();
    registry.register(tool('odd', { handler: () => value as unknown as string })); // cast: the point is a handler that breaks its type
    const result = parsed(await registry.dispatch('odd', {}, contextOf()));
    expect(result).toMatchObject({ error_type: 'tool_result_contract', tool: 'odd', result_type: value === undefined ? 'undefined' : kind });
  });

  test('a multimodal result passes as it is', async () => {
    const { registry } = quiet();
    const picture = { _multimodal: true as const, content: [{ type: 'text', text: 'x' }] };
    registry.register(tool('see', { handler: () => picture }));
    expect(await registry.dispatch('see', {}, contextOf())).toBe(picture);
  });

  test('an overlong error in a result is cut to 2,048 characters and a mark', async () => {
    const { registry } = quiet();
    registry.register(tool('long', { handler: () => JSON.stringify({ error: 'e'.repeat(5_000), kept: 1 }) }));
    expect(parsed(await registry.dispatch('long', {}, contextOf()))).toEqual({ error: `${'e'.repeat(2_048)}… [truncated]`, kept: 1 });
  });

  test('an async tool that does not end is given up, and time spent waiting for a person does not count', async () => {
    const registry = new ToolRegistry({ log: () => undefined, asyncLimitMs: 20 });
    registry.register(tool('hangs', { isAsync: true, handler: () => new Promise(() => undefined) }));
    expect(parsed(await registry.dispatch('hangs', {}, contextOf()))['error']).toMatch(/TimeoutError.*0\.02 s/);

    const answered = Promise.withResolvers<string>();
    registry.register(tool('waits', { isAsync: true, handler: (_args, context) => { context.emit({ kind: 'approval', approvalId: 'a', state: 'waiting' }); return answered.promise; } }));
    registry.register(tool('ticks', { isAsync: true, handler: () => new Promise(() => undefined) }));
    const waiting = registry.dispatch('waits', {}, contextOf());
    // Another call with the same limit runs out meanwhile: the limit would have passed.
    await registry.dispatch('ticks', {}, contextOf());
    answered.resolve('{"says":"agreed"}');
    expect(parsed(await waiting)).toEqual({ says: 'agreed' });
  });

  test('listeners hear of each tool right before it runs', async () => {
    const { registry } = quiet();
    const heard: string[] = [];
    const off = registry.onDispatch((entry, context) => heard.push(`${entry.name} in ${context.sessionId}`));
    registry.register(tool('a', { handler: () => { heard.push('ran'); return '{}'; } }));
    await registry.dispatch('a', {}, contextOf({ sessionId: 's1' }));
    off();
    await registry.dispatch('a', {}, contextOf());
    expect(heard).toEqual(['a in s1', 'ran', 'ran']);
  });
});
