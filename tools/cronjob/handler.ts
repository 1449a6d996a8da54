/** `cronjob`, in the result fields of hermes-runtime 7.6. */
import type { ToolContext } from '../context.ts';
import type { ScheduledJob, ScheduleFields } from '../shared/schedule-service.ts';
import { toolError, toolResult } from '../result.ts';
import { findThreat } from '../shared/threats.ts';

type Action = 'create' | 'list' | 'update' | 'pause' | 'resume' | 'remove' | 'run';
const ACTIONS: ReadonlyMap<string, Action> = new Map([
  ...(['create', 'list', 'update', 'pause', 'resume', 'remove', 'run'] as const).map((action) => [action, action] as const),
  ['add', 'create'], ['delete', 'remove'], ['run_now', 'run'], ['trigger', 'run'], ['edit', 'update'],
]);
const DONE: Readonly<Record<'pause' | 'resume' | 'remove' | 'run', string>> = { pause: 'is paused', resume: 'is active again', remove: 'is removed', run: 'has been started' };

class Refusal extends Error {}

export async function cronjob(args: Record<string, unknown>, context: ToolContext): Promise<string> {
  const { schedules, redact } = context.services;
  const refuse = (message: string): string => toolError(redact(message), { success: false });
  const action = typeof args['action'] === 'string' ? ACTIONS.get(args['action'].trim().toLowerCase()) : undefined;
  if (action === undefined) return refuse(`cronjob needs 'action': one of ${[...new Set(ACTIONS.values())].join(', ')}.`);
  if (schedules === undefined) return refuse('Nothing can be scheduled in this execution context.');
  const refusal = schedules.refusal(context.sessionId);
  if (refusal !== undefined) return refuse(refusal);
  try {
    if (action === 'list') return listed(schedules.list());
    if (action === 'create') {
      const fields = read(args);
      await askForScript(fields, context);
      const job = schedules.create(fields, context.sessionId);
      return toolResult({ ...facts(job), message: `"${job.name}" runs ${job.words}.` });
    }
    const which = args['job_id'] ?? args['name'];
    if (typeof which !== 'string' || which.trim() === '') throw new Refusal(`cronjob ${action} needs 'job_id'. Find it with action list.`);
    if (action !== 'update') {
      const job = schedules.act(which.trim(), action);
      return toolResult({ ...facts(job), message: `"${job.name}" ${DONE[action]}.` });
    }
    const fields = read(args);
    await askForScript(fields, context);
    const job = schedules.update(which.trim(), fields);
    return toolResult({ ...facts(job), message: `"${job.name}" runs ${job.words}.` });
  } catch (error) {
    context.signal.throwIfAborted();
    if (!(error instanceof Error)) throw error;
    return refuse('hint' in error && typeof error.hint === 'string' ? `${error.message} ${error.hint}` : error.message);
  }
}

function facts(job: ScheduledJob): Record<string, unknown> {
  return {
    success: true, job_id: job.id, name: job.name, schedule: job.schedule, state: job.state, next_run_at: job.nextRunAt === null ? null : new Date(job.nextRunAt).toISOString(), deliver: job.deliver, skills: job.skills,
  };
}

function listed(jobs: readonly ScheduledJob[]): string {
  return toolResult({
    success: true, count: jobs.length,
    jobs: jobs.map((job) => {
      const { success: _success, ...rest } = facts(job);
      return {
        ...rest, prompt: job.prompt.length > 200 ? `${job.prompt.slice(0, 200)}…` : job.prompt, repeat: job.repeat, runs: job.runs, ...(job.script !== null && { script: job.script }),
        ...(job.lastRun !== undefined && { last_run: { at: new Date(job.lastRun.at).toISOString(), state: job.lastRun.state, ...(job.lastRun.error !== null && { error: job.lastRun.error }) } }),
      };
    }),
  });
}

function read(args: Record<string, unknown>): ScheduleFields {
  const text = (name: string): string | undefined => {
    const value = args[name];
    if (value === undefined || value === null) return undefined;
    if (typeof value !== 'string') throw new Refusal(`'${name}' is a text.`);
    return value;
  };
  const list = (name: string): readonly string[] | undefined => {
    const value: unknown = args[name];
    if (value === undefined || value === null) return undefined;
    const entries: readonly unknown[] = Array.isArray(value) ? value : [value];
    if (!entries.every((entry): entry is string => typeof entry === 'string')) throw new Refusal(`'${name}' is a list of texts.`);
    return entries;
  };
  const prompt = text('prompt');
  const threat = prompt === undefined ? undefined : findThreat(prompt);
  if (threat !== undefined) throw new Refusal(`Blocked: the prompt would run unseen, and it holds ${threat}. Write plainly what is to be done.`);
  const repeat = args['repeat'];
  if (repeat !== undefined && repeat !== null && (typeof repeat !== 'number' || !Number.isInteger(repeat) || repeat < 1)) throw new Refusal("'repeat' is a whole number from 1 on; leave it out to repeat for ever.");
  const model = typeof args['model'] === 'object' && args['model'] !== null && 'model' in args['model'] ? args['model'].model : args['model'];
  const fields: Record<string, unknown> = {
    name: args['action'] === 'create' || args['job_id'] !== undefined ? text('name') : undefined, prompt, schedule: text('schedule'), repeat: repeat ?? undefined, deliver: text('deliver'), skills: list('skills'), script: text('script'),
    noAgent: typeof args['no_agent'] === 'boolean' ? args['no_agent'] : undefined, contextFrom: list('context_from'), toolsets: list('enabled_toolsets'), workdir: text('workdir'), model: typeof model === 'string' ? model : undefined,
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** A script runs later without anybody looking: a person says yes to it now. */
async function askForScript({ script, schedule }: ScheduleFields, { services, cwd, sessionId, taskId, toolCallId, signal, emit }: ToolContext): Promise<void> {
  if (script === undefined || script === null) return;
  const { approved, message } = await services.approvals.review({
    tool: 'cronjob', command: `cronjob ${schedule ?? ''} scripts/${script}`, cwd, sessionId, taskId, toolCallId, signal, requirePerson: { description: 'runs a script on this computer by the clock' },
    onWaiting: (approvalId, waiting) => { emit({ kind: 'approval', approvalId, state: waiting ? 'waiting' : 'settled' }); },
  });
  if (!approved) throw new Refusal(message ?? 'The user did not allow this script to be scheduled.');
}
