import { describe, expect, test } from 'vitest';
import { createToolsets, type ToolsetsParts, type ToolsetsService } from '../../../main/calls/toolsets-service.ts';
import type { Session } from '../../../preload/contract/index.ts';
import { SessionId } from '../../../preload/contract/ids.ts';
import { bench, type Bench, noChecks, recordingLog, tool } from './support.ts';

const chat = SessionId.parse('ses_chat0000000000');

function made(more: Partial<ToolsetsParts> = {}): Bench & { service: ToolsetsService; session: () => Session; published: () => number } {
  const made_ = bench();
  for (const [name, toolset] of [['terminal', 'terminal'], ['process', 'terminal'], ['read_file', 'file'], ['web_search', 'web'], ['spotify_search', 'spotify'], ['todo', 'todo'], ['mcp_git_log', 'mcp-git']] as const) {
    made_.registry.register(tool(name, { toolset }));
  }
  made_.registry.registerToolsetAlias('git', 'mcp-git');
  let session: Session = {
    id: chat, title: 't', titled: true, origin: 'user', status: 'idle', cwd: '/', backend: 'local', model: null, toolsets: {}, createdAt: 0, updatedAt: 0, deletedAt: null,
    messageCount: 0, waiting: 0, usage: { promptTokens: 0, completionTokens: 0, requests: 0 },
  };
  let published = 0;
  const service = createToolsets({
    registry: made_.registry, calls: made_.calls, config: made_.config, checks: noChecks, clock: made_.clock, log: recordingLog().log,
    sessions: { get: (id) => (id === chat ? session : undefined), update: (_id, change) => (session = { ...session, ...change }) },
    uses: { usesSince: () => new Map([['terminal', 3], ['process', 1]]) },
    events: { publish: () => { published += 1; }, subscribe: () => () => undefined }, ...more,
  });
  return { ...made_, service, session: () => session, published: () => published };
}
const offered = async ({ service, calls }: ReturnType<typeof made>, id?: SessionId): Promise<string[]> => {
  const { enabled, disabled } = service.enabledFor(id);
  return (await calls.getToolDefinitions({ enabled, disabled })).map((definition) => definition.function.name);
};

describe('defaults', () => {
  test('everything with tools is on, except what is off until it is wanted', async () => {
    expect(await offered(made())).toEqual(['mcp_git_log', 'process', 'read_file', 'terminal', 'todo', 'web_search']);
  });

  test.each<[string, Record<string, unknown>, string[]]>([
    ['a preset', { toolsets: ['hermes-cli'] }, ['mcp_git_log', 'process', 'read_file', 'terminal', 'todo', 'web_search']],
    ['names', { toolsets: ['file', 'web'] }, ['mcp_git_log', 'read_file', 'web_search']],
    ['the platform before all platforms', { toolsets: ['file'], 'platform_toolsets.cli': ['todo', 'spotify'] }, ['mcp_git_log', 'spotify_search', 'todo']],
    ['a composite', { toolsets: ['debugging'] }, ['mcp_git_log', 'process', 'read_file', 'terminal', 'web_search']],
    ['old names', { toolsets: ['file_tools'] }, ['mcp_git_log', 'read_file']],
    ['commas', { toolsets: 'file, todo' }, ['mcp_git_log', 'read_file', 'todo']],
    ['none', { toolsets: [] }, ['mcp_git_log']],
    ['unknown names only', { 'platform_toolsets.cli': ['hermes'] }, ['mcp_git_log', 'process', 'read_file', 'terminal', 'todo', 'web_search']],
    ['what is disabled everywhere', { toolsets: ['hermes-cli'], 'agent.disabled_toolsets': ['terminal'], disabled_toolsets: ['git'] }, ['read_file', 'todo', 'web_search']],
    ['a server by its full name', { disabled_toolsets: ['mcp-git'] }, ['process', 'read_file', 'terminal', 'todo', 'web_search']],
    ['an old name', { 'agent.disabled_toolsets': ['web_tools', 'terminal_tools'] }, ['mcp_git_log', 'process', 'read_file', 'todo']],
    ['a composite that is off', { 'agent.disabled_toolsets': ['debugging'] }, ['mcp_git_log', 'todo']],
    ['a bundle that is off, which keeps the core', { 'agent.disabled_toolsets': ['hermes-cli'] }, ['mcp_git_log', 'process', 'read_file', 'terminal', 'todo', 'web_search']],
  ])('by %s', async (_what, values, expected) => {
    const all = made();
    for (const [key, value] of Object.entries(values)) all.config.set(key, value as string[]); // cast: rows hold lists and texts
    expect(await offered(all)).toEqual(expected);
  });

  test('what was asked before a change says nothing about after it', async () => {
    const all = made();
    expect(await offered(all)).not.toContain('spotify_search');
    all.config.set('platform_toolsets.cli', ['todo', 'spotify']);
    expect(await offered(all)).toEqual(['mcp_git_log', 'spotify_search', 'todo']);
    all.registry.register(tool('mcp_new_tool', { toolset: 'mcp-new' }));
    expect(await offered(all)).toEqual(['mcp_git_log', 'mcp_new_tool', 'spotify_search', 'todo']);
    all.registry.registerToolsetAlias('new', 'mcp-new');
    all.config.set('agent.disabled_toolsets', ['new', 'git']);
    expect(await offered(all)).toEqual(['spotify_search', 'todo']);
    all.config.set('agent.disabled_toolsets', []);
    all.registry.deregister('mcp_new_tool');
    expect(await offered(all)).toEqual(['mcp_git_log', 'spotify_search', 'todo']);
  });

  test('an unknown name is told once, with the name that was meant', () => {
    const { log, lines } = recordingLog();
    const { service, config } = made({ log });
    config.set('toolsets', ['fiel', 'todo']);
    service.enabledFor(undefined);
    service.enabledFor(undefined);
    expect(lines.map(({ message }) => message)).toEqual([expect.stringMatching(/unknown toolset 'fiel'.*file/)]);
  });

  test('switching a default off and on writes Hermes\' own keys and is read back', async () => {
    const all = made();
    await all.service.set('terminal', false);
    expect(all.config.get('agent.disabled_toolsets')).toEqual(['terminal']);
    expect(await offered(all)).not.toContain('terminal');
    await all.service.set('terminal', true);
    expect(all.config.get('agent.disabled_toolsets')).toEqual([]);
    expect(all.config.get('platform_toolsets.cli')).toBeUndefined();
    expect(await offered(all)).toContain('terminal');
  });

  test('a tool that a plugin or a server puts into a toolset that ships does not switch the toolset on', async () => {
    const all = made();
    all.registry.register(tool('better_search', { toolset: 'web' }), { owner: { id: 'acme', allowOverride: false, scope: 'global' } });
    all.registry.register(tool('mcp_file_read', { toolset: 'mcp-file' }));
    all.registry.registerToolsetAlias('file', 'mcp-file');
    all.config.set('toolsets', ['todo']);
    expect(await offered(all)).toEqual(['mcp_file_read', 'mcp_git_log', 'todo']);
    all.config.set('toolsets', ['todo', 'web']);
    expect(await offered(all)).toEqual(['better_search', 'mcp_file_read', 'mcp_git_log', 'todo', 'web_search']);
  });

  test('a toolset of one\'s own waits until it is wanted; in the place of one that ships it is on like that', async () => {
    const all = made();
    all.config.set('custom_toolsets', { mine: ['spotify_search'], web: { tools: 'spotify_search, gone' }, debugging: ['spotify_search'] });
    const on = async (): Promise<string[]> => (await all.service.list(undefined)).filter(({ enabled }) => enabled).map(({ name }) => name);
    expect(await on()).toEqual(['file', 'git', 'search', 'terminal', 'todo', 'web']);
    expect(await offered(all)).toContain('spotify_search');
    all.config.set('custom_toolsets', { web: 'a slip of the pen' });
    expect(await offered(all)).toEqual(['mcp_git_log', 'process', 'read_file', 'terminal', 'todo', 'web_search']);
  });

  test('what lies in a group that is off shows as off; switched on, the rest of the group stays off', async () => {
    const all = made();
    all.config.set('agent.disabled_toolsets', ['debugging', 'mcp-git']);
    const off = async (): Promise<string[]> => (await all.service.list(undefined)).filter(({ enabled }) => !enabled).map(({ name }) => name);
    expect(await off()).toEqual(['file', 'git', 'search', 'spotify', 'terminal', 'web']);
    await all.service.set('git', true);
    expect(all.config.get('agent.disabled_toolsets')).toEqual(['debugging']);
    await all.service.set('terminal', true);
    expect(all.config.get('agent.disabled_toolsets')).toEqual(['file', 'search', 'web']);
    expect(await offered(all)).toEqual(['mcp_git_log', 'process', 'terminal', 'todo']);
    all.config.set('agent.disabled_toolsets', ['terminal_tools']);
    await all.service.set('terminal', true);
    expect(await offered(all)).toContain('terminal');
  });

  test('a chat that switches on what lies in a group that is off has it, and nothing else of the group', async () => {
    const all = made();
    all.config.set('agent.disabled_toolsets', ['debugging']);
    await all.service.set('file', true, chat);
    expect(await offered(all, chat)).toEqual(['mcp_git_log', 'read_file', 'todo']);
    expect(await offered(all)).toEqual(['mcp_git_log', 'todo']);
  });

  test('a name that switches nothing off is told with the one that was meant; a server that is not there yet is not', () => {
    const { log, lines } = recordingLog();
    const { service, config } = made({ log });
    config.set('mcp_servers', { later: {} });
    config.set('agent.disabled_toolsets', ['termnal', 'mcp-later', 'later']);
    service.enabledFor(undefined);
    config.set('other', 1);
    service.enabledFor(undefined);
    expect(lines.map(({ message }) => message)).toEqual([expect.stringMatching(/'termnal', which is no toolset now; nothing is switched off by it. Did you mean terminal\?/)]);
  });

  test('switching on what is off by default keeps everything else on', async () => {
    const all = made();
    const before = await offered(all);
    await all.service.set('spotify', true);
    expect(all.config.get('platform_toolsets.cli')).toEqual(['hermes-cli', 'spotify']);
    expect(await offered(all)).toEqual([...before, 'spotify_search'].sort());
  });

  test('a default cannot be inherited, and unknown toolsets are told with a near name', async () => {
    const { service } = made();
    await expect(service.set('web', null)).rejects.toMatchObject({ code: 'request/not-possible' });
    await expect(service.set('termnal', true)).rejects.toMatchObject({ code: 'not-found', hint: expect.stringContaining('terminal') as string });
    await expect(service.set('web', true, SessionId.parse('ses_nobody000000'))).rejects.toMatchObject({ code: 'not-found' });
  });
});

describe('a chat\'s own switches', () => {
  test('change its next request and nobody else\'s, and are inherited again when taken back', async () => {
    const all = made();
    await all.service.set('terminal', false, chat);
    await all.service.set('spotify', true, chat);
    expect(all.session().toolsets).toEqual({ terminal: false, spotify: true });
    expect(await offered(all, chat)).toEqual(['mcp_git_log', 'read_file', 'spotify_search', 'todo', 'web_search']);
    expect(await offered(all)).toContain('terminal');
    await all.service.set('terminal', null, chat);
    expect(all.session().toolsets).toEqual({ spotify: true });
    expect(await offered(all, chat)).toContain('terminal');
    expect(all.published()).toBe(3);
  });

  test('beat a default that is off', async () => {
    const all = made();
    all.config.set('agent.disabled_toolsets', ['web']);
    expect(await offered(all, chat)).not.toContain('web_search');
    await all.service.set('web', true, chat);
    expect(await offered(all, chat)).toContain('web_search');
  });

  test('a bundle switched on with all else off offers exactly the bundle', async () => {
    const all = made();
    for (const { name } of await all.service.list(chat)) await all.service.set(name, false, chat);
    await all.service.set('debugging', true, chat);
    expect(await offered(all, chat)).toEqual(['process', 'read_file', 'terminal', 'web_search']);
  });
});

describe('the panel', () => {
  test('shows toolsets that have tools, with wish, state, reason, cost and use', async () => {
    const all = made();
    all.registry.register(tool('vision_analyze', { toolset: 'vision', checkFn: () => false, requiresEnv: ['VISION_KEY'] }));
    await all.service.set('todo', false, chat);
    const list = await all.service.list(chat);
    expect(list.map(({ name }) => name)).toEqual(['file', 'git', 'search', 'spotify', 'terminal', 'todo', 'vision', 'web']);
    const by = new Map(list.map((toolset) => [toolset.name, toolset]));
    expect(by.get('terminal')).toMatchObject({ enabled: true, enabledByDefault: true, inChat: null, available: true, reason: null, checkedAt: null, uses30d: 4 });
    expect(by.get('terminal')?.tokens).toBe(by.get('terminal')?.tools.reduce((sum, { tokens }) => sum + tokens, 0));
    expect(by.get('todo')).toMatchObject({ enabled: false, enabledByDefault: true, inChat: false, reason: { step: 'disabled-in-chat' } });
    expect(by.get('spotify')).toMatchObject({ enabled: false, reason: { step: 'disabled-by-profile' } });
    expect(by.get('vision')).toMatchObject({ enabled: true, available: false, reason: { step: 'missing-variable', message: 'Missing VISION_KEY.' }, checkedAt: all.clock.now(), tokens: 0 });
  });

  test('asking fresh asks the checks again', async () => {
    const all = made();
    let works = false;
    all.registry.register(tool('vision_analyze', { toolset: 'vision', checkFn: () => works }));
    const state = async (fresh: boolean): Promise<boolean | undefined> => (await all.service.list(undefined, { fresh })).find(({ name }) => name === 'vision')?.available;
    expect(await state(false)).toBe(false);
    works = true;
    expect(await state(false)).toBe(false);
    expect(await state(true)).toBe(true);
  });

  test('switching asks the checks again', async () => {
    const all = made();
    let works = false;
    all.registry.register(tool('vision_analyze', { toolset: 'vision', checkFn: () => works }));
    const state = async (): Promise<boolean | undefined> => (await all.service.list()).find(({ name }) => name === 'vision')?.available;
    expect(await state()).toBe(false);
    works = true;
    expect(await state()).toBe(false);
    await all.service.set('vision', true, chat);
    expect(await state()).toBe(true);
    works = false;
    await all.service.set('vision', false);
    expect(await state()).toBe(false);
  });

  test('a custom toolset of config.yaml appears, off until it is wanted', async () => {
    const all = made();
    all.config.set('custom_toolsets', { mine: { tools: ['todo'], includes: ['web'] } });
    const found = (await all.service.list()).find(({ name }) => name === 'mine');
    expect(found).toMatchObject({ enabled: false, tools: [{ name: 'todo' }, { name: 'web_search' }] });
  });

  test('screens hear when the configuration changed, until the service is closed', () => {
    const all = made();
    all.config.set('toolsets', ['file']);
    all.service.close();
    all.config.set('toolsets', ['web']);
    expect(all.published()).toBe(1);
  });
});
