import type { ApprovalRequest } from '../../../preload/contract/approvals.ts';
import type { ApprovalActions } from './actions.ts';
import { alwaysAnswer } from './always-form.ts';
import type { CardStep } from './model.ts';

/** Sends the yes that stands prepared on a card: once, always as the form says (nothing while it says nothing), or the edited text once. */
export function runPrepared(actions: Pick<ApprovalActions, 'decide'>, request: Pick<ApprovalRequest, 'id' | 'command'>, step: CardStep | undefined): void {
  const { id } = request;
  if (step?.id === id && step.kind === 'always') {
    const answer = alwaysAnswer(step.form);
    if (answer !== undefined) void actions.decide(id, answer);
  } else if (step?.id === id && step.kind === 'edit' && step.text !== request.command) void actions.decide(id, { choice: 'once', editedCommand: step.text });
  else void actions.decide(id, { choice: 'once' });
}
