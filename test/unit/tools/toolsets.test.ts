import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ToolRegistry } from '../../../tools/registry.ts';
import { CORE_TOOLS, LEGACY_TOOLSET_MAP, ToolsetCatalog } from '../../../tools/toolsets.ts';
import { tool } from '../calls/support.ts';

function made(): { registry: ToolRegistry; catalog: ToolsetCatalog } {
  const registry = new ToolRegistry({ log: () => undefined });
  return { registry, catalog: new ToolsetCatalog(registry) };
}
const sorted = (names: readonly string[]): string[] => [...names].sort();
const core = (...without: RegExp[]): string[] => sorted(CORE_TOOLS.filter((name) => !without.some((pattern) => pattern.test(name))));

describe('the table', () => {
  test.each([
    ['web', ['web_extract', 'web_search']], ['search', ['web_search']], ['terminal', ['process', 'terminal']],
    ['file', ['patch', 'read_file', 'search_files', 'write_file']], ['debugging', ['patch', 'process', 'read_file', 'search_files', 'terminal', 'web_extract', 'web_search', 'write_file']],
    ['safe', ['image_generate', 'mixture_of_agents', 'vision_analyze', 'web_extract', 'web_search']], ['todo', ['todo']], ['delegation', ['delegate_task']],
    ['hermes-webhook', ['clarify', 'vision_analyze', 'web_extract', 'web_search']], ['context_engine', []],
  ])('%s is %j', (name, tools) => {
    expect(made().catalog.resolveToolset(name)).toEqual(tools);
  });

  test.each(['hermes-cli', 'hermes-cron', 'hermes-telegram', 'hermes-whatsapp', 'hermes-slack', 'hermes-signal', 'hermes-bluebubbles', 'hermes-homeassistant', 'hermes-email',
    'hermes-mattermost', 'hermes-matrix', 'hermes-dingtalk', 'hermes-weixin', 'hermes-qqbot', 'hermes-wecom', 'hermes-wecom-callback', 'hermes-sms'])('%s is the core list', (name) => {
    expect(made().catalog.resolveToolset(name)).toEqual(core());
  });

  test('presets add to the core list or take from it', () => {
    const { catalog } = made();
    expect(catalog.resolveToolset('hermes-discord')).toEqual(sorted([...CORE_TOOLS, 'discord', 'discord_admin']));
    expect(catalog.resolveToolset('coding')).toEqual(core(/^image_generate$/, /^text_to_speech$/, /^cronjob$/, /^ha_/));
    expect(catalog.resolveToolset('hermes-acp')).toEqual(core(/^image_generate$/, /^text_to_speech$/, /^cronjob$/, /^ha_/, /^clarify$/, /^send_message$/));
    expect(catalog.resolveToolset('hermes-api-server')).toEqual(core(/^text_to_speech$/, /^clarify$/, /^send_message$/));
    expect(catalog.resolveToolset('hermes-feishu')).toHaveLength(CORE_TOOLS.length + 5);
    expect(catalog.resolveToolset('hermes-yuanbao')).toHaveLength(CORE_TOOLS.length + 5);
    expect(catalog.resolveToolset('hermes-gateway')).toEqual(sorted([...catalog.resolveToolset('hermes-feishu'), 'discord', 'discord_admin', ...catalog.resolveToolset('yuanbao')]));
  });

  test('safe offers no terminal and no way to write a file', () => {
    const tools = made().catalog.resolveToolset('safe');
    for (const name of ['terminal', 'process', 'write_file', 'patch', 'execute_code']) expect(tools).not.toContain(name);
  });

  test('old names mean what they meant', () => {
    expect(LEGACY_TOOLSET_MAP.get('terminal_tools')).toEqual(['terminal']);
    expect(LEGACY_TOOLSET_MAP.get('browser_tools')).toEqual(['navigate', 'snapshot', 'click', 'type', 'scroll', 'back', 'press', 'get_images', 'vision', 'console'].map((name) => `browser_${name}`));
    expect(LEGACY_TOOLSET_MAP.get('rl_tools')).toHaveLength(10);
    expect(LEGACY_TOOLSET_MAP.size).toBe(11);
  });
});

describe('resolution', () => {
  test('registered tools join their toolset, and only the pure view is without them', () => {
    const { registry, catalog } = made();
    registry.register(tool('web_plugin', { toolset: 'web' }));
    expect(catalog.resolveToolset('web')).toEqual(['web_extract', 'web_plugin', 'web_search']);
    expect(catalog.resolveToolset('web', { includeRegistry: false })).toEqual(['web_extract', 'web_search']);
  });

  test('a toolset that only tools know, and its alias', () => {
    const { registry, catalog } = made();
    registry.register(tool('mcp_git_log', { toolset: 'mcp-git' }));
    registry.registerToolsetAlias('git', 'mcp-git');
    expect([catalog.resolveToolset('mcp-git'), catalog.resolveToolset('git')]).toEqual([['mcp_git_log'], ['mcp_git_log']]);
  });

  test('a server with the name of a toolset that ships adds its tools to it', () => {
    const { registry, catalog } = made();
    registry.register(tool('mcp_browser_open', { toolset: 'mcp-browser' }));
    registry.registerToolsetAlias('browser', 'mcp-browser');
    expect(catalog.resolveToolset('browser')).toContain('mcp_browser_open');
    expect(catalog.resolveToolset('browser')).toContain('browser_navigate');
  });

  test('cycles and diamonds end', () => {
    const { catalog } = made();
    catalog.createCustomToolset('a', '', ['one'], ['b', 'c']);
    catalog.createCustomToolset('b', '', ['two'], ['d', 'a']);
    catalog.createCustomToolset('c', '', [], ['d', 'all', 'c']);
    catalog.createCustomToolset('d', '', ['three'], ['a']);
    expect(catalog.resolveToolset('b')).toEqual(catalog.resolveToolset('all'));
    expect(catalog.resolveToolset('d', { includeRegistry: false })).toContain('two');
  });

  test('a plugin\'s platform is the core list and its own tools; other platforms are unknown', () => {
    const { registry, catalog } = made();
    registry.register(tool('irc_kick', { toolset: 'irc' }));
    catalog.registerPlatform('irc', 'irc');
    expect(catalog.resolveToolset('hermes-irc')).toEqual(sorted([...CORE_TOOLS, 'irc_kick']));
    expect(catalog.resolveToolset('hermes-nowhere')).toEqual([]);
  });

  test('the memo follows the registry and the custom toolsets', () => {
    const { registry, catalog } = made();
    expect(catalog.resolveToolset('web')).not.toContain('late');
    registry.register(tool('late', { toolset: 'web' }));
    expect(catalog.resolveToolset('web')).toContain('late');
    catalog.createCustomToolset('web', 'Mine', ['only']);
    expect(catalog.resolveToolset('web')).toEqual(['late', 'only']);
    catalog.removeCustomToolset('web');
    expect(catalog.resolveToolset('web')).toEqual(['late', 'web_extract', 'web_search']);
  });

  test('more names than the memo holds are still right', () => {
    const { catalog } = made();
    for (let number = 0; number < 600; number += 1) catalog.createCustomToolset(`c${String(number)}`, '', [`t${String(number)}`]);
    for (let round = 0; round < 2; round += 1) for (let number = 0; number < 600; number += 1) expect(catalog.resolveToolset(`c${String(number)}`)).toEqual([`t${String(number)}`]);
  });

  test('names that are valid, and names that are not', () => {
    const { registry, catalog } = made();
    registry.register(tool('x', { toolset: 'mcp-x' }));
    registry.registerToolsetAlias('ex', 'mcp-x');
    expect(['all', '*', 'web', 'mcp-x', 'ex'].map((name) => catalog.validateToolset(name))).toEqual([true, true, true, true, true]);
    expect(['', 'nothing', 'constructor', 'web_tools'].map((name) => catalog.validateToolset(name))).toEqual([false, false, false, false]);
  });

  test('names are listed sorted, foreign ones under an alias that hides nothing', () => {
    const { registry, catalog } = made();
    registry.register(tool('x', { toolset: 'mcp-x' }));
    registry.register(tool('b', { toolset: 'mcp-browser' }));
    registry.registerToolsetAlias('ex', 'mcp-x');
    registry.registerToolsetAlias('browser', 'mcp-browser');
    const names = catalog.getToolsetNames();
    expect(names).toEqual(sorted(names));
    expect(names).toEqual(expect.arrayContaining(['ex', 'mcp-browser', 'browser']));
    expect(names).not.toContain('mcp-x');
    expect(catalog.getAllToolsets().get('ex')).toMatchObject({ tools: ['x'], includes: [] });
  });

  test('a description of one toolset, and none of an unknown one', () => {
    const { catalog } = made();
    expect(catalog.getToolsetInfo('debugging')).toEqual({
      name: 'debugging', description: 'Find and fix faults: terminal, files and web', directTools: ['terminal', 'process'], includes: ['web', 'file'],
      resolvedTools: catalog.resolveToolset('debugging'), toolCount: 8, isComposite: true,
    });
    expect(catalog.getToolsetInfo('nobody')).toBeUndefined();
  });

  test('what a bundle has beyond the core list', () => {
    const { catalog } = made();
    expect(catalog.bundleNonCoreTools('hermes-discord')).toEqual(['discord', 'discord_admin']);
    expect(catalog.bundleNonCoreTools('hermes-cli')).toEqual([]);
    expect(catalog.bundleNonCoreTools('hermes-gateway')).toEqual(expect.arrayContaining(['discord', 'feishu_doc_read', 'yb_send_dm']));
  });

  test('a custom toolset cannot take the name that means everything', () => {
    expect(() => made().catalog.createCustomToolset('all', '', [])).toThrow(/all/);
  });
});

describe('laws for any custom toolsets', () => {
  const names = ['c0', 'c1', 'c2', 'c3', 'c4'];
  const definitions = fc.array(fc.record({
    name: fc.constantFrom(...names), tools: fc.array(fc.constantFrom('t1', 't2', 't3', 'web_search'), { maxLength: 3 }),
    includes: fc.array(fc.constantFrom(...names, 'web', 'safe', 'all', '*', 'unknown', 'hermes-cli'), { maxLength: 4 }),
  }), { maxLength: 8 });

  test('resolving ends, is sorted and unique, holds the own tools, and a list resolves to the union', () => {
    fc.assert(fc.property(definitions, fc.array(fc.constantFrom(...names, 'web', 'all'), { maxLength: 4 }), (made_, asked) => {
      const { catalog } = made();
      for (const { name, tools, includes } of made_) catalog.createCustomToolset(name, '', tools, includes);
      for (const name of names) {
        const resolved = catalog.resolveToolset(name);
        expect(resolved).toEqual(sorted([...new Set(resolved)]));
        expect(resolved).toEqual(expect.arrayContaining([...catalog.getToolset(name)?.tools ?? []]));
        for (const included of catalog.getToolset(name)?.includes ?? []) {
          // What is included is there, unless it leads back here and is completed by the other way round.
          expect(resolved).toEqual(expect.arrayContaining([...catalog.getToolset(included)?.tools ?? []]));
        }
      }
      const union = catalog.resolveMultipleToolsets(asked);
      expect(union).toEqual(sorted([...new Set(asked.flatMap((name) => catalog.resolveToolset(name)))]));
      expect(catalog.resolveMultipleToolsets([...asked].reverse())).toEqual(union);
      for (const name of catalog.getToolsetNames()) expect(catalog.resolveToolset('all')).toEqual(expect.arrayContaining([...catalog.resolveToolset(name)]));
      expect(catalog.resolveToolset('*')).toEqual(catalog.resolveToolset('all'));
    }), { numRuns: 60 });
  });
});
