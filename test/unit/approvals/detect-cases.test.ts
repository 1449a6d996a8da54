/* eslint-disable no-template-curly-in-string -- shell text is full of ${…} that is not ours */
import { describe, expect, it } from 'vitest';
import { commandsOf, DANGEROUS_PATTERNS, detectDangerousCommand, LIMIT_KEY, MALFORMED_KEY, reviewCommand } from '../../../main/approvals/detect.ts';
import { floorRules } from '../../../main/approvals/rules/floors.ts';
import { RULES } from '../../../main/approvals/rules/index.ts';
import { keys, PLACE, review, verdict } from './detect-support.ts';

describe('text that hides what it runs', () => {
  it('is read without NUL bytes', () => {
    expect(verdict('r\0m -rf /')).toBe('block');
    expect(verdict('l\0s')).toBe('allow');
  });

  it('is read without terminal escapes, in 7-bit and 8-bit form', () => {
    expect(verdict('\x1b[31mrm\x1b[0m -rf /')).toBe('block');
    expect(verdict('r\x1b]0;title\x07m -rf /')).toBe('block');
    expect(verdict('\x9b1mrm -rf /')).toBe('block');
    expect(verdict('\x1bPq\x1b\\reboot')).toBe('block');
  });

  it('is read without zero-width and bidi characters', () => {
    expect(verdict('r\u200bm -rf /')).toBe('block');
    expect(verdict('re\u202eboot')).toBe('block');
  });

  it('joins continued lines, also with CRLF', () => {
    expect(verdict('rm -rf \\\r\n/')).toBe('block');
    expect(verdict('rm -r\\\nf /')).toBe('block');
  });

  it('is also judged as the shell would get it, so that folding cannot hide a command behind a comment sign', () => {
    expect(verdict('echo ＃; rm -rf /')).toBe('block');
    expect(verdict('echo ＇; reboot; echo ＇')).toBe('block');
  });
});

describe('bounds', () => {
  it('refuse text too long to read', () => {
    for (const text of ['a'.repeat(4300), 'a b;'.repeat(32_500), ';'.repeat(25_000), `echo ${'x'.repeat(3000)};`.repeat(44)]) {
      expect(verdict(text)).toBe('block');
      expect(keys(text)).toEqual([LIMIT_KEY]);
    }
  });

  it('let a long argument below the bound pass', () => {
    expect(verdict(`echo ${'a'.repeat(3900)}`)).toBe('allow');
  });

  it('refuse text nested too deeply', () => {
    expect(verdict(`${'$('.repeat(2000)}ls${')'.repeat(2000)}`)).toBe('block');
    expect(verdict(`${'sudo '.repeat(500)}ls`)).toBe('block');
  });

  it('refuse a line that multiplies itself by expansion', () => {
    let chain = 'f30() { ls; }; ';
    for (let level = 29; level >= 0; level--) chain += `f${String(level)}() { f${String(level + 1)}; f${String(level + 1)}; }; `;
    expect(verdict(`${chain}f0`)).toBe('block');
    expect(verdict(`a=(${'x '.repeat(1500)}); ${'echo "${a[@]}"; '.repeat(200)}`)).toBe('block');
  });
});

describe('what the shell would make too much of', () => {
  it.each(['echo {1..999999}{1..999999}', '{1..999999}{1..999999}', 'ls {a..z}{a..z}{a..z}{a..z}{a..z}', `echo ${'{a,b}'.repeat(700)}`, `a0=xx;${Array.from({ length: 60 }, (_, index) => `a${String(index + 1)}=$a${String(index)}$a${String(index)};`).join('')}echo $a60`, `x=$(echo {1..9999999}); echo done`])('asks or is refused: %s', (command) => {
    expect(verdict(command)).not.toBe('allow');
  });

  it('leaves the ranges of everyday loops alone', () => {
    expect(verdict('for i in {1..1000}; do echo $i; done')).toBe('allow');
    expect(verdict('touch file{001..500}.txt')).toBe('allow');
    expect(verdict('mkdir -p {a,b}/{c,d}/{1..20}')).toBe('allow');
  });
});

describe('text that the parser cannot read', () => {
  it('asks', () => {
    for (const text of ['if', 'echo "a', 'ls )', '&& ls', 'for x in', 'cat <<EOF\nno end']) expect(verdict(text)).toBe('ask');
  });

  it('is refused when the broken quote is a search pattern or a program', () => {
    for (const text of ["grep 'kill -9 -1", 'python3 "x', "bash 'kill -9 -1", "node '1"]) {
      expect(verdict(text)).toBe('block');
      expect(keys(text)).toContain(MALFORMED_KEY);
    }
  });

  it('does not hide the floor', () => {
    expect(verdict('rm -rf / )')).toBe('block');
    expect(verdict('if true; then reboot')).toBe('block');
  });
});

describe('the home directory spelled in full', () => {
  it('is the home directory, with either slash, in capitals on Windows, and through a symlink', () => {
    expect(verdict('rm -rf /home/ana')).toBe('block');
    expect(verdict('rm -rf /home/ana/')).toBe('block');
    expect(verdict('rm -rf /data/people/ana', { homeAliases: ['/data/people/ana'] })).toBe('block');
    expect(verdict('rm -rf C:\\Users\\ana', { home: 'C:\\Users\\ana' })).toBe('block');
    expect(verdict('rm -rf c:/users/ANA', { home: 'C:\\Users\\ana' })).toBe('block');
  });

  it('is not a folder in it, nor one whose name begins alike', () => {
    expect(verdict('rm -rf /home/ana/x')).toBe('ask');
    expect(verdict('rm -rf /home/anabel/x')).toBe('ask');
  });

  it('is not taken from a home of one piece', () => {
    expect(verdict('rm -rf /srv/x', { home: '/srv' })).toBe('ask');
  });

  it('counts for sensitive files', () => {
    expect(verdict('echo x >> /home/ana/.bashrc')).toBe('ask');
    expect(verdict('echo x > /opt/hermes/config.yaml', { hermesHome: '/opt/hermes' })).toBe('ask');
  });

  it('counts when cd has led there', () => {
    expect(verdict('cd && rm -rf *')).toBe('block');
    expect(verdict('rm -rf ../..', { cwd: '/home/ana' })).toBe('block');
    expect(verdict('rm -rf *', { cwd: '/home/ana' })).toBe('block');
    expect(verdict('rm -rf *', { cwd: '/home/ana/work' })).toBe('ask');
  });
});

describe('the agent’s own temporary files', () => {
  const place = { tmpdir: '/var/tmp/t' };

  it('may be removed', () => {
    expect(verdict('rm -f /var/tmp/t/hermes-verify-1a2b.py', place)).toBe('allow');
    expect(verdict('rm -f /var/tmp/t/hermes-ad-hoc-1.sh', place)).toBe('allow');
  });

  it.each([
    'rm -rf /var/tmp/t/hermes-verify-1', 'rm /var/tmp/t/hermes-verify-1', 'rm -f /var/tmp/t/hermes-verify-1 /var/tmp/t/hermes-verify-2', 'rm -f /var/tmp/t/hermes-verify-*',
    'rm -f /var/tmp/t/hermes-verify-../x', 'rm -f /var/tmp/t/hermes-verify-$(id)', 'rm -f /var/tmp/t/hermes-verify-$X', 'rm -f /var/tmp/t/other-1', 'rm -f /tmp/hermes-verify-1', 'rm -f /var/tmp/t/x/hermes-verify-1',
    'sudo rm -f /var/tmp/t/hermes-verify-1', '/bin/rm -f /var/tmp/t/hermes-verify-1',
  ])('still ask in any other form: %s', (command) => {
    expect(verdict(command, place)).toBe('ask');
  });
});

describe('sudo with a password on its input', () => {
  it('is refused until a password is configured, and asks from then on', () => {
    expect(verdict('sudo -S id')).toBe('block');
    expect(verdict('sudo -S id', { sudoPasswordSet: true })).toBe('ask');
  });
});

describe('rules', () => {
  it('have keys of their own', () => {
    expect(new Set(RULES.map((rule) => rule.key)).size).toBe(RULES.length);
    expect(keys('rm -rf x')).toEqual(['recursive delete']);
    expect(keys('rm --recursive x')).toEqual(['recursive delete (long flag)']);
    expect(keys('rm x -r')).toEqual(['recursive delete (flags after operands)']);
  });

  it('keep the floor small', () => {
    expect(floorRules.length).toBeLessThanOrEqual(20);
    expect(floorRules.every((rule) => rule.tier === 'floor')).toBe(true);
    expect(RULES.filter((rule) => rule.tier === 'floor')).toEqual(floorRules);
  });

  it('can be printed', () => {
    expect(DANGEROUS_PATTERNS.length).toBe(RULES.length);
    for (const { pattern, description } of DANGEROUS_PATTERNS) expect(pattern !== '' && description !== '').toBe(true);
  });

  it('can be added to by the user, as globs over the program and its words', () => {
    const policy = { patterns: [{ pattern: 'make deploy*', description: 'a deployment' }] };
    expect(reviewCommand('cd x && /usr/bin/make deploy-all', PLACE, policy).findings.map((finding) => finding.key)).toEqual(['a deployment']);
    expect(reviewCommand('echo make deploy', PLACE, policy).verdict).toBe('allow');
  });
});

describe('detectDangerousCommand', () => {
  it('gives the gravest finding, or nothing', () => {
    expect(detectDangerousCommand('ls -la')).toBeUndefined();
    expect(detectDangerousCommand('rm -rf x; reboot')?.key).toBe('system shutdown/reboot');
  });
});

describe('parts', () => {
  it('carry the verdict that each command got on its own', () => {
    const { parts } = review('ls -la && sudo rm -rf build | wc -l');
    expect(parts.map(({ argv, depth, verdict: own }) => [argv.join(' '), depth, own])).toEqual([
      ['ls -la', 0, 'allow'],
      ['sudo rm -rf build', 0, 'allow'],
      ['rm -rf build', 1, 'ask'],
      ['wc -l', 0, 'allow'],
    ]);
  });

  it('show what is not known as it was typed', () => {
    expect(review('git push origin "$BRANCH"').parts[0]?.argv).toEqual(['git', 'push', 'origin', '$BRANCH']);
    expect(review('ls ~/x').parts[0]?.argv).toEqual(['ls', '~/x']);
  });
});

describe('commandsOf', () => {
  it('lists every command position with its words', () => {
    const found = commandsOf('A=1 env B=2 /usr/bin/sudo -n "l"s; echo "$(id)" & f() { pwd; }; xargs -n1 wc < x');
    expect(found.map((command) => command.argv.join(' '))).toEqual(
      expect.arrayContaining(['/usr/bin/sudo -n ls', 'ls', 'id', 'echo $(id)', 'pwd', 'xargs -n1 wc']),
    );
    expect(found.find((command) => command.program === 'sudo')?.depth).toBe(1);
    expect(found.find((command) => command.program === 'echo')?.background).toBe(true);
  });

  it('lists nothing for text that is only data', () => {
    expect(commandsOf('echo "sudo reboot; rm -rf /"').map((command) => command.program)).toEqual(['echo']);
  });
});
