/** Program text handed over on the command line. */
import type { Invocation } from '../parse/model.ts';
import { interpreterOf, readInterpreter } from '../parse/interpreters.ts';
import { isShell, readShell } from '../parse/shells.ts';
import { readGit } from '../parse/program-git.ts';
import { powershellText } from '../parse/program-windows.ts';
import { programName } from '../parse/place.ts';
import { type Hit, hitCommand, type Rule, shown } from './rule.ts';

function shellFlag(command: Invocation): Hit | undefined {
  if (!isShell(command.name)) return undefined;
  const call = readShell(command);
  if (call.flag !== undefined) return hitCommand('runs a script given on the command line', command);
  return undefined;
}

function codeFlag(command: Invocation): Hit | undefined {
  if (command.name === 'powershell' || command.name === 'pwsh') return powershellText(command.argv).flag === undefined ? undefined : hitCommand('runs PowerShell text', command);
  // `python -m timeit TEXT` runs its words as code.
  const measures = command.argv.findIndex((field, index) => field.text === 'timeit' && command.argv[index - 1]?.text === '-m');
  if (measures !== -1 && measures + 1 < command.argv.length && interpreterOf(command.name) !== undefined) return hitCommand(`runs ${command.name} code given on the command line`, command);
  return readInterpreter(command)?.code === undefined ? undefined : hitCommand(`runs ${command.name} code given on the command line`, command);
}

function codeInput(command: Invocation): Hit | undefined {
  const { input } = command;
  if (input?.kind !== 'heredoc' && input?.kind !== 'here-string') return undefined;
  return readInterpreter(command)?.readsInput === true ? hitCommand(`runs the lines below as a ${command.name} program`, command) : undefined;
}

const PRELOADS = /^(?:LD_PRELOAD|LD_AUDIT|DYLD_INSERT_LIBRARIES|BASH_ENV|PERL5OPT|RUBYOPT|PYTHONSTARTUP|PYTHONINSPECT|PERL5DB|JAVA_TOOL_OPTIONS|BASH_FUNC_.*)$/;
const REQUIRES = /(?:^|\s)(?:--require|-r|--import|--loader|--experimental-loader)\b/;

/** Variables that make the next program load code. */
function preloads(command: Invocation): Hit | undefined {
  for (const setting of command.settings) {
    if ((PRELOADS.test(setting.name) || (setting.name === 'NODE_OPTIONS' && REQUIRES.test(setting.value.text))) && (setting.value.text !== '' || setting.value.substitutions.length > 0)) {
      return { effect: `loads ${setting.name} code into the program`, start: setting.start, end: setting.end };
    }
  }
  if (!/^(?:export|declare|typeset)$/.test(command.name)) return undefined;
  const word = command.argv.find((field) => PRELOADS.test(field.text.split('=')[0] ?? '') && /=./.test(field.text));
  return word === undefined ? undefined : { effect: 'loads code into every program that follows', start: word.start, end: word.end };
}

/** rg, sort, ag and man run the program that these options name. */
const TOOL_OPTIONS = new Map<string, readonly string[]>([
  ['rg', ['--pre', '--hostname-bin']],
  ['sort', ['--compress-program']],
  ['gsort', ['--compress-program']],
  ['ag', ['--pager']],
  ['ack', ['--pager']],
  ['man', ['--pager', '--html', '-P', '-H']],
  ['zip', ['-TT', '--unzip-command']],
  ['less', ['--lesskey-content']],
  ['tar', ['--to-command', '--use-compress-program', '--checkpoint-action', '--info-script', '--new-volume-script', '--rsh-command', '--rmt-command', '-I', '-F']],
  ['rsync', ['--rsync-path']],
]);
/** Cut-off spellings that GNU programs accept; one letter shorter would be ambiguous for these. */
const SHORTEST = 6;
const COMPRESSORS = /^(?:(?:\S*\/)?(?:un)?(?:p?i?gzip|pigz|plzip|lbzip2|zstd|xz|p?bzip2|lz4|brotli|lzop?|lzma|zstdmt|pixz)(?:\s+-[\w-]+(?:=\w+)?)*)$/;

/** `git grep -O./x`, `git grep --open-files-in-pager=./x`. */
function grepPager(command: Invocation): Hit | undefined {
  const { verb, rest } = readGit(command);
  const word = verb?.text === 'grep' ? rest.find((field) => /^-O.|^--open-files-in-pager=./.test(field.text)) : undefined;
  return word === undefined || /^-O(?:less|more|vim?|nano|cat)$/.test(word.text) ? undefined : { effect: 'runs a program on what it finds', start: word.start, end: word.end };
}

function toolProgram(command: Invocation): Hit | undefined {
  const names = TOOL_OPTIONS.get(command.name);
  if (names === undefined) return undefined;
  for (const [index, field] of command.argv.entries()) {
    if (index === 0) continue;
    if (field.text === '--') break;
    // What stands behind `-e` is a pattern, whatever it looks like.
    if (command.name === 'rg' && /^(?:-e|--regexp)$/.test(command.argv[index - 1]?.text ?? '')) continue;
    const [given = '', value] = field.text.split('=', 2);
    const matched = names.find((name) => given === name || (name.startsWith('--') && command.name !== 'rg' && given.length >= SHORTEST && name.startsWith(given)) || (!name.startsWith('--') && name !== '-TT' && /^-[A-Z]/.test(name) && field.text.startsWith(name)));
    if (matched !== undefined) {
      const program = value ?? (given.length > 2 && !given.startsWith('--') ? given.slice(2) : command.argv[index + 1]?.text) ?? '';
      if (command.name === 'tar' && (COMPRESSORS.test(program) || /^--checkpoint-action$/.test(matched) && !/exec/.test(field.text + program))) continue;
      return { effect: `runs ${program === '' ? 'a program' : program} while reading`, start: field.start, end: field.end };
    }
    const dynamic = field.glob && field.text.startsWith('-');
    if (dynamic && ['rg', 'sort', 'ag', 'man'].includes(command.name)) return { effect: 'may turn into an option that runs a program', start: field.start, end: field.end };
  }
  return undefined;
}

/** make hands every recipe to the program that SHELL names. */
function makeShell(command: Invocation): Hit | undefined {
  const word = command.argv.slice(1).find((field) => /^SHELL\??:{0,3}=./.test(field.text) && !isShell(programName(field.text.slice(field.text.indexOf('=') + 1).trim())));
  return word === undefined ? undefined : { effect: `hands every recipe to ${shown(word.text.slice(word.text.indexOf('=') + 1))}`, start: word.start, end: word.end };
}

const rule = (key: string, pattern: string, test: Rule['test'], programs: Rule['programs'] = 'any'): Rule => ({ key, class: 'interpreter', tier: 'danger', programs, pattern, test });

export const interpreterRules: readonly Rule[] = [
  rule('shell command via -c/-lc flag', 'sh -c, bash -lc, zsh -c, ksh -c, dash -c, fish -c', shellFlag),
  rule('script execution via -e/-c flag', 'python -c, node -e, perl -e, ruby -e, php -r, bun -e, deno eval, powershell -Command', codeFlag),
  { ...rule('script execution via heredoc', 'python <<EOF, node <<EOF, ruby <<< text', codeInput, []), also: 'input' },
  { ...rule('code preloaded through a variable', 'LD_PRELOAD=, BASH_ENV=, NODE_OPTIONS=--require', preloads, ['export', 'declare', 'typeset']), also: 'settings' },
  rule('read tool that runs a program', 'rg --pre, sort --compress-program, ag --pager, man -P, tar --to-command', toolProgram, [...TOOL_OPTIONS.keys()]),
  rule('shell of make', 'make SHELL=./x', makeShell, ['make', 'gmake', 'bmake']),
  rule('pager of git grep', 'git grep -O./x', grepPager, ['git']),
];
