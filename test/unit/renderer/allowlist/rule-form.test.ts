import { describe, expect, test } from 'vitest';
import { ApprovalRule, RuleDraft } from '../../../../preload/contract/approval-rules.ts';
import { draftFrom, emptyRuleForm, formOf, type RuleForm } from '../../../../renderer/features/allowlist/rule-form-model.ts';

const DAY = 86_400_000;
const NOW = 10 * DAY;
const LIMITS = { scope: { kind: 'everywhere' }, backend: null, expiresAt: null, maxUses: null, examples: { matches: [], not: [] } };
const stored = (change: object): ApprovalRule => ApprovalRule.parse({
  kind: 'allow', tokens: ['git', 'push'], anyArgs: true, path: '/usr/bin/git', ...LIMITS, id: 'rule_000000000001', createdAt: 1, createdBy: 'x', createdFrom: null, createdIn: null, uses: 0, lastUsedAt: null, ...change,
});
const drafted = (form: Partial<RuleForm>, base?: ApprovalRule) => draftFrom({ ...(base === undefined ? emptyRuleForm : formOf(base, NOW)), ...form }, base, NOW);

describe('a new rule', () => {
  test('is what was typed, with examples a line each, and the contract takes it', () => {
    const made = drafted({ kind: 'ask', pattern: '  make deploy* ', where: 'project', directory: '/srv/app', backend: 'ssh', lasts: 'uses', amount: '3', matches: 'make deploy-eu\n\nmake deploy-eu\n', not: ' make test ' });
    expect(made).toEqual({ draft: { kind: 'ask', pattern: 'make deploy*', scope: { kind: 'project', root: '/srv/app' }, backend: 'ssh', expiresAt: null, maxUses: 3, examples: { matches: ['make deploy-eu'], not: ['make test'] } } });
    expect(RuleDraft.safeParse('draft' in made ? made.draft : undefined).success).toBe(true);
    expect(drafted({ pattern: 'x', lasts: 'days', amount: '2' })).toMatchObject({ draft: { kind: 'deny', expiresAt: NOW + 2 * DAY, maxUses: null } });
  });

  test.each<[string, Partial<RuleForm>]>([
    ['no pattern', { pattern: ' ' }], ['a directory that hangs in the air', { pattern: 'x', where: 'project', directory: 'src' }], ['no days', { pattern: 'x', lasts: 'days', amount: '' }], ['half a time', { pattern: 'x', lasts: 'uses', amount: '1.5' }],
    ['no times', { pattern: 'x', lasts: 'uses', amount: '0' }], ['endless examples', { pattern: 'x', matches: Array.from({ length: 21 }, (_, index) => String(index)).join('\n') }], ['an allow out of nothing', { kind: 'allow' }],
  ])('with %s is a sentence, not a rule', (_what, form) => { expect(drafted(form)).toEqual({ problem: expect.any(String) }); });
});

describe('a rule that is changed', () => {
  test('comes out as it went in when nothing is touched', () => {
    for (const change of [{}, { scope: { kind: 'chat', sessionId: 'ses_000000000000' } }, { expiresAt: NOW + 1.4 * DAY }, { maxUses: 9 }, { backend: 'local', examples: { matches: ['git push a'], not: ['git push --force'] } }]) {
      const { kind, scope, backend, expiresAt, maxUses, examples } = stored(change);
      expect(drafted({}, stored(change))).toEqual({ draft: { kind, tokens: ['git', 'push'], anyArgs: true, path: '/usr/bin/git', scope, backend, expiresAt, maxUses, examples } });
    }
  });

  test('is narrowed by words, place, backend and end', () => {
    expect(drafted({ anyArgs: false, where: 'project', directory: '/srv', backend: 'local', lasts: 'days', amount: '1' }, stored({}))).toMatchObject({ draft: { anyArgs: false, scope: { kind: 'project', root: '/srv' }, backend: 'local', expiresAt: NOW + DAY } });
    expect(drafted({ lasts: 'for-good' }, stored({ expiresAt: NOW + DAY }))).toMatchObject({ draft: { expiresAt: null } });
  });
});
