/** From the options of `cron create` and `cron update` to what the contract takes. */
import { resolve } from 'node:path';
import type { ScheduleDraft } from '../../../../preload/contract/schedules.ts';

export interface DraftChoices {
  readonly schedule?: string;
  readonly prompt?: string;
  readonly name?: string;
  readonly repeat?: number;
  readonly deliver?: string;
  readonly skills?: string[];
  readonly script?: string;
  /** `--agent` and `--no-agent`. */
  readonly agent?: boolean;
  readonly contextFrom?: string[];
  readonly toolsets?: string[];
  /** Relative to the directory of the command. */
  readonly workdir?: string;
  readonly model?: string;
}

/** Holds exactly what was named. */
export function draftOf({ agent, workdir, ...choices }: DraftChoices): ScheduleDraft {
  return { ...choices, ...(agent === undefined ? {} : { noAgent: !agent }), ...(workdir === undefined ? {} : { workdir: resolve(workdir) }) };
}
