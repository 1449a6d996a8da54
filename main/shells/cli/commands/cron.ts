/** `cron`: scheduled work. Jobs are kept in the home; the app or `cron serve` runs them. */
import type { JobId, ScheduleJob, ScheduleRun } from '../../../../preload/contract/schedules.ts';
import { CALLER, EXIT, UsageError, type CommandContext, type ExitCode } from '../command.ts';
import type { CliHost } from '../host-port.ts';
import { print, printJson } from '../streams.ts';
import { visibleLine, visibleProse } from '../visible.ts';
import { draftOf, type DraftChoices } from './cron-draft.ts';

const moment = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
const MARKS = { running: '…', done: '✓', failed: '✗', stopped: '■', missed: '–', skipped: '–', interrupted: '✗' } as const;
/** A list stays one line a job; the whole text comes with --json. */
const OUTPUT_LINES = 6;

/** With `--json`: the jobs as they cross the contract. */
export function list(context: CommandContext): Promise<ExitCode> {
  return context.withHost({}, async (host) => {
    const { jobs, unseen } = await host.handle('schedules.list', {}, CALLER);
    if (context.json) printJson(context.streams.stdout, jobs);
    else if (jobs.length === 0) print(context.streams.stdout, `Nothing is scheduled. Make a job, such as: talaria cron create 'every 2h' 'Look whether the build is green'`);
    else {
      for (const job of jobs) print(context.streams.stdout, jobText(job, context));
      if (unseen > 0) print(context.streams.stdout, context.paint('dim', `${String(unseen)} ${unseen === 1 ? 'result' : 'results'} nobody has read: talaria cron history`));
    }
    return EXIT.done;
  });
}

export function create(context: CommandContext, choices: DraftChoices): Promise<ExitCode> {
  return context.withHost({}, async (host) => told(context, await host.handle('schedules.create', { draft: draftOf(choices) }, CALLER)));
}

export function update(context: CommandContext, name: string, choices: DraftChoices): Promise<ExitCode> {
  const draft = draftOf(choices);
  if (Object.keys(draft).length === 0) throw new UsageError('nothing is to be changed', 'Name what, such as --schedule or --prompt. See talaria cron update --help.');
  return context.withHost({}, async (host) => told(context, await host.handle('schedules.update', { id: (await find(host, name)).id, draft }, CALLER)));
}

/** Answers with the job as it is afterwards, or as it was before it was removed. */
export function act(context: CommandContext, action: 'pause' | 'resume' | 'remove', name: string): Promise<ExitCode> {
  return context.withHost({}, async (host) => {
    const job = await find(host, name);
    if (action !== 'remove') return told(context, await host.handle(action === 'pause' ? 'schedules.pause' : 'schedules.resume', { id: job.id }, CALLER));
    await host.handle('schedules.remove', { id: job.id }, CALLER);
    if (context.json) printJson(context.streams.stdout, job);
    else print(context.streams.stdout, `Removed ${visibleLine(job.name)} (${job.id}).`);
    return EXIT.done;
  });
}

/** The result on stdout. Exit code 1 when the run failed, 130 when it was stopped by Ctrl-C. */
export function runNow(context: CommandContext, name: string): Promise<ExitCode> {
  return context.withHost({}, async (host) => {
    const job = await find(host, name);
    const { runId } = await host.handle('schedules.run', { id: job.id }, CALLER);
    const stop = (): void => { host.handle('schedules.stop', { runId }, CALLER).catch((error: unknown) => { host.log.warn('the run had ended before it could be stopped', { error }); }); };
    context.signal.addEventListener('abort', stop, { once: true });
    try {
      const run = await ended(host, job.id, runId);
      if (context.json) printJson(context.streams.stdout, run);
      else {
        if (run.output !== '') print(context.streams.stdout, visibleProse(run.output));
        for (const problem of [run.error, run.deliveryError]) if (problem !== null) print(context.streams.stderr, visibleLine(problem));
      }
      await host.handle('schedules.seen', { jobId: job.id }, CALLER);
      return run.state === 'done' ? EXIT.done : context.signal.aborted ? EXIT.interrupted : EXIT.failed;
    } finally {
      context.signal.removeEventListener('abort', stop);
    }
  });
}

/** Reading marks what is shown as read, unless a program reads it. */
export function history(context: CommandContext, name: string | undefined, limit: number): Promise<ExitCode> {
  return context.withHost({}, async (host) => {
    const jobId = name === undefined ? undefined : (await find(host, name)).id;
    const runs = await host.handle('schedules.history', { limit: Math.min(limit, 500), ...(jobId === undefined ? {} : { jobId }) }, CALLER);
    if (context.json) printJson(context.streams.stdout, runs);
    else if (runs.length === 0) print(context.streams.stdout, 'Nothing has run yet.');
    else {
      for (const run of runs) print(context.streams.stdout, runText(run, context));
      await host.handle('schedules.seen', jobId === undefined ? {} : { jobId }, CALLER);
    }
    return EXIT.done;
  });
}

/** Runs what is due until the person ends it. Each end is told on stdout: a line, or with `--json` one object per line. */
export function serve(context: CommandContext): Promise<ExitCode> {
  return context.withHost({ runSchedules: true }, async (host) => {
    const told = new Map<number, ScheduleRun['state']>();
    for (const run of await host.handle('schedules.history', { limit: 500 }, CALLER)) told.set(run.id, run.state);
    let telling = Promise.resolve();
    const tell = async (): Promise<void> => {
      const runs = await host.handle('schedules.history', { limit: 50 }, CALLER);
      for (const run of runs.toReversed()) {
        if (told.get(run.id) === run.state) continue;
        told.set(run.id, run.state);
        if (context.json) printJson(context.streams.stdout, run);
        else print(context.streams.stdout, runText(run, context));
      }
    };
    const off = host.events.subscribe('schedules', () => {
      telling = telling.then(tell).catch((error: unknown) => { host.log.error('the runs could not be read', { error }); });
    });
    const { jobs } = await host.handle('schedules.list', {}, CALLER);
    const next = jobs.flatMap(({ state, nextRunAt }) => (state === 'active' && nextRunAt !== null ? [nextRunAt] : []));
    if (!context.json) context.streams.stderr.write(`${next.length === 0 ? 'Nothing is due yet; new jobs are seen as they are made.' : `Next run ${moment.format(Math.min(...next))}.`} Ctrl-C ends it.\n`);
    try {
      await tell();
      await aborted(context.signal);
      await telling;
      return EXIT.interrupted;
    } finally {
      off();
    }
  });
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => { resolve(); }, { once: true });
  });
}

async function find(host: CliHost, name: string): Promise<ScheduleJob> {
  const { jobs } = await host.handle('schedules.list', {}, CALLER);
  const job = jobs.find(({ id }) => id === name);
  if (job !== undefined) return job;
  const named = jobs.filter((each) => each.name === name);
  const [only] = named;
  if (named.length === 1 && only !== undefined) return only;
  throw new UsageError(named.length === 0 ? `there is no job '${name}'` : `several jobs are called '${name}': ${named.map(({ id }) => id).join(', ')}`, 'See talaria cron list.');
}

/** Resolves with the run once it is over. */
function ended(host: CliHost, jobId: JobId, runId: number): Promise<ScheduleRun> {
  return new Promise((resolve, reject) => {
    const look = (): void => {
      host.handle('schedules.history', { jobId, limit: 20 }, CALLER).then((runs) => {
        const run = runs.find(({ id }) => id === runId);
        if (run === undefined || run.state === 'running') return;
        off();
        resolve(run);
      }, (error: unknown) => { off(); reject(error instanceof Error ? error : new Error(String(error))); });
    };
    const off = host.events.subscribe('schedules', look);
    look();
  });
}

function told(context: CommandContext, job: ScheduleJob): ExitCode {
  if (context.json) printJson(context.streams.stdout, job);
  else print(context.streams.stdout, jobText(job, context));
  return EXIT.done;
}

function jobText({ id, name, words, state, nextRunAt, runs, repeat }: ScheduleJob, { paint }: CommandContext): string {
  const when = state === 'active' && nextRunAt !== null ? `next ${moment.format(nextRunAt)}` : state;
  return `${id}  ${paint('bold', visibleLine(name))}  ${visibleLine(words)}  ${paint(state === 'active' ? 'green' : 'dim', when)}  ${paint('dim', `${String(runs)}${repeat === null ? '' : ` of ${String(repeat)}`} ${runs === 1 && repeat === null ? 'run' : 'runs'}`)}`;
}

function runText(run: ScheduleRun, { paint }: CommandContext): string {
  const colour = run.state === 'done' ? 'green' : run.state === 'running' ? 'dim' : 'yellow';
  const text = (run.error ?? run.output).trim().split('\n');
  const shown = text.slice(0, OUTPUT_LINES).filter((line) => line !== '').map((line) => `    ${visibleLine(line)}`);
  return [
    `${paint(colour, MARKS[run.state])} ${moment.format(run.startedAt)}  ${paint('bold', visibleLine(run.jobName))}  ${run.state}${run.seen || run.state === 'running' ? '' : '  (new)'}`,
    ...shown, ...(text.length > OUTPUT_LINES ? [paint('dim', `    … ${String(text.length - OUTPUT_LINES)} more lines`)] : []),
    ...(run.deliveryError === null ? [] : [paint('yellow', `    not delivered: ${visibleLine(run.deliveryError)}`)]),
  ].join('\n');
}
