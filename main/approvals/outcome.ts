/** From a settled request to the answer that the tool gets, in Hermes' field names (hermes-runtime 4.1). */
import type { ApprovalRequest, Finding } from '../../preload/contract/approvals.ts';
import type { ReviewOutcome } from '../../tools/context.ts';
import type { Evaluation } from './review.ts';
import { keysOf } from './scope.ts';
import * as words from './wording.ts';

const flagged = (findings: readonly Finding[]): Pick<ReviewOutcome, 'description' | 'pattern_key'> => {
  const [key] = keysOf(findings);
  return { description: words.describe(findings), ...(key === undefined ? {} : { pattern_key: key }) };
};

export const allowed = (command: string): ReviewOutcome => ({ approved: true, message: null, command });

export function blocked(command: string, evaluation: Extract<Evaluation, { kind: 'block' }>, savedTo?: string): ReviewOutcome {
  return evaluation.why === 'deny-rule'
    ? { approved: false, message: words.denyRuleMessage(evaluation.rule, evaluation.where), command, outcome: 'blocked', user_deny: true, description: `deny rule ${evaluation.rule}` }
    : { approved: false, message: words.floorMessage(evaluation.findings, savedTo), command, outcome: 'blocked', hardline: true, ...flagged(evaluation.findings) };
}

export const unattended = (command: string, findings: readonly Finding[], setting: string): ReviewOutcome =>
  ({ approved: false, message: words.unattendedMessage(findings, setting), command, outcome: 'blocked', user_consent: false, ...flagged(findings) });

export const unattendedAllowed = (command: string, findings: readonly Finding[], setting: string): ReviewOutcome =>
  ({ approved: true, message: null, command, ...flagged(findings), note: `This command was flagged (${words.describe(findings)}) and allowed by ${setting}: approve.` });

/** Nobody is there to ask yet: the model stops, and the question waits (hermes-runtime 4.10). */
export const pending = (command: string, findings: readonly Finding[], row: ApprovalRequest): ReviewOutcome =>
  ({ approved: false, message: words.pendingMessage(findings), command, approvalId: row.id, approval_pending: true, allow_permanent: row.allowAlways, ...flagged(findings) });

/** A question that was left open and allowed meanwhile. */
export const allowedLater = (command: string, findings: readonly Finding[], id: ApprovalRequest['id']): ReviewOutcome =>
  ({ approved: true, message: null, command, approvalId: id, user_approved: true, ...flagged(findings), note: words.approvedNote(findings, { by: 'user', command }) });

export const failed = (command: string): ReviewOutcome =>
  ({ approved: false, message: words.failedMessage(), command, outcome: 'notify_failed', user_consent: false });

export const interrupted = (command: string): ReviewOutcome => ({ approved: false, message: words.interruptedMessage(), command, outcome: 'cancelled' });

export const smartApproved = (command: string, findings: readonly Finding[]): ReviewOutcome =>
  ({ approved: true, message: null, command, smart_approved: true, ...flagged(findings), note: words.approvedNote(findings, { by: 'reviewer', command }) });

export const smartDenied = (command: string, findings: readonly Finding[], addition: string): ReviewOutcome =>
  ({ approved: false, message: words.smartDeniedMessage(findings) + addition, command, outcome: 'denied', smart_denied: true, ...flagged(findings) });

/** `seconds`: the time limit that was in force, for the words about it. */
export function fromSettled(request: ApprovalRequest, findings: readonly Finding[], seconds: number): ReviewOutcome {
  const { command, editedCommand } = request;
  const base = { approvalId: request.id, ...flagged(findings) };
  switch (request.state) {
    case 'approved': {
      const runs = editedCommand ?? command;
      return {
        ...base, approved: true, message: null, command: runs, user_approved: true, ...(editedCommand === undefined ? {} : { edited: true }),
        note: words.approvedNote(findings, { by: 'user', command: runs, ...(editedCommand === undefined ? {} : { original: command }) }),
      };
    }
    case 'denied':
      return {
        ...base, approved: false, message: words.deniedMessage(findings, request.denyReason), command, outcome: 'denied', user_consent: false,
        ...(request.denyReason === undefined ? {} : { deny_reason: request.denyReason }),
      };
    case 'expired':
      return { ...base, approved: false, message: words.timeoutMessage(findings, seconds), command, outcome: 'timeout', user_consent: false };
    case 'cancelled': case 'created': case 'delivered': case 'seen': case 'held':
      return { ...base, ...interrupted(command) };
  }
}
