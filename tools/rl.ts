/** rl_*: training models with reinforcement learning on Tinker and Atropos (hermes-runtime 7.12). Off until a person switches it on; offered only with its keys. */
import { type CheckFunction, type ToolHandler, type ToolSchema, registry } from './registry.ts';
import type * as choosing from './rl/choosing.ts';
import type * as training from './rl/training.ts';
import type * as inference from './rl/inference.ts';

const isSetUp: CheckFunction = ({ env, which, backend }) => {
  const missing = ['TINKER_API_KEY', 'WANDB_API_KEY'].find((name) => (env(name) ?? '').trim() === '');
  if (missing !== undefined) return { step: 'missing-variable', message: `Reinforcement learning is not set up: ${missing} is missing.`, fix: `Put ${missing}=… into the .env of the home. Runs need a checkout of tinker-atropos (rl.root of config.yaml) and Python 3.11 or newer.` };
  if (backend === 'local' && which('python3') === undefined && which('python') === undefined) return { step: 'missing-program', message: 'python3 was not found on PATH.', fix: 'Install Python 3.11 or newer.' };
  return true;
};

const choose = (): Promise<typeof choosing> => import('./rl/choosing.ts');
const train = (): Promise<typeof training> => import('./rl/training.ts');
const RUN_ID = { type: 'string', description: 'The run, as rl_start_training and rl_list_runs give it.' } as const;
const infer = (): Promise<typeof inference> => import('./rl/inference.ts');
const schema = (description: string, properties: Record<string, unknown> = {}, required: readonly string[] = []): ToolSchema => ({ description, parameters: { type: 'object', properties, ...(required.length > 0 && { required }) } as NonNullable<ToolSchema['parameters']> }); // cast: JSON by construction

const TOOLS: readonly { readonly name: string; readonly emoji: string; readonly schema: ToolSchema; readonly handler: ToolHandler }[] = [
  { name: 'rl_list_environments', emoji: '🗂️', handler: async (args, context) => (await choose()).listEnvironments(args, context), schema: schema('List the environments that models can be trained in, found by scanning the checkout. Read the file of one to learn how it verifies answers.') },
  { name: 'rl_select_environment', emoji: '🎯', handler: async (args, context) => (await choose()).selectEnvironment(args, context), schema: schema('Choose the environment for the next run. Its configuration starts with its defaults.', { name: { type: 'string', description: 'As rl_list_environments gives it.' } }, ['name']) },
  { name: 'rl_get_current_config', emoji: '📋', handler: async (args, context) => (await choose()).getConfig(args, context), schema: schema('The configuration of the chosen environment: fields that can be changed, and locked ones.') },
  { name: 'rl_edit_config', emoji: '✏️', handler: async (args, context) => (await choose()).editConfig(args, context), schema: schema('Change one field of the configuration.', { field: { type: 'string' }, value: { description: 'The new value, of the kind the field has.' } }, ['field', 'value']) },
  { name: 'rl_start_training', emoji: '🏁', handler: async (args, context) => (await train()).startTraining(args, context), schema: schema('Start a training run with the current configuration: trajectory server, trainer and environment as background processes. It costs money and takes hours; test with rl_test_inference first. The person is asked.') },
  { name: 'rl_check_status', emoji: '⏱️', handler: async (args, context) => (await train()).checkStatus(args, context), schema: schema('How a run goes: processes, steps, metrics. At most every 30 minutes for a run.', { run_id: RUN_ID }, ['run_id']) },
  { name: 'rl_stop_training', emoji: '🛑', handler: async (args, context) => (await train()).stopTraining(args, context), schema: schema('Stop a run and its processes.', { run_id: RUN_ID }, ['run_id']) },
  { name: 'rl_get_results', emoji: '📈', handler: async (args, context) => (await train()).getResults(args, context), schema: schema('Final figures of a run and the end of its logs.', { run_id: RUN_ID }, ['run_id']) },
  { name: 'rl_list_runs', emoji: '🧾', handler: async (args, context) => (await train()).listRuns(args, context), schema: schema('All runs with their states.') },
  {
    name: 'rl_test_inference', emoji: '🧪', handler: async (args, context) => (await infer()).testInference(args, context),
    schema: schema('Try the chosen environment with a few questions and models before training: shows whether its prompts and its verifier work. Costs little.', {
      num_steps: { type: 'integer', minimum: 1, maximum: 20, default: 3, description: 'Questions for each model.' }, group_size: { type: 'integer', minimum: 1, maximum: 64, default: 16, description: 'Answers for each question.' },
      models: { type: 'array', items: { type: 'string' }, description: "OpenRouter's names; absent: three of different sizes." },
    }),
  },
];

for (const tool of TOOLS) registry.register({ ...tool, toolset: 'rl', checkFn: isSetUp, requiresEnv: ['TINKER_API_KEY', 'WANDB_API_KEY'], maxResultSizeChars: 50_000 });
