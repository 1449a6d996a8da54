/** A rule as a person types it, and the draft it stands for. Pure. */
import type { ApprovalRule, RuleDraft } from '../../../preload/contract/approval-rules.ts';

export type FormKind = RuleDraft['kind'];
export type Lasts = 'for-good' | 'days' | 'uses';

export interface RuleForm {
  readonly kind: FormKind;
  /** Of rules that ask or deny. */
  readonly pattern: string;
  /** Of rules that allow. */
  readonly anyArgs: boolean;
  readonly where: RuleDraft['scope']['kind'];
  readonly directory: string;
  /** Empty = wherever. */
  readonly backend: string;
  readonly lasts: Lasts;
  /** Whole days from now, or how many times. */
  readonly amount: string;
  /** One command a line. */
  readonly matches: string;
  readonly not: string;
}

const DAY_MS = 86_400_000;
const MOST_DAYS = 36_500;
const MOST_USES = 1_000_000;
const MOST_EXAMPLES = 20;

export const emptyRuleForm: RuleForm = { kind: 'deny', pattern: '', anyArgs: false, where: 'everywhere', directory: '', backend: '', lasts: 'for-good', amount: '', matches: '', not: '' };

export function formOf(rule: ApprovalRule, now: number): RuleForm {
  const lasts = rule.maxUses !== null ? 'uses' : rule.expiresAt !== null ? 'days' : 'for-good';
  return {
    kind: rule.kind, pattern: rule.kind === 'allow' ? '' : rule.pattern, anyArgs: rule.kind === 'allow' && rule.anyArgs, where: rule.scope.kind, directory: rule.scope.kind === 'project' ? rule.scope.root : '',
    backend: rule.backend ?? '', lasts, amount: rule.maxUses !== null ? String(rule.maxUses) : rule.expiresAt !== null ? String(Math.max(1, Math.ceil((rule.expiresAt - now) / DAY_MS))) : '',
    matches: rule.examples.matches.join('\n'), not: rule.examples.not.join('\n'),
  };
}

const lines = (text: string): string[] => [...new Set(text.split('\n').map((line) => line.trim()).filter((line) => line !== ''))];

export type Drafted = { readonly draft: RuleDraft } | { readonly problem: string };

/** `base`: the rule that is edited. A date that nobody touched stays to the millisecond. */
export function draftFrom(form: RuleForm, base: ApprovalRule | undefined, now: number): Drafted {
  if (form.kind !== 'allow' && form.pattern.trim() === '') return { problem: 'Write the pattern: a whole command, with * for anything.' };
  if (form.where === 'project' && !/^(?:\/|[A-Za-z]:[/\\])/.test(form.directory.trim())) return { problem: 'Write the directory from the root on, such as /home/me/project.' };
  const amount = /^\d{1,7}$/.test(form.amount.trim()) ? Number(form.amount.trim()) : 0;
  if (form.lasts === 'days' && (amount < 1 || amount > MOST_DAYS)) return { problem: `Days are a whole number from 1 to ${MOST_DAYS.toLocaleString('en')}.` };
  if (form.lasts === 'uses' && (amount < 1 || amount > MOST_USES)) return { problem: `Times are a whole number from 1 to ${MOST_USES.toLocaleString('en')}.` };
  const examples = { matches: lines(form.matches), not: lines(form.not) };
  if (examples.matches.length > MOST_EXAMPLES || examples.not.length > MOST_EXAMPLES) return { problem: `There are at most ${MOST_EXAMPLES} examples of a kind.` };
  const untouched = base !== undefined && base.expiresAt !== null && form.amount === formOf(base, now).amount;
  const limits = {
    scope: form.where === 'project' ? { kind: 'project' as const, root: form.directory.trim() } : form.where === 'chat' && base?.scope.kind === 'chat' ? base.scope : { kind: 'everywhere' as const },
    backend: form.backend === '' ? null : form.backend,
    expiresAt: form.lasts !== 'days' ? null : untouched ? base.expiresAt : now + amount * DAY_MS, maxUses: form.lasts === 'uses' ? amount : null, examples,
  };
  if (form.kind !== 'allow') return { draft: { kind: form.kind, pattern: form.pattern.trim(), ...limits } };
  return base?.kind === 'allow' ? { draft: { kind: 'allow', tokens: base.tokens, path: base.path, anyArgs: form.anyArgs, ...limits } } : { problem: 'Rules that allow are made with “Always…” on a card.' };
}
