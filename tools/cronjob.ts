/** cronjob: work that begins by the clock, in a chat of its own. */
import { type JsonObject } from './context.ts';
import { registry, type SchemaPlace } from './registry.ts';
import { MESSENGERS, NEEDED_VARIABLES } from './shared/messengers.ts';

/** Names only messengers that results can be sent to now. */
function deliverWords({ env, config }: SchemaPlace): string {
  const here = MESSENGERS.filter((name) => NEEDED_VARIABLES[name].every((variable) => (env(variable) ?? '').trim() !== '') && config(`gateway.${name}.enabled`) !== false);
  const [first] = here;
  return `Where the result goes: 'origin' (this chat), 'local' (kept only)${first === undefined ? '. No messenger is set up.' : `, a messenger (${here.join(', ')}; '${first}:<chat>' for one chat of it), 'all', or several with commas.`}`;
}

const PARAMETERS = {
  type: 'object',
  properties: {
    action: { type: 'string', enum: ['create', 'list', 'update', 'pause', 'resume', 'remove', 'run'], description: 'What to do. run begins a job now.' },
    job_id: { type: 'string', description: 'The job (id or whole name), for every action but create and list.' },
    prompt: { type: 'string', description: 'What is to be done, complete.' },
    schedule: { type: 'string', description: 'When.' },
    name: { type: 'string', description: 'Short name for lists.' },
    repeat: { type: 'integer', minimum: 1, description: 'How often in all. Absent: once for a single moment, else for ever.' },
    deliver: { type: 'string', description: "Where the result goes: 'origin' (this chat), 'local' (kept only), a messenger such as 'telegram' or 'telegram:<chat>', 'all', or several with commas." },
    skills: { type: 'array', items: { type: 'string' }, description: 'Skills to load first.' },
    script: { type: 'string', description: 'File in the scripts folder of the home that runs first; what it prints is given to the run.' },
    no_agent: { type: 'boolean', description: "Only run the script: its output is the result." },
    context_from: { type: 'array', items: { type: 'string' }, description: 'Jobs whose last result is given to the run.' },
    enabled_toolsets: { type: 'array', items: { type: 'string' }, description: 'Only these toolsets.' },
    workdir: { type: 'string', description: 'Directory it works in.' },
    model: { type: 'object', properties: { model: { type: 'string' }, provider: { type: 'string' } }, description: "Another model than the chat's." },
  },
  required: ['action'],
} satisfies JsonObject;

registry.register({
  name: 'cronjob',
  toolset: 'cronjob',
  emoji: '⏰',
  // Old names of actions are taken too (hermes-runtime 7.6), which no list of allowed values would.
  checksOwnArguments: true,
  maxResultSizeChars: 50_000,
  handler: async (args, context) => (await import('./cronjob/handler.ts')).cronjob(args, context),
  schema: {
    description: [
      'Schedule work for later or again and again. Each run is a new chat without this history, and nobody can be asked in it: put everything it needs into the prompt. Its result comes back into this chat.',
      "Schedules: '30m' or 'in 2h' (once), 'every 2h', 'daily at 9:00', 'every monday at 18:30', 'weekdays at 8am', '2026-12-24T18:00', or five cron fields.",
      'A run that ends its answer with [SILENT] is not told to anybody.',
    ].join('\n'),
    parameters: PARAMETERS,
  },
  dynamicSchemaOverrides: (place) => ({ parameters: { ...PARAMETERS, properties: { ...PARAMETERS.properties, deliver: { type: 'string', description: deliverWords(place) } } } }),
});
