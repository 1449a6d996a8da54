import type { ApprovalRequest } from '../../../preload/contract/approvals.ts';
import type { ApprovalActions } from './actions.ts';
import type { CardStep } from './model.ts';

/** Sends the yes that stands prepared on a card: once, always, or the edited text once. */
export function runPrepared(actions: Pick<ApprovalActions, 'decide'>, request: Pick<ApprovalRequest, 'id' | 'command'>, step: CardStep | undefined): void {
  const { id } = request;
  if (step?.id === id && step.kind === 'always') void actions.decide(id, { choice: 'always' });
  else if (step?.id === id && step.kind === 'edit' && step.text !== request.command) void actions.decide(id, { choice: 'once', editedCommand: step.text });
  else void actions.decide(id, { choice: 'once' });
}
