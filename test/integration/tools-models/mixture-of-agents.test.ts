import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import '../../../tools/mixture-of-agents.ts';
import { mixtureOfAgents } from '../../../tools/mixture-of-agents/ask.ts';
import { isSetUp, panel } from '../../../tools/mixture-of-agents/models.ts';
import { registry } from '../../../tools/registry.ts';
import type { ToolContext } from '../../../tools/context.ts';
import { openAuxiliaryModels } from '../../support/auxiliary-models.ts';
import { type ModelServer, type RecordedRequest, type Reply, startModelServer } from '../../support/model/server.ts';
import { type ToolBench, openToolBench } from '../../support/tool-context.ts';

let server: ModelServer;
let bench: ToolBench;
const REFERENCES = ['maker/one', 'maker/two', 'maker/three'];

beforeAll(async () => { [server, bench] = await Promise.all([startModelServer(), openToolBench()]); });
afterAll(() => Promise.all([server.close(), bench.close()]));
afterEach(() => bench.config.clear());

const isAggregator = ({ body }: RecordedRequest): boolean => body.messages[0]?.role === 'system';
const question = ({ body }: RecordedRequest): string => String(body.messages.at(-1)?.content);

function openContext(overrides: Partial<ToolContext> = {}): ToolContext & { waits: number[] } {
  bench.config.set('moa.reference_models', REFERENCES).set('moa.aggregator_model', 'maker/judge');
  const models = openAuxiliaryModels({ config: { 'auxiliary.mixture_of_agents': { base_url: server.baseUrl, api_key: 'moa-key-value', model: 'any' } } });
  bench.models = models;
  return Object.assign(bench.context(overrides), { waits: models.waits });
}
const run = async (prompt: unknown, context: ToolContext = openContext()): Promise<Record<string, unknown>> => JSON.parse(await mixtureOfAgents({ user_prompt: prompt }, context)) as Record<string, unknown>;
const script = (reply: (request: RecordedRequest) => Reply): number => { server.use(reply); return server.requests.length; };

test('references are asked side by side at 0.6, the aggregator at 0.4 with their answers, and costs are added up', async () => {
  const before = script((request) => (isAggregator(request)
    ? { text: 'final', usage: { prompt: 30, completion: 3, cost: 0.02 } }
    : { text: `says ${request.body.model}`, gate: request.body.model, usage: { prompt: 10, completion: 1, cost: 0.01 } }));
  const running = run('why?');
  await server.seen(before + 3);
  for (const model of REFERENCES) server.open(model);
  expect(await running).toEqual({
    success: true, response: 'final', models_used: { reference_models: REFERENCES, aggregator_model: 'maker/judge' },
    costs: expect.arrayContaining([{ model: 'maker/two', prompt_tokens: 10, completion_tokens: 1, cost_usd: 0.01 }, { model: 'maker/judge', prompt_tokens: 30, completion_tokens: 3, cost_usd: 0.02 }]) as unknown,
    total_cost_usd: 0.05,
  });
  const asked = server.requests.slice(before);
  expect(asked.map(({ body }) => [body.model, body['temperature']]).sort()).toEqual([['maker/judge', 0.4], ['maker/one', 0.6], ['maker/three', 0.6], ['maker/two', 0.6]]);
  const last = asked.at(-1);
  expect(last === undefined ? '' : question(last)).toMatch(/# Question\nwhy\?[\s\S]*says maker\/(one|two|three)/);
  expect(asked.every(({ headers }) => headers['authorization'] === 'Bearer moa-key-value')).toBe(true);
});

test('one reference that answers is enough; the others are named with their reason', async () => {
  script((request) => (isAggregator(request) ? { text: 'final' } : request.body.model === 'maker/two' ? { text: 'mine' } : { status: 401, body: { error: { message: 'bad key moa-key-value' } } }));
  const answer = await run('why?');
  expect(answer).toMatchObject({ success: true, response: 'final', failed_models: [{ error: expect.any(String) as unknown }, { error: expect.any(String) as unknown }] });
  expect(answer).not.toHaveProperty('total_cost_usd');
});

test('a busy server is tried seven times, waiting from 2 s up to 60 s', async () => {
  script((request) => (request.body.model === 'maker/one' ? { status: 503 } : { text: 'x' }));
  const context = openContext();
  expect(await run('why?', context)).toMatchObject({ success: true, failed_models: [{ model: 'maker/one' }] });
  expect(context.waits).toHaveLength(6);
  expect(context.waits[0]).toBeLessThanOrEqual(2_000);
  expect(Math.max(...context.waits)).toBeLessThanOrEqual(60_000);
});

test('fewer answers than the minimum of config is an error that names each reason', async () => {
  script((request) => (request.body.model === 'maker/one' ? { text: 'x' } : { status: 404, body: { error: { message: 'no such model', code: 'model_not_found' } } }));
  const context = openContext();
  bench.config.set('moa.min_successful_references', 2);
  const answer = await run('why?', context);
  expect(answer).toMatchObject({ success: false, response: '' });
  expect(answer['error']).toMatch(/Only 1 of 3 models answered, 2 needed\. maker\/(two|three): /);
});

test('an empty answer of a reference does not count, and one of the aggregator is an error', async () => {
  script((request) => (isAggregator(request) ? { text: ' ' } : { text: request.body.model === 'maker/one' ? '' : 'ok' }));
  expect(await run('why?')).toMatchObject({ success: false, error: expect.stringContaining('maker/judge gave an empty answer') as unknown });
});

test('stopping the call stops every request', async () => {
  const before = script(() => ({ text: 'x', gate: 'never' }));
  const stop = new AbortController();
  const running = mixtureOfAgents({ user_prompt: 'why?' }, openContext({ signal: stop.signal }));
  await server.seen(before + 3);
  stop.abort(new Error('stopped by the person'));
  await expect(running).rejects.toThrow('stopped by the person');
  server.open('never');
});

test.each([[undefined, "needs 'user_prompt'"], [' ', "needs 'user_prompt'"], ['x'.repeat(400_001), 'Cut it down']])('a bad prompt is refused before any model is asked', async (prompt, words) => {
  const before = server.requests.length;
  expect((await run(prompt))['error']).toContain(words);
  expect(server.requests.length).toBe(before);
});

test('without a key or models of one\'s own, the tool is not offered and says what is missing', async () => {
  const context = openContext();
  bench.config.clear();
  expect((await run('why?', context))['error']).toContain('OPENROUTER_API_KEY is missing');
  expect(isSetUp(() => undefined, () => ' ')).toBe(false);
  expect(isSetUp(() => undefined, () => 'key')).toBe(true);
  expect(panel(() => undefined).references.length).toBeGreaterThanOrEqual(3);
  expect(registry.getEntry('mixture_of_agents')?.toolset).toBe('moa');
});
