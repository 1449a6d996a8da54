import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { HostBench } from '../../support/test-host.ts';
import { call, enabled, openWith, plugin } from './support.ts';

let bench: HostBench | undefined;
afterEach(async () => { await bench?.close(); });

/** A plugin that writes each payload of these hooks as a line into a file of the home. */
const recorder = (names: readonly string[]): string => `
  const { appendFileSync } = await import('node:fs');
  for (const name of ${JSON.stringify(names)}) ctx.registerHook(name, (payload) => { appendFileSync(ctx.folder + '/../../heard', JSON.stringify([name, payload]) + '\\n'); });`;
const heard = async (opened: HostBench): Promise<[string, Record<string, unknown>][]> =>
  (await readFile(join(opened.home, 'heard'), 'utf8')).trimEnd().split('\n').map((line) => JSON.parse(line) as [string, Record<string, unknown>]);

test('a turn is heard from its beginning to its end, plugins add to what the model reads and change what it answered', async () => {
  const names = ['on_session_start', 'pre_llm_call', 'pre_api_request', 'post_api_request', 'pre_tool_call', 'post_tool_call', 'post_llm_call', 'on_session_end'];
  bench = await openWith(plugin('ears', `${recorder(names)}
    ctx.registerHook('pre_llm_call', () => ({ context: 'The moon is full.' }));
    ctx.registerHook('transform_llm_output', ({ response_text: text }) => text.toUpperCase());`), {
    withoutModel: false, yaml: enabled('ears'), script: [{ calls: [{ name: 'todo', arguments: {} }] }, { text: 'all done' }],
  });
  const { id } = await bench.session();
  await bench.say(id, 'work');
  expect(await bench.answer(id)).toBe('ALL DONE');
  expect(JSON.stringify(bench.model.requests[0]?.body)).toContain('The moon is full.');
  const lines = await heard(bench);
  expect(lines.map(([name]) => name)).toEqual(['on_session_start', 'pre_llm_call', 'pre_api_request', 'post_api_request', 'pre_tool_call', 'post_tool_call', 'pre_api_request', 'post_api_request', 'post_llm_call', 'on_session_end']);
  expect(Object.fromEntries(lines)).toMatchObject({
    pre_llm_call: { session_id: id, user_message: 'work', is_first_turn: true }, post_tool_call: { tool_name: 'todo', status: 'ok', error_type: null },
    post_api_request: { finish_reason: 'stop', tool_call_count: 0, api_call_count: 2 }, post_llm_call: { assistant_response: 'ALL DONE' }, on_session_end: { completed: true, interrupted: false },
  });
});

test('a request that fails is heard as such', async () => {
  bench = await openWith(plugin('ears', recorder(['api_request_error', 'on_session_end'])), { withoutModel: false, yaml: enabled('ears'), script: [{ status: 401, body: { error: { message: 'no' } } }] });
  const { id } = await bench.session();
  await bench.say(id, 'work');
  expect(await heard(bench)).toMatchObject([['api_request_error', { error_type: 'model/unauthorised' }], ['on_session_end', { completed: false, reason: 'error' }]]);
});

test('the output of a command can be replaced before the model reads it, the first text counts', async () => {
  bench = await openWith(plugin('mask', `
    ctx.registerHook('transform_terminal_output', ({ output, returncode, command, env_type: kind }) => output.replaceAll('cat', 'dog') + [returncode, command.length, kind].join(' '));
    ctx.registerHook('transform_terminal_output', () => 'never');`), { yaml: enabled('mask') });
  expect(JSON.parse(await call(bench, 'terminal', { command: 'echo cat' }))).toMatchObject({ output: 'dog\n0 8 local', exit_code: 0 });
});

test('questions to the person are observed with their keys, and what observers return or throw changes nothing', async () => {
  bench = await openWith(plugin('witness', `${recorder(['pre_approval_request', 'post_approval_response'])}
    ctx.registerHook('pre_approval_request', () => { throw new Error('no'); });`), { yaml: enabled('witness') });
  const opened = bench;
  const answer = call(bench, 'terminal', { command: 'rm -rf ~/precious' });
  const { id } = await bench.approval();
  await bench.request('approvals.decide', { id, choice: 'deny' });
  expect(await answer).toContain('error');
  await expect.poll(async () => (await heard(opened).catch(() => [])).length, { timeout: 30_000 }).toBe(2);
  expect(await heard(bench)).toMatchObject([
    ['pre_approval_request', { command: 'rm -rf ~/precious', pattern_keys: expect.arrayContaining([expect.any(String)]) as unknown }], ['post_approval_response', { choice: 'deny' }],
  ]);
});

test('a plugin calls tools the whole way and sends messages for the model', async () => {
  bench = await openWith(plugin('agent', `
    ctx.registerCommand('probe', async (words, chat) => await ctx.dispatchTool('todo', { todos: [{ id: '1', content: words, status: 'pending' }] }, chat));
    ctx.registerCommand('nudge', async (words, chat) => { await ctx.injectMessage(words, chat); });
    ctx.registerCommand('fail', () => { throw new RangeError('too far'); });`), { withoutModel: false, yaml: enabled('agent'), script: [{ text: 'heard you' }] });
  const { id } = await bench.session();
  await bench.say(id, '/probe from a plugin');
  expect((await bench.messages(id)).at(-1)).toMatchObject({ role: 'notice', text: expect.stringContaining('from a plugin') as string });
  await bench.say(id, '/fail');
  expect((await bench.messages(id)).at(-1)?.text).toContain("/fail of plugin 'agent' failed: RangeError: too far");
  await bench.say(id, '/nudge please go on');
  await bench.host.idle(id);
  expect(await bench.answer(id)).toBe('heard you');
  expect(bench.model.requests).toHaveLength(1);
});

test('a hook that calls tools from within itself comes to an end: the innermost call is refused, the one it was for runs', async () => {
  bench = await openWith(plugin('mirror', `ctx.registerHook('pre_tool_call', async ({ session_id: sessionId }) => { depth += 1; deepest = Math.max(deepest, depth); await ctx.dispatchTool('todo', {}, { sessionId }).finally(() => { depth -= 1; }); return null; });
    let depth = 0; let deepest = 0; ctx.registerCommand('depth', () => String(deepest));`), { yaml: enabled('mirror') });
  expect(JSON.parse(await call(bench, 'todo'))).toMatchObject({ todos: [] });
  const { id } = await bench.session();
  await bench.say(id, '/depth');
  expect((await bench.messages(id)).at(-1)?.text).toBe('17');
});
