/** Rules are narrowed, taken back and brought back; decided commands become their examples; each part of a line says what decides it. */
import { afterEach, describe, expect, test } from 'vitest';
import { RuleId, type AllowDraft, type PatternDraft } from '../../../preload/contract/approval-rules.ts';
import { desk, type Desk, type DeskOptions } from '../../support/approvals-desk.ts';

let desks: Desk[] = [];
const start = (options: DeskOptions = {}): Desk => {
  const made = desk(options);
  desks.push(made);
  return made;
};
afterEach(() => {
  for (const made of desks.toReversed()) made.remove();
  desks = [];
});

const LIMITS = { scope: { kind: 'everywhere' }, backend: null, expiresAt: null, maxUses: null } as const;
const allow = (words: string, change: Partial<AllowDraft> = {}): AllowDraft => ({ kind: 'allow', tokens: words.split(' '), anyArgs: false, path: null, ...LIMITS, examples: { matches: [], not: [] }, ...change });
const pattern = (kind: 'ask' | 'deny', glob: string, change: Partial<PatternDraft> = {}): PatternDraft => ({ kind, pattern: glob, ...LIMITS, examples: { matches: [], not: [] }, ...change });
const NOWHERE = RuleId.parse('rule_000000000000');
const stored = (at: Desk) => at.storage.approvalRules.list();
const idOf = (at: Desk): RuleId => stored(at)[0]?.id ?? NOWHERE;
const verdict = (at: Desk, command: string): string => at.approvals.test(command, { sessionId: at.sessionId }).verdict;

describe('an edited rule', () => {
  test('counts from the next command on, and keeps its age, origin and use', async () => {
    const at = start();
    at.approvals.rules.add(allow('git push', { anyArgs: true }), 'desktop');
    await at.review('git push --force');
    at.clock.advance(1_000);
    at.approvals.rules.update(idOf(at), allow('git push --force'));
    expect(stored(at)).toMatchObject([{ tokens: ['git', 'push', '--force'], anyArgs: false, createdBy: 'desktop', uses: 1 }]);
    expect(verdict(at, 'git push --force')).toBe('allow');
    expect(verdict(at, 'git push --force origin')).toBe('ask');
    at.approvals.rules.update(idOf(at), allow('git push --force', { scope: { kind: 'project', root: '/srv/other' }, backend: 'ssh', maxUses: 5 }));
    expect(verdict(at, 'git push --force')).toBe('ask');
  });

  test('is not taken when it allows everything, is there already, fails an example, or is gone', () => {
    const at = start();
    at.approvals.rules.add(allow('git push --force'), 'a');
    at.approvals.rules.add(allow('git clean -fd'), 'a');
    const id = idOf(at);
    const refused = (draft: AllowDraft): void => { expect(() => at.approvals.rules.update(id, draft)).toThrow(expect.objectContaining({ code: 'request/not-possible' })); };
    refused(allow('bash', { anyArgs: true }));
    refused(allow('git clean -fd'));
    refused(allow('git push --force', { examples: { matches: ['git pull'], not: [] } }));
    expect(() => at.approvals.rules.update(NOWHERE, allow('git stash drop'))).toThrow(expect.objectContaining({ code: 'not-found' }));
    expect(stored(at)).toHaveLength(2);
  });

  test('holds again once its failing example is mended, also when another process mended it', () => {
    const at = start();
    at.approvals.rules.add(allow('git push --force'), 'a');
    const beside = start({ beside: at });
    const rule = stored(at)[0];
    if (rule === undefined) throw new Error('the rule is not there');
    at.storage.approvalRules.update({ ...rule, examples: { matches: ['git pull'], not: [] } });
    expect([verdict(at, 'git push --force'), verdict(beside, 'git push --force')]).toEqual(['ask', 'ask']);
    beside.approvals.rules.update(rule.id, allow('git push --force', { examples: { matches: ['git push --force'], not: [] } }));
    expect([verdict(at, 'git push --force'), verdict(beside, 'git push --force')]).toEqual(['allow', 'allow']);
  });
});

describe('the undo of a removal', () => {
  test('brings back the same rule with its use and origin, all or none', async () => {
    const at = start();
    at.approvals.rules.add(allow('git push --force'), 'desktop');
    at.approvals.rules.add(pattern('deny', 'npm publish*'), 'cli');
    await at.review('git push --force');
    const before = stored(at);
    for (const { id } of before) at.approvals.rules.remove(id);
    expect(stored(at)).toEqual([]);
    const [first, second] = before.map(({ id }) => id);
    if (first === undefined || second === undefined) throw new Error('the rules are not there');
    expect(() => at.approvals.rules.restore([first, NOWHERE])).toThrow(expect.objectContaining({ code: 'not-found' }));
    expect(stored(at)).toEqual([]);
    at.approvals.rules.restore([second, first]);
    expect(stored(at)).toEqual(expect.arrayContaining(before));
    expect(stored(at)).toHaveLength(2);
  });

  test('brings back a line of config.yaml with what is known about it', async () => {
    const at = start();
    void at.review('rm -rf build');
    await at.approvals.decide({ id: at.only().id, choice: 'always' }, 'desktop');
    await at.review('rm -rf dist');
    const before = at.approvals.allowlist();
    expect(before).toMatchObject([{ entry: 'recursive delete', uses: 1, createdBy: 'desktop', createdFrom: 'rm -rf build' }]);
    await at.approvals.disallow('recursive delete');
    at.clock.advance(60_000);
    expect(await at.approvals.restoreEntry('recursive delete')).toEqual(before);
    await expect(at.approvals.restoreEntry('fork bomb')).rejects.toMatchObject({ code: 'request/not-possible' });
  });
});

describe('a decided command as an example', () => {
  test('is checked at once, moves from one kind to the other, and is refused when the rule does not keep it', () => {
    const at = start();
    at.approvals.rules.add(pattern('deny', 'npm publish*'), 'a');
    const id = idOf(at);
    at.approvals.rules.addExample(id, 'npm publish --tag next', true);
    at.approvals.rules.addExample(id, 'npm pack', false);
    expect(stored(at)).toMatchObject([{ examples: { matches: ['npm publish --tag next'], not: ['npm pack'] } }]);
    expect(() => at.approvals.rules.addExample(id, 'npm pack', true)).toThrow(expect.objectContaining({ code: 'request/not-possible', message: expect.stringContaining('should match') }));
    expect(() => at.approvals.rules.addExample(id, 'curl -H "Authorization: Bearer ghp_0123456789abcdefghijABCDEFGHIJ012345" x', false)).toThrow(expect.objectContaining({ message: expect.stringContaining('secret') }));
    expect(() => at.approvals.rules.addExample(NOWHERE, 'x', true)).toThrow(expect.objectContaining({ code: 'not-found' }));
    expect(stored(at)).toMatchObject([{ examples: { matches: ['npm publish --tag next'], not: ['npm pack'] } }]);
  });
});

describe('the parts of a tested line', () => {
  const parts = (at: Desk, command: string): string[] => at.approvals.test(command, { sessionId: at.sessionId }).parts.map(({ text, verdict: own, rule }) => `${own} ${text}${rule === undefined ? '' : `: ${rule}`}`);

  test('are allowed by the line of config.yaml that allows the whole', () => {
    const at = start({ yaml: 'command_allowlist: ["rm -rf build"]\n' });
    expect(at.approvals.test('rm -rf build', {})).toMatchObject({ verdict: 'allow', rule: 'Allowed by the rule rm -rf build' });
    expect(parts(at, 'rm -rf build')).toEqual(['allow rm -rf build: Allowed by the rule rm -rf build']);
    expect(parts(at, 'sudo rm -rf build').every((part) => part.startsWith('allow'))).toBe(false);
  });

  test('name the key, rule or grant that covers each, and leave red what nothing covers', () => {
    const at = start({ yaml: 'command_allowlist: ["recursive delete"]\n' });
    at.approvals.rules.add(allow('git push --force'), 'a');
    expect(parts(at, 'rm -rf build && git push --force && git reset --hard')).toEqual([
      'allow rm -rf build: command_allowlist: recursive delete', 'allow git push --force: your rule: git push --force', 'ask git reset --hard: git reset --hard (destroys uncommitted changes)',
    ]);
  });

  test('are blocked where a deny rule of config.yaml names them, and stay blocked by floors', () => {
    const at = start({ yaml: 'approvals: {mode: off, deny: ["git push *"]}\n' });
    expect(parts(at, 'ls && git push origin')).toEqual(['allow ls', 'block git push origin: approvals.deny: git push *']);
    expect(parts(at, 'rm -rf /')[0]).toMatch(/^block/);
    expect(parts(at, 'rm -rf build')).toEqual(['allow rm -rf build: approvals.mode is off.']);
  });
});

test('patterns of config.yaml stop commands like the built-in ones, are listed with them, and what is no pattern is told once', async () => {
  const warned: string[] = [];
  const log = { debug: () => undefined, info: () => undefined, warn: (message: string) => { warned.push(message); }, error: () => undefined };
  const at = start({ log, yaml: 'approvals:\n  patterns:\n    - "terraform apply*"\n    - {pattern: "make deploy*", description: ships to production}\n    - 7\n' });
  void at.review('sudo make deploy-eu');
  expect(at.only()).toMatchObject({ reason: 'Ships to production: matches your pattern make deploy*.', alwaysEntries: ['ships to production'] });
  expect(verdict(at, 'terraform apply')).toBe('ask');
  expect(verdict(at, 'terraform plan')).toBe('allow');
  expect(at.approvals.patterns().filter(({ own }) => own)).toEqual([
    { pattern: 'terraform apply*', description: 'your pattern terraform apply*', tier: 'danger', own: true }, { pattern: 'make deploy*', description: 'ships to production', tier: 'danger', own: true },
  ]);
  expect(at.approvals.patterns().length).toBeGreaterThan(50);
  expect(warned.filter((message) => message.includes('approvals.patterns'))).not.toEqual([]);
  await at.approvals.decide({ id: at.only().id, choice: 'always' }, 'a');
  expect(verdict(at, 'make deploy-us')).toBe('allow');
});
