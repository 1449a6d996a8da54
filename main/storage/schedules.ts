/** Scheduled work on disk. A run is claimed in the same transaction that moves its job on, so no moment is run twice or forgotten. */
import type { Database } from 'better-sqlite3';
import { JobId, ScheduleJob, ScheduleRun } from '../../preload/contract/schedules.ts';
import type { Log, Storage } from '../ports.ts';

interface JobRow { readonly job: string; readonly state: string; readonly next_run_at: number | null }
interface RunRow {
  readonly id: number; readonly job_id: string; readonly job_name: string; readonly due_at: number; readonly started_at: number; readonly ended_at: number | null; readonly state: string;
  readonly trigger: string; readonly session_id: string | null; readonly output: string; readonly error: string | null; readonly delivery_error: string | null; readonly seen: number; readonly host: string;
}

/** Kept of each job; older ones go when a run ends. */
const RUNS_KEPT = 200;

export function scheduleStore(database: Database, log: Log): Storage['schedules'] {
  const put = database.prepare(`INSERT INTO schedule_jobs(id, state, next_run_at, created_at, job) VALUES (@id, @state, @nextRunAt, @createdAt, @job)
    ON CONFLICT(id) DO UPDATE SET state = excluded.state, next_run_at = excluded.next_run_at, job = excluded.job`);
  const all = database.prepare<[], JobRow>('SELECT job, state, next_run_at FROM schedule_jobs ORDER BY created_at, rowid');
  const one = database.prepare<[string], JobRow>('SELECT job, state, next_run_at FROM schedule_jobs WHERE id = ?');
  const drop = database.prepare('DELETE FROM schedule_jobs WHERE id = ?');
  const next = database.prepare<[], number | null>("SELECT min(next_run_at) FROM schedule_jobs WHERE state = 'active'").pluck();
  const due = database.prepare<[number], JobRow>("SELECT job, state, next_run_at FROM schedule_jobs WHERE state = 'active' AND next_run_at <= ? ORDER BY next_run_at");
  const insertRun = database.prepare(`INSERT INTO schedule_runs(job_id, job_name, due_at, started_at, ended_at, state, trigger, error, host, seen)
    VALUES (@jobId, @jobName, @dueAt, @startedAt, @endedAt, @state, @trigger, @error, @host, @seen) ON CONFLICT DO NOTHING`);
  const runs = database.prepare<{ jobId: string | null; limit: number; before: number }, RunRow>('SELECT * FROM schedule_runs WHERE (@jobId IS NULL OR job_id = @jobId) AND id < @before ORDER BY id DESC LIMIT @limit');
  const runById = database.prepare<[number], RunRow>('SELECT * FROM schedule_runs WHERE id = ?');
  const running = database.prepare<[], RunRow>("SELECT * FROM schedule_runs WHERE state = 'running'");
  const change = database.prepare(`UPDATE schedule_runs SET state = coalesce(@state, state), ended_at = coalesce(@endedAt, ended_at), session_id = coalesce(@sessionId, session_id),
    output = coalesce(@output, output), error = coalesce(@error, error), delivery_error = coalesce(@deliveryError, delivery_error) WHERE id = @id`);
  const trim = database.prepare(`DELETE FROM schedule_runs WHERE job_id = @jobId AND state <> 'running'
    AND id NOT IN (SELECT id FROM schedule_runs WHERE job_id = @jobId ORDER BY id DESC LIMIT ${String(RUNS_KEPT)})`);
  const see = database.prepare('UPDATE schedule_runs SET seen = 1 WHERE seen = 0 AND state <> \'running\' AND (@jobId IS NULL OR job_id = @jobId)');
  const unseen = database.prepare<[], number>("SELECT count(*) FROM schedule_runs WHERE seen = 0 AND state NOT IN ('running', 'skipped')").pluck();

  const readJob = (row: JobRow): ScheduleJob[] => {
    const read = ScheduleJob.safeParse({ ...(JSON.parse(row.job) as object), state: row.state, nextRunAt: row.next_run_at }); // cast: written below, checked by the schema
    if (!read.success) log.error('a stored schedule is not readable and does not run', { issues: read.error.issues });
    return read.success ? [read.data] : [];
  };
  const readRun = (row: RunRow): ScheduleRun => ScheduleRun.parse({
    id: row.id, jobId: row.job_id, jobName: row.job_name, dueAt: row.due_at, startedAt: row.started_at, endedAt: row.ended_at, state: row.state, trigger: row.trigger,
    sessionId: row.session_id, output: row.output, error: row.error, deliveryError: row.delivery_error, seen: row.seen === 1,
  });
  const store = (job: ScheduleJob): void => { put.run({ id: job.id, state: job.state, nextRunAt: job.nextRunAt, createdAt: job.createdAt, job: JSON.stringify(job) }); };

  const claim = database.transaction((job: ScheduleJob, run: Parameters<Storage['schedules']['claim']>[1]): number | undefined => {
    // Another process may have been first, or a person changed the job meanwhile.
    const [now] = one.all(job.id);
    if (now === undefined || (run.trigger === 'schedule' && (now.state !== 'active' || now.next_run_at !== run.dueAt))) return undefined;
    store(job);
    const { changes, lastInsertRowid } = insertRun.run({ ...run, jobId: job.id, jobName: job.name, seen: run.state === 'skipped' ? 1 : 0 });
    return changes === 0 ? undefined : Number(lastInsertRowid);
  });

  return {
    put: store,
    list: () => all.all().flatMap(readJob),
    get: (id) => one.all(id).flatMap(readJob)[0],
    remove: (id) => drop.run(id).changes > 0,
    nextAt: () => next.get() ?? undefined,
    due: (now) => due.all(now).flatMap(readJob),
    claim: (job, run) => claim.immediate(job, run),
    run: (id) => runById.all(id).map(readRun)[0],
    runs: ({ jobId, limit, before }) => runs.all({ jobId: jobId ?? null, limit, before: before ?? Number.MAX_SAFE_INTEGER }).map(readRun),
    running: () => running.all().map((row) => ({ run: readRun(row), host: row.host })),
    updateRun: (id, { state, endedAt, sessionId, output, error, deliveryError }) => {
      change.run({ id, state: state ?? null, endedAt: endedAt ?? null, sessionId: sessionId ?? null, output: output ?? null, error: error ?? null, deliveryError: deliveryError ?? null });
      const [row] = runById.all(id);
      if (row !== undefined && endedAt !== undefined) trim.run({ jobId: JobId.parse(row.job_id) });
    },
    markSeen: (jobId) => { see.run({ jobId: jobId ?? null }); },
    unseen: () => unseen.get() ?? 0,
  };
}
