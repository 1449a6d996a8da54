import { describe, expect, it } from 'vitest';
import { commandsOf } from '../../../main/approvals/detect.ts';
import { RULES } from '../../../main/approvals/rules/index.ts';
import { corpus, PLACE, review } from './detect-support.ts';

/** Each row is judged once, whichever of the tests below asks first. */
const judged = new Map<string, ReturnType<typeof review>>();
const judge = (command: string): ReturnType<typeof review> => {
  const known = judged.get(command) ?? review(command);
  judged.set(command, known);
  return known;
};

const NAMES = ['approval-cases', 'approval-extra', 'approval-breaker'];

for (const name of NAMES) {
  const rows = corpus(name);

  describe(`the verdict on each row of ${name}`, () => {
    it.each(rows.map((row, index) => ({ ...row, line: index + 1, shown: JSON.stringify(row.command) })))('$verdict: $shown ($category, line $line)', (row) => {
      const { verdict, findings } = judge(row.command);
      expect({ verdict, because: verdict === row.verdict ? [] : findings.map((finding) => finding.key) }).toEqual({ verdict: row.verdict, because: [] });
    });
  });

  it(`${name} holds enough rows of every verdict to mean something`, () => {
    for (const verdict of ['allow', 'ask', 'block'] as const) expect(rows.filter((row) => row.verdict === verdict).length).toBeGreaterThan(80);
  });
}

describe('the corpora', () => {
  const rows = [...NAMES, 'approval-siblings'].flatMap(corpus);

  it('hold no command twice', () => {
    const commands = rows.map((row) => row.command);
    expect(commands.filter((command, index) => commands.indexOf(command) !== index)).toEqual([]);
  });

  it('have a row for every rule', () => {
    const met = new Set(rows.flatMap((row) => judge(row.command).findings.map((finding) => finding.key)));
    expect(RULES.map((rule) => rule.key).filter((key) => !met.has(key))).toEqual([]);
  });

  it('have a safe and a stopped row for every wrapper that issue 4 names', () => {
    const wrappers = [
      'sudo', 'doas', 'env', 'nohup', 'setsid', 'time', 'timeout', 'nice', 'ionice', 'stdbuf', 'chrt', 'taskset', 'chroot', 'unshare', 'flock', 'xargs', 'parallel', 'find', 'sh', 'bash', 'eval', 'source', 'ssh', 'docker', 'podman', 'kubectl', 'su', 'watch', 'script', 'tmux',
      'git', 'tar', 'rsync', 'awk', 'sed', 'vim', 'make', 'npm', 'python', 'node', 'perl',
    ];
    const seen = rows.map((row) => ({ verdict: row.verdict, programs: new Set([...commandsOf(row.command, PLACE).map((command) => command.program), ...(/\btime\b/.test(row.command) ? ['time'] : [])]) }));
    const missing = wrappers.flatMap((wrapper) => (['allow', 'ask', 'block'] as const).filter((verdict) => !seen.some((row) => row.verdict === verdict && row.programs.has(wrapper))).map((verdict) => `${wrapper}: ${verdict}`));
    expect(missing).toEqual([]);
  });
});
