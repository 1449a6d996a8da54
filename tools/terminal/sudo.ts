/** sudo: a password never comes from a model, and a missing one is explained (hermes-runtime 5.4, 8.2). */
import { argv, basename, parseLine, simpleCommands } from './commands.ts';

/** Options of sudo that take the next word. */
const WITH_VALUE = new Set(['-u', '-g', '-h', '-p', '-C', '-T', '-R', '-D', '-U', '-r', '-t', '-c', '-a', '--user', '--group', '--host', '--prompt', '--chdir', '--chroot', '--role', '--type', '--close-from', '--command-timeout', '--other-user', '--login-class']);
const WITH_VALUE_LETTERS = 'ughpCTRDUrtca';

/** Options that take the password from elsewhere than the person: `-S` from stdin, `-A` from a helper program. */
function bringsPassword(words: readonly string[]): boolean {
  for (let at = 1; at < words.length; at++) {
    const word = words[at] ?? '';
    if (word === '--' || !word.startsWith('-')) return false;
    if (word === '--stdin' || word === '--askpass') return true;
    if (WITH_VALUE.has(word)) {
      at += 1;
      continue;
    }
    if (word.startsWith('--')) continue;
    for (const letter of word.slice(1)) {
      if (letter === 'S' || letter === 'A') return true;
      if (WITH_VALUE_LETTERS.includes(letter)) break;
    }
  }
  return false;
}

function sudoCommands(command: string): string[][] {
  return simpleCommands(parseLine(command)?.commands ?? []).map(argv).filter(([program]) => program !== undefined && basename(program) === 'sudo');
}

/** A refusal when the model tries to hand sudo a password, or to reach the one that the person typed; undefined otherwise. */
export function refuseSudoFromStdin(command: string): string | undefined {
  const hidden = parseLine(command) === undefined && /\bsudo\b[^\n;|&]*\s(?:-[A-Za-z]*[SA]|--stdin|--askpass)\b/.test(command);
  if (command.includes('SUDO_ASKPASS')) return 'BLOCKED: SUDO_ASKPASS is not for commands. Run sudo as it is: the user is asked for the password when one is needed.';
  if (!hidden && !sudoCommands(command).some(bringsPassword)) return undefined;
  return 'BLOCKED: sudo -S and sudo -A take the password from the command, and passwords are never accepted from the model. '
    + 'Run sudo without them: the user is asked for the password when one is needed. Do not guess or ask for a password in chat.';
}

const NO_PASSWORD = /^sudo: (?:a terminal is required to read the password|a password is required|no tty present|no askpass program)|^sudo: .*\bno password was provided/m;
const REJECTED = /^(?:Sorry, try again\.|sudo: \d+ incorrect password attempts?)/m;

/** A hint to put under output that shows sudo failing for want of a password, and whether one was rejected. */
export function sudoHint(command: string, output: string): { readonly hint: string; readonly rejected: boolean } | undefined {
  if (sudoCommands(command).length === 0) return undefined;
  if (REJECTED.test(output)) return { hint: '[sudo rejected the password.]', rejected: true };
  return NO_PASSWORD.test(output)
    ? { hint: '[sudo needs a password, and nobody could be asked for it.]', rejected: false }
    : undefined;
}
