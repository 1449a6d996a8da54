/** Scheduled work: jobs and what became of their runs. */
import { z } from 'zod';
import { SessionId } from './ids.ts';

export const JobId = z.string().regex(/^job_[0-9a-f]{10}$/).brand<'JobId'>();
export type JobId = z.infer<typeof JobId>;

/** `once`: at a moment. `interval`: every so many milliseconds, counted from `anchor`. `cron`: five fields in a time zone. */
export const ScheduleSpec = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('once'), at: z.number() }),
  z.object({ kind: z.literal('interval'), everyMs: z.number(), anchor: z.number() }),
  z.object({ kind: z.literal('cron'), expression: z.string(), timezone: z.string() }),
]);
export type ScheduleSpec = z.infer<typeof ScheduleSpec>;

export const ScheduleJob = z.object({
  id: JobId,
  name: z.string(),
  prompt: z.string(),
  /** As it was written: `every 2h`, `0 9 * * 1-5`. */
  schedule: z.string(),
  spec: ScheduleSpec,
  /** In words, for screens. */
  words: z.string(),
  /** Runs in all; null = for ever. */
  repeat: z.number().nullable(),
  runs: z.number(),
  deliver: z.string(),
  skills: z.array(z.string()),
  /** File below `<home>/scripts` that runs first. */
  script: z.string().nullable(),
  /** The script's output is the result; no model is asked. */
  noAgent: z.boolean(),
  contextFrom: z.array(JobId),
  /** Null = all that scheduled work may use. */
  toolsets: z.array(z.string()).nullable(),
  workdir: z.string().nullable(),
  model: z.string().nullable(),
  state: z.enum(['active', 'paused', 'done']),
  nextRunAt: z.number().nullable(),
  originSessionId: SessionId.nullable(),
  createdAt: z.number(),
});
export type ScheduleJob = z.infer<typeof ScheduleJob>;

export const ScheduleRun = z.object({
  id: z.number(),
  jobId: JobId,
  jobName: z.string(),
  /** When it should have begun. */
  dueAt: z.number(),
  startedAt: z.number(),
  endedAt: z.number().nullable(),
  /** `missed`: nobody was there in time. `skipped`: the run before was still going. `interrupted`: the app ended meanwhile. */
  state: z.enum(['running', 'done', 'failed', 'stopped', 'missed', 'skipped', 'interrupted']),
  trigger: z.enum(['schedule', 'hand']),
  sessionId: SessionId.nullable(),
  output: z.string(),
  error: z.string().nullable(),
  /** Why a result did not reach where it should go. */
  deliveryError: z.string().nullable(),
  seen: z.boolean(),
});
export type ScheduleRun = z.infer<typeof ScheduleRun>;

/** Where results can go besides `local` and `origin`; `all` is every home channel. */
export const DeliveryTarget = z.object({ target: z.string(), title: z.string() });
export type DeliveryTarget = z.infer<typeof DeliveryTarget>;

/** What a person or a model writes. Absent fields of an update stay as they are. */
export const ScheduleDraft = z.object({
  name: z.string().trim().max(100),
  prompt: z.string().max(50_000),
  schedule: z.string().trim().max(200),
  repeat: z.number().int().min(1).max(1_000_000).nullable(),
  deliver: z.string().trim().max(500),
  skills: z.array(z.string().max(100)).max(20),
  script: z.string().max(500).nullable(),
  noAgent: z.boolean(),
  contextFrom: z.array(z.string().max(40)).max(10),
  toolsets: z.array(z.string().max(100)).max(60).nullable(),
  workdir: z.string().max(4_000).nullable(),
  model: z.string().max(200).nullable(),
}).partial().strict();
export type ScheduleDraft = z.infer<typeof ScheduleDraft>;
