/** Which words of a line are sudo, and what a model may not do with it. */
import { describe, expect, test } from 'vitest';
import { refuseSudoFromStdin } from '../../../tools/terminal/sudo.ts';
import { withSudoAskpass } from '../../../tools/terminal/sudo-askpass.ts';

describe('sudo takes its password from the helper', () => {
  test.each([
    ['sudo apt update', 'sudo -A apt update'],
    ['sudo apt update && sudo apt upgrade', 'sudo -A apt update && sudo -A apt upgrade'],
    ['VAR=x sudo make', 'VAR=x sudo -A make'],
    ['env A=1 B=2 sudo make', 'env A=1 B=2 sudo -A make'],
    ['command sudo id; exec sudo id', 'command sudo -A id; exec sudo -A id'],
    ['/usr/bin/sudo id', '/usr/bin/sudo -A id'],
    ['"/usr/bin/sudo" id', '"/usr/bin/sudo" -A id'],
    ['echo x | sudo tee f', 'echo x | sudo -A tee f'],
    ['echo "$(sudo id)"', 'echo "$(sudo -A id)"'],
    ['if sudo -u me true; then ( sudo id ); fi', 'if sudo -A -u me true; then ( sudo -A id ); fi'],
    ['sudo -u root -n true', 'sudo -A -u root -n true'],
    ['sudo tee f <<EOF\nsudo inside\nEOF', 'sudo -A tee f <<EOF\nsudo inside\nEOF'],
    ['sudo -k id', 'sudo -A -k id'],
  ])('%j becomes %j', (line, expected) => { expect(withSudoAskpass(line)).toBe(expected); });

  test.each(['echo sudo', "echo 'sudo id'", 'pseudo id', 'sudoku', 'sudo -n true', 'sudo -k', 'sudo -K', 'sudo -V', 'grep sudo f', 'unclosed "sudo', '# sudo id', 'cat sudo'])('%j stays', (line) => {
    expect(withSudoAskpass(line)).toBeUndefined();
  });

  test('twice is refused rather than done: the second line brings a helper of its own', () => {
    expect(refuseSudoFromStdin(withSudoAskpass('sudo id') ?? '')).toContain('never accepted');
  });
});

describe('a password from the model', () => {
  test.each(['echo pw | sudo -S id', 'sudo --stdin id', 'sudo -uroot -S id', 'sudo -kS id', 'sudo -A id', 'sudo --askpass id', 'cat "$SUDO_ASKPASS"', 'env | grep SUDO_ASKPASS', 'x="unclosed; sudo -S id'])('%j is refused', (line) => {
    expect(refuseSudoFromStdin(line)).toMatch(/^BLOCKED/);
  });
  test.each(['sudo id', 'sudo -u S id', 'sudo ls -S', 'sudo -- ls -A', 'echo sudo -S'])('%j is not', (line) => { expect(refuseSudoFromStdin(line)).toBeUndefined(); });
});
