/** The stored rules as a value, and their words. Pure. */
import type { ApprovalRule, ImportPreview, ListedRule, RuleDraft, RuleRemark } from '../../../preload/contract/approval-rules.ts';
import { formatFull, formatWhen } from '../../ui/format.ts';

export interface RulesModel {
  readonly status: 'loading' | 'ready' | 'failed';
  readonly failure: string | undefined;
  readonly rules: readonly ListedRule[];
}

export const emptyRules: RulesModel = { status: 'loading', failure: undefined, rules: [] };

export const EFFECTS: Readonly<Record<ApprovalRule['kind'], { readonly word: string; readonly tone: 'ok' | 'warn' | 'danger'; readonly meaning: string }>> = {
  allow: { word: 'allow', tone: 'ok', meaning: 'Runs without asking' },
  ask: { word: 'ask', tone: 'warn', meaning: 'Always stops and asks' },
  deny: { word: 'deny', tone: 'danger', meaning: 'Never runs' },
};

/** The words as a shell takes them, `…` for any further ones; or the pattern. */
export function matchText(rule: RuleDraft): string {
  if (rule.kind !== 'allow') return rule.pattern;
  const words = rule.tokens.map((token) => (/^[\w@%+=:,./~*?[\]{}^!-]+$/.test(token) ? token : `'${token.replaceAll("'", "'\\''")}'`));
  return `${words.join(' ')}${rule.anyArgs ? ' …' : ''}`;
}

/** Tool, place, backend and end of a rule. */
export function limitWords(rule: ApprovalRule): string[] {
  const { scope } = rule;
  const uses = rule.maxUses === null ? `used ${rule.uses}×` : `used ${rule.uses} of ${rule.maxUses} times`;
  return [
    'terminal',
    scope.kind === 'everywhere' ? 'everywhere' : scope.kind === 'chat' ? 'in one chat' : `below ${scope.root}`,
    rule.backend === null ? 'any backend' : `only on ${rule.backend}`,
    rule.expiresAt === null ? 'for good' : `until ${formatFull(rule.expiresAt)}`,
    rule.uses === 0 && rule.maxUses === null ? 'never used' : uses,
  ];
}

/** Who made it, when, and when it last decided. */
export function originWords(rule: ApprovalRule, now: number): string[] {
  return [`made ${formatWhen(rule.createdAt, now)} from ${rule.createdBy}`, ...(rule.lastUsedAt === null ? [] : [`last used ${formatWhen(rule.lastUsedAt, now)}`])];
}

/** Remarks whose rule can go without anything being asked or forbidden otherwise than before. */
const HARMLESS: ReadonlySet<RuleRemark['kind']> = new Set(['duplicate', 'expired', 'used-up', 'no-effect', 'shadowed']);

/** Rules that have no effect of their own any more. Of two that shadow each other only one is named. */
export function idleRules(rules: readonly ListedRule[]): ListedRule[] {
  const gone = new Set<string>();
  return rules.filter(({ rule, remarks }) => {
    const idle = remarks.some(({ kind, other }) => HARMLESS.has(kind) && (other === undefined || !gone.has(other)));
    if (idle) gone.add(rule.id);
    return idle;
  });
}

/** Rules that hold every word of the query. */
export function matchingRules(rules: readonly ListedRule[], query: string): readonly ListedRule[] {
  const words = query.toLowerCase().split(/\s+/).filter((word) => word !== '');
  return words.length === 0 ? rules : rules.filter(({ rule, text }) => {
    const held = `${text}\n${matchText(rule)}\n${rule.createdFrom ?? ''}`.toLowerCase();
    return words.every((word) => held.includes(word));
  });
}

/** What stands ticked when an import is opened: what only makes things stricter. An allow is ticked by hand. */
export function tickedAtFirst({ items }: ImportPreview): ReadonlySet<string> {
  return new Set(items.filter(({ state, kind }) => state === 'new' && kind !== 'allow').map(({ id }) => id));
}

export function toggled(ticked: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(ticked);
  if (!next.delete(id)) next.add(id);
  return next;
}
