/* eslint no-template-curly-in-string: "off" -- shell text with ${…} in it is what is tested here */
import { writeFileSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import { deniedBy, denyForms } from '../../../main/approvals/deny-globs.ts';
import { reviewCommand } from '../../../main/approvals/detect.ts';
import { legacyMeaning } from '../../../main/approvals/legacy-keys.ts';
import { DETECTOR_KEYS } from '../../../main/approvals/judging.ts';
import { isSimpleCommand } from '../../../main/approvals/simple-command.ts';
import { cpuMs } from '../../support/cpu-time.ts';
import { desk, type Desk } from '../../support/approvals-desk.ts';

let desks: Desk[] = [];
const start = (yaml?: string, beside?: Desk): Desk => {
  const made = desk({ ...(yaml === undefined ? {} : { yaml }), ...(beside === undefined ? {} : { beside }) });
  desks.push(made);
  return made;
};
afterEach(() => {
  for (const made of desks) made.remove();
  desks = [];
});

describe('a command that a stored text may stand for', () => {
  test.each([
    'git push', 'podman run --rm -it alpine', 'echo "a b"', "echo 'a;b'", 'echo $HOME', 'ls ./a\\ b', 'find . -name "*.ts"', 'echo a\\;b', "grep 'a|b' f", 'echo it\\\'s',
  ])('%j is simple', (command) => { expect(isSimpleCommand(command)).toBe(true); });

  test.each([
    'a; b', 'a && b', 'a || b', 'a | b', 'a &', 'a > f', 'a < f', 'a\nb', 'a\r\nb', 'echo `id`', 'echo $(id)', 'echo "$(id)"', 'echo "$HOME"', 'echo "`id`"', '(a)', 'echo "unended',
    "echo 'unended", 'a \\\n b', 'a \\', 'bash -c "a; b"', "sh -lc 'a && b'", "python -c 'import os; os.x()'", "node --eval 'a;b'", "psql --command='DROP TABLE x;'", 'echo ${x:-$(id)}',
    "echo $'a\\nb'", 'echo $"a"', 'ls \u202e', 'ls\u200b', 'l\x00s', 'ls \x1b[2K', '<(id)', "git -c 'a|b' log",
  ])('%j is not', (command) => { expect(isSimpleCommand(command)).toBe(false); });
});

describe('textual rules', () => {
  test.each<[string, string, boolean]>([
    ['git reset *', 'git reset --hard x', true], ['git reset *', ' git reset --hard x ', true], ['git reset *', 'git reset --hard; rm -rf y', false], ['git reset *', 'git reset --hard $(cat x)', false],
    ['git reset *', 'sudo git reset --hard', false], ['rm -rf build', 'rm -rf build', true], ['rm -rf build', 'rm -rf build2', false], ['rm -rf b[ui]*', 'rm -rf build', true], ['RM *', 'rm -rf build', false],
    ['git reset --har?', 'git reset --hard', true], ['*', 'git reset --hard', true], ['', 'git reset --hard', false],
  ])('%j over %j: allowed %s', (entry, command, allowed) => {
    const at = start(`command_allowlist:\n  - ${JSON.stringify(entry)}\n`);
    expect(at.approvals.test(command, {}).verdict === 'allow').toBe(allowed);
  });
});

test('an old key stands for each of the rules it once matched, a new one for itself alone', () => {
  const old = start('command_allowlist: [find]\n');
  expect(old.approvals.test('find . -delete', {}).verdict).toBe('allow');
  expect(old.approvals.test('find . -exec rm {} ;', {}).verdict).toBe('allow');
  const fresh = start('command_allowlist: ["find -delete"]\n');
  expect(fresh.approvals.test('find . -delete', {}).verdict).toBe('allow');
  expect(fresh.approvals.test('find . -exec rm {} ;', {}).verdict).toBe('ask');
});

test('every meaning of an old key is a key of the detector', () => {
  for (const key of ['find', 'tee', String.raw`git\s+push`, '(curl|wget)', 'find -exec rm', String.raw`TRUNCATE\s+(TABLE)?\s*\w`, 'kill', 'Windows cmd destructive delete']) {
    expect(legacyMeaning(key).length).toBeGreaterThan(0);
    for (const meaning of legacyMeaning(key)) expect(DETECTOR_KEYS.has(meaning), meaning).toBe(true);
  }
});

test('a rule for text that cannot be judged lets nothing through', () => {
  const at = start('command_allowlist: ["unknown program", "text that the shell parser cannot read"]\n');
  expect(at.approvals.test('$X foo', {}).verdict).toBe('ask');
  expect(at.approvals.test('rm -rf $(', {}).verdict).toBe('ask');
});

describe('the list', () => {
  test('says what each entry is, and what is odd about it', () => {
    const at = start('command_allowlist: ["recursive delete", "find", "git status", "podman *", "*", "sudo *", "podman ps", "fork bomb", "a; b", 7, null, " podman * ", "TOKEN=abc123def curl x"]\n');
    expect(at.approvals.allowlist().map(({ entry, kind, warning }) => [entry, kind, warning?.split(':')[0]])).toEqual([
      ['recursive delete', 'description', undefined], ['find', 'legacy-key', undefined], ['git status', 'literal', 'Already allowed by *.'], ['podman *', 'glob', 'Stands there 2 times.'],
      ['*', 'glob', 'Allows every simple command that ends like this, whatever the program.'], ['sudo *', 'glob', 'Allows any command'], ['podman ps', 'literal', 'Already allowed by podman *.'],
      ['fork bomb', 'description', 'Has no effect'], ['a; b', 'literal', 'Has no effect'], ['7', 'literal', 'Already allowed by *.'], ['TOKEN=abc123def curl x', 'literal', 'Holds what looks like a secret'],
    ]);
  });

  test.each([['nothing', ' '], ['two lines', 'a\nb'], ['a secret', 'curl -H "Authorization: Bearer abcdef123456" u'], ['a floor', 'fork bomb'], ['text that cannot be judged', 'unknown program'], ['an endless text', 'x'.repeat(8_001)]])(
    'takes no rule with %s', async (_name, entry) => {
      const at = start('# as it was\n');
      await expect(at.approvals.allow(entry, { by: 'desktop' })).rejects.toMatchObject({ code: 'request/not-possible' });
      expect(at.yaml()).toBe('# as it was\n');
    });

  test('takes a rule once, and gives it back', async () => {
    const at = start();
    let told = 0;
    at.events.subscribe('allowlist', () => { told += 1; });
    await at.approvals.allow('podman *', { by: 'desktop', command: `podman login -p ghp_${'a1B2'.repeat(8)}` });
    const [entry] = await at.approvals.allow(' podman * ', { by: 'cli' });
    expect(entry).toMatchObject({ entry: 'podman *', createdBy: 'desktop', createdAt: at.clock.now(), createdFrom: expect.not.stringContaining('a1B2a1B2') });
    expect(at.yaml()).toBe('command_allowlist:\n  - podman *\n');
    expect(await at.approvals.disallow('podman *')).toEqual([]);
    expect(told).toBe(2);
  });

  test('that is no list is left alone and ignored', async () => {
    const at = start('command_allowlist: "podman *"\n');
    expect(at.approvals.allowlist()).toEqual([]);
    await expect(at.approvals.allow('x', { by: 'a' })).rejects.toMatchObject({ code: 'request/not-possible' });
    expect(at.yaml()).toBe('command_allowlist: "podman *"\n');
  });

  test('written as text by an older version becomes a list with the first change', async () => {
    const at = start(`command_allowlist: '["recursive delete", "podman *"]'\n`);
    await at.approvals.allow('ls', { by: 'a' });
    expect(at.approvals.allowlist().map(({ entry }) => entry)).toEqual(['recursive delete', 'podman *', 'ls']);
  });

  test('edited by hand counts at the very next command, and what was taken out stays out', async () => {
    const at = start('command_allowlist: [recursive delete]\n');
    expect((await at.review('rm -rf build')).approved).toBe(true);
    writeFileSync(at.paths.config, 'command_allowlist: []\n');
    void at.review('rm -rf build');
    expect(at.open(1)).toHaveLength(1);
    await at.approvals.allow('git reset --hard', { by: 'a' });
    expect(at.approvals.allowlist().map(({ entry }) => entry)).toEqual(['git reset --hard']);
  });

  test('is one list for two hosts', async () => {
    const a = start();
    const b = start(undefined, a);
    await Promise.all([a.approvals.allow('one', { by: 'a' }), b.approvals.allow('two', { by: 'b' }), a.approvals.allow('three', { by: 'a' })]);
    expect(b.approvals.allowlist().map(({ entry }) => entry).sort()).toEqual(['one', 'three', 'two']);
    await b.approvals.disallow('one');
    expect(a.approvals.test('one', {}).rule ?? '').not.toContain('one');
  });
});

describe('deny rules', () => {
  const denied = (command: string, ...rules: string[]): string | undefined =>
    deniedBy(denyForms(command, reviewCommand(command, { backend: 'local', isolated: false }).parts, { lines: false }), rules);

  test.each<[string, string, boolean]>([
    ['sudo *', 'sudo id', true], ['sudo *', '/usr/bin/sudo id', true], ['sudo *', 'SUDO id', true], ['sudo *', 'x && sudo   id', true], ['sudo *', "bash -c 'sudo id'", true],
    ['sudo *', 'env -S "sudo id"', true], ['sudo *', 'pseudo id', false], ['sudo *', 'echo "sudo id"', false], ['git push *', 'git   push\torigin', true], ['git push *', 'g"i"t pu\\sh origin', true],
    ['git push *', 'timeout 5 git push x', true], ['rm *', 'r\u00adm -rf x', true], ['ｒｍ *', 'rm x', false], ['rm *', 'ｒｍ x', true], ['*secret*', 'cat /x/SECRET.txt', true], ['curl', 'curl', true],
    ['curl', 'curl x', false], ['[cw]url *', 'curl x', true], ['[!c]url *', 'curl x', false], ['', 'anything', false],
  ])('%j forbids %j: %s', (rule, command, forbids) => {
    expect(denied(command, rule)).toBe(forbids ? rule : undefined);
  });

  test('that are hostile cost little', () => {
    expect(cpuMs(() => denied(`echo ${'a'.repeat(3_900)}`, `${'*a'.repeat(400)}b`, '*'.repeat(5_000), '['.repeat(900)))).toBeLessThan(1_000);
  });
});
