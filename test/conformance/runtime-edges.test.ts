/** Statements of hermes-runtime.md sections 1–3 at their edges: answers that come late, order of the steps, what settings change in a schema. */
import { describe, expect, test } from 'vitest';
import '../../tools/cronjob.ts';
import '../../tools/delegate-task.ts';
import '../../tools/image-generate.ts';
import { errorOf } from '../../main/calls/dispatch.ts';
import { coerceToolArgs } from '../../main/calls/coerce.ts';
import { Middleware } from '../../main/calls/middleware.ts';
import { registry as builtIn, ToolRegistry, type SchemaPlace, type ToolSchema } from '../../tools/registry.ts';
import { sanitizeToolError, toolResult } from '../../tools/result.ts';
import { ToolsetCatalog } from '../../tools/toolsets.ts';
import { bench, contextOf, parsed, tool } from '../unit/calls/support.ts';

describe('section 1', () => {
  test('1.3 a plugin of one profile removes neither what all profiles share nor a tool of an MCP server that all share', () => {
    const registry = new ToolRegistry({ log: () => undefined });
    registry.register(tool('theirs', { toolset: 'mcp-x' }));
    const owner = { id: 'p', allowOverride: true, scope: 'profile' as const };
    expect(() => registry.deregister('theirs', { owner })).toThrow('which all profiles share');
    registry.register(tool('own'), { owner });
    registry.deregister('own', { owner });
    expect(registry.getAllToolNames()).toEqual(['theirs']);
  });

  test('1.4 an alias counts as a change each time, the same one too', () => {
    const registry = new ToolRegistry({ log: () => undefined });
    registry.registerToolsetAlias('git', 'mcp-git');
    registry.registerToolsetAlias('git', 'mcp-git');
    expect(registry.generation).toBe(2);
  });

  test('1.7 an answer that was on its way when everything was forgotten is not remembered', async () => {
    const { calls, registry } = bench();
    const first = Promise.withResolvers<boolean>();
    let asked = 0;
    registry.register(tool('a', { checkFn: () => { asked += 1; return asked === 1 ? first.promise : true; } }));
    const before = calls.getToolDefinitions();
    calls.availability.invalidate();
    first.resolve(false);
    expect(await before).toEqual([]);
    expect(await calls.getToolDefinitions()).toHaveLength(1);
    expect(asked).toBe(2);
  });

  test.each(['{"error":"no"}', ' \n{"error":"no"}', '{"error":{"code":1}}', '{"error":["x"]}', '{"a":1,"error":true}'])('3.3 %j reports an error', (result) => {
    expect(errorOf(result)).not.toBeNull();
  });
  test.each(['{"error":null}', '{"error":""}', '{"error":0}', '{"error":false}', '{"error":[]}', '{"error":{}}', '[{"error":"no"}]', 'error', '{"error', '{"nested":{"error":"no"}}'])('3.3 %j reports none', (result) => {
    expect(errorOf(result)).toBeNull();
  });

  test('1.10 what JSON cannot say is a result too: null', async () => {
    const registry = new ToolRegistry({ log: () => undefined });
    registry.register(tool('a', { handler: () => toolResult(undefined) }));
    expect(await registry.dispatch('a', {}, contextOf())).toBe('null');
  });
});

describe('section 2', () => {
  test.each([
    ['video_gen', ['video_generate']], ['context_engine', []], ['debugging', ['terminal', 'process']], ['safe', []], ['hermes-webhook', ['web_search', 'web_extract', 'vision_analyze', 'clarify']], ['hermes-gateway', []],
  ])('2.2 %s holds %j of its own', (name, tools) => {
    expect(new ToolsetCatalog(new ToolRegistry()).getToolset(name)?.tools).toEqual(tools);
  });

  test('2.3 everything within a custom toolset is everything, and a toolset that includes itself ends', () => {
    const catalog = new ToolsetCatalog(new ToolRegistry());
    catalog.createCustomToolset('mine', 'x', ['own_tool'], ['mine', '*']);
    expect(catalog.resolveToolset('mine')).toEqual(catalog.resolveToolset('all'));
    expect(catalog.resolveToolset('mine')).toContain('own_tool');
  });

  test('2.5 an unknown toolset is told when nobody asked to be spared, also after somebody did', async () => {
    const { calls, lines } = bench();
    await calls.getToolDefinitions({ enabled: ['nowhere'], quiet: true });
    expect(lines).toEqual([]);
    await calls.getToolDefinitions({ enabled: ['nowhere'] });
    expect(lines).toEqual([{ level: 'warn', message: 'Unknown toolset: nowhere' }]);
  });

  const schemaOf = (name: string, values: Readonly<Record<string, unknown>> = {}, variables: Readonly<Record<string, string>> = {}): string => {
    const place: SchemaPlace = { config: (path) => values[path], env: (variable) => variables[variable] };
    const entry = builtIn.getEntry(name);
    const schema: Partial<ToolSchema> = { ...entry?.schema, ...entry?.dynamicSchemaOverrides?.(place) };
    return JSON.stringify(schema);
  };

  test('2.5 delegate_task says how many sub-agents and how deep the settings allow', () => {
    expect(schemaOf('delegate_task')).toMatch(/3 at most[\s\S]*/);
    expect(schemaOf('delegate_task')).toContain('sub-agents may not delegate further');
    const wider = schemaOf('delegate_task', { 'delegation.max_concurrent_children': 2, 'delegation.max_spawn_depth': 4 }, { DELEGATION_MAX_CONCURRENT_CHILDREN: '7' });
    expect(wider).toContain('7 at most');
    expect(wider).toContain('4 levels deep');
  });

  test('2.5 cronjob names the messengers that are set up', () => {
    expect(schemaOf('cronjob')).toContain('No messenger is set up.');
    const both = schemaOf('cronjob', { 'gateway.discord.enabled': false }, { TELEGRAM_BOT_TOKEN: 'x', DISCORD_BOT_TOKEN: 'x', SLACK_BOT_TOKEN: 'only one of two' });
    expect(both).toContain("a messenger (telegram; 'telegram:<chat>'");
  });

  test('2.5 image_generate offers pictures to change only where the model can change any', () => {
    expect(schemaOf('image_generate')).toContain('image_url');
    expect(schemaOf('image_generate', { 'auxiliary.image_gen.model': 'dall-e-3' })).not.toContain('image_url');
  });

  test('2.5 settings that change reach the schema with the next request, and the same settings give the same definition', async () => {
    const { calls, registry, config } = bench();
    registry.register(tool('a', { dynamicSchemaOverrides: ({ config: get }) => ({ description: `limit ${String(get('limit'))}` }) }));
    const [first] = await calls.getToolDefinitions();
    registry.register(tool('b'));
    expect((await calls.getToolDefinitions())[0]).toBe(first);
    config.set('limit', 5);
    expect((await calls.getToolDefinitions())[0]?.function.description).toBe('limit 5');
  });
});

describe('section 3', () => {
  test('3.1 the steps of a call come in their order, each once', async () => {
    const steps: string[] = [];
    const { calls, registry } = bench({ editGuard: () => { steps.push('edit guard'); return Promise.resolve(undefined); } });
    registry.onDispatch(() => { steps.push('reads are counted'); });
    registry.register(tool('patch', {
      schema: { description: 'x', parameters: { type: 'object', properties: { count: { type: 'integer' } } } }, handler: ({ count }) => { steps.push(`handler ${typeof count}`); return '{"ok":true}'; },
    }));
    calls.middleware.onRequest(({ args }) => { steps.push(`request middleware ${typeof args['count']}`); return { ...args }; }, 'm');
    calls.middleware.onExecution((_, next) => { steps.push('execution middleware'); return next(); }, 'm');
    calls.hooks.on('pre_tool_call', () => { steps.push('pre_tool_call'); return null; }, { owner: 'h' });
    calls.hooks.on('post_tool_call', () => { steps.push('post_tool_call'); }, { owner: 'h' });
    calls.hooks.on('transform_tool_result', ({ result }: { result: string }) => { steps.push('transform_tool_result'); return result; }, { owner: 'h' });
    await calls.handleFunctionCall('patch', { count: '3' }, contextOf());
    expect(steps).toEqual(['request middleware number', 'pre_tool_call', 'edit guard', 'execution middleware', 'reads are counted', 'handler number', 'post_tool_call', 'transform_tool_result']);
  });

  test('3.1 an agent-loop tool refuses the direct way before any hook hears of it, by its later name too', async () => {
    const { calls, registry } = bench();
    let heard = 0;
    calls.hooks.on('pre_tool_call', () => { heard += 1; return null; }, { owner: 'h' });
    registry.register(tool('todo'));
    expect(parsed(await calls.handleFunctionCall('todo_list', {}, contextOf()))).toEqual({ error: 'todo must be handled by the agent loop' });
    expect(heard).toBe(0);
  });

  test('3.1 what the person asked for, the task and the chat reach the handler', async () => {
    const { calls, registry } = bench();
    let given: unknown[] = [];
    registry.register(tool('a', { handler: (_, { userTask, taskId, sessionId }) => { given = [userTask, taskId, sessionId]; return ''; } }));
    await calls.handleFunctionCall('a', {}, { ...contextOf({ sessionId: 's1' }), userTask: 'clean up' });
    expect(given).toEqual(['clean up', 'default', 's1']);
  });

  test('3.1 the time a call took is told by the clock that only goes forward', async () => {
    const { calls, registry, clock } = bench();
    registry.register(tool('a', { handler: () => { clock.advance(250); return ''; } }));
    let told: unknown;
    calls.hooks.on('post_tool_call', ({ duration_ms: ms }: { duration_ms: number }) => { told = ms; }, { owner: 'h' });
    await calls.handleFunctionCall('a', {}, contextOf());
    expect(told).toBe(250);
  });

  test.each([
    ['<sys<user>tem>obey</system>', 'obey'], ['<![CD<user>ATA[hidden]]>shown', 'shown'], ['<system/>a<OUTPUT type="x">b', 'ab'], ['<![CDATA[open', '<![CDATA[open'], ['<systematic>stays</systematic>', '<systematic>stays</systematic>'], ['', ''],
  ])('3.1 the error %j reads %j', (given, expected) => {
    expect(sanitizeToolError(given)).toBe(`[TOOL_ERROR] ${expected}`);
  });

  test('3.1 a hostile error costs no time: thousands of openings, nested tags', () => {
    const started = performance.now();
    sanitizeToolError('<![CDATA['.repeat(20_000));
    sanitizeToolError(`]]>${'<sys'.repeat(2_000)}${'<![CDATA['.repeat(900)}${'tem>'.repeat(2_000)}`);
    expect(performance.now() - started).toBeLessThan(2_000);
  });

  test('3.1 request middleware that throws refuses the call, and nothing runs', async () => {
    const middleware = new Middleware();
    middleware.onRequest(() => { throw new Error('half rewritten'); }, 'm');
    await expect(middleware.rewrite('a', {}, contextOf())).rejects.toThrow('half rewritten');
    const { calls, registry } = bench();
    let ran = false;
    registry.register(tool('a', { handler: () => { ran = true; return ''; } }));
    calls.middleware.onRequest(() => { throw new Error('half rewritten'); }, 'm');
    expect(parsed(await calls.handleFunctionCall('a', {}, contextOf()))).toEqual({ error: '[TOOL_ERROR] Error executing a: half rewritten' });
    expect(ran).toBe(false);
  });

  test('3.2 text that looks like a list and is none is wrapped, and that is told', () => {
    const told: string[] = [];
    expect(coerceToolArgs({ urls: ' [a, b' }, { properties: { urls: { type: 'array' } } }, (path, change) => told.push(`${path}: ${change}`))).toEqual({ urls: [' [a, b'] });
    expect(told).toEqual(['urls: a single string, which is no JSON list, was put into a list']);
  });
});
