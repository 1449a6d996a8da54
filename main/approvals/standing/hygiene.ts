/** What housekeeping has to say about the stored rules. Looks at the disk only for whether paths are still there. */
import { existsSync } from 'node:fs';
import type { AllowDraft, ApprovalRule, RuleDraft, RuleRemark, RuleScope } from '../../../preload/contract/approval-rules.ts';
import { globMatches } from '../parse/glob.ts';
import { failedExample, isTooWide, type Inspect } from './check.ts';
import { isInside } from './coverage.ts';
import { commandText, ruleText } from './words.ts';

const DAY_MS = 86_400_000;
export const UNUSED_DAYS = 60;

/** Rules that say the same, whatever their age, use and examples. */
export const sameRule = (one: RuleDraft, other: RuleDraft): boolean => identity(one) === identity(other);

/** What a rule is, without when it was made and how often it was used. */
export function identity(rule: RuleDraft): string {
  const match = rule.kind === 'allow' ? [rule.tokens, rule.anyArgs, rule.path] : [rule.pattern.toLowerCase()];
  const scope = rule.scope.kind === 'project' ? rule.scope.root : rule.scope.kind === 'chat' ? rule.scope.sessionId : '';
  return JSON.stringify([rule.kind, match, rule.scope.kind, scope, rule.backend, rule.expiresAt, rule.maxUses]);
}

const includesScope = (wide: RuleScope, narrow: RuleScope): boolean => wide.kind === 'everywhere'
  || (wide.kind === 'chat' && narrow.kind === 'chat' && wide.sessionId === narrow.sessionId)
  || (wide.kind === 'project' && narrow.kind === 'project' && isInside(narrow.root, wide.root));

const lasts = (rule: RuleDraft): boolean => rule.expiresAt === null && rule.maxUses === null;

/** Everything that `narrow` allows, `wide` allows too, for good. */
function shadows(wide: AllowDraft, narrow: AllowDraft): boolean {
  if (!lasts(wide) || !includesScope(wide.scope, narrow.scope) || (wide.backend !== null && wide.backend !== narrow.backend) || wide.path !== narrow.path) return false;
  const begins = wide.tokens.length <= narrow.tokens.length && wide.tokens.every((token, index) => token === narrow.tokens[index]);
  return begins && (wide.anyArgs || (wide.tokens.length === narrow.tokens.length && !narrow.anyArgs));
}

/** Undefined for a rule that holds; else why not. */
export function lapsed(rule: ApprovalRule, now: number): RuleRemark | undefined {
  if (rule.expiresAt !== null && rule.expiresAt <= now) return { kind: 'expired', text: 'Its time is over: it allows nothing any more.' };
  if (rule.maxUses !== null && rule.uses >= rule.maxUses) return { kind: 'used-up', text: `It was used ${rule.uses} of ${rule.maxUses} times.` };
  return undefined;
}

/** Remarks about one rule among all, in the order of their weight. */
export function remarksOn(rule: ApprovalRule, all: readonly ApprovalRule[], now: number, inspect: Inspect): RuleRemark[] {
  const found: RuleRemark[] = [];
  const over = lapsed(rule, now);
  if (over !== undefined) found.push(over);
  const failed = failedExample(rule, inspect);
  if (failed !== undefined) found.push({ kind: 'examples', text: rule.kind === 'allow' ? `${failed} Until that is mended it allows nothing.` : failed });
  const twin = all.slice(0, all.indexOf(rule)).find((other) => sameRule(rule, other));
  if (twin !== undefined) found.push({ kind: 'duplicate', text: 'There is the same rule already.', other: twin.id });
  if (rule.kind === 'allow') found.push(...allowRemarks(rule, all));
  else if (/^\**$/.test(rule.pattern)) found.push({ kind: 'too-wide', text: `It matches every command: everything is ${rule.kind === 'deny' ? 'forbidden' : 'asked about'}.` });
  if (rule.scope.kind === 'project' && rule.backend === 'local' && !existsSync(rule.scope.root)) found.push({ kind: 'missing-path', text: `There is no ${rule.scope.root} any more.` });
  if (now - Math.max(rule.lastUsedAt ?? 0, rule.createdAt) > UNUSED_DAYS * DAY_MS) found.push({ kind: 'unused', text: `It has not decided anything for ${UNUSED_DAYS} days.` });
  return found;
}

function allowRemarks(rule: ApprovalRule & AllowDraft, all: readonly ApprovalRule[]): RuleRemark[] {
  const found: RuleRemark[] = [];
  const wider = all.find((other) => other.kind === 'allow' && other.id !== rule.id && !sameRule(rule, other) && shadows(other, rule));
  if (wider !== undefined) found.push({ kind: 'shadowed', text: `Already allowed by: ${ruleText(wider)}`, other: wider.id });
  const text = commandText({ ...rule, anyArgs: false }).toLowerCase();
  const stricter = all.find((other) => other.kind !== 'allow' && includesScope(other.scope, rule.scope) && (other.backend === null || other.backend === rule.backend) && globMatches(other.pattern.toLowerCase(), text));
  if (stricter !== undefined) found.push({ kind: 'no-effect', text: `A stricter rule wins: ${ruleText(stricter)}`, other: stricter.id });
  if (isTooWide(rule)) found.push({ kind: 'too-wide', text: 'It allows any command: this program runs what its arguments say.' });
  else if (rule.anyArgs && rule.tokens.length === 1) found.push({ kind: 'too-wide', text: 'It allows this program with whatever arguments.' });
  if (rule.path !== null && rule.backend === 'local' && !existsSync(rule.path)) found.push({ kind: 'missing-path', text: `There is no ${rule.path} any more.` });
  return found;
}
