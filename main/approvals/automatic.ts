/** Keeps in the history what was decided about flagged commands without asking anybody: by a rule, a mode, a floor or the reviewing model. */
import type { ApprovalRequest, CommandReview, Finding } from '../../preload/contract/approvals.ts';
import type { ReviewOutcome, ReviewRequest } from '../../tools/context.ts';
import type { Clock, EventBus, Log, Storage } from '../ports.ts';
import type { RequestFacts } from './request-row.ts';
import { ONLY_ONCE } from './scope.ts';

export interface AutomaticParts {
  readonly clock: Pick<Clock, 'now'>;
  readonly storage: Pick<Storage, 'approvals'>;
  readonly events: Pick<EventBus, 'publish'>;
  readonly log: Log;
  readonly requestFor: (facts: RequestFacts) => ApprovalRequest;
}

export interface AutomaticFacts {
  readonly request: ReviewRequest;
  readonly where: RequestFacts['where'];
  readonly detected: CommandReview;
  readonly findings: readonly Finding[];
  /** What decided: `rule`, `smart`, `off`, `yolo`, `unattended`, `floor`, `deny rule`. */
  readonly by: string;
  /** The same in words. */
  readonly rule: string;
}

/** Hands the outcome on, with the id of its row where one could be kept: a decision never fails for want of its record. */
export type NoteAutomatic = (outcome: ReviewOutcome, facts: AutomaticFacts) => ReviewOutcome;

export function createAutomatic({ clock, storage, events, log, requestFor }: AutomaticParts): NoteAutomatic {
  return (outcome, { request, where, detected, findings, by, rule }) => {
    try {
      const row = requestFor({ request, where, detected, findings, scope: ONLY_ONCE, advice: '', delivered: false });
      const { deniedBefore: _shownOnCardsOnly, ...rest } = row;
      const settled: ApprovalRequest = {
        ...rest, review: { ...row.review, verdict: outcome.approved ? 'allow' : 'block', rule }, state: outcome.approved ? 'approved' : 'denied', choice: outcome.approved ? 'once' : 'deny',
        decidedAt: clock.now(), decidedBy: by, automatic: true, expiresAt: null,
      };
      storage.approvals.insert(settled);
      events.publish('approvals', { type: 'changed', request: settled });
      return { ...outcome, approvalId: settled.id };
    } catch (error) {
      log.error('an automatic decision could not be kept in the history', { tool: request.tool, session: request.sessionId, error });
      return outcome;
    }
  };
}

