/** What was kept of files before a tool changed them, and how it is put back. */
import { z } from 'zod';
import { CallId, SessionId } from './ids.ts';

export const CheckpointId = z.string().regex(/^cp_[0-9a-f]{12}$/).brand<'CheckpointId'>();
export type CheckpointId = z.infer<typeof CheckpointId>;

export const Checkpoint = z.object({
  id: CheckpointId,
  /** Epoch milliseconds. */
  createdAt: z.number(),
  sessionId: SessionId.nullable(),
  callId: CallId.nullable(),
  /** Tool that was about to run; `restore` for what stood there before somebody put files back. */
  tool: z.string(),
  /** Redacted command or file names, short. */
  reason: z.string(),
  backend: z.string(),
  /** Directory that the paths are relative to. */
  root: z.string(),
  /** Files, and directories that were kept with everything in them. */
  paths: z.array(z.string()),
  /** What was not kept, and why. */
  skipped: z.array(z.object({ path: z.string(), why: z.string() })),
});
export type Checkpoint = z.infer<typeof Checkpoint>;

/** From then to now: `created` was not there then, `deleted` is not there now. */
export const CheckpointChange = z.object({ path: z.string(), state: z.enum(['changed', 'created', 'deleted']) });
export type CheckpointChange = z.infer<typeof CheckpointChange>;

export const CheckpointDiff = z.object({
  changes: z.array(CheckpointChange),
  /** Unified diff from then to now; cut after 400,000 characters. */
  text: z.string(),
  cut: z.boolean(),
});
export type CheckpointDiff = z.infer<typeof CheckpointDiff>;

export const CheckpointRestored = z.object({
  restored: z.array(z.string()),
  /** Files that the tool had created, and that are gone again. */
  removed: z.array(z.string()),
  /** Files of a kept directory that came afterwards: they are left alone. */
  left: z.array(z.string()),
  failed: z.array(z.object({ path: z.string(), why: z.string() })),
  /** Checkpoint of what stood there before: restoring it undoes this. Null when nothing was changed. */
  undo: CheckpointId.nullable(),
});
export type CheckpointRestored = z.infer<typeof CheckpointRestored>;
