/** A command that was decided on becomes an example of a rule: what it must go on matching, or must never match. */
import type { ApprovalRule, RuleDraft } from '../../../preload/contract/approval-rules.ts';
import { AppError } from '../../../preload/contract/errors.ts';
import { holdsSecret } from '../../redact.ts';

/** The contract's limit. */
const MOST_EXAMPLES = 20;

/** The rule as a draft, with one example more. Throws `request/not-possible` for a command with a secret, and when there are too many. */
export function withExample(rule: ApprovalRule, command: string, matches: boolean): RuleDraft {
  if (holdsSecret(command)) throw new AppError('request/not-possible', 'This command holds what looks like a secret.', { hint: 'Examples are kept as text: write one without the secret.' });
  const { id: _id, createdAt: _at, createdBy: _by, createdFrom: _from, createdIn: _in, uses: _uses, lastUsedAt: _last, ...draft } = rule;
  const kept = draft.examples.matches.filter((example) => example !== command);
  const not = draft.examples.not.filter((example) => example !== command);
  const examples = matches ? { matches: [...kept, command], not } : { matches: kept, not: [...not, command] };
  if (examples.matches.length > MOST_EXAMPLES || examples.not.length > MOST_EXAMPLES) {
    throw new AppError('request/not-possible', `A rule has at most ${MOST_EXAMPLES} examples of a kind.`, { hint: 'Edit the rule and take one out.' });
  }
  return { ...draft, examples };
}
