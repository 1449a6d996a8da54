/** `rl_test_inference`: the chosen environment with a few questions and models, before any training. */
import { posix } from 'node:path';
import type { ToolContext } from '../context.ts';
import { shellQuote } from '../shared/paths.ts';
import { answer, type Place, RlError } from './answer.ts';
import type { RunConfig } from './config.ts';
import { chosenConfig } from './state.ts';

/** Small, middle and large, of OpenRouter's. */
const MODELS = ['qwen/qwen3-8b', 'z-ai/glm-4.7-flash', 'minimax/minimax-m2.7'];
const MAX_MODELS = 6;
/** For one model. */
const LIMIT_MS = 600_000;
const MAX_RESULT_BYTES = 20 * 1024 * 1024;

interface Outcome { readonly model: string; readonly success: boolean; readonly steps?: number; readonly completions?: number; readonly correct?: number; readonly accuracy?: number; readonly mean_score?: number; readonly output_path?: string; readonly error?: string }

export function testInference({ num_steps: steps = 3, group_size: size = 16, models }: Record<string, unknown>, context: ToolContext): Promise<string> {
  return answer(context, async (place) => {
    const config = await chosenConfig(context);
    if (!whole(steps, 20) || !whole(size, 64)) throw new RlError("'num_steps' is 1 to 20 and 'group_size' 1 to 64.");
    const listed: readonly unknown[] = Array.isArray(models) && models.length > 0 ? models : MODELS;
    const names = listed.filter((name): name is string => typeof name === 'string' && /^[\w.:/-]{1,120}$/.test(name));
    if (names.length < listed.length || names.length > MAX_MODELS) throw new RlError(`'models' is a list of at most ${String(MAX_MODELS)} names such as qwen/qwen3-8b.`);
    const named = context.services.config.get('rl.inference_url');
    const endpoint = typeof named === 'string' ? named : 'https://openrouter.ai/api/v1';
    const key = context.services.config.env('OPENROUTER_API_KEY') ?? '';
    if (key.trim() === '') throw new RlError('OPENROUTER_API_KEY is missing. Put it into the .env of the home: the test asks models there.');
    const outcomes: Outcome[] = [];
    for (const model of names) {
      context.emit({ kind: 'output', tail: `Testing ${model} (${String(outcomes.length + 1)} of ${String(names.length)})…` });
      outcomes.push(await tryModel({ model, steps, size, endpoint, key }, config, place, context));
    }
    const best = outcomes.filter(({ success }) => success).sort((a, b) => (b.accuracy ?? 0) - (a.accuracy ?? 0))[0];
    return {
      environment: config.environment.name, models_tested: outcomes, num_steps: steps, group_size: size, ...(best !== undefined && { best_model: best.model }),
      advice: best === undefined ? 'No model gave answers: read the errors, then the file of the environment.' : (best.accuracy ?? 0) === 0 ? 'No answer was right: the verifier or the prompt may be wrong. Look at the outputs before training.' : 'Some answers are right and some are not: there is something to learn.',
    };
  });
}

function whole(value: unknown, most: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= most;
}

interface Trial { readonly model: string; readonly steps: number; readonly size: number; readonly endpoint: string; readonly key: string }

async function tryModel({ model, steps, size, endpoint, key }: Trial, { environment: chosen, edits }: RunConfig, { environment, root }: Place, context: ToolContext): Promise<Outcome> {
  const output = posix.join(root, 'test_outputs', `${chosen.name.replace(/\W/g, '_')}-${model.replace(/\W/g, '_')}.jsonl`);
  const options: readonly (readonly [string, string])[] = [
    ['--env.total_steps', String(steps)], ['--env.group_size', String(size)], ['--env.use_wandb', 'false'], ['--env.data_path_to_save_groups', output],
    ...Object.entries(edits).map(([field, value]) => [`--env.${field}`, String(value)] as const), ['--openai.model_name', model], ['--openai.base_url', endpoint],
  ];
  // The key goes in by standard input: a command line is seen by every program of the machine.
  const command = `cd ${shellQuote(root)} && mkdir -p test_outputs && rm -f -- ${shellQuote(output)} && IFS= read -r OPENAI_API_KEY && export OPENAI_API_KEY && p=./.venv/bin/python; [ -x "$p" ] || p=python3; `
    + `"$p" ${shellQuote(chosen.file_path)} process ${options.map(([name, value]) => `${name} ${shellQuote(value)}`).join(' ')} 2>&1 | tail -c 4000; exit "\${PIPESTATUS[0]}"`;
  const run = await environment.exec({ command: `bash -c ${shellQuote(command)}`, stdin: `${key}\n`, timeoutMs: LIMIT_MS, maxBytes: 100_000, signal: context.signal });
  const said = new TextDecoder().decode(run.output).replaceAll(key, '[key]');
  if (run.exitCode !== 0) return { model, success: false, error: `exit code ${String(run.exitCode)}: ${said.slice(-800).trim() || 'it said nothing'}` };
  if (await environment.stat(output) === undefined) return { model, success: false, error: `It ended well but wrote no answers to ${output}.` };
  const groups = new TextDecoder().decode(await environment.readFile(output, { maxBytes: MAX_RESULT_BYTES })).split('\n').filter((line) => line.trim() !== '').flatMap(scoresOf);
  const scores = groups.flat();
  if (scores.length === 0) return { model, success: false, error: `The answers in ${output} carry no scores.` };
  const correct = scores.filter((score) => score > 0).length;
  return { model, success: true, steps: groups.length, completions: scores.length, correct, accuracy: Number((correct / scores.length).toFixed(4)), mean_score: Number((scores.reduce((sum, score) => sum + score, 0) / scores.length).toFixed(4)), output_path: output };
}

/** A line of the file is one group of scored answers. */
function scoresOf(line: string): number[][] {
  try {
    const group: unknown = JSON.parse(line);
    const scores: unknown = typeof group === 'object' && group !== null && 'scores' in group ? group.scores : undefined;
    return Array.isArray(scores) ? [scores.filter((score): score is number => typeof score === 'number')] : [];
  } catch {
    return []; // a line that was cut off when the process ended
  }
}
