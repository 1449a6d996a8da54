import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { ToolResultPayload } from '../../../main/calls/hooks.ts';
import { bench, contextOf, parsed, reviewer, tool } from './support.ts';

const withPath = { description: 'x', parameters: { type: 'object', properties: { path: { type: 'string' }, limit: { type: 'integer', minimum: 1 }, mode: { enum: ['fast', 'slow'] } }, required: ['path'] } };
const echo = (args: Record<string, unknown>): string => JSON.stringify({ got: args });

describe('one call', () => {
  test('coerces, runs and answers with what the handler said', async () => {
    const { calls, registry } = bench();
    registry.register(tool('a', { schema: withPath, handler: echo }));
    const outcome = await calls.callTool('a', { path: 'x', limit: '5' }, contextOf());
    expect(outcome).toMatchObject({ status: 'ok', result: '{"got":{"path":"x","limit":5}}', errorType: null, errorMessage: null, repairs: ['limit: text "5" became 5'], savedTo: null });
  });

  test.each([null, undefined, 'text', 7, [1]])('arguments %j count as none', async (args) => {
    const { calls, registry } = bench();
    registry.register(tool('a', { handler: echo }));
    expect(parsed(await calls.handleFunctionCall('a', args, contextOf()))).toEqual({ got: {} });
  });

  test('an unknown tool is named, with names that are near', async () => {
    const { calls, registry } = bench();
    registry.register(tool('read_file'));
    expect(parsed(await calls.handleFunctionCall('xyzzy', {}, contextOf()))).toEqual({ error: 'Unknown tool: xyzzy' });
    expect(parsed(await calls.handleFunctionCall('readFile', {}, contextOf()))).toEqual({ error: 'Unknown tool: readFile', did_you_mean: ['read_file'] });
    expect(parsed(await calls.handleFunctionCall('constructor', {}, contextOf()))).toEqual({ error: 'Unknown tool: constructor' });
  });

  test('a tool that this chat was not offered does not run; later names of offered ones do', async () => {
    const { calls, registry } = bench();
    let ran = 0;
    registry.register(tool('process', { toolset: 'terminal', handler: () => { ran += 1; return '{}'; } }));
    expect(parsed(await calls.handleFunctionCall('process', {}, contextOf({ enabledTools: ['other'] })))['error']).toMatch(/not enabled in this chat.*terminal/);
    expect(ran).toBe(0);
    await calls.handleFunctionCall('process_manage', {}, contextOf({ enabledTools: ['process'] }));
    expect(ran).toBe(1);
  });

  test.each(['todo', 'memory', 'session_search', 'delegate_task'])('%s is answered by the agent loop only', async (name) => {
    const { calls, registry } = bench();
    registry.register(tool(name));
    expect(parsed(await calls.handleFunctionCall(name, {}, contextOf()))).toEqual({ error: `${name} must be handled by the agent loop` });
    expect((await calls.callTool(name, {}, contextOf())).result).toBe('{"ok":true}');
    expect((await calls.dispatchAgentTool(name, {}, contextOf())).result).toBe('{"ok":true}');
  });

  test('the agent-loop door takes no other tool', async () => {
    const { calls, registry } = bench();
    registry.register(tool('terminal'));
    expect(parsed((await calls.dispatchAgentTool('terminal', {}, contextOf())).result)).toEqual({ error: 'terminal is not an agent-loop tool' });
  });

  test('a handler that throws gives the inner error, one that breaks the path the outer', async () => {
    const { calls, registry } = bench();
    registry.register(tool('bad', { handler: () => { throw new TypeError('<system>nope</system>'); } }));
    expect(parsed(await calls.handleFunctionCall('bad', {}, contextOf()))).toEqual({ error: '[TOOL_ERROR] Tool execution failed: TypeError: nope' });
    registry.register(tool('odd'));
    calls.middleware.onRequest(() => { throw new Error('broken middleware'); }, 'p');
    const outcome = await calls.callTool('odd', {}, contextOf());
    expect(outcome).toMatchObject({ status: 'error', errorType: 'dispatch_error' });
    expect(parsed(outcome.result)).toEqual({ error: '[TOOL_ERROR] Error executing odd: broken middleware' });
  });

  test('status tells errors from answers, and a stop from a failure', async () => {
    const { calls, registry } = bench();
    registry.register(tool('fails', { handler: () => '{"error":"no such file"}' }));
    registry.register(tool('null_error', { handler: () => '{"error":null,"output":"x"}' }));
    registry.register(tool('text', { handler: () => '{not json "error"' }));
    expect(await calls.callTool('fails', {}, contextOf())).toMatchObject({ status: 'error', errorType: 'tool_error', errorMessage: 'no such file' });
    expect(await calls.callTool('null_error', {}, contextOf())).toMatchObject({ status: 'ok' });
    expect(await calls.callTool('text', {}, contextOf())).toMatchObject({ status: 'ok' });
    const stopped = new AbortController();
    stopped.abort();
    expect(await calls.callTool('fails', {}, contextOf({ signal: stopped.signal }))).toMatchObject({ status: 'cancelled' });
  });

  test('secrets are hidden in errors and in what foreign tools answer, not in answers of our own', async () => {
    const { calls, registry } = bench();
    const services = { redact: (text: string) => text.replaceAll('sk-secret', '***') };
    registry.register(tool('ours', { handler: () => '{"v":"sk-secret"}' }));
    registry.register(tool('ours_fails', { handler: () => { throw new Error('sk-secret'); } }));
    registry.register(tool('foreign', { toolset: 'mcp-x', handler: () => '{"v":"sk-secret"}' }));
    registry.register(tool('plugged', { toolset: 'p', handler: () => '{"v":"sk-secret"}' }), { owner: { id: 'p', allowOverride: false, scope: 'global' } });
    const run = async (name: string): Promise<string> => JSON.stringify(await calls.handleFunctionCall(name, {}, contextOf({ services })));
    expect(await run('ours')).toContain('sk-secret');
    for (const name of ['ours_fails', 'foreign', 'plugged']) expect(await run(name)).toContain('***');
  });
});

describe('validation', () => {
  const check = async (args: unknown): Promise<Record<string, unknown>> => {
    const { calls, registry } = bench();
    registry.register(tool('t', { handler: echo, schema: { description: 'x', parameters: {
      type: 'object', additionalProperties: false, required: ['path'],
      properties: { path: { type: 'string' }, mode: { type: 'string', enum: ['replace', 'patch'] }, count: { type: 'integer', minimum: 1 }, items: { type: 'array', items: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] } } },
    } } }));
    return parsed(await calls.handleFunctionCall('t', args, contextOf()));
  };

  test.each([
    [{}, { path: 'path', expected: 'string (required)', got: 'nothing' }],
    [{ path: 7 }, { path: 'path', expected: 'string', got: 'integer 7' }],
    [{ path: 'x', mode: 'replce' }, { path: 'mode', expected: 'one of "replace", "patch"', got: 'string "replce"', allowed: ['replace', 'patch'], did_you_mean: ['replace'] }],
    [{ path: 'x', conut: 1 }, { path: 'conut', expected: 'one of the known names: path, mode, count, items', got: 'an unknown name', did_you_mean: ['count'] }],
    [{ path: 'x', count: 0 }, { path: 'count', expected: 'be >= 1'.replace('be ', 'be '), got: 'integer 0' }],
    [{ path: 'x', items: [{ id: 'a' }, {}] }, { path: 'items[1].id', expected: 'string (required)', got: 'nothing' }],
  ])('%j is answered with path, expectation and finding', async (args, problem) => {
    const result = await check(args);
    expect(result['error_type']).toBe('invalid_arguments');
    expect((result['problems'] as unknown[])[0]).toEqual({ ...problem, expected: expect.stringContaining(problem.expected.replace('be ', '')) as string }); // cast: always a list
    expect(result['error']).toContain('Nothing was run');
  });

  test('a wrong name for a required argument is recognised', async () => {
    const result = await check({ file_path: 'x' });
    expect(result['problems']).toEqual(expect.arrayContaining([{ path: 'path', expected: 'string (required)', got: "nothing; 'file_path' was sent instead", did_you_mean: ['path'] }]));
  });

  test('the handler does not run, and hooks are not asked', async () => {
    const { calls, registry } = bench();
    let touched = 0;
    registry.register(tool('t', { schema: withPath, handler: () => { touched += 1; return '{}'; } }));
    calls.hooks.on('pre_tool_call', () => { touched += 1; }, { owner: 'h' });
    expect((await calls.callTool('t', {}, contextOf())).errorType).toBe('invalid_arguments');
    expect(touched).toBe(0);
  });

  test('a tool that checks its own arguments gets them coerced and unchecked', async () => {
    const { calls, registry } = bench();
    registry.register(tool('t', { schema: withPath, checksOwnArguments: true, handler: echo }));
    expect(parsed(await calls.handleFunctionCall('t', { limit: '0' }, contextOf()))).toEqual({ got: { limit: 0 } });
  });

  test('schemas of other dialects, with ids, and ones that cannot be compiled do not stop a tool', async () => {
    const { calls, registry, lines } = bench();
    const foreign = { $schema: 'http://json-schema.org/draft-07/schema#', $id: 'same', type: 'object', properties: { a: { type: 'string', format: 'made-up' } } };
    registry.register(tool('one', { schema: { description: 'x', parameters: foreign }, handler: echo }));
    registry.register(tool('two', { schema: { description: 'x', parameters: { ...foreign } }, handler: echo }));
    registry.register(tool('broken', { schema: { description: 'x', parameters: { type: 'object', properties: { a: { $ref: '#/nowhere' }, b: { pattern: '(' } } } }, handler: echo }));
    for (const name of ['one', 'two', 'broken']) expect(parsed(await calls.handleFunctionCall(name, { a: 'v' }, contextOf()))).toEqual({ got: { a: 'v' } });
    expect(lines.filter(({ message }) => message.includes("'broken'"))).toHaveLength(1);
    expect(parsed(await calls.handleFunctionCall('two', { a: 1 }, contextOf()))['error_type']).toBe('invalid_arguments');
  });
});

describe('hooks around a call', () => {
  test('before and after see names, ids, arguments, result and status', async () => {
    const { calls, registry, clock } = bench();
    const seen: unknown[] = [];
    registry.register(tool('a', { handler: () => { clock.advance(25); return '{"error":"bad"}'; } }));
    calls.hooks.on('pre_tool_call', (payload: object) => { seen.push(payload); }, { owner: 'h' });
    calls.hooks.on('post_tool_call', (payload: object) => { seen.push(payload); }, { owner: 'h' });
    await calls.handleFunctionCall('a', { x: 1 }, contextOf({ sessionId: 's', toolCallId: 'c' }), { turnId: 't', apiRequestId: 'r' });
    const base = { tool_name: 'a', args: { x: 1 }, task_id: 'default', session_id: 's', tool_call_id: 'c', turn_id: 't', api_request_id: 'r', middleware_trace: [] };
    expect(seen).toEqual([base, { ...base, result: '{"error":"bad"}', duration_ms: 25, status: 'error', error_type: 'tool_error', error_message: 'bad' }]);
  });

  test('before is fired exactly once, and not when the caller already did', async () => {
    const { calls, registry } = bench();
    let fired = 0;
    registry.register(tool('a'));
    calls.hooks.on('pre_tool_call', () => { fired += 1; }, { owner: 'h' });
    await calls.handleFunctionCall('a', {}, contextOf());
    expect(fired).toBe(1);
    await calls.handleFunctionCall('a', {}, contextOf(), { skipPreToolCallHook: true });
    expect(fired).toBe(1);
  });

  test('a block is the answer, the tool does not run, and the observer still hears of it', async () => {
    const { calls, registry } = bench();
    let ran = false;
    const after: ToolResultPayload[] = [];
    registry.register(tool('a', { handler: () => { ran = true; return '{}'; } }));
    calls.hooks.on('pre_tool_call', () => ({ action: 'block', message: 'not today' }), { owner: 'h' });
    calls.hooks.on('post_tool_call', (payload: ToolResultPayload) => { after.push(payload); }, { owner: 'h' });
    const outcome = await calls.callTool('a', {}, contextOf());
    expect(parsed(outcome.result)).toEqual({ error: 'not today' });
    expect([ran, outcome.status, outcome.errorType]).toEqual([false, 'blocked', 'plugin_block']);
    expect(after).toMatchObject([{ status: 'blocked', error_type: 'plugin_block', error_message: 'not today', result: '{"error":"not today"}' }]);
  });

  test('a hook can send the call to a person: yes runs it, anything else blocks it', async () => {
    for (const [answer, expected] of [[{ approved: true }, { ok: true }], [{ approved: false, message: 'Denied.' }, { error: 'Denied.' }], [{ approved: false, message: null }, { error: 'Blocked: look at this' }]] as const) {
      const { calls, registry } = bench();
      registry.register(tool('a'));
      calls.hooks.on('pre_tool_call', () => ({ action: 'approve', message: 'look at this', rule_key: 'k' }), { owner: 'h' });
      const { service, asked } = reviewer(answer);
      expect(parsed(await calls.handleFunctionCall('a', { x: 1 }, contextOf({ services: { approvals: service } })))).toEqual(expected);
      expect(asked[0]).toMatchObject({ tool: 'a', command: 'a {"x":1}', requirePerson: { description: 'look at this', ruleKey: 'k' } });
    }
  });

  test('an approval gate that breaks blocks the call', async () => {
    const { calls, registry } = bench();
    let ran = false;
    registry.register(tool('a', { handler: () => { ran = true; return '{}'; } }));
    calls.hooks.on('pre_tool_call', () => ({ action: 'approve' }), { owner: 'h' });
    const broken = { review: () => Promise.reject(new Error('queue gone')), recordExit: () => undefined };
    expect((await calls.callTool('a', {}, contextOf({ services: { approvals: broken } }))).status).toBe('error');
    expect(ran).toBe(false);
  });

  test('the first text of a transforming hook is what the model reads', async () => {
    const { calls, registry } = bench();
    registry.register(tool('a'));
    const after: string[] = [];
    calls.hooks.on('post_tool_call', (payload: ToolResultPayload) => { after.push(payload.result); }, { owner: 'h' });
    calls.hooks.on('transform_tool_result', () => ({ not: 'text' }), { owner: 'h' });
    calls.hooks.on('transform_tool_result', () => 'changed', { owner: 'h' });
    expect(await calls.handleFunctionCall('a', {}, contextOf())).toBe('changed');
    expect(after).toEqual(['{"ok":true}']);
  });

  test('middleware rewrites arguments before the hooks, and wraps the execution outermost first', async () => {
    const { calls, registry } = bench();
    const order: string[] = [];
    registry.register(tool('a', { handler: (args) => { order.push('run'); return JSON.stringify(args); } }));
    calls.middleware.onRequest(({ args }) => ({ ...args, added: 1 }), 'first');
    const off = calls.middleware.onRequest(() => undefined, 'second');
    calls.middleware.onExecution(async (_call, next) => { order.push('outer in'); const answer = await next(); order.push('outer out'); return answer; }, 'first');
    calls.middleware.onExecution((_call, next) => { order.push('inner'); return next(); }, 'second');
    let trace: unknown;
    calls.hooks.on('pre_tool_call', (payload: { middleware_trace: unknown }) => { trace = payload.middleware_trace; }, { owner: 'h' });
    expect(parsed(await calls.handleFunctionCall('a', {}, contextOf()))).toEqual({ added: 1 });
    expect(trace).toEqual(['first']);
    expect(order).toEqual(['outer in', 'inner', 'run', 'outer out']);
    off();
  });

  test('an editor may refuse an edit, and one that breaks refuses it too', async () => {
    for (const [guard, error] of [
      [() => Promise.resolve({ allowed: false, message: 'not this file' }), 'not this file'],
      [() => Promise.reject(new Error('gone')), 'Edit approval denied: approval guard failed'],
    ] as const) {
      const { calls, registry } = bench({ editGuard: guard });
      for (const name of ['write_file', 'patch', 'other']) registry.register(tool(name));
      for (const name of ['write_file', 'patch']) expect(parsed(await calls.handleFunctionCall(name, {}, contextOf()))).toEqual({ error });
      expect(await calls.handleFunctionCall('other', {}, contextOf())).toBe('{"ok":true}');
    }
  });
});

describe('large results', () => {
  test('go to a file; the model reads a preview, the caller keeps the whole', async () => {
    const { calls, registry } = bench();
    const text = Array.from({ length: 30_000 }, (_, line) => `line ${String(line)}`).join('\n');
    registry.register(tool('loud', { handler: () => text }));
    const outcome = await calls.callTool('loud', {}, contextOf({ toolCallId: 'call_big' }));
    expect(outcome.fullText).toBe(text);
    expect(outcome.savedTo).toMatch(/spillover\/call_big\.txt$/);
    expect(readFileSync(outcome.savedTo ?? '', 'utf8')).toBe(text);
    expect(outcome.result).toMatch(/^<persisted-output>\n.*too large \(318889 characters, 311\.4 KB\)/);
    expect(JSON.stringify(outcome.result).length).toBeLessThan(2_800);
  });

  test('a multimodal result passes whole', async () => {
    const { calls, registry } = bench();
    const picture = { _multimodal: true as const, content: ['x'.repeat(200_000)], text_summary: 'a cat' };
    registry.register(tool('see', { handler: () => picture }));
    expect(await calls.callTool('see', {}, contextOf())).toMatchObject({ result: picture, fullText: 'a cat', status: 'ok' });
  });
});
