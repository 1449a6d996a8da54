/** Work by the clock, as the tool that makes it sees it. */

/** What `cronjob` may say of a job; absent fields stay as they are. */
export interface ScheduleFields {
  readonly name?: string; readonly prompt?: string; readonly schedule?: string; readonly repeat?: number | null; readonly deliver?: string; readonly skills?: readonly string[];
  readonly script?: string | null; readonly noAgent?: boolean; readonly contextFrom?: readonly string[]; readonly toolsets?: readonly string[] | null; readonly workdir?: string | null; readonly model?: string | null;
}
export interface ScheduledJob {
  readonly id: string; readonly name: string; readonly prompt: string; readonly schedule: string; readonly words: string; readonly state: string; readonly nextRunAt: number | null; readonly repeat: number | null;
  readonly runs: number; readonly deliver: string; readonly skills: readonly string[]; readonly script: string | null; readonly lastRun?: { readonly at: number; readonly state: string; readonly error: string | null };
}
/** Work by the clock. Everything throws an Error whose message names cause and next step. */
export interface ScheduleService {
  /** Undefined where the chat may schedule; else why not. */
  refusal(sessionId: string): string | undefined;
  list(): readonly ScheduledJob[];
  create(fields: ScheduleFields, sessionId: string): ScheduledJob;
  update(idOrName: string, fields: ScheduleFields): ScheduledJob;
  act(idOrName: string, action: 'pause' | 'resume' | 'remove' | 'run'): ScheduledJob;
}
