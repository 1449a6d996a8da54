/** Carries a person's answer out: checked, stored exactly once, and made a rule where it was meant as one. */
import { AppError } from '../../preload/contract/errors.ts';
import type { ApprovalRequest } from '../../preload/contract/approvals.ts';
import { rootOf } from '../lineage.ts';
import type { Approvals, Storage } from '../ports.ts';
import type { Allowlist } from './allowlist.ts';
import { isHookKey, type Judged } from './judging.ts';
import type { ApprovalQueue } from './queue.ts';
import { keysOf } from './scope.ts';
import type { RulesDesk } from './standing/desk.ts';
import * as words from './wording.ts';

export interface AnsweringParts {
  readonly queue: ApprovalQueue;
  readonly allowlist: Allowlist;
  readonly storage: Pick<Storage, 'approvals' | 'values'>;
  readonly rules: Pick<RulesDesk, 'save'>;
  /** The verdict on a text in place of the asked one. */
  readonly judgeEdited: (request: ApprovalRequest, command: string) => Judged;
}

const refuse = (message: string, hint: string): never => { throw new AppError('request/not-possible', message, { hint }); };

function checkChoice(request: ApprovalRequest, choice: string, edited: string | undefined): void {
  const hint = 'Run it once, or deny it.';
  if (choice === 'session' && !request.allowSession) refuse('This request can only be answered for this one time.', hint);
  if (choice === 'always' && !request.allowAlways) refuse('No standing rule can be made of this command.', hint);
  if (edited !== undefined && (choice === 'session' || choice === 'always')) refuse('A changed command is run once; no rule is made of it.', hint);
}

/** The text a person wrote instead is judged like any other, and may not do more than what was asked about. */
function checkEdit(request: ApprovalRequest, edited: string, judgeEdited: AnsweringParts['judgeEdited']): void {
  const hint = 'Change the text further, or deny and say why.';
  if (edited.trim() === '') refuse('An empty command cannot be run.', hint);
  if (request.tool !== 'terminal' || request.review.findings.some((finding) => isHookKey(finding.key))) refuse('Only terminal commands can be changed before they run.', 'Run it as it is, or deny and say why.');
  const { evaluation } = judgeEdited(request, edited);
  if (evaluation.kind === 'block') refuse(evaluation.why === 'deny-rule' ? words.denyRuleMessage(evaluation.rule, evaluation.where) : words.floorMessage(evaluation.findings), hint);
  const asked = new Set(keysOf(request.review.findings));
  const more = evaluation.kind === 'ask' ? evaluation.findings.filter((finding) => !asked.has(finding.key)) : [];
  if (more.length > 0) refuse(`The changed command also does what was not asked about: ${words.describe(more)}.`, hint);
}

/** `decide` of the `Approvals` seam. A rule is saved before the answer counts: when it cannot be saved, the request stays open and the error says why. */
export function createAnswering({ queue, allowlist, storage, rules, judgeEdited }: AnsweringParts): Approvals['decide'] {
  return async ({ id, choice, reason, editedCommand, rule }, by) => {
    const request = queue.open(id, words.settledText);
    checkChoice(request, choice, editedCommand);
    if (rule !== undefined && choice !== 'always') refuse('A rule goes with "always" only.', 'Answer with always, or leave the rule out.');
    const changed = choice !== 'deny' && editedCommand !== undefined && editedCommand !== request.command ? editedCommand : undefined;
    if (changed !== undefined) checkEdit(request, changed, judgeEdited);
    const extra = {
      ...(changed === undefined ? {} : { editedCommand: changed }),
      ...(choice === 'deny' && reason !== undefined && reason.trim() !== '' ? { denyReason: reason.trim() } : {}),
    };
    return queue.whileDeciding(id, async () => {
      const saved = choice === 'always' && rule === undefined ? await allowlist.add(request.alwaysEntries, { by, command: request.command }) : [];
      const kept = rule === undefined ? undefined : rules.save(request, rule, { by, command: request.command, sessionId: request.sessionId });
      const noted = kept === undefined ? {} : { savedRules: [...kept.texts] };
      const won = queue.answer(id, { state: choice === 'deny' ? 'denied' : 'approved', choice, decidedBy: by, ...extra, ...noted }, () => {
        const keys = keysOf(request.review.findings);
        // What no standing rule can be made of holds for the chat at most (hermes-runtime 4.6).
        const granted = choice === 'session' ? keys : choice === 'always' ? keys.filter((key) => key.startsWith('tirith:')) : [];
        if (granted.length > 0) storage.approvals.grantSession(rootOf(storage.values, request.sessionId), granted);
      });
      const settled = storage.approvals.get(id) ?? request;
      if (won) return settled;
      for (const entry of saved) await allowlist.remove(entry);
      kept?.undo();
      throw new AppError('approval/late', `this answer came too late and changed nothing: ${words.settledText(settled)}`, { hint: 'The history shows what was decided.' });
    });
  };
}
