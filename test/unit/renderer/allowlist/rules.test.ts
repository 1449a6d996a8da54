import { expect, test } from 'vitest';
import { createStore } from 'zustand/vanilla';
import { ApprovalRule, ImportPreview, ListedRule } from '../../../../preload/contract/approval-rules.ts';
import { AppError } from '../../../../preload/contract/errors.ts';
import type { Talaria } from '../../../../preload/contract/index.ts';
import { rulesActions } from '../../../../renderer/features/allowlist/rules-actions.ts';
import { emptyRules, idleRules, limitWords, matchingRules, matchText, tickedAtFirst, toggled } from '../../../../renderer/features/allowlist/rules-model.ts';

const rule = (name: string, change: object = {}) => ApprovalRule.parse({
  kind: 'allow', tokens: ['git', 'push', 'origin'], anyArgs: true, path: '/usr/bin/git', scope: { kind: 'project', root: '/srv/app' }, backend: 'local', expiresAt: null, maxUses: null,
  examples: { matches: [], not: [] }, id: `rule_${name.padStart(12, '0')}`, createdAt: 1_000, createdBy: 'desktop', createdFrom: 'git push origin main', createdIn: null, uses: 0, lastUsedAt: null, ...change,
});
const listed = (one: ApprovalRule, remarks: object[] = []) => ListedRule.parse({ rule: one, text: `allow ${matchText(one)}`, holds: true, remarks });
const push = rule('1');
const curl = ApprovalRule.parse({
  kind: 'deny', pattern: '*curl*', scope: { kind: 'everywhere' }, backend: null, expiresAt: null, maxUses: 3, examples: { matches: [], not: [] },
  id: 'rule_000000000002', createdAt: 1_000, createdBy: 'cli', createdFrom: null, createdIn: null, uses: 1, lastUsedAt: 2_000,
});

test('a rule reads as the shell takes it, with a sign for further words, and words with blanks stay one', () => {
  expect(matchText(push)).toBe('git push origin …');
  expect(matchText(rule('3', { tokens: ['rm', 'my file', "it's"], anyArgs: false }))).toBe("rm 'my file' 'it'\\''s'");
  expect(matchText(curl)).toBe('*curl*');
});

test('a row says tool, place, backend, end and use', () => {
  expect(limitWords(push)).toEqual(['terminal', 'below /srv/app', 'only on local', 'for good', 'never used']);
  expect(limitWords(curl)).toEqual(['terminal', 'everywhere', 'any backend', 'for good', 'used 1 of 3 times']);
});

test('an undo names the removed rules, so that the host brings back these and no new ones', async () => {
  const store = createStore(() => emptyRules);
  const asked: unknown[] = [];
  const request = async (name: string, input: unknown) => { asked.push([name, input]); return [listed(push)]; };
  const actions = rulesActions({ request: request as unknown as Talaria['request'] }, store); // a scripted wire
  await actions.restore([push, curl]);
  expect(asked).toEqual([['approvalRules.restore', { ids: [push.id, curl.id] }]]);
  expect(store.getState()).toMatchObject({ status: 'ready', rules: [{ rule: { id: push.id } }] });
});

test('of two rules that name each other only one is cleared away, and what still holds stays', () => {
  const twin = rule('4');
  const both = [
    listed(push, [{ kind: 'shadowed', text: 'by the other', other: twin.id }]), listed(twin, [{ kind: 'duplicate', text: 'the same', other: push.id }]),
    listed(rule('5'), [{ kind: 'too-wide', text: 'wide' }]), listed(rule('6'), [{ kind: 'expired', text: 'over' }]),
  ];
  expect(idleRules(both).map(({ rule: { id } }) => id)).toEqual([push.id, rule('6').id]);
});

test('search looks at the rule and at the command it was made from', () => {
  const all = [listed(push), listed(curl)];
  expect(matchingRules(all, 'MAIN push')).toEqual([all[0]]);
  expect(matchingRules(all, ' ')).toBe(all);
});

test('an import ticks what only makes things stricter; an allow is ticked by hand', () => {
  const preview = ImportPreview.parse({
    items: [
      { id: 'a', what: 'entry', kind: 'allow', text: 'podman *', state: 'new' }, { id: 'b', what: 'rule', kind: 'deny', text: 'deny *curl*', state: 'new' },
      { id: 'c', what: 'rule', kind: 'ask', text: 'ask git *', state: 'same' }, { id: 'd', what: 'rule', kind: 'deny', text: 'deny x', state: 'refused', why: 'too short' },
    ],
    removed: [],
  });
  expect([...tickedAtFirst(preview)]).toEqual(['b']);
  expect([...toggled(toggled(tickedAtFirst(preview), 'a'), 'b')]).toEqual(['a']);
});

test('a refused removal reads the list again and is told', async () => {
  const store = createStore(() => emptyRules);
  const request = async (name: string) => {
    if (name === 'approvalRules.remove') throw new AppError('not-found', 'there is no such rule');
    return [listed(curl)];
  };
  const actions = rulesActions({ request: request as unknown as Talaria['request'] }, store); // a scripted wire
  await expect(actions.remove([push])).rejects.toThrow('no such rule');
  expect(store.getState()).toMatchObject({ status: 'ready', rules: [{ rule: { id: curl.id } }] });
});
