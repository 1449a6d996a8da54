/** Step 3: scheduled work and its runs. */
import type { Migration } from '../migrations.ts';

export const schedules: Migration = {
  version: 3,
  name: 'scheduled work',
  sql: `
  CREATE TABLE schedule_jobs (
    id TEXT PRIMARY KEY, state TEXT NOT NULL, next_run_at REAL, created_at REAL NOT NULL,
    job TEXT NOT NULL -- the rest of it, as JSON
  ) STRICT;
  CREATE INDEX schedule_jobs_due ON schedule_jobs(next_run_at) WHERE state = 'active';
  CREATE TABLE schedule_runs (
    id INTEGER PRIMARY KEY AUTOINCREMENT, job_id TEXT NOT NULL, job_name TEXT NOT NULL,
    due_at REAL NOT NULL, started_at REAL NOT NULL, ended_at REAL,
    state TEXT NOT NULL, trigger TEXT NOT NULL, session_id TEXT, output TEXT NOT NULL DEFAULT '', error TEXT, delivery_error TEXT,
    seen INTEGER NOT NULL DEFAULT 0,
    host TEXT NOT NULL, -- identity of the process that runs it
    UNIQUE (job_id, due_at, trigger) -- one run for one moment, however many processes look
  ) STRICT;
  CREATE INDEX schedule_runs_order ON schedule_runs(job_id, id);
  CREATE INDEX schedule_runs_unseen ON schedule_runs(seen) WHERE seen = 0;
  `,
};
