/** Work by the clock: jobs are looked at when one is due, claimed once among all processes of the home, and run in chats of their own. */
import { AppError } from '../../preload/contract/errors.ts';
import type { SessionId } from '../../preload/contract/ids.ts';
import { JobId, type ScheduleDraft, type ScheduleJob, type ScheduleRun } from '../../preload/contract/schedules.ts';
import type { Clock, ConfigStore, EventBus, Ids, Log, Storage } from '../ports.ts';
import { isAlive, ownIdentity } from '../process-identity.ts';
import type { Deliver } from './deliver.ts';
import { graceMs, nextRun, parseSchedule, ScheduleError } from './parse.ts';
import type { RunEnd } from './run-job.ts';

/** Jobs of other processes and a clock that was set are seen after this long at the latest. */
const LOOK_EVERY_MS = 30_000;
/** `cron.max_parallel_jobs` of config.yaml wins. */
const DEFAULT_PARALLEL = 3;

export interface Schedules {
  /** Oldest first. */
  list(): ScheduleJob[];
  /** By id, else by its whole name. Throws `not-found`. */
  find(idOrName: string): ScheduleJob;
  /** Throws `request/invalid` for a schedule, prompt or job that cannot be. */
  create(draft: ScheduleDraft, origin: SessionId | null): ScheduleJob;
  update(id: JobId, draft: ScheduleDraft): ScheduleJob;
  pause(id: JobId): ScheduleJob;
  resume(id: JobId): ScheduleJob;
  /** What runs now is stopped; the history stays. */
  remove(id: JobId): void;
  /** Puts a removed job back as it was, with its next time counted anew. Throws `not-found` when this process did not remove it. */
  restore(id: JobId): ScheduleJob;
  /** Begins now, whatever the clock says; the schedule goes on as it was. The run's number. */
  runNow(id: JobId): number;
  /** Throws `not-found` when it does not run (here). */
  stop(runId: number): void;
  history(wanted: { readonly jobId?: JobId | undefined; readonly limit: number; readonly before?: number | undefined }): ScheduleRun[];
  unseen(): number;
  markSeen(jobId?: JobId): void;
  /** From now on jobs run in this process. */
  start(): void;
  /** Resolves when nothing runs any more. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

export interface SchedulesParts {
  readonly clock: Clock;
  readonly config: Pick<ConfigStore, 'get' | 'env'>;
  readonly events: EventBus;
  readonly ids: Pick<Ids, 'hex'>;
  readonly log: Log;
  readonly storage: Pick<Storage, 'schedules' | 'transaction'>;
  readonly deliver: Deliver;
  run(job: ScheduleJob, signal: AbortSignal, onChat: (id: SessionId) => void): Promise<RunEnd>;
}

export function createSchedules(parts: SchedulesParts): Schedules {
  const { clock, config, events, log, deliver } = parts;
  const store = parts.storage.schedules;
  const host = ownIdentity();
  const going = new Map<number, { readonly jobId: JobId; readonly stop: AbortController; readonly ended: Promise<void> }>();
  const removed = new Map<JobId, ScheduleJob>();
  let cancelLook: (() => void) | undefined;
  let started = false;
  let closed = false;

  const changed = (): void => { events.publish('schedules', { type: 'changed', unseen: store.unseen() }); };

  function timezone(): string {
    const named = config.env('HERMES_TIMEZONE')?.trim() || config.get('timezone');
    if (typeof named === 'string' && named.trim() !== '') {
      try {
        return new Intl.DateTimeFormat('en', { timeZone: named.trim() }).resolvedOptions().timeZone;
      } catch {
        log.warn('the time zone of config.yaml is not known; the one of this computer is used', { timezone: named });
      }
    }
    return new Intl.DateTimeFormat().resolvedOptions().timeZone;
  }

  function parsed(text: string): ReturnType<typeof parseSchedule> {
    try {
      return parseSchedule(text, clock.now(), timezone());
    } catch (error) {
      if (error instanceof ScheduleError) throw new AppError('request/invalid', error.message);
      throw error;
    }
  }

  function existing(id: JobId): ScheduleJob {
    const job = store.get(id);
    if (job === undefined) throw new AppError('not-found', `There is no job ${id}.`, { hint: 'Look at the list of jobs.' });
    return job;
  }

  function find(idOrName: string): ScheduleJob {
    const id = JobId.safeParse(idOrName);
    const job = id.success ? store.get(id.data) : undefined;
    if (job !== undefined) return job;
    const named = store.list().filter(({ name }) => name === idOrName);
    if (named.length === 1 && named[0] !== undefined) return named[0];
    throw new AppError('not-found', named.length === 0 ? `There is no job '${idOrName.slice(0, 100)}'.` : `Several jobs are called '${idOrName}': ${named.map((each) => each.id).join(', ')}.`, { hint: 'Look at the list and use the id.' });
  }

  function withDraft(job: ScheduleJob, draft: ScheduleDraft): ScheduleJob {
    const rhythm = draft.schedule === undefined ? {} : scheduleFields(draft.schedule, draft.repeat);
    const contextFrom = draft.contextFrom?.map((each) => find(each).id);
    const next: ScheduleJob = { ...job, ...withoutUndefined(draft), ...rhythm, contextFrom: contextFrom ?? job.contextFrom };
    if (next.noAgent && next.script === null) throw new AppError('request/invalid', 'A job without a model needs a script: its output is the result.');
    if (!next.noAgent && next.prompt.trim() === '') throw new AppError('request/invalid', 'A job needs a prompt: what is to be done.');
    return { ...next, name: next.name.trim() || titleOf(next) };
  }

  function scheduleFields(text: string, repeat: number | null | undefined): Pick<ScheduleJob, 'schedule' | 'spec' | 'words' | 'nextRunAt' | 'repeat' | 'state'> {
    const { spec, words } = parsed(text);
    return { schedule: text, spec, words, nextRunAt: nextRun(spec, clock.now()) ?? null, repeat: repeat ?? (spec.kind === 'once' ? 1 : null), state: 'active' };
  }

  function save(job: ScheduleJob): ScheduleJob {
    store.put(job);
    changed();
    look();
    return job;
  }

  /** The job as it is once the run that is due has been taken. */
  function movedOn(job: ScheduleJob, counts: boolean): ScheduleJob {
    const runs = job.runs + (counts ? 1 : 0);
    const over = job.repeat !== null && runs >= job.repeat;
    const nextRunAt = over ? null : nextRun(job.spec, clock.now()) ?? null;
    return { ...job, runs, nextRunAt, state: nextRunAt === null ? 'done' : job.state };
  }

  function look(): void {
    if (!started || closed) return;
    cancelLook?.();
    recover();
    const now = clock.now();
    for (const job of store.due(now)) if (!takeDue(job, now)) break;
    const next = store.nextAt();
    cancelLook = clock.after(next === undefined ? LOOK_EVERY_MS : Math.min(LOOK_EVERY_MS, Math.max(250, next - clock.now())), look);
  }

  /** False when no more may run at once: it waits for the next look. */
  function takeDue(job: ScheduleJob, now: number): boolean {
    const dueAt = job.nextRunAt ?? now;
    const late = now - dueAt > graceMs(job.spec, dueAt);
    const busy = [...going.values()].some(({ jobId }) => jobId === job.id);
    if (late || busy) {
      const error = late ? 'The app was closed, or the computer slept, when this was due.' : 'The run before was still going.';
      // A moment that passed unused leaves the count of runs alone, unless it was the only one.
      const taken = store.claim(movedOn(job, late && job.spec.kind === 'once'), { dueAt, startedAt: now, endedAt: now, state: late ? 'missed' : 'skipped', trigger: 'schedule', error, host });
      if (taken !== undefined) changed();
      return true;
    }
    const most = Number(config.get('cron.max_parallel_jobs'));
    if (going.size >= (Number.isInteger(most) && most > 0 ? most : DEFAULT_PARALLEL)) return false;
    const moved = movedOn(job, true);
    const runId = store.claim(moved, { dueAt, startedAt: now, endedAt: null, state: 'running', trigger: 'schedule', error: null, host });
    if (runId !== undefined) begin(moved, runId);
    return true;
  }

  function begin(job: ScheduleJob, runId: number): void {
    const stop = new AbortController();
    const work = async (): Promise<void> => {
      const end = await parts.run(job, stop.signal, (sessionId) => { store.updateRun(runId, { sessionId }); changed(); });
      parts.storage.transaction(() => { finish(job, runId, end); });
    };
    const ended = work().catch((error: unknown) => { log.error('a scheduled run could not be written down', { runId, error }); }).finally(() => {
      going.delete(runId);
      if (!closed) {
        changed();
        look();
      }
    });
    going.set(runId, { jobId: job.id, stop, ended });
    changed();
  }

  /** In one transaction: a run that has ended is told of, and one that is told of has ended. */
  function finish(job: ScheduleJob | undefined, runId: number, end: RunEnd): void {
    store.updateRun(runId, { state: end.state, output: end.output, error: end.error, endedAt: clock.now() });
    // What failed is told as well; only a silent success goes nowhere.
    const deliveryError = job === undefined || end.silent || end.state === 'stopped' ? undefined : deliver(job, end, runId);
    if (deliveryError !== undefined) store.updateRun(runId, { deliveryError });
  }

  /** Runs of processes that are gone: nobody will end them any more, nothing is done twice, and whoever waits for the result is told. */
  function recover(): void {
    for (const { run, host: owner } of store.running()) {
      if (isAlive(owner)) continue;
      parts.storage.transaction(() => {
        // Another process may have been first.
        if (store.run(run.id)?.state !== 'running') return;
        finish(store.get(run.jobId), run.id, { state: 'interrupted', output: run.output, error: 'The app ended while this ran. What it had done by then is done; run it again if it should be finished.', silent: false });
        changed();
      });
    }
  }

  return {
    list: () => store.list(), find,
    create(draft, origin) {
      if (draft.schedule === undefined) throw new AppError('request/invalid', 'A schedule is missing.', { hint: "Such as 'every 2h' or 'daily at 9:00'." });
      const blank: ScheduleJob = {
        id: JobId.parse(`job_${parts.ids.hex(5)}`), name: '', prompt: '', runs: 0, deliver: origin === null ? 'local' : 'origin', skills: [], script: null, noAgent: false, contextFrom: [], toolsets: null,
        workdir: null, model: null, originSessionId: origin, createdAt: clock.now(), ...scheduleFields(draft.schedule, draft.repeat),
      };
      return save(withDraft(blank, draft));
    },
    update: (id, draft) => save(withDraft(existing(id), draft)),
    pause(id) {
      const job = existing(id);
      if (job.state === 'done') throw new AppError('request/not-possible', `"${job.name}" has done all its runs.`, { hint: 'Give it a new schedule.' });
      return save({ ...job, state: 'paused' });
    },
    resume(id) {
      const job = existing(id);
      const nextRunAt = nextRun(job.spec, clock.now()) ?? null;
      if (nextRunAt === null) throw new AppError('request/not-possible', `The time of "${job.name}" is over.`, { hint: 'Give it a new schedule, or run it now.' });
      return save({ ...job, state: 'active', nextRunAt });
    },
    remove(id) {
      const job = existing(id);
      store.remove(id);
      removed.set(id, job);
      for (const { jobId, stop } of going.values()) if (jobId === id) stop.abort();
      changed();
    },
    restore(id) {
      const job = removed.get(id);
      if (job === undefined) throw new AppError('not-found', `The job ${id} was not removed here.`, { hint: 'Make it anew.' });
      removed.delete(id);
      const nextRunAt = job.state === 'done' ? null : nextRun(job.spec, clock.now()) ?? null;
      return save({ ...job, nextRunAt, state: nextRunAt === null ? 'done' : job.state });
    },
    runNow(id) {
      const job = existing(id);
      const now = clock.now();
      const runId = store.claim(job, { dueAt: now, startedAt: now, endedAt: null, state: 'running', trigger: 'hand', error: null, host });
      if (runId === undefined) throw new AppError('request/not-possible', `"${job.name}" was started a moment ago.`);
      begin(job, runId);
      return runId;
    },
    stop(runId) {
      const run = going.get(runId);
      if (run === undefined) throw new AppError('not-found', 'This run does not go on in this app.', { hint: 'It has ended, or another process runs it.' });
      run.stop.abort();
    },
    history: (wanted) => store.runs(wanted),
    unseen: () => store.unseen(),
    markSeen(jobId) {
      store.markSeen(jobId);
      changed();
    },
    start() {
      if (started) return;
      started = true;
      look();
    },
    idle: async () => { while (going.size > 0) await Promise.all([...going.values()].map(({ ended }) => ended)); },
    async close() {
      closed = true;
      cancelLook?.();
      for (const { stop } of going.values()) stop.abort();
      await Promise.all([...going.values()].map(({ ended }) => ended));
    },
  };
}

function withoutUndefined({ schedule: _schedule, repeat, contextFrom: _contextFrom, ...draft }: ScheduleDraft): Partial<ScheduleJob> {
  return Object.fromEntries(Object.entries({ ...draft, repeat }).filter(([, value]) => value !== undefined));
}

function titleOf({ prompt, script }: ScheduleJob): string {
  const line = prompt.trim().split('\n')[0] ?? '';
  return line === '' ? script ?? 'Job' : line.length > 60 ? `${line.slice(0, 59)}…` : line;
}
