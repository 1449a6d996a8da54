import { describe, expect, test } from 'vitest';
import { PermissionError, type ToolRegistration } from '../../../tools/registry.ts';
import { tool } from '../calls/support.ts';
import { plugin, quiet, say, says } from './registry-support.ts';

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
