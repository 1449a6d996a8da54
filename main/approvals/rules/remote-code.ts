/** Code from elsewhere: downloads, decoded text and pipes that end in something that runs them. */
import type { Invocation } from '../parse/model.ts';
import { interpreterOf, readInterpreter } from '../parse/interpreters.ts';
import { readOptions } from '../parse/options.ts';
import { isInputFile, isOpenFile, isShell, readShell } from '../parse/shells.ts';
import { type Field, isUnknown } from '../parse/text.ts';
import { WRAPPERS } from '../parse/wrappers.ts';
import { type Facts, type Hit, hitCommand, hitField, inputText, producers, type Rule, shown, substituted } from './rule.ts';

const DOWNLOADERS = new Set(['curl', 'wget', 'wget2', 'aria2c', 'http', 'https', 'httpie', 'xh', 'fetch', 'lynx', 'w3m', 'links', 'elinks', 'nc', 'ncat', 'netcat', 'socat', 'telnet', 'ftp', 'tftp', 'lwp-request', 'get', 'iwr', 'irm', 'invoke-webrequest', 'invoke-restmethod', 'axel', 'openssl-s_client', 'dig', 'nslookup', 'gh', 'gsutil', 'scp', 'ssh']);

/** What they print of their own is no download. */
const printsItself = (command: Invocation): boolean => command.name === 'gh' && command.argv[1]?.text === 'completion';

const isDownload = (command: Invocation): boolean => (DOWNLOADERS.has(command.name) && !printsItself(command)) || (command.name === 'aws' && command.argv.some((field) => field.text === 's3')) || (command.name === 'openssl' && command.argv[1]?.text === 's_client');

/** Programs that turn unreadable text into commands. */
function isDecoder(command: Invocation): boolean {
  const flag = (pattern: RegExp): boolean => command.argv.slice(1).some((field) => pattern.test(field.text));
  switch (command.name) {
    case 'base64': case 'base32': case 'base16': case 'basenc': case 'uudecode': case 'gbase64':
      return command.name === 'uudecode' || flag(/^-(?:\w*[dD]\w*)$/) || flag(/^--d/);
    case 'xxd':
      return flag(/^-\w*r/);
    case 'openssl':
      return flag(/^-(?:d|a?d|decrypt)$/);
    case 'tr': case 'rev': case 'gunzip': case 'zcat': case 'bunzip2': case 'xzcat': case 'gpg': case 'ascii85': case 'rot13': case 'unxz': case 'zstdcat':
      return true;
    case 'gzip': case 'xz': case 'bzip2': case 'zstd':
      return flag(/^-\w*d|^--dec/);
    default:
      return false;
  }
}

const SSH = WRAPPERS.get('ssh') ?? {};

/** `ssh host` without a command: the shell at the other end runs what comes in. */
function opensRemoteShell(command: Invocation): boolean {
  if (command.name !== 'ssh') return false;
  const { options, operands } = readOptions(command.argv, SSH);
  // OpenSSH reads options behind the host too.
  return operands.length > 0 && readOptions(operands, SSH).operands.length === 0 && !options.some((option) => !option.long && /^[NVQGOfW]$/.test(option.name));
}

const SUDO = WRAPPERS.get('sudo') ?? {};

/** `su -`, `sudo -i` without a command: the shell of another user runs what comes in. */
function opensUserShell(command: Invocation): boolean {
  if (command.name === 'su') return !command.argv.some((field) => /^-\w*c$|^--(?:session-)?command/.test(field.text));
  if (command.name !== 'sudo') return false;
  const { options, operands } = readOptions(command.argv, SUDO);
  return operands.length === 0 && options.some((option) => ['i', 's', 'login', 'shell'].includes(option.name));
}

/** Whether the command runs what it reads: a shell or an interpreter without a script, `source /dev/stdin`. */
function runsInput(command: Invocation): 'shell' | 'interpreter' | undefined {
  if (isShell(command.name)) {
    const call = readShell(command);
    const evaluatesInput = call.script !== undefined && /\$\(\s*(?:cat|<\s*\/dev\/stdin)\b|\beval\b.*\bcat\b|^\s*(?:\.|source|bash|sh)\s+\/dev\/stdin/.test(call.script.text);
    return call.readsInput || evaluatesInput ? 'shell' : undefined;
  }
  if (/^(?:source|\.)$/.test(command.name)) return isInputFile(command.argv[1]?.text ?? '') ? 'shell' : undefined;
  if (/^(?:powershell|pwsh)$/.test(command.name)) return command.argv.length === 1 || command.argv.some((field) => field.text === '-') ? 'shell' : undefined;
  if (command.name === 'iex' || command.name === 'invoke-expression' || opensRemoteShell(command) || opensUserShell(command)) return 'shell';
  return readInterpreter(command)?.readsInput === true ? 'interpreter' : undefined;
}

function pipesDownload(command: Invocation, facts: Facts): Hit | undefined {
  if (command.input?.kind !== 'pipe' || runsInput(command) === undefined) return undefined;
  const source = producers(command, facts).find(isDownload);
  return source === undefined ? undefined : { effect: `runs what ${source.name} fetches, unseen`, start: source.start, end: command.end };
}

function pipesDecoded(command: Invocation, facts: Facts): Hit | undefined {
  if (command.input?.kind !== 'pipe' || runsInput(command) === undefined) return undefined;
  const all = producers(command, facts);
  if (all.some(isDownload)) return undefined;
  const source = all.find(isDecoder);
  return source === undefined ? undefined : { effect: 'runs text that was encoded or scrambled', start: source.start, end: command.end };
}

function pipesAnything(command: Invocation, facts: Facts): Hit | undefined {
  if (command.input?.kind !== 'pipe') return undefined;
  const runner = runsInput(command);
  if (runner === undefined) return undefined;
  const all = producers(command, facts);
  if (all.some(isDownload) || all.some(isDecoder)) return undefined;
  return hitCommand(`runs what comes through the pipe as a ${runner === 'shell' ? 'shell script' : 'program'}`, command);
}

/** Tools that print shell settings for eval and source, by design (`ssh-agent -s`, `direnv hook bash`, `kubectl completion bash`). */
const GENERATORS = new Set(['ssh-agent', 'gpg-agent', 'dircolors', 'gdircolors', 'keychain', 'lesspipe', 'lesspipe.sh', 'locale', 'tset', 'resize', 'register-python-argcomplete', 'thefuck', 'luarocks', 'opam', 'rbenv', 'pyenv', 'nodenv', 'jenv', 'goenv', 'fnm', 'starship', 'zoxide', 'mcfly', 'atuin', 'direnv', 'mise', 'rtx', 'asdf', 'brew', 'conda', 'mamba', 'micromamba', 'fzf', 'navi', 'sheldon', 'antibody', 'vivid', 'perlbrew', 'plenv', 'swiftenv', 'tfenv', 'volta']);
const GENERATING = /^(?:init|hook|env|shellenv|completion|completions|--completion|--completions|completion-script|activate|shell\.\w+|docker-env|config-env|--init|shell-init|autocomplete|--bash-completion|podman-env)$/;
const READERS = new Set(['cat', 'echo', 'printf', 'head', 'tail', 'sed', 'awk', 'grep', 'python', 'python3', 'perl', 'ruby', 'node', 'jq', 'find', 'env']);

/** Whether every command in the substitution is one that prints shell settings. */
export function printsSettings(commands: readonly Invocation[]): boolean {
  if (commands.some((command) => isDownload(command) || isDecoder(command) || READERS.has(command.name))) return false;
  const generates = (command: Invocation): boolean => command.argv.slice(1, 4).some((field) => GENERATING.test(field.text));
  // `mise activate` looks like a wrapper around a program called activate.
  const started = commands.filter((command) => !commands.some((other) => other.index === command.parent && generates(other)));
  return started.length > 0 && started.every((command) => GENERATORS.has(command.name) || generates(command));
}

const runsSubstituted = (command: Invocation): readonly Field[] => {
  if (/^(?:eval|source|\.|iex|invoke-expression)$/.test(command.name)) return command.argv.slice(1);
  if (isShell(command.name)) {
    const { script, file } = readShell(command);
    return script !== undefined ? [script] : file !== undefined ? [file] : [];
  }
  const call = readInterpreter(command);
  return call?.code !== undefined ? [call.code] : call?.file !== undefined ? [call.file] : [];
};

/** `/dev/fd/3` as typed; a `<(…)` has such a name too, but says what writes into it. */
const namesOpenFile = (field: Field): boolean => field.substitutions.length === 0 && isOpenFile(field.text);

function evaluates(command: Invocation, facts: Facts): Hit | undefined {
  const fields = runsSubstituted(command);
  const inner = substituted(fields, facts);
  const download = inner.find(isDownload);
  if (download !== undefined) return hitCommand(`runs what ${download.name} fetches, unseen`, command);
  if (inner.some(isDecoder)) return hitCommand('runs text that was encoded or scrambled', command);
  if (fields.some(namesOpenFile)) return hitCommand('runs what comes in over a file that is already open', command);
  const isProcess = fields.some((field) => field.substitutions.some((substitution) => substitution.kind === 'reads'));
  if (isProcess && !printsSettings(inner)) return hitCommand('runs what another command prints', command);
  return undefined;
}

/** `bash < <(curl …)`, `sh <<< "$(curl …)"`. */
function reads(command: Invocation, facts: Facts): Hit | undefined {
  const { input } = command;
  if (input === undefined || input.kind === 'pipe' || runsInput(command) === undefined) return undefined;
  const substitutions = input.kind === 'file' ? input.target.substitutions : input.substitutions;
  const inner = substitutions.flatMap((substitution) => substitution.commands.flatMap((index) => facts.all[index] ?? []));
  if (input.kind === 'file' && namesOpenFile(input.target)) return hitCommand('runs what comes in over a file that is already open', command);
  const bad = inner.find((each) => isDownload(each) || isDecoder(each));
  if (bad !== undefined) return hitCommand(`runs what ${bad.name} prints, unseen`, command);
  return input.kind === 'file' && inner.length > 0 ? hitCommand('runs what another command prints', command) : undefined;
}

/** The commands `eval` and `source` are given but that nothing in the line spells. */
function evaluatesUnknown(command: Invocation, facts: Facts): Hit | undefined {
  if (command.name !== 'eval') return undefined;
  const dynamic = command.argv.slice(1).find((field) => isUnknown(field.text));
  if (dynamic === undefined || printsSettings(substituted([dynamic], facts))) return undefined;
  return hitField('runs text that only the running shell knows', dynamic);
}

const baseName = (text: string): string => text.replace(/[?#].*$/, '').replace(/\/+$/, '').split('/').at(-1) ?? '';
const sameFile = (text: string): string => text.replace(/^(?:\.\/)+/, '');

/** Files that a download in the line leaves behind. */
function downloaded(command: Invocation): string[] {
  const found: string[] = [];
  const { argv } = command;
  for (const redirect of command.redirects) if (redirect.operator !== '<') found.push(redirect.target.text);
  const next = (index: number): string => argv[index + 1]?.text ?? '';
  let named = false;
  for (const [index, { text }] of argv.entries()) {
    const output = command.name === 'curl' ? /^(?:-\w*o|--output)$/ : /^(?:-\w*O|--output-document|--out|-OutFile)$/i;
    const attached = /^--(?:output|output-document|out)=(.+)$/.exec(text)?.[1] ?? (command.name === 'curl' ? /^-o(.+)$/.exec(text)?.[1] : undefined);
    if (index > 0 && output.test(text) && !(command.name === 'curl' && text === '-O')) {
      found.push(next(index));
      named = true;
    } else if (attached !== undefined) {
      found.push(attached);
      named = true;
    }
  }
  const folder = argv.findIndex(({ text }) => (command.name === 'curl' ? text === '--output-dir' : /^(?:-\w*P|--directory-prefix)$/.test(text)));
  const below = folder === -1 ? (/^--(?:directory-prefix|output-dir)=(.+)$/.exec(argv.find(({ text }) => /^--(?:directory-prefix|output-dir)=/.test(text))?.text ?? '')?.[1] ?? '') : next(folder);
  const remoteName = /^(?:wget|aria2c$|axel$)/.test(command.name) || argv.some((field) => /^-\w*O|^--remote-name/.test(field.text));
  if (!named && remoteName) found.push(...argv.slice(1).filter((field) => !field.text.startsWith('-')).map((field) => baseName(field.text)));
  return found.map((name) => sameFile(below === '' ? name : `${below.replace(/\/+$/, '')}/${name}`)).filter((name) => name !== '' && name !== '-');
}

/** The file that a command runs, when it is one. */
function ranFile(command: Invocation): string | undefined {
  const program = command.argv[0]?.text ?? '';
  if (program.includes('/')) return sameFile(program);
  if (/^(?:source|\.)$/.test(command.name)) return sameFile(command.argv[1]?.text ?? '');
  const file = isShell(command.name) ? readShell(command).file : readInterpreter(command)?.file;
  if (file !== undefined) return sameFile(file.text);
  return command.input?.kind === 'file' && (isShell(command.name) || interpreterOf(command.name) !== undefined) ? sameFile(command.input.target.text) : undefined;
}

function earlier(command: Invocation, facts: Facts, name: RegExp | ((each: Invocation) => boolean)): Invocation[] {
  const found: Invocation[] = [];
  for (let index = command.index - 1; index >= 0 && command.index - index < 40; index--) {
    const each = facts.all[index];
    if (each !== undefined && (typeof name === 'function' ? name(each) : name.test(each.name))) found.push(each);
  }
  return found;
}

function runsDownloaded(command: Invocation, facts: Facts): Hit | undefined {
  const file = ranFile(command);
  if (file === undefined || file === '') return undefined;
  const keeps = (each: Invocation): boolean => each.name === 'tee' && producers(each, facts).some(isDownload) && each.argv.slice(1).some((field) => sameFile(field.text) === file);
  const source = earlier(command, facts, isDownload).find((each) => downloaded(each).includes(file)) ?? earlier(command, facts, keeps)[0];
  return source === undefined ? undefined : hitCommand(`runs ${shown(file)}, which was fetched just before`, command);
}

/** Text that was decoded into a file and is then run. Line-end filters such as `tr` are no disguise for a file. */
function runsDecoded(command: Invocation, facts: Facts): Hit | undefined {
  const file = ranFile(command);
  if (file === undefined || file === '') return undefined;
  const hides = (each: Invocation): boolean => /^g?(?:base\w+|xxd|openssl|uudecode)$/.test(each.name) && isDecoder(each);
  const source = earlier(command, facts, hides).find((each) => downloaded(each).includes(file) || each.argv.some((field, index) => field.text === '-out' && sameFile(each.argv[index + 1]?.text ?? '') === file));
  return source === undefined ? undefined : { effect: `runs ${shown(file)}, which was decoded just before`, start: source.start, end: command.end };
}

function chmodThenRun(command: Invocation, facts: Facts): Hit | undefined {
  const program = command.argv[0]?.text ?? '';
  if (!program.includes('/')) return undefined;
  const made = earlier(command, facts, /^chmod$/).find((each) => {
    const mode = each.argv.slice(1).find((field) => !/^-[RvcfA-Z]+$/.test(field.text));
    const files = each.argv.slice(2).map((field) => sameFile(field.text));
    const adds = /^[ugoa]*\+[rwsXt]*x/.test(mode?.text ?? '');
    const numeric = /^[0-7]{3,4}$/.test(mode?.text ?? '') && (Number.parseInt(mode?.text ?? '0', 8) & 0o111) !== 0;
    return (adds && (program.startsWith('./') || files.includes(sameFile(program)))) || (numeric && files.includes(sameFile(program)));
  });
  return made === undefined ? undefined : { effect: `makes ${shown(program)} a program and runs it`, start: made.start, end: command.end };
}

/** Network connections tied to a shell. */
function reverseShell(command: Invocation, facts: Facts): Hit | undefined {
  const socket = [...command.redirects.map((redirect) => redirect.target), ...(isShell(command.name) || command.name === 'exec' ? command.argv.slice(1) : [])].find((field) => /\/dev\/(?:tcp|udp)\//.test(field.text));
  if (socket !== undefined) return hitField('opens a raw connection to another machine', socket);
  const texts = command.argv.slice(1).map((field) => field.text);
  if (/^(?:nc|ncat|netcat|nc\.\w+)$/.test(command.name) && texts.some((text) => /^-[a-z]*[ec]$|^--(?:exec|sh-exec|lua-exec)/.test(text))) return hitCommand('hands a shell to the network', command);
  if (command.name === 'socat' && texts.some((text) => /^(?:exec|system|shell):/i.test(text) || /,?(?:exec|system):/i.test(text))) return hitCommand('hands a program to the network', command);
  if (/^u?xterm$|^urxvt$/.test(command.name) && texts.some((text, index) => /^--?display$/.test(texts[index - 1] ?? '') && /^[^:]/.test(text))) return hitCommand('opens a terminal on another machine’s screen', command);
  if (isShell(command.name) && texts.some((text) => /^-\w*i/.test(text)) && command.input?.kind === 'pipe') return hitCommand('ties an interactive shell to a pipe', command);
  const networks = /^(?:nc|ncat|netcat|telnet|socat)$/.test(command.name) || (command.name === 'openssl' && texts[0] === 's_client');
  return networks && producers(command, facts).some((each) => isShell(each.name)) ? hitCommand('hands a shell to the network', command) : undefined;
}

const rule = (key: string, pattern: string, test: Rule['test'], programs: Rule['programs'] = 'any', tier: Rule['tier'] = 'danger', also?: Rule['also']): Rule => ({ key, class: 'remote-code', tier, programs, pattern, test, ...(also === undefined ? {} : { also }) });

const isHeredocShell = (command: Invocation, facts: Facts): Hit | undefined => {
  const { input } = command;
  if (input?.kind !== 'heredoc' && input?.kind !== 'here-string') return undefined;
  const remote = opensRemoteShell(command);
  const asUser = /^(?:su|runuser)$/.test(command.name) || (command.name === 'sudo' && !facts.all.some((each) => each.parent === command.index) && command.argv.some((field) => /^-\w*[is]/.test(field.text)));
  if (!remote && !asUser && !(isShell(command.name) && readShell(command).readsInput)) return undefined;
  return inputText(command) === '' ? undefined : hitCommand('runs the lines below as a script', command);
};

export const remoteCodeRules: readonly Rule[] = [
  rule('pipe remote content to shell', 'curl … | sh, wget … | python', pipesDownload, [], 'danger', 'input'),
  rule('decode and run encoded text', 'base64 -d | sh, xxd -r | sh, tr | sh, openssl -d | sh', pipesDecoded, [], 'danger', 'input'),
  rule('pipe text to a shell or interpreter', 'anything | sh, anything | python', pipesAnything, [], 'danger', 'input'),
  rule('execute remote script via substitution', 'bash <(curl …), eval "$(curl …)", source <(wget …)', evaluates),
  rule('execute redirected script text', 'bash < <(curl …), sh <<< "$(…)"', reads, [], 'danger', 'input'),
  rule('eval of unknown text', 'eval "$TEXT"', evaluatesUnknown, ['eval'], 'unknown'),
  rule('download followed by execution', 'curl -o f …; bash f, wget … && ./f', runsDownloaded),
  rule('decode to a file and run it', 'base64 -d x > f; sh f', runsDecoded),
  rule('chmod +x followed by immediate execution', 'chmod +x f && ./f', chmodThenRun),
  rule('reverse shell or raw network connection', '/dev/tcp/…, nc -e, socat EXEC:', reverseShell),
  rule('shell execution via heredoc', 'bash <<EOF, sh <<< text, ssh host <<EOF', isHeredocShell, [], 'danger', 'input'),
];
