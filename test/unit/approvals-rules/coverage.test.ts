import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { inspectCommand, type ReviewPlace } from '../../../main/approvals/detect.ts';
import { coverage, tokenOf, uncovered, type RuleContext } from '../../../main/approvals/standing/coverage.ts';
import type { AllowDraft } from '../../../preload/contract/approval-rules.ts';
import { SessionId } from '../../../preload/contract/ids.ts';
import { corpus, samples } from '../approvals/detect-support.ts';

const PLACE: ReviewPlace = { backend: 'local', isolated: false, cwd: '/srv/app', home: '/home/ana', tmpdir: '/tmp' };
const CONTEXT: RuleContext = { backend: 'local', cwd: '/srv/app', home: '/home/ana', chats: ['ses_000000000000'], resolve: (program) => (program.startsWith('/') ? program : `/usr/bin/${program}`) };

const rule = (words: string, change: Partial<AllowDraft> = {}): AllowDraft => {
  const tokens = words.split(' ');
  return {
    kind: 'allow', tokens, anyArgs: false, path: `/usr/bin/${tokens[0] ?? ''}`, scope: { kind: 'everywhere' }, backend: null, expiresAt: null, maxUses: null, examples: { matches: [], not: [] }, ...change,
  };
};
const passes = (command: string, rules: readonly AllowDraft[], context: Partial<RuleContext> = {}): boolean => {
  const inspection = inspectCommand(command, { ...PLACE, ...(context.cwd === undefined ? {} : { cwd: context.cwd }) });
  const inOne = coverage(command, inspection, rules, { ...CONTEXT, ...context });
  return inspection.review.verdict !== 'block' && inspection.plain && inspection.units.every(({ findings }, index) => findings.length === 0 || inOne[index] !== undefined);
};

describe('a rule of exact words', () => {
  const build = [rule('rm -rf build')];
  test.each(['rm -rf build', 'rm   -rf "build"', "r'm' -rf build", '/usr/bin/rm -rf build', 'ls && rm -rf build', 'rm -rf build; echo done', 'time rm -rf build', 'rm -rf build 2>/dev/null', '(rm -rf build)', 'rm -rf build &'])(
    '%j is let through', (command) => { expect(passes(command, build)).toBe(true); });

  test.each([
    'rm -rf build2', 'rm -rf build src', 'rm -rf', 'rm -rf build; rm -rf src', 'sudo rm -rf build', 'rm -rf build && git push --force', './rm -rf build', '/tmp/rm -rf build', 'rm -rf build > out',
    'rm -rf build < list', 'echo src | xargs rm -rf build', 'X=1 rm -rf build', 'PATH=/tmp; rm -rf build', 'export PATH=/tmp; rm -rf build', "alias rm='shred'; rm -rf build", 'rm() { shred "$@"; }; rm -rf build',
    'function rm { shred "$@"; }\nrm -rf build', 'rm -rf build $EXTRA', 'rm -rf $(echo build) src', 'rm -rf ~build', 'r\u200bm -rf build', 'source env.sh; rm -rf build', 'eval "rm -rf build"', "ssh host 'rm -rf build'",
    'docker exec box rm -rf build', 'cat <<EOF\nx\nEOF\nrm -rf src', 'bash <<< "rm -rf build"', 'hash -p /tmp/x rm; rm -rf build',
  ])('%j is not', (command) => { expect(passes(command, build)).toBe(false); });
});

test('any further words are let through behind the named ones, and only there', () => {
  const pushes = [rule('git push', { anyArgs: true })];
  expect(passes('git push --force', pushes)).toBe(true);
  expect(passes('git push --force origin "$BRANCH"', pushes)).toBe(true);
  expect(passes('git reset --hard', pushes)).toBe(false);
  expect(passes('git -c alias.x=y push --force', pushes)).toBe(false);
  expect(passes('git push --force origin $(rm -rf src)', pushes)).toBe(false);
});

test('what runs a program named in its words is not let through by any further words', () => {
  expect(passes("tar cf a.tar --checkpoint=1 --checkpoint-action='exec=rm -rf src' .", [rule('tar cf', { anyArgs: true })])).toBe(false);
  expect(passes('python3 -c "import os"', [rule('python3 -c', { anyArgs: true })])).toBe(false);
  expect(passes('find . -name x -exec rm -rf {} +', [rule('find .', { anyArgs: true })])).toBe(false);
});

test('what an exactly named wrapper runs is let through with it', () => {
  const wrapped = [rule('sudo rm -rf build')];
  expect(passes('sudo rm -rf build', wrapped)).toBe(true);
  expect(passes('rm -rf build', wrapped)).toBe(false);
  expect(passes('sudo rm -rf src', wrapped)).toBe(false);
});

describe('where a rule holds', () => {
  test('a project is its directory and what lies below it, wherever the line leads', () => {
    const here = [rule('rm -rf build', { scope: { kind: 'project', root: '/srv/app' } })];
    expect(passes('rm -rf build', here)).toBe(true);
    expect(passes('cd web && rm -rf build', here)).toBe(true);
    expect(passes('cd .. && rm -rf build', here)).toBe(false);
    expect(passes('cd /srv/application && rm -rf build', here)).toBe(false);
    expect(passes('cd "$WHERE" && rm -rf build', here)).toBe(false);
    expect(passes('rm -rf build', here, { cwd: '/srv/other' })).toBe(false);
  });

  test('a chat is that chat', () => {
    const chat = [rule('rm -rf build', { scope: { kind: 'chat', sessionId: SessionId.parse('ses_000000000000') } })];
    expect(passes('rm -rf build', chat)).toBe(true);
    expect(passes('rm -rf build', chat, { chats: ['ses_111111111111'] })).toBe(false);
    expect(passes('rm -rf build', chat, { chats: ['ses_111111111111', 'ses_000000000000'] })).toBe(true);
  });

  test('a backend is that backend, and the file on this machine is that file', () => {
    expect(passes('rm -rf build', [rule('rm -rf build', { backend: 'ssh' })])).toBe(false);
    expect(passes('rm -rf build', [rule('rm -rf build', { backend: 'ssh', path: null })], { backend: 'ssh' })).toBe(true);
    expect(passes('rm -rf build', [rule('rm -rf build')], { resolve: () => '/tmp/evil/rm' })).toBe(false);
    expect(passes('rm -rf build', [rule('rm -rf build')], { resolve: () => undefined })).toBe(false);
  });
});

test('a quoted pattern or home directory is not the one that the shell expands', () => {
  const [, quoted] = inspectCommand("rm '*'", PLACE).units[0]?.invocation.argv ?? [];
  const [, open] = inspectCommand('rm *', PLACE).units[0]?.invocation.argv ?? [];
  const [, home] = inspectCommand('rm ~/x', PLACE).units[0]?.invocation.argv ?? [];
  const [, named] = inspectCommand("rm '~/x'", PLACE).units[0]?.invocation.argv ?? [];
  expect([quoted, open, home, named].map((field) => field && tokenOf(field))).toEqual([undefined, '*', '~/x', undefined]);
});

test('floors and text that cannot be judged are never covered', () => {
  for (const command of ['rm -rf /', '$CMD build', 'rm -rf $UNSET']) {
    const inspection = inspectCommand(command, PLACE);
    const tokens = inspection.units[0]?.invocation.argv.map(({ text }) => text) ?? [];
    for (const anyArgs of [true, false]) expect(uncovered(command, inspection, [rule(command, { tokens, anyArgs }), rule(command, { anyArgs })], CONTEXT).length, command).toBeGreaterThan(0);
  }
});

/** Rows of the corpus that do not swallow what is put behind them (comments, heredocs, a last backslash). */
const ROWS = corpus('approval-cases').map(({ command }) => command).filter((command) => command.length < 200 && !/#|<<|\\$/.test(command));
const JOINTS = [' && ', ' || ', '; ', '\n', ' | ', ' & '];
const WRAPS: readonly ((command: string) => string)[] = [(command) => `(${command})`, (command) => `sudo ${command}`, (command) => `sh -c '${command.replaceAll("'", "'\\''")}'`, (command) => `echo "$(${command})"`, (command) => `if true; then ${command}; fi`, (command) => `time ${command}`];

test('a stored rule never allows a line with a part that it does not cover', { timeout: 300_000 }, () => {
  const row = fc.constantFrom(...ROWS);
  const counted = { covered: 0, open: 0 };
  fc.assert(fc.property(row, fc.array(row, { minLength: 1, maxLength: 3 }), fc.constantFrom(...JOINTS), fc.option(fc.constantFrom(...WRAPS), { nil: undefined }), fc.nat(3), fc.boolean(), (from, others, joint, wrap, at, anyArgs) => {
    const first = inspectCommand(from, PLACE).units.find(({ findings }) => findings.length > 0) ?? inspectCommand(from, PLACE).units[0];
    const tokens = first?.invocation.argv.map(tokenOf);
    fc.pre(tokens !== undefined && tokens.length > 0 && tokens.every((token) => token !== undefined));
    const words = anyArgs ? tokens.slice(0, 2) : tokens;
    const rules = [rule(words.join(' '), { tokens: words, anyArgs, path: CONTEXT.resolve(words[0] ?? '', undefined) ?? null })];
    const mine = wrap === undefined ? from : wrap(from);
    const lines = [...others.slice(0, at), mine, ...others.slice(at)];
    const together = lines.join(joint);
    if (passes(together, rules)) {
      counted.covered += 1;
      // Each flagged part on its own would have been let through as well.
      for (const line of others) expect(passes(line, rules), `${line}\nin: ${together}\nby: ${JSON.stringify(words)}`).toBe(true);
    } else counted.open += 1;
  }), { numRuns: samples(1_500, 20_000) });
  expect(counted.covered).toBeGreaterThan(20);
  expect(counted.open).toBeGreaterThan(200);
});
