/** Hands work to sub-agents, which see nothing of this chat and report back once. */
import type { DelegatedTask, JsonObject, ToolContext } from './context.ts';
import { registry, type SchemaPlace } from './registry.ts';
import { toolError, toolResult } from './result.ts';
import { spawnLimits } from './shared/delegation-limits.ts';

const TASK_FIELDS = {
  goal: { type: 'string', description: 'What is to be done, and how to know that it is done.' },
  context: { type: 'string', description: 'Everything the sub-agent has to know: paths, facts, limits. It sees nothing of this chat.' },
  toolsets: { type: 'array', items: { type: 'string' }, description: 'Toolsets it may use, out of those of this chat. Leave out for all of them.' },
  role: { type: 'string', enum: ['leaf', 'orchestrator'], description: 'An orchestrator may delegate parts of its task further, where the settings allow it.', default: 'leaf' },
} as const;

/** What the model may ask for follows the settings. */
function parametersFor(concurrent: number, depth: number): JsonObject {
  const nests = depth > 1 ? `Sub-agents may go ${String(depth)} levels deep here.` : 'It has no effect here: sub-agents may not delegate further (delegation.max_spawn_depth is 1).';
  const fields = { ...TASK_FIELDS, role: { ...TASK_FIELDS.role, description: `${TASK_FIELDS.role.description} ${nests}` } };
  return {
    type: 'object',
    properties: {
      ...fields,
      tasks: { type: 'array', description: `Several tasks at once, instead of goal: ${String(concurrent)} at most.`, items: { type: 'object', properties: fields, required: ['goal'] } },
      background: { type: 'boolean', description: 'Do not wait for the result.', default: false },
    },
    required: [],
  };
}

function overrides({ env, config }: SchemaPlace): { parameters: JsonObject } {
  const { concurrent, depth } = spawnLimits({ env, get: config });
  return { parameters: parametersFor(concurrent, depth) };
}

registry.register({
  name: 'delegate_task',
  toolset: 'delegation',
  emoji: '🤝',
  handler: delegateTask,
  schema: {
    description: 'Give a task to a sub-agent with a conversation of its own, or several independent tasks to sub-agents that work side by side. '
      + 'Use it for work whose intermediate steps would crowd this chat. Give either goal or tasks. Sub-agents cannot ask back, cannot read this chat and cannot write memory; '
      + 'only their summaries come back. With background=true the answer comes at once and a notice tells when the work is done.',
    parameters: parametersFor(3, 1),
  },
  dynamicSchemaOverrides: overrides,
});

type Fields = Readonly<Record<string, unknown>>;

const filled = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';
const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The task that the fields describe, or what is wrong with them. */
function taskOf(fields: Fields, where: string): DelegatedTask | string {
  if (!filled(fields['goal'])) return `${where}goal must say what is to be done.`;
  if (fields['acp_command'] !== undefined || fields['acp_args'] !== undefined) return `${where}acp_command and acp_args are not supported: this app starts no other agents over the Agent Client Protocol, its sub-agents run inside it. Leave both out, or start that agent with the terminal tool.`;
  const { toolsets } = fields;
  return {
    goal: fields['goal'], role: fields['role'] === 'orchestrator' ? 'orchestrator' : 'leaf',
    ...(filled(fields['context']) ? { context: fields['context'] } : {}),
    ...(Array.isArray(toolsets) ? { toolsets: toolsets.filter(filled) } : {}),
  };
}

function tasksOf(args: Fields): DelegatedTask[] | string {
  const { tasks } = args;
  const several = Array.isArray(tasks) && tasks.length > 0;
  if (several === filled(args['goal'])) return 'Give exactly one of goal (one task) and tasks (several).';
  if (!several) {
    const task = taskOf(args, '');
    return typeof task === 'string' ? task : [task];
  }
  const read = tasks.map((task: unknown, index) => (isObject(task) ? taskOf(task, `tasks[${String(index)}].`) : `tasks[${String(index)}] must be an object with a goal.`));
  const wrong = read.find((task) => typeof task === 'string');
  return wrong ?? read.filter((task) => typeof task !== 'string');
}

async function delegateTask(args: Record<string, unknown>, { services, sessionId, signal, cwd, emit }: ToolContext): Promise<string> {
  const { delegation } = services;
  if (delegation === undefined) return toolError('Nothing can be delegated here: no agent runs.');
  const tasks = tasksOf(args);
  if (typeof tasks === 'string') return toolError(tasks);
  return toolResult(await delegation.delegate({
    sessionId, tasks, background: args['background'] === true, signal, cwd, onProgress: (tail) => emit({ kind: 'output', tail }),
  }));
}
