/* eslint-disable no-template-curly-in-string -- shell text is full of ${…} that is not ours */
import { describe, expect, it } from 'vitest';
import { SYNTAX_KEY } from '../../../main/approvals/detect.ts';
import { RULES } from '../../../main/approvals/rules/index.ts';
import { corpus, review } from './detect-support.ts';

/** The text that the gravest finding points at. */
function culprit(command: string, key?: string): string {
  const { findings } = review(command);
  const finding = key === undefined ? findings[0] : findings.find((each) => each.key === key);
  if (finding === undefined) throw new Error(`no finding ${key ?? ''} on ${command}`);
  return command.slice(finding.start, finding.end);
}

describe('spans', () => {
  it.each([
    ['echo hi && rm -rf /', '/'],
    ['echo "result: $(rm -rf /)"', '/'],
    ['sh -c "true; rm -rf /etc"', '/etc'],
    ["sudo sh -c 'ls && reboot'", 'reboot'],
    ['bash <<E\necho a\nreboot\nE', 'reboot'],
    ["eval 'shutdown -h now'", 'shutdown -h now'],
    ['cat img > /dev/sdc', '/dev/sdc'],
    ['sudo -n -S ls', '-S'],
    ['chmod -v 777 x', '777'],
    ['docker -H tcp://h ps', '-H'],
    ['find . -name x -delete', '-delete'],
    ['echo x; find . -exec rm {} +', 'rm {}'],
    ['X=1 git -C r push -f', 'X=1 git -C r push -f'],
    ['ssh h "ls; reboot"', 'reboot'],
  ])('of %j point at %j', (command, wanted) => {
    expect(culprit(command)).toBe(wanted);
  });

  it('count UTF-16 units of the original, whatever was folded or taken out before it', () => {
    expect(culprit('echo 🎉🎉; rm -rf /')).toBe('/');
    expect(culprit('\x1b[31mecho ｘ\x1b[0m; chmod 777 a')).toBe('777');
    expect(culprit('echo ＡＢＣ; sh -c "kill -9 -1"')).toBe('-1');
    expect(culprit('r\0m -rf /usr')).toBe('/usr');
    expect(culprit('rm \\\n -rf \\\n /')).toBe('/');
  });

  it('point at the word that a value was put into when the value comes from elsewhere', () => {
    expect(culprit('d=/; rm -rf $d')).toBe('$d');
    expect(culprit('rm -rf ${none:-/}')).toBe('${none:-/}');
  });

  it('say the effect in words', () => {
    expect(review('rm -rf build').findings[0]?.effect).toBe('deletes build and everything below');
    expect(review('rm -rf ~').findings[0]?.effect).toContain('~');
  });

  it('come with a key, a description, a class and the effect in words, for every rule that a row of the corpora meets', () => {
    const met = new Set<string>();
    for (const { command } of [...corpus('approval-cases'), ...corpus('approval-extra')]) {
      for (const finding of review(command).findings) {
        met.add(finding.class);
        const words = [finding.key, finding.description, finding.class, finding.effect].map((text) => text.trim());
        // What the parser says of text that it cannot read is in its own words; all else says what would happen.
        const says = finding.key === SYNTAX_KEY || /^[a-z`]/i.test(finding.effect);
        if (words.some((text) => text === '') || !says || /\uE000|\uE001|undefined|\[object/.test(finding.effect)) throw new Error(`${JSON.stringify(finding)} of ${JSON.stringify(command)}`);
      }
    }
    const classes = new Set([...RULES.map((rule) => rule.class), 'limit', 'unknown']);
    expect([...classes].filter((each) => !met.has(each))).toEqual([]);
  });

  it('lie inside the command and are never empty on any row of the corpora', () => {
    for (const { command } of [...corpus('approval-cases'), ...corpus('approval-extra')]) {
      const { findings, parts } = review(command);
      for (const { start, end, key } of [...findings, ...parts.map((part) => ({ ...part, key: 'part' }))]) {
        if (start < 0 || end > command.length || (end <= start && key !== 'text that the shell parser cannot read')) throw new Error(`${key} [${String(start)}, ${String(end)}) of ${JSON.stringify(command)}`);
      }
    }
  });
});
