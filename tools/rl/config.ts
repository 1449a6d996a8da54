/** The configuration of a run: what the infrastructure needs is locked, the rest is the environment's. */
import type { Field, FieldValue, FoundEnvironment } from './scan.ts';
import { RlError } from './answer.ts';

/** Where `run-api` of Atropos listens. */
export const ROLLOUT_SERVER = 'http://localhost:8000';
/** Hermes' locked values: they fit the servers that a run starts and what Tinker trains. */
export const LOCKED: Readonly<Record<'env' | 'tinker', Readonly<Record<string, FieldValue>>>> = {
  env: {
    tokenizer_name: 'Qwen/Qwen3-8B', rollout_server_url: ROLLOUT_SERVER, use_wandb: true, max_token_length: 8_192, max_num_workers: 2_048, worker_timeout: 3_600, total_steps: 2_500, steps_per_eval: 25,
    max_batches_offpolicy: 3, inference_weight: 1, eval_limit_ratio: 0.1,
  },
  tinker: { lora_rank: 32, learning_rate: 0.00004, max_token_trainer_length: 9_000, checkpoint_dir: './temp/', save_checkpoint_interval: 25 },
};
const MODEL = 'Qwen/Qwen3-8B';

export interface RunConfig { readonly environment: FoundEnvironment; readonly edits: Readonly<Record<string, FieldValue>> }

const isLocked = (field: string): boolean => field in LOCKED.env || field in LOCKED.tinker;

export function editable({ environment, edits }: RunConfig): Record<string, Field & { readonly value: FieldValue }> {
  return Object.fromEntries(Object.entries(environment.config).filter(([field]) => !isLocked(field)).map(([field, facts]) => [field, { ...facts, value: edits[field] ?? facts.default }]));
}

/** Throws RlError for a locked or unknown field, or a value of another kind. */
export function withEdit(config: RunConfig, field: string, value: unknown): RunConfig {
  if (isLocked(field)) throw new RlError(`'${field}' is locked: the servers of a run depend on it. Fields that can be changed: ${Object.keys(editable(config)).join(', ') || 'none'}.`);
  const facts = environmentField(config, field);
  return { ...config, edits: { ...config.edits, [field]: fitting(field, facts, value) } };
}

function environmentField(config: RunConfig, field: string): Field {
  const facts = config.environment.config[field];
  if (facts === undefined) throw new RlError(`'${field}' is no field of ${config.environment.name}. There are: ${Object.keys(editable(config)).join(', ') || 'none that can be changed'}.`);
  return facts;
}

function fitting(field: string, { type, default: usual }: Field, value: unknown): FieldValue {
  const wants = /\bbool\b/.test(type) ? 'boolean' : /\b(?:int|float)\b/.test(type) ? 'number' : /\bstr\b/.test(type) ? 'string' : typeof usual;
  if (value === null && (usual === null || /Optional|None/.test(type))) return null;
  if (typeof value === 'string' && wants === 'number' && value.trim() !== '' && Number.isFinite(Number(value))) return fitting(field, { type, default: usual, description: '' }, Number(value));
  if (typeof value === 'string' && wants === 'boolean' && /^(?:true|false)$/i.test(value)) return value.toLowerCase() === 'true';
  if (typeof value === 'number' && wants === 'number' && Number.isFinite(value)) {
    if (/\bint\b/.test(type) && !/\bfloat\b/.test(type) && !Number.isInteger(value)) throw new RlError(`'${field}' is a whole number, not ${String(value)}.`);
    return value;
  }
  if ((typeof value === 'string' || typeof value === 'boolean') && (typeof value === wants || wants === 'object')) return value;
  throw new RlError(`'${field}' is of kind ${type}; ${JSON.stringify(value)} is not.`);
}

/** The file a run is started with, in YAML (JSON is YAML). */
export function configFile(config: RunConfig, runId: string): string {
  const own = Object.fromEntries(Object.entries(editable(config)).filter(([, { value }]) => value !== null).map(([field, { value }]) => [field, value]));
  return `${JSON.stringify({
    env: { ...own, ...LOCKED.env, wandb_name: `${config.environment.name}-${runId}` },
    openai: [{ model_name: MODEL, base_url: 'http://localhost:8001/v1', api_key: 'x', weight: 1, num_requests_for_eval: 256, timeout: 3_600, server_type: 'sglang' }],
    tinker: { ...LOCKED.tinker, wandb_project: 'talaria-rl', wandb_run_name: `${config.environment.name}-${runId}` }, slurm: false, testing: false,
  }, null, 2)}\n`;
}
