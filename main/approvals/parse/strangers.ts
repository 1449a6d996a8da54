/** Programs that no table knows, given words that are a command in any reading: `some-runner --now -- rm -rf /`. */
import { interpreterOf } from './interpreters.ts';
import type { Inner, Invocation } from './model.ts';
import { programName } from './place.ts';
import { isShell } from './shells.ts';
import { type Field, sliceField } from './text.ts';

/** Programs whose words are text, patterns or names of tests, and start nothing. */
const TEXT_TAKERS = new Set(['', ':', '[', '[[', 'test', 'true', 'false', 'echo', 'print', 'printf', 'cat', 'ls', 'grep', 'egrep', 'fgrep', 'zgrep', 'ack', 'ugrep', 'jq', 'yq', 'gh', 'glab', 'say', 'espeak', 'cowsay', 'figlet', 'toilet', 'lolcat', 'banner', 'notify-send', 'logger', 'wall', 'write', 'mail', 'which', 'type', 'whatis', 'apropos', 'info', 'help', 'tldr', 'cheat', 'howdoi', 'explain', 'history', 'export', 'declare', 'typeset', 'local', 'readonly', 'unset', 'return', 'exit', 'set', 'read', 'cargo', 'go', 'pytest', 'jest', 'vitest', 'mocha', 'hermes', 'talaria', 'claude', 'llm', 'ollama', 'codex', 'aider', 'touch', 'mkdir', 'cp', 'mv', 'kill', 'pkill', 'killall', 'curl', 'code', 'apt', 'apt-get', 'brew', 'dnf', 'yum', 'pip']);
/** Programs that are only ever written out when they are to run. */
const RUN = /^(?:rm|dd|shred|mkfs(?:\.\w+)?|wipefs|reboot|shutdown|poweroff|halt|kill|pkill|killall|chmod|chown|sudo|doas|su|env)$/;
/** Options whose value is a command line wherever they are met. */
const COMMAND_OPTION = /^--(?:command|cmd|exec|execute|exec-cmd|run-command|shell-command|sh-exec)(?:=|$)/;

const isRun = (text: string): boolean => RUN.test(programName(text)) || isShell(programName(text));
const isCommandText = (field: Field): boolean => isRun(field.text.trimStart().split(/\s/)[0] ?? '');

/** What such a program starts, if it starts things; `known` when a table has it, so that only its odd options are left to look at. */
export function strangerCommands(command: Invocation, known: boolean): Inner[] {
  const { argv } = command;
  if (argv.length < 3 || TEXT_TAKERS.has(command.name) || isShell(command.name) || interpreterOf(command.name) !== undefined) return [];
  const found: Inner[] = [];
  for (const [index, field] of argv.entries()) {
    if (index === 0) continue;
    // Seven hundred wrappers in each other are looked through at every level: what a table has is left to it.
    const takesCommand = field.text.startsWith('--') && COMMAND_OPTION.test(field.text);
    if (!takesCommand && (known || (field.text !== '--' && !isRun(field.text)))) continue;
    const rest = argv.slice(index);
    if (takesCommand) {
      const equals = field.text.indexOf('=');
      const text = equals === -1 ? rest[1] : sliceField(field, equals + 1);
      if (text !== undefined && isCommandText(text)) found.push({ kind: 'script', text });
    }
    if (known) continue;
    const behindDashes = field.text === '--' && rest.length > 2 && isRun(rest[1]?.text ?? '');
    if (behindDashes) found.push({ kind: 'argv', fields: rest.slice(1) });
    else if (isSpelledOut(rest)) found.push({ kind: 'argv', fields: rest });
    if (found.length > 0) break;
  }
  return found;
}

/** `sh -c TEXT`, `rm -rf /path`, `dd of=…`, `mkfs /dev/…`: words that nobody lines up for another reason. */
function isSpelledOut(words: readonly Field[]): boolean {
  const [program, flag, operand] = words;
  const name = programName(program?.text);
  if (isShell(name)) return /^-\w*c$/.test(flag?.text ?? '') && operand !== undefined;
  const reaches = words.slice(1).some((field) => /^(?:[/~\uE001]|of=\/)/.test(field.text));
  if (name === 'rm') return /^-\w*[rRf]|^--(?:recursive|force)$/.test(flag?.text ?? '') && reaches;
  if (name === 'sudo' || name === 'doas') return isRun(flag?.text ?? '') && words.length > 2;
  return /^(?:dd|shred|wipefs|mkfs(?:\.\w+)?)$/.test(name) && reaches;
}
