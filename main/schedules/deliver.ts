/** Where the result of a run goes: the chat it was asked for in, messengers, or nowhere but its history (hermes-runtime 7.6). */
import { SessionId } from '../../preload/contract/ids.ts';
import type { ScheduleJob } from '../../preload/contract/schedules.ts';
import { describeThrown } from '../../tools/result.ts';
import type { Agent } from '../agent/agent.ts';
import type { Shell, Storage } from '../ports.ts';
import type { RunEnd } from './run-job.ts';

/**
 * Puts the result where it has to go, all on disk when it returns: call it in the transaction that writes the end of the run, and a death in between
 * neither loses nor doubles it. Undefined when all is on its way, else what is not and why. Never throws.
 */
export type Deliver = (job: ScheduleJob, end: RunEnd, runId: number) => string | undefined;

/** A messenger that is set up. `target` is `platform`, `platform:chat` or `platform:chat:thread`; `all` is every home channel. */
export type SendOut = (target: string, text: string, runId: number) => void;

export interface DeliverParts {
  readonly agent: Pick<Agent, 'runner'>;
  readonly storage: Pick<Storage, 'sessions' | 'messages'>;
  readonly shell: Pick<Shell, 'notify'>;
  /** Throws an Error with words when it cannot send. */
  readonly sendOut: SendOut;
}

const MAX_NOTE_CHARS = 300;

export function createDeliver({ agent, storage, shell, sendOut }: DeliverParts): Deliver {
  function toTarget(target: string, job: ScheduleJob, text: string, runId: number): void {
    if (target === 'local') return;
    if (target !== 'origin') return sendOut(target, text, runId);
    if (job.originSessionId === null) return;
    const session = storage.sessions.get(SessionId.parse(job.originSessionId));
    if (session === undefined || session.deletedAt !== null) throw new Error('the chat it was asked for in is not there any more');
    agent.runner(session.id).chat.addNotice('notice/schedule', text, storage.messages.lastTurn(session.id));
  }

  return (job, end, runId) => {
    const text = end.error === null ? `Scheduled: ${job.name}\n\n${end.output}` : `Scheduled: ${job.name} failed. ${end.error}${end.output === '' ? '' : `\n\n${end.output}`}`;
    shell.notify({ title: end.error === null ? `Done: ${job.name}` : `Failed: ${job.name}`, body: (end.error ?? end.output).slice(0, MAX_NOTE_CHARS), ...(job.originSessionId !== null && { sessionId: job.originSessionId }) });
    const failures: string[] = [];
    for (const target of new Set(job.deliver.split(',').map((each) => each.trim()).filter((each) => each !== ''))) {
      try {
        toTarget(target, job, text, runId);
      } catch (error) {
        failures.push(`${target}: ${error instanceof Error ? error.message : describeThrown(error)}`);
      }
    }
    return failures.length === 0 ? undefined : failures.join('; ');
  };
}
