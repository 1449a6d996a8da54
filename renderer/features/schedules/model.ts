/** Scheduled work as the page shows and edits it. Pure. */
import type { ScheduleDraft, ScheduleJob, ScheduleRun } from '../../../preload/contract/schedules.ts';
import type { Tone } from '../../ui/badge.tsx';
import { formatDuration, formatWhen } from '../../ui/format.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** When a job runs next: how long from now, and at what time. */
export function nextWords({ state, nextRunAt }: Pick<ScheduleJob, 'state' | 'nextRunAt'>, now: number): string {
  if (state === 'paused') return 'Paused: it does not run';
  if (state === 'done' || nextRunAt === null) return 'Done: it runs no more';
  const left = nextRunAt - now;
  if (left <= 0) return 'Next run: now';
  const distance = left < MINUTE ? 'in less than a minute' : `in ${left < DAY ? formatDuration(Math.floor(left / MINUTE) * MINUTE).replace(/ 00 s$/, '') : formatDuration(left)}`;
  return `Next run ${distance}, ${momentWords(nextRunAt)}`;
}

/** `Mon 30 Nov, 14:02`. */
function momentWords(at: number): string {
  return new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' }).format(at);
}

export const RUN_STATES: Record<ScheduleRun['state'], { readonly words: string; readonly tone: Tone }> = {
  running: { words: 'running', tone: 'accent' },
  done: { words: 'done', tone: 'ok' },
  failed: { words: 'failed', tone: 'danger' },
  stopped: { words: 'stopped', tone: 'neutral' },
  missed: { words: 'missed', tone: 'warn' },
  skipped: { words: 'skipped', tone: 'neutral' },
  interrupted: { words: 'interrupted', tone: 'warn' },
};

/** `done 14:02, 3.4 s`. */
export function runWords({ startedAt, endedAt, trigger, state }: ScheduleRun, now: number): string {
  const when = formatWhen(startedAt, now);
  const took = endedAt === null || state === 'missed' || state === 'skipped' ? '' : `, took ${formatDuration(endedAt - startedAt)}`;
  return `${when}${took}${trigger === 'hand' ? ', started by hand' : ''}`;
}

/** What the form holds: all text, as it is typed. */
export interface JobForm {
  readonly name: string;
  readonly schedule: string;
  readonly prompt: string;
  readonly repeat: string;
  readonly deliver: string;
  readonly skills: string;
  readonly toolsets: string;
  readonly script: string;
  readonly noAgent: boolean;
  readonly workdir: string;
  readonly model: string;
}

export const EMPTY_FORM: JobForm = { name: '', schedule: '', prompt: '', repeat: '', deliver: '', skills: '', toolsets: '', script: '', noAgent: false, workdir: '', model: '' };

export function formOf(job: ScheduleJob): JobForm {
  return {
    name: job.name, schedule: job.schedule, prompt: job.prompt, repeat: job.repeat === null ? '' : String(job.repeat), deliver: job.deliver, skills: job.skills.join(', '),
    toolsets: job.toolsets?.join(', ') ?? '', script: job.script ?? '', noAgent: job.noAgent, workdir: job.workdir ?? '', model: job.model ?? '',
  };
}

export type FormProblems = Partial<Record<keyof JobForm, string>>;

/** What can be said before the host is asked; it alone knows which schedules there are. */
export function problemsOf(form: JobForm): FormProblems {
  return {
    ...(form.schedule.trim() === '' ? { schedule: 'Say when, such as “daily at 9:00”.' } : {}),
    ...(!form.noAgent && form.prompt.trim() === '' ? { prompt: 'Say what is to be done.' } : {}),
    ...(form.noAgent && form.script.trim() === '' ? { script: 'Without the model a script is needed: its output is the result.' } : {}),
    ...(form.repeat.trim() === '' || /^[1-9]\d{0,5}$/.test(form.repeat.trim()) ? {} : { repeat: 'A number from 1, or nothing for ever.' }),
  };
}

/** What is sent. Of a job that is edited only what differs, so that an unchanged schedule keeps its next run. */
export function draftOf(form: JobForm, job?: ScheduleJob): ScheduleDraft {
  const orNull = (text: string): string | null => (text.trim() === '' ? null : text.trim());
  const names = (text: string): string[] => text.split(',').map((name) => name.trim()).filter((name) => name !== '');
  const toolsets = names(form.toolsets);
  const whole: ScheduleDraft = {
    name: form.name.trim(), schedule: form.schedule.trim(), prompt: form.prompt, repeat: form.repeat.trim() === '' ? null : Number(form.repeat), skills: names(form.skills),
    toolsets: toolsets.length === 0 ? null : toolsets, script: orNull(form.script), noAgent: form.noAgent, workdir: orNull(form.workdir), model: orNull(form.model),
    ...(form.deliver.trim() === '' ? {} : { deliver: form.deliver.trim() }),
  };
  if (job === undefined) return whole;
  return Object.fromEntries(Object.entries(whole).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(job[name as keyof ScheduleDraft]))); // names of the draft are names of the job
}

/** The last run of each job, of runs that come newest first. */
export function lastRuns(runs: readonly ScheduleRun[]): ReadonlyMap<string, ScheduleRun> {
  const last = new Map<string, ScheduleRun>();
  for (const run of runs) if (!last.has(run.jobId)) last.set(run.jobId, run);
  return last;
}
