/** The meter: how full the window is, from the estimate that trimming goes by, and what the chat has cost. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { systemClock } from '../../../main/clock.ts';
import { createIds } from '../../../main/ids.ts';
import { silentLog } from '../../../main/log.ts';
import { openStorage } from '../../../main/storage/storage.ts';
import { openHostBench, type HostBench, type TestHostOptions } from '../../support/test-host.ts';

let bench: HostBench;
afterEach(() => bench.close());

async function open(options: TestHostOptions = {}, model = ''): Promise<void> {
  bench = await openHostBench(options);
  const file = join(bench.home, 'config.yaml');
  await writeFile(file, (await readFile(file, 'utf8')).replace('provider: custom\n', `provider: custom\n${model}`));
  await bench.restart();
}
const use = async (sessionId: Parameters<HostBench['say']>[0]) => {
  const answer = await bench.request('composer.context', { sessionId });
  if (answer === null) throw new Error('no model is connected');
  return answer;
};

test('a chat without a word holds the prompt and the tools, and looking keeps nothing', async () => {
  await open({}, '  context_length: 50000\n');
  const { id } = await bench.session();
  const before = await use(id);
  expect(before).toMatchObject({ model: 'scripted-model', contextTokens: 50_000, messages: 0, results: 0, corrected: false, cost: null });
  expect(before.system).toBeGreaterThan(100);
  expect(before.tools).toBeGreaterThan(1_000);
  await bench.request('memory.list', {}).then(async (files) => {
    const memory = files.find(({ target }) => target === 'memory');
    await bench.request('memory.save', { target: 'memory', text: 'The person likes short answers.', version: memory?.version ?? '' });
  });
  await bench.say(id, 'hello');
  expect(bench.model.requests.at(-1)?.body.messages[0]?.content).toContain('The person likes short answers.');
});

test('what tools answered is told apart, and the estimate follows what the endpoint counted', async () => {
  const script = [
    { calls: [{ name: 'terminal', arguments: { command: 'seq 1 4000' } }], usage: { prompt: 0, completion: 0 } },
    { text: 'done', usage: { prompt: 0, completion: 10 } }, { text: 'done', usage: { prompt: 30_000, completion: 10 } },
  ];
  await open({ script }, '  context_length: 60000\n');
  const { id } = await bench.session();
  await bench.say(id, 'count');
  const estimated = await use(id);
  expect(estimated.results).toBeGreaterThan(3_000);
  expect(estimated.messages).toBeGreaterThan(0);
  expect(estimated.corrected).toBe(false);
  await bench.say(id, 'again');
  const counted = await use(id);
  expect(counted.corrected).toBe(true);
  const total = counted.system + counted.tools + counted.messages + counted.results;
  expect(Math.abs(total - 30_000)).toBeLessThan(100);
  await bench.restart();
  expect(await use(id)).toMatchObject({ corrected: true, system: counted.system });
});

test('a window that the endpoint names in a refusal is the one that is shown', async () => {
  const refusal = { status: 400, body: { error: { message: "This model's maximum context length is 32000 tokens", code: 'context_length_exceeded' } } };
  const script = [{ calls: [{ name: 'terminal', arguments: { command: 'seq 1 9000' } }] }, refusal, { text: 'done' }];
  await open({ script }, '  context_length: 128000\n');
  const { id } = await bench.session();
  await bench.say(id, 'count');
  expect((await use(id)).contextTokens).toBeLessThanOrEqual(32_000);
});

test('money is told by the prices in config.yaml only, and what another model used is told apart', async () => {
  const script = [{ text: 'one', usage: { prompt: 100_000, completion: 10_000 } }, { text: 'two', usage: { prompt: 400, completion: 100 } }];
  await open({ script }, '  price_in: 2.5\n  price_out: 10\n');
  const { id } = await bench.session();
  await bench.say(id, 'first');
  expect((await use(id)).cost).toEqual({ usd: 0.35, uncountedTokens: 0 });
  await bench.request('sessions.setModel', { sessionId: id, model: 'another' });
  await bench.say(id, 'second');
  expect((await use(id)).cost).toEqual({ usd: 0.35, uncountedTokens: 500 });
});

test('the values that a chat kept go with it', async () => {
  await open();
  const { id } = await bench.session();
  await bench.say(id, 'hello');
  const storage = openStorage(join(bench.home, 'desktop', 'talaria.db'), { clock: systemClock, ids: createIds(), log: silentLog });
  expect(storage.values.get(`context:${id}`)).toBeDefined();
  await bench.request('sessions.delete', { sessionId: id });
  storage.sessions.purge(Number.MAX_SAFE_INTEGER);
  for (const kept of ['context', 'memory-snapshot', 'trim']) expect(storage.values.get(`${kept}:${id}`)).toBeUndefined();
  storage.close();
});

test('without a model there is nothing to show', async () => {
  bench = await openHostBench({ withoutModel: true });
  const { id } = await bench.session();
  expect(await bench.request('composer.context', { sessionId: id })).toBeNull();
});
