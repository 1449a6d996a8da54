/** Rules in one line of words, as screens, the command line and answers show them. */
import type { AllowDraft, RuleDraft, RuleScope } from '../../../preload/contract/approval-rules.ts';

const PLAIN = /^[\w@%+=:,./~*?[\]{}^!-]+$/;

const quoted = (token: string): string => (PLAIN.test(token) ? token : `'${token.replaceAll("'", "'\\''")}'`);

/** The words as a shell takes them; `…` stands for any further words. */
export const commandText = ({ tokens, anyArgs }: Pick<AllowDraft, 'tokens' | 'anyArgs'>): string => `${tokens.map(quoted).join(' ')}${anyArgs ? ' …' : ''}`;

export const matchText = (rule: RuleDraft): string => (rule.kind === 'allow' ? commandText(rule) : rule.pattern);

const scopeText = (scope: RuleScope): string => (scope.kind === 'everywhere' ? 'everywhere' : scope.kind === 'chat' ? 'in one chat' : `in ${scope.root}`);

/** `allow git push origin … (in /srv/app, local)` */
export function ruleText(rule: RuleDraft): string {
  const limits = [
    scopeText(rule.scope), rule.backend ?? 'any backend',
    ...(rule.expiresAt === null ? [] : [`until ${new Date(rule.expiresAt).toISOString().slice(0, 16).replace('T', ' ')}`]),
    ...(rule.maxUses === null ? [] : [`${rule.maxUses} ${rule.maxUses === 1 ? 'time' : 'times'}`]),
  ];
  return `${rule.kind} ${matchText(rule)} (${limits.join(', ')})`;
}
