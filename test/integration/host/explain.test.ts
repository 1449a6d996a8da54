/** Each step of "why does the model not get this?" with what really causes it, as the panel asks for it. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import type { AvailabilityReason, ToolsetInfo } from '../../../preload/contract/settings.ts';
import type { SessionId } from '../../../preload/contract/ids.ts';
import { registry, type CheckFunction } from '../../../tools/registry.ts';
import { openHostBench, type HostBench, type TestHostOptions } from '../../support/test-host.ts';

const benches: HostBench[] = [];
afterEach(async () => { await Promise.all(benches.splice(0).map((bench) => bench.close())); });

async function open(options: TestHostOptions = {}): Promise<HostBench> {
  const bench = await openHostBench(options);
  benches.push(bench);
  return bench;
}
function register(check: CheckFunction, requiresEnv: readonly string[] = []): void {
  registry.register({ name: 'probe_tool', toolset: 'probe', schema: { description: 'x' }, handler: () => 'x', checkFn: check, requiresEnv });
  onTestFinished(() => registry.deregister('probe_tool'));
}
async function reason(bench: HostBench, name: string, sessionId?: SessionId): Promise<AvailabilityReason | null | undefined> {
  const list: ToolsetInfo[] = await bench.request('toolsets.check', sessionId === undefined ? {} : { sessionId });
  return list.find((toolset) => toolset.name === name)?.reason;
}

test('off by default, and off in one chat', async () => {
  const bench = await open({ withoutModel: true, yaml: 'agent:\n  disabled_toolsets: [todo]\n' });
  const { id } = await bench.session();
  expect(await reason(bench, 'todo', id)).toMatchObject({ step: 'disabled-by-profile' });
  await bench.request('toolsets.set', { name: 'file', enabled: false, sessionId: id });
  expect(await reason(bench, 'file', id)).toMatchObject({ step: 'disabled-in-chat' });
  expect(await reason(bench, 'file')).toBeNull();
});

test('a missing variable by name, a missing program with the PATH that was searched', async () => {
  const bench = await open({ withoutModel: true, env: { PATH: '/only/here' } });
  register(({ env }) => env('PROBE_KEY') !== undefined, ['PROBE_KEY']);
  expect(await reason(bench, 'probe')).toMatchObject({ step: 'missing-variable', message: 'Missing PROBE_KEY.' });
  registry.deregister('probe_tool');
  register(({ which }) => (which('nowhere') === undefined ? { step: 'missing-program', message: 'nowhere was not found.' } : true));
  expect(await reason(bench, 'probe')).toMatchObject({ step: 'missing-program', message: 'nowhere was not found. Searched: /only/here' });
});

test('the wrong backend: a terminal whose place cannot be had says so', async () => {
  const bench = await open({ withoutModel: true, yaml: 'terminal:\n  backend: nowhere\n' });
  expect(await reason(bench, 'terminal')).toMatchObject({ step: 'wrong-backend', message: expect.stringContaining('nowhere') as string });
});

test('a check that fails with an exception', async () => {
  const bench = await open({ withoutModel: true });
  register(() => { throw new RangeError('too far'); });
  expect(await reason(bench, 'probe')).toMatchObject({ step: 'check-threw', message: expect.stringContaining('RangeError: too far') as string });
});

test('a tool file that nobody has trusted', async () => {
  const bench = await open({ withoutModel: true });
  await mkdir(join(bench.home, 'tools'));
  await writeFile(join(bench.home, 'tools/new.js'), 'export default () => undefined;');
  expect(await reason(bench, 'user-new')).toMatchObject({ step: 'plugin-not-trusted' });
});

test('a model without tool calling is found out by its server\'s refusal, in that chat, until it calls a tool', async () => {
  const refusal = { status: 400, body: { error: { message: 'registry.ollama.ai/library/old does not support tools' } } };
  const bench = await open({ script: [refusal, { calls: [{ name: 'todo', arguments: {} }] }, { text: 'done' }] });
  const { id } = await bench.session();
  expect(await reason(bench, 'todo', id)).toBeNull();
  await bench.say(id, 'hello');
  expect(await reason(bench, 'todo', id)).toMatchObject({ step: 'model-without-tools' });
  expect(await reason(bench, 'todo')).toMatchObject({ step: 'model-without-tools' });
  await bench.say(id, 'again');
  expect(await reason(bench, 'todo', id)).toBeNull();
});

test('a model that the configuration says calls no tools is offered none', async () => {
  const bench = await open({ script: [{ text: 'plain' }], yaml: '  supports_tools: false\n' });
  const { id } = await bench.session();
  await bench.say(id, 'hello');
  expect(bench.model.requests.at(-1)?.body['tools']).toBeUndefined();
  expect(await reason(bench, 'todo', id)).toMatchObject({ step: 'model-without-tools' });
});

test('tools that no longer fit into the chat\'s request', async () => {
  const bench = await open({ script: [{ text: 'fine' }], yaml: 'tools:\n  max_tools: 1\n' });
  const { id } = await bench.session();
  await bench.say(id, 'hello');
  expect(await reason(bench, 'todo', id)).toMatchObject({ step: 'dropped-by-cap', fix: expect.stringContaining('tools.max_tools') as string });
});
