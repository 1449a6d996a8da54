import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { createIds } from '../../../main/ids.ts';
import { createModelClient } from '../../../main/models/client.ts';
import { discoverServers } from '../../../main/models/discover.ts';
import { testConnection } from '../../../main/models/test-connection.ts';
import type { ModelDelta, ModelReply } from '../../../main/models/types.ts';
import type { Clock } from '../../../main/ports.ts';
import { startModelServer, type ModelServer, type ModelServerOptions } from '../../support/model/server.ts';

const open: ModelServer[] = [];
afterEach(async () => { await Promise.all(open.splice(0).map((server) => server.close())); });

async function serve(options: ModelServerOptions): Promise<ModelServer> {
  const server = await startModelServer(options);
  open.push(server);
  return server;
}

/** Real time, except that waits are over at once and remembered. */
function hastyClock(): Clock & { waits: number[] } {
  const waits: number[] = [];
  return { waits, now: () => Date.now(), monotonic: () => performance.now(), after: (ms, run) => { waits.push(ms); queueMicrotask(run); return () => undefined; } };
}

interface Talk { readonly reply: Promise<ModelReply>; readonly deltas: ModelDelta[]; readonly retries: string[]; readonly clock: ReturnType<typeof hastyClock>; stop(): void }

function talk(server: Pick<ModelServer, 'baseUrl'>, key?: string): Talk {
  const clock = hastyClock();
  const stopping = new AbortController();
  const deltas: ModelDelta[] = [];
  const retries: string[] = [];
  const client = createModelClient({ baseUrl: server.baseUrl, model: 'scripted-model', key, contextTokens: 8_000 }, { clock, ids: createIds() });
  const reply = client.stream({ messages: [{ role: 'user', content: 'hi' }], tools: [] }, {
    signal: stopping.signal, onDelta: (delta) => deltas.push(delta), onRetry: (failure) => retries.push(failure.code),
  });
  reply.catch(() => undefined); // looked at by the test; here only so that an early failure is no unhandled one
  return { reply, deltas, retries, clock, stop: () => stopping.abort() };
}

const endpoint = (server: Pick<ModelServer, 'baseUrl'>, model = 'scripted-model'): Parameters<typeof testConnection>[0] => ({ baseUrl: server.baseUrl, model, key: undefined, contextTokens: 8_000 });
const parts = { clock: hastyClock(), ids: createIds() };

test('text torn apart inside characters, escapes and network writes arrives whole', async () => {
  const text = 'Grüße 👩‍👩‍👧 "quoted" \\ and \u2028 中文';
  const server = await serve({ script: [{ text, split: 'units', writeBytes: 3, usage: { prompt: 9, completion: 4 } }] });
  const { reply, deltas } = talk(server);
  await expect(reply).resolves.toMatchObject({ text, finish: 'stop', usage: { promptTokens: 9, completionTokens: 4 } });
  expect(deltas.map((delta) => (delta.kind === 'text' ? delta.text : '')).join('')).toBe(text);
});

test('parallel calls whose fragments come mixed and torn are told apart', async () => {
  const calls = [{ name: 'read_file', arguments: { path: 'ä.txt' } }, { name: 'terminal', arguments: { command: 'echo "👍"' } }];
  const server = await serve({ script: [{ calls, split: 'units', mixed: true, writeBytes: 5 }] });
  const decided = (await talk(server).reply).calls.map((call) => ({ name: call.name, arguments: JSON.parse(call.arguments) as unknown }));
  expect(decided).toHaveLength(2);
  expect(decided).toEqual(expect.arrayContaining(calls));
});

test('a reply cut in the middle is asked for again', async () => {
  const server = await serve({ script: [{ steps: [{ text: 'half a ' }, { cut: true }] }, { text: 'whole answer' }] });
  const { reply, retries } = talk(server);
  await expect(reply).resolves.toMatchObject({ text: 'whole answer' });
  expect(retries).toEqual(['model/network']);
});

test('a reply that ends without a finish reason counts as cut', async () => {
  const server = await serve({ script: [{ steps: [{ text: 'half' }, { end: true }] }, { text: 'whole' }] });
  const { reply, retries } = talk(server);
  await expect(reply).resolves.toMatchObject({ text: 'whole' });
  expect(retries).toEqual(['model/network']);
});

test('broken JSON in the stream is a bad reply and asked for again', async () => {
  const server = await serve({ script: [{ steps: [{ raw: 'data: {"choices": [\n\n' }] }, { text: 'fine' }] });
  const { reply, retries } = talk(server);
  await expect(reply).resolves.toMatchObject({ text: 'fine' });
  expect(retries).toEqual(['model/bad-reply']);
});

test('an error event inside the stream is the server\'s failure', async () => {
  const server = await serve({ script: [{ steps: [{ text: 'a' }, { raw: 'data: {"error":{"message":"engine overloaded"}}\n\n' }] }, { text: 'fine' }] });
  const { reply, retries } = talk(server);
  await expect(reply).resolves.toMatchObject({ text: 'fine' });
  expect(retries).toEqual(['model/server']);
});

test('a server that asks to wait is given that time', async () => {
  const server = await serve({ script: [{ status: 429, headers: { 'retry-after': '7' } }, { status: 503 }, { text: 'now' }] });
  const { reply, retries, clock } = talk(server);
  await expect(reply).resolves.toMatchObject({ text: 'now' });
  expect(retries).toEqual(['model/rate-limited', 'model/server']);
  expect(clock.waits[0]).toBe(7_000);
});

test('a server that stays broken is given up with its own words', async () => {
  const server = await serve({ script: [{ status: 500, body: { error: { message: 'CUDA out of memory' } } }] });
  await expect(talk(server).reply).rejects.toMatchObject({ code: 'model/server', message: expect.stringContaining('CUDA out of memory') as string });
  expect(server.requests).toHaveLength(5);
});

test('a stop closes the connection and ends the request as stopped', async () => {
  const server = await serve({ script: [{ steps: [{ text: 'one ' }, { gate: 'hold' }, { text: 'two' }] }] });
  const { reply, stop } = talk(server);
  await server.reached('hold');
  stop();
  await expect(reply).rejects.toMatchObject({ aborted: true });
  expect(server.requests).toHaveLength(1);
});

test('a server that ignores streaming is understood all the same', async () => {
  const server = await serve({ withoutStreaming: 'ignored', script: [{ text: 'all at once', calls: [{ name: 'terminal', arguments: { command: 'ls' } }] }] });
  await expect(talk(server).reply).resolves.toMatchObject({ text: 'all at once', calls: [{ name: 'terminal', arguments: '{"command":"ls"}' }], finish: 'tool_calls' });
});

test('a key is sent when there is one, and a wrong one is named', async () => {
  const server = await serve({ key: 'right', script: [{ text: 'ok' }] });
  await expect(talk(server, 'right').reply).resolves.toMatchObject({ text: 'ok' });
  await expect(talk(server, 'wrong').reply).rejects.toMatchObject({ code: 'model/unauthorised' });
});

test('a connection test goes through four steps', async () => {
  const call = { calls: [{ name: 'report_colour', arguments: { colour: 'blue' } }] };
  const server = await serve({ script: ({ body }) => (body.tools ? call : { text: 'ready' }) });
  const steps = await testConnection(endpoint(server), parts);
  expect(steps.map(({ step, state }) => `${step} ${state}`)).toEqual(['reach ok', 'reply ok', 'stream ok', 'tool-call ok']);
});

test.each<[string, ModelServerOptions, string[]]>([
  ['wants a key', { key: 'k' }, ['reach failed model/unauthorised', 'reply skipped', 'stream skipped', 'tool-call skipped']],
  ['has no such model', { models: ['other'], strictModels: true }, ['reach ok', 'reply failed model/not-found', 'stream skipped', 'tool-call skipped']],
  ['refuses tools', { withoutTools: true }, ['reach ok', 'reply ok', 'stream ok', 'tool-call failed model/no-tools']],
  ['answers in words instead of a call', { script: [{ text: 'blue' }] }, ['reach ok', 'reply ok', 'stream ok', 'tool-call failed model/no-tools']],
  ['answers a stream in one piece', { withoutStreaming: 'ignored', script: [{ text: 'ready', calls: [{ name: 'report_colour', arguments: {} }] }] }, ['reach ok', 'reply ok', 'stream failed model/no-streaming', 'tool-call ok']],
  ['refuses to stream', { withoutStreaming: 'refused' }, ['reach ok', 'reply ok', 'stream failed model/no-streaming', 'tool-call failed model/no-streaming']],
])('a connection test says what fails when the server %s', async (_what, options, expected) => {
  const server = await serve(options);
  const steps = await testConnection(endpoint(server), parts);
  expect(steps.map(({ step, state, code }) => [step, state, code].filter(Boolean).join(' '))).toEqual(expected);
});

test('steps behind a refused key are not blamed on the network, and one model is not "1 models"', async () => {
  const server = await serve({ key: 'right', models: ['other'] });
  const refused = await testConnection({ ...endpoint(server), key: 'wrong' }, parts);
  expect(refused.slice(1).map(({ message }) => message)).toEqual(Array(3).fill('Not tried, because the step before failed.'));
  const [reached] = await testConnection({ ...endpoint(server), key: 'right' }, parts);
  expect(reached?.message).toMatch(/lists 1 model, but not /);
});

test('a connection test tells a closed port, an unknown name and plain text where TLS was wanted', async () => {
  const closed = createServer();
  await new Promise<void>((listening) => closed.listen(0, '127.0.0.1', listening));
  const { port } = closed.address() as AddressInfo; // TCP
  await new Promise((done) => closed.close(done));
  const server = await serve({});
  const codes = await Promise.all([`http://127.0.0.1:${port}/v1`, 'http://no-such-host.invalid/v1', `https://127.0.0.1:${server.port}/v1`].map(async (baseUrl) => (await testConnection(endpoint({ baseUrl }), parts))[0]?.code));
  expect(codes).toEqual(['model/refused', 'model/dns', 'model/tls']);
});

test('servers on loopback are found at their ports, each by what only it answers', async () => {
  const [ollama, studio, llama, vllm] = await Promise.all([
    serve({ flavour: 'ollama', models: ['qwen3:8b'] }), serve({ flavour: 'lm-studio', models: ['studio'] }), serve({ flavour: 'llama.cpp', models: ['gguf'] }), serve({ flavour: 'vllm', models: ['big'] }),
  ]);
  const ports = { Ollama: ollama.port, 'LM Studio': studio.port, 'llama.cpp': llama.port, vLLM: vllm.port };
  const found = await discoverServers({ ports });
  expect(found.map(({ name, models }) => [name, models])).toEqual([['Ollama', ['qwen3:8b']], ['LM Studio', ['studio']], ['llama.cpp', ['gguf']], ['vLLM', ['big']]]);
  expect(await discoverServers({ ports: { Ollama: llama.port, 'LM Studio': 1, 'llama.cpp': ollama.port, vLLM: llama.port } })).toEqual([]);
});

test('a port that accepts and never answers does not hold the search up', async () => {
  const silent = createServer(() => undefined);
  await new Promise<void>((listening) => silent.listen(0, '127.0.0.1', listening));
  const { port } = silent.address() as AddressInfo; // TCP
  const from = performance.now();
  expect(await discoverServers({ ports: { Ollama: port, 'LM Studio': port, 'llama.cpp': port, vLLM: port } })).toEqual([]);
  expect(performance.now() - from).toBeLessThan(5_000);
  silent.close();
});
