/** `schedules.*` for screens, and the narrow view of schedules that the `cronjob` tool is given. */
import { SessionId } from '../../preload/contract/ids.ts';
import { ScheduleDraft, type ScheduleJob } from '../../preload/contract/schedules.ts';
import type { MessageTarget } from '../../tools/shared/message-service.ts';
import type { ScheduledJob, ScheduleFields, ScheduleService } from '../../tools/shared/schedule-service.ts';
import { AppError } from '../../preload/contract/errors.ts';
import type { Storage } from '../ports.ts';
import type { Schedules } from '../schedules/schedules.ts';
import type { AreaHandlers } from './handlers.ts';

/** `targets`: chats of messengers that can be written to. */
export function scheduleRequests(schedules: Schedules, targets: () => readonly MessageTarget[]): AreaHandlers<'schedules'> {
  return {
    'schedules.list': () => ({ jobs: schedules.list(), unseen: schedules.unseen() }),
    'schedules.targets': () => {
      const known = targets();
      const homes = known.filter(({ target }) => !target.includes(':'));
      return [...(homes.length > 1 ? [{ target: 'all', title: `every home channel (${homes.map(({ target }) => target).join(', ')})` }] : []), ...known];
    },
    'schedules.create': ({ draft, sessionId }) => schedules.create(draft, sessionId ?? null),
    'schedules.update': ({ id, draft }) => schedules.update(id, draft),
    'schedules.pause': ({ id }) => schedules.pause(id),
    'schedules.resume': ({ id }) => schedules.resume(id),
    'schedules.remove': ({ id }) => { schedules.remove(id); return {}; },
    'schedules.restore': ({ id }) => schedules.restore(id),
    'schedules.run': ({ id }) => ({ runId: schedules.runNow(id) }),
    'schedules.stop': ({ runId }) => { schedules.stop(runId); return {}; },
    'schedules.history': ({ jobId, limit, before }) => schedules.history({ jobId, limit, before }),
    'schedules.seen': ({ jobId }) => { schedules.markSeen(jobId); return {}; },
  };
}

export function scheduleService(schedules: () => Schedules, sessions: Storage['sessions']): ScheduleService {
  function shown(job: ScheduleJob): ScheduledJob {
    const [last] = schedules().history({ jobId: job.id, limit: 1 });
    return last === undefined ? job : { ...job, lastRun: { at: last.startedAt, state: last.state, error: last.error } };
  }
  /** What a model sent, in the bounds of the contract. */
  function draftOf(fields: ScheduleFields): ScheduleDraft {
    const read = ScheduleDraft.safeParse(fields);
    if (read.success) return read.data;
    throw new AppError('request/invalid', read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '));
  }
  return {
    refusal(sessionId) {
      const origin = sessions.get(SessionId.parse(sessionId))?.origin;
      return origin === 'cron' ? 'Scheduled work cannot make or change schedules itself.' : undefined;
    },
    list: () => schedules().list().map(shown),
    create: (fields, sessionId) => shown(schedules().create(draftOf(fields), SessionId.parse(sessionId))),
    update: (idOrName, fields) => shown(schedules().update(schedules().find(idOrName).id, draftOf(fields))),
    act(idOrName, action) {
      const job = schedules().find(idOrName);
      if (action === 'pause') return shown(schedules().pause(job.id));
      if (action === 'resume') return shown(schedules().resume(job.id));
      if (action === 'run') schedules().runNow(job.id);
      else schedules().remove(job.id);
      return shown(job);
    },
  };
}
