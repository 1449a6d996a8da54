/** The ten rl_* tools through the real host, on a small checkout whose programs speak Atropos' trajectory API on loopback. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { SessionId } from '../../../preload/contract/index.ts';
import { startModelServer, type ModelServer } from '../../support/model/server.ts';
import { freePort, makeRlCheckout } from '../../support/rl-checkout.ts';
import { openHostBench, type HostBench } from '../../support/test-host.ts';

let bench: HostBench;
let model: ModelServer;
let sessionId: SessionId;
let root: string;
let port: number;

beforeAll(async () => {
  port = await freePort();
  model = await startModelServer({ script: ({ body }) => (body.model === 'maker/bad' ? { status: 500 } : { text: body.model === 'maker/good' ? '2' : '3' }) });
  bench = await openHostBench({
    withoutModel: true, yaml: `rl:\n  api_url: http://127.0.0.1:${String(port)}\n  inference_url: ${model.baseUrl}\n`,
    env: { TINKER_API_KEY: 'tinker-key', WANDB_API_KEY: 'wandb-key', OPENROUTER_API_KEY: 'router-key-value' },
  });
  root = join(bench.folder, 'tinker-atropos');
  await makeRlCheckout(root, port);
  sessionId = (await bench.session()).id;
  await writeFile(join(bench.home, '.env'), `TINKER_ATROPOS_ROOT=${root}\n`);
}, 60_000);
afterAll(async () => { await bench.close(); await model.close(); });
afterEach(async () => { for (const { id } of await bench.request('approvals.list', {})) await bench.request('approvals.decide', { id, choice: 'deny' }); });

async function run(name: string, args: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
  const { fullText } = await bench.host.callTool(name, args, { sessionId, signal: AbortSignal.timeout(90_000) });
  return JSON.parse(fullText) as Record<string, unknown>;
}
async function started(): Promise<string> {
  const starting = run('rl_start_training');
  const request = await bench.approval();
  expect(request).toMatchObject({ tool: 'rl_start_training', command: expect.stringContaining('launch_training.py --config') as string });
  await bench.request('approvals.decide', { id: request.id, choice: 'once' });
  const result = await starting;
  expect(result).toMatchObject({ status: 'running', environment: 'math' });
  return String(result['run_id']);
}

test('environments are found in the syntax tree; what does not parse is named', async () => {
  expect(await run('rl_list_environments')).toMatchObject({
    count: 1, environments: [{ name: 'math', class_name: 'MathEnv', file_path: 'tinker_atropos/environments/math_env.py', description: 'Questions with one number as the answer.' }], skipped: [expect.stringContaining('broken.py')],
  });
});

test('nothing is chosen at first; choosing, reading and changing the configuration, with locked fields', async () => {
  expect(await run('rl_get_current_config')).toMatchObject({ success: false, error: expect.stringContaining('rl_select_environment') as string });
  expect(await run('rl_select_environment', { name: 'chess' })).toMatchObject({ error: expect.stringContaining('There are: math') as string });
  expect(await run('rl_select_environment', { name: 'math' })).toMatchObject({ environment: 'math', configurable_fields: { max_questions: { type: 'int', default: 250, value: 250 }, dataset: { default: 'gsm8k', description: 'Where questions come from.' } } });
  expect(await run('rl_edit_config', { field: 'max_questions', value: '12' })).toMatchObject({ field: 'max_questions', value: 12 });
  expect(await run('rl_edit_config', { field: 'strict', value: false })).toMatchObject({ value: false });
  for (const [field, value, words] of [['learning_rate', 1, 'is locked'], ['total_steps', 1, 'is locked'], ['nope', 1, 'is no field'], ['max_questions', 'many', 'is of kind int'], ['max_questions', 1.5, 'whole number'], ['dataset', 7, 'is of kind str']] as const) {
    expect(await run('rl_edit_config', { field, value })).toMatchObject({ success: false, error: expect.stringContaining(words) as string });
  }
  const config = await run('rl_get_current_config');
  expect(config).toMatchObject({ configurable_fields: { max_questions: { value: 12 } }, locked_fields: { env: { total_steps: 2_500 }, tinker: { lora_rank: 32 } } });
  expect(config['configurable_fields']).not.toHaveProperty('learning_rate');
});

test('inference is tried on several models: right, wrong and failing ones are told apart, and the key is nowhere', async () => {
  const result = await run('rl_test_inference', { num_steps: 2, group_size: 4, models: ['maker/good', 'maker/wrong', 'maker/bad'] });
  expect(result).toMatchObject({
    models_tested: [{ model: 'maker/good', success: true, steps: 2, completions: 8, correct: 8, accuracy: 1 }, { model: 'maker/wrong', success: true, accuracy: 0 }, { model: 'maker/bad', success: false, error: expect.stringContaining('exit code 3') as string }], best_model: 'maker/good',
  });
  expect(JSON.stringify(result)).not.toContain('router-key-value');
  expect(model.requests.at(-1)?.headers['authorization']).toBe('Bearer router-key-value');
  expect(await run('rl_test_inference', { num_steps: 99 })).toMatchObject({ error: expect.anything() as unknown });
});

test('a refused run starts nothing', async () => {
  const starting = run('rl_start_training');
  await bench.request('approvals.decide', { id: (await bench.approval()).id, choice: 'deny', reason: 'too dear' });
  expect(await starting).toMatchObject({ success: false, error: expect.stringContaining('too dear') as string });
  expect(await run('rl_list_runs')).toMatchObject({ count: 0 });
});

test('a run: three background processes, its status at most every half hour, results, stop; and the list survives a restart', async () => {
  const runId = await started();
  const running = (await bench.request('terminals.list', {})).filter(({ state }) => state === 'running');
  expect(running).toHaveLength(3);
  expect(JSON.parse(await readFile(join(root, 'configs', `run_${runId}.yaml`), 'utf8'))).toMatchObject({ env: { max_questions: 12, strict: false, total_steps: 2_500, wandb_name: `math-${runId}` }, tinker: { lora_rank: 32 } });
  expect(await run('rl_start_training')).toMatchObject({ success: false, error: expect.stringContaining(`Run ${runId} is going on`) as string });
  expect(await run('rl_check_status', { run_id: runId })).toMatchObject({ run_id: runId, status: 'running', processes: { api: 'running', trainer: 'running', environment: 'running' }, trajectory_server: { current_step: 7 }, wandb: { project: 'p' } });
  expect(await run('rl_check_status', { run_id: runId })).toMatchObject({ rate_limited: true, last_status: { status: 'running' } });
  expect(await run('rl_get_results', { run_id: runId })).toMatchObject({ status: 'running', latest_example: { scores: [1, 0] }, logs: { trainer: expect.stringContaining('training') as string } });
  expect(await run('rl_stop_training', { run_id: runId })).toMatchObject({ status: 'stopped' });
  await expect.poll(async () => (await bench.request('terminals.list', {})).filter(({ state }) => state === 'running').length).toBe(0);
  expect(await run('rl_stop_training', { run_id: runId })).toMatchObject({ message: expect.stringContaining('not go on') as string });
  await bench.restart();
  expect(await run('rl_list_runs')).toMatchObject({ count: 1, runs: [{ run_id: runId, environment: 'math', status: 'stopped' }] });
  expect(await run('rl_get_results', { run_id: 'nope' })).toMatchObject({ success: false, error: expect.stringContaining('rl_list_runs') as string });
}, 120_000);

test('a trajectory server that ends at once fails the run with its own words, and leaves nothing running', async () => {
  await writeFile(join(root, '.venv', 'bin', 'run-api'), '#!/bin/sh\necho "port is taken" >&2\nexit 1\n');
  const starting = run('rl_start_training');
  await bench.request('approvals.decide', { id: (await bench.approval()).id, choice: 'once' });
  expect(await starting).toMatchObject({ success: false, error: expect.stringMatching(/ended at once: [\s\S]*port is taken/) as string });
  expect((await bench.request('terminals.list', {})).filter(({ state }) => state === 'running')).toEqual([]);
  expect(await run('rl_list_runs')).toMatchObject({ runs: expect.arrayContaining([expect.objectContaining({ status: 'failed' })]) as unknown });
}, 60_000);

test('without a checkout the next step is named', async () => {
  await writeFile(join(bench.home, '.env'), 'TINKER_ATROPOS_ROOT=/nowhere\n');
  await expect.poll(async () => (await run('rl_list_environments'))['error']).toMatch(/no checkout of tinker-atropos at \/nowhere/);
});
