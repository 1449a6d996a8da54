/** mixture_of_agents: several models answer one question, another weighs their answers. Off until a person switches it on: it costs several times one answer. */
import { type CheckFunction, registry } from './registry.ts';
import { isSetUp } from './mixture-of-agents/models.ts';

const hasModels: CheckFunction = ({ config, env }) => isSetUp(config, env) || {
  step: 'missing-variable', message: 'No models are set up for mixture_of_agents: OPENROUTER_API_KEY is missing.',
  fix: 'Put OPENROUTER_API_KEY=… into the .env of the home; or name auxiliary.mixture_of_agents.base_url, moa.reference_models and moa.aggregator_model in config.yaml.',
};

registry.register({
  name: 'mixture_of_agents',
  toolset: 'moa',
  emoji: '🧠',
  checkFn: hasModels,
  requiresEnv: ['OPENROUTER_API_KEY'],
  maxResultSizeChars: 100_000,
  handler: async (args, context) => (await import('./mixture-of-agents/ask.ts')).mixtureOfAgents(args, context),
  schema: {
    description: 'Put one hard question to several strong models at once and get one answer made from theirs. Slow and costly: for hard reasoning, mathematics and design questions only. The models see nothing but the prompt, so put everything they need into it.',
    parameters: {
      type: 'object',
      properties: { user_prompt: { type: 'string', description: 'The whole question with all context.' } },
      required: ['user_prompt'],
    },
  },
});
