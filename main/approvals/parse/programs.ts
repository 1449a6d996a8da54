/** Programs that start others in ways of their own; the plain wrappers are in `wrappers.ts`. */
import { editorPrograms, lineEditor, writesFile } from './program-editors.ts';
import { gitPrograms } from './program-git.ts';
import type { Inner, Invocation, ProgramReader } from './model.ts';
import { readOptions } from './options.ts';
import { isInputFile, printedScript, REST_OF_SCRIPT } from './shells.ts';
import { findCommands, parallelCommands, xargsCommands } from './program-lists.ts';
import { makePrograms } from './program-make.ts';
import { remotePrograms } from './program-remote.ts';
import { terminalPrograms } from './program-terminals.ts';
import { windowsPrograms } from './program-windows.ts';
import { blockText, type Field, joinTexts, madeField, sliceField, UNKNOWN } from './text.ts';
import { subscriptScript } from './texts-expanded.ts';
import { WRAPPERS } from './wrappers.ts';

/** Lines of an input that are read. */
const MAX_LINES = 200;

const script = (text: Field | undefined): Inner[] => (text === undefined ? [] : [{ kind: 'script', text }]);

/** Values of the given options as scripts, wherever they stand. */
function optionScripts(...names: readonly string[]): ProgramReader {
  return (command) => {
    const found: Inner[] = [];
    for (const [index, field] of command.argv.entries()) {
      for (const name of names) {
        if (field.text === name) found.push(...script(command.argv[index + 1]));
        else if (field.text.startsWith(`${name}=`)) found.push(...script(sliceField(field, name.length + 1)));
        else if (name.length === 2 && field.text.startsWith(name) && !field.text.startsWith('--')) found.push(...script(sliceField(field, 2)));
      }
    }
    return found;
  };
}

function evaluated(command: Invocation): Inner[] {
  const operands = command.argv.slice(1).filter((field, index) => !(index === 0 && field.text === '--'));
  if (operands.length === 0) return [];
  const text = joinTexts(operands, ' ');
  // A text that is unknown as a whole is judged by what prints it, not as a program of that name.
  return text.text.trim() === UNKNOWN ? [] : [{ kind: 'script', text }];
}

/** `source <(echo …)`, `. /dev/stdin <<< …`. */
function sourced(command: Invocation): Inner[] {
  const file = command.argv[1];
  if (file === undefined) return [];
  const printed = printedScript(file);
  if (printed !== undefined) return [printed];
  const { input } = command;
  const readsInput = isInputFile(file.text);
  return readsInput && input !== undefined && input.kind !== 'file' && input.literal !== undefined ? [{ kind: 'script', text: input.literal, input: REST_OF_SCRIPT }] : [];
}

/** `sudo -s`, `sudo -i` without a program: root's shell runs what comes in. */
function rootShell(command: Invocation): Inner[] {
  const { options, operands } = readOptions(command.argv, WRAPPERS.get('sudo') ?? {});
  const { input } = command;
  const opens = operands.length === 0 && options.some((option) => ['s', 'i', 'shell', 'login'].includes(option.name));
  return opens && input !== undefined && input.kind !== 'file' && input.literal !== undefined ? [{ kind: 'script', text: input.literal }] : [];
}

/** `coreutils --coreutils-prog=rm -rf x`. */
function multiCall(command: Invocation): Inner[] {
  const [, first, ...rest] = command.argv;
  if (first === undefined) return [];
  const program = /^--coreutils-prog(?:-shebang)?=/.exec(first.text)?.[0].length;
  return [{ kind: 'argv', fields: [program === undefined ? first : sliceField(first, program), ...rest] }];
}

/** `test -v 'a[$(cmd)]'`, `let 'a[$(cmd)]=1'`: bash works out the subscript of a name that it is given as text. */
const subscripts: ProgramReader = (command) => command.argv.slice(1).flatMap(subscriptScript);

function trapped(command: Invocation): Inner[] {
  const first = command.argv.slice(1).find((field) => !/^-[lpP]$|^--$/.test(field.text));
  return first === undefined || command.argv.length < 3 || first.text === '-' ? [] : script(first);
}

function aliased(command: Invocation): Inner[] {
  return command.argv.slice(1).flatMap((field) => {
    const equals = field.text.indexOf('=');
    return equals < 1 ? [] : script(sliceField(field, equals + 1));
  });
}

function switchedUser(command: Invocation): Inner[] {
  const { options, operands } = readOptions(command.argv, { short: 'cgGswuT', flags: 'lmpfP', long: ['command', 'session-command', 'group', 'supp-group', 'shell', 'user', 'whitelist-environment'], permute: true });
  const found = options.filter((option) => ['c', 'command', 'session-command'].includes(option.name)).flatMap((option) => script(option.value));
  if (found.length > 0) return found;
  const late = command.argv.findIndex((field) => field.text === '-c');
  if (late !== -1) return script(command.argv[late + 1]);
  const asUser = options.some((option) => option.name === 'u' || option.name === 'user');
  if (asUser && command.name === 'runuser' && operands.length > 0) return [{ kind: 'argv', fields: operands }];
  const { input } = command;
  return input !== undefined && input.kind !== 'file' && input.literal !== undefined ? [{ kind: 'script', text: input.literal }] : [];
}

function typescripted(command: Invocation): Inner[] {
  const { options, operands } = readOptions(command.argv, { short: 'cEIoBmOTt', flags: 'aefqrdpk', long: ['command', 'echo', 'log-in', 'log-out', 'log-io', 'log-timing', 'logging-format', 'output-limit'], permute: true });
  const scripts = options.filter((option) => option.name === 'c' || option.name === 'command').flatMap((option) => script(option.value));
  if (scripts.length > 0) return scripts;
  return operands.length > 1 ? [{ kind: 'argv', fields: operands.slice(1) }] : [];
}

function tar(command: Invocation): Inner[] {
  const found = [...optionScripts('--to-command', '--use-compress-program', '-I', '--info-script', '--new-volume-script', '--rsh-command', '--rmt-command', '-F')(command, [])];
  for (const field of command.argv.slice(1)) {
    const action = /^--checkpoint-action=exec=/.exec(field.text);
    if (action !== null) found.push(...script(sliceField(field, action[0].length)));
  }
  const split = command.argv.findIndex((field) => field.text === '--checkpoint-action');
  const next = split === -1 ? undefined : command.argv[split + 1];
  if (next?.text.startsWith('exec=') === true) found.push(...script(sliceField(next, 5)));
  return found;
}

/** Options of ssh's family that start programs here: `-o ProxyCommand=…`. */
function sshOptions(command: Invocation): Inner[] {
  const found: Inner[] = [];
  for (const [index, field] of command.argv.entries()) {
    const attached = field.text.startsWith('-o') && field.text.length > 2 ? sliceField(field, 2) : undefined;
    const value = attached ?? (field.text === '-o' ? command.argv[index + 1] : undefined);
    const match = value === undefined ? null : /^\s*(?:ProxyCommand|LocalCommand|KnownHostsCommand|PermitLocalCommand|RemoteCommand|PKCS11Provider|SecurityKeyProvider)\s*[= ]\s*/i.exec(value.text);
    if (value !== undefined && match !== null && !/^(?:yes|no|none)$/.test(value.text.slice(match[0].length))) found.push(...script(sliceField(value, match[0].length)));
  }
  if (command.name === 'scp' || command.name === 'sftp') found.push(...optionScripts('-S')(command, []));
  return found;
}

/** Input of a remote shell that was given no command: the lines are run there. */
function sshInput(command: Invocation): Inner[] {
  const { operands } = readOptions(command.argv, { short: 'BbcDEeFIiJLlMmOopQRSWw' });
  const { input } = command;
  return operands.length === 1 && input !== undefined && input.kind !== 'file' && input.literal !== undefined ? [{ kind: 'script', text: input.literal }] : [];
}

function scheduled(command: Invocation): Inner[] {
  const { input } = command;
  return input !== undefined && input.kind !== 'file' && input.literal !== undefined ? [{ kind: 'script', text: input.literal }] : [];
}

/** `start-stop-daemon --start --exec PROGRAM -- ARGUMENTS`. */
function daemon(command: Invocation): Inner[] {
  const at = command.argv.findIndex((field) => /^(?:-x|-a|--exec|--startas)$/.test(field.text));
  const program = at === -1 ? undefined : command.argv[at + 1];
  const dashes = command.argv.findIndex((field) => field.text === '--');
  return program === undefined || dashes === -1 ? [] : [{ kind: 'argv', fields: [program, ...command.argv.slice(dashes + 1)], background: true }];
}

/** less begins with the command behind a plus. */
function pagerStart(command: Invocation): Inner[] {
  return command.argv.slice(1).flatMap((field): Inner[] => {
    const at = /^\+\+?[^!|]*[!|]/.exec(field.text)?.[0].length;
    return at === undefined ? [] : script(sliceField(field, at));
  });
}

/** Each operand is a command line: concurrently, npm-run-all, mprocs. */
function linePerOperand(command: Invocation): Inner[] {
  const { operands } = readOptions(command.argv, { short: 'ncpkl', long: ['names', 'prefix', 'prefix-colors', 'kill-others', 'success', 'max-processes'], permute: true });
  return operands.flatMap((field) => script(field));
}

function cmake(command: Invocation): Inner[] {
  const at = command.argv.findIndex((field) => field.text === '-E');
  const rest = at === -1 ? [] : command.argv.slice(at + 1);
  const verb = rest[0];
  if (verb === undefined) return [];
  if (verb.text === 'env' || verb.text === 'time') return [{ kind: 'argv', fields: rest }];
  return /^(?:rm|remove|remove_directory)$/.test(verb.text) ? [{ kind: 'argv', fields: [{ ...verb, text: 'rm' }, ...(verb.text === 'remove_directory' ? [{ ...verb, text: '-r' }] : []), ...rest.slice(1)] }] : [];
}

/** Commands inside the client programs of databases and debuggers: `\! cmd`, `.shell cmd`, `shell cmd`. */
function clientEscapes(command: Invocation): Inner[] {
  const texts: Field[] = command.argv.slice(1);
  const { input } = command;
  const found: Inner[] = [];
  const look = (field: Field): void => {
    const match = /(?:^|\n|;)\s*(?:\\!|\.(?:shell|system)|!(?=\s*\w)|system\s|shell\s)\s*([^\n;]+)/.exec(field.text);
    // `COPY t FROM PROGRAM 'cmd'` runs on the machine of the server, which for most people is this one.
    const copied = /\bcopy\b[^;]*?\b(?:from|to)\s+program\s+'((?:[^']|'')*)'/i.exec(field.text);
    for (const text of [match?.[1], copied?.[1]?.replaceAll("''", "'")]) {
      if (text !== undefined) found.push(...script({ ...field, text, segments: [{ at: 0, start: field.start, end: field.end, linear: false }] }));
    }
  };
  for (const field of texts) look(field);
  if (input !== undefined && input.kind !== 'file' && input.literal !== undefined) look({ ...madeField('', command.start, command.end), ...input.literal });
  return found;
}

function hashed(command: Invocation): Inner[] {
  const at = command.argv.findIndex((field) => field.text === '-p');
  return at === -1 ? [] : script(command.argv[at + 1]);
}

/** Options of rsync that start programs, also at the end of a bundle: `-avze 'ssh -p 22'`. */
function synced(command: Invocation): Inner[] {
  const { options } = readOptions(command.argv, { short: 'efBTM@', long: ['rsh', 'rsync-path', 'filter', 'exclude', 'include', 'files-from', 'port', 'temp-dir'], permute: true });
  return options.filter((option) => ['e', 'rsh', 'rsync-path'].includes(option.name)).flatMap((option) => script(option.value));
}

/** Lines of a crontab: the command behind five times, or behind `@reboot`. */
function scheduleTable(command: Invocation): Inner[] {
  const { input, start, end } = command;
  if (input === undefined || input.kind === 'file' || input.literal === undefined) return [];
  return input.literal.text.split('\n').slice(0, MAX_LINES).flatMap((line): Inner[] => {
    const run = /^\s*(?:@\w+|(?:\S+\s+){4}\S+)\s+(.+)/.exec(line)?.[1];
    return run === undefined || line.trimStart().startsWith('#') ? [] : [{ kind: 'script', text: blockText(run, start, end) }];
  });
}

/** Addresses of socat that are programs: `EXEC:'sh -i',pty`, `SYSTEM:cmd`. */
function networkPrograms(command: Invocation): Inner[] {
  return command.argv.slice(1).flatMap((field): Inner[] => {
    const run = /^(?:exec|system|shell):([^,]*)/i.exec(field.text)?.[1];
    return run === undefined ? [] : [{ kind: 'script', text: blockText(run, field.start, field.end) }];
  });
}

/** fzf: what draws the preview and what its keys are bound to. */
function finder(command: Invocation): Inner[] {
  const bound = command.argv.slice(1).flatMap((field) => [...field.text.matchAll(/(?:execute(?:-silent|-multi)?|become|reload|transform(?:-\w+)?|preview)(?:\(([^)]*)\)|:(.+))/g)].map((match): Inner => ({ kind: 'script', text: blockText(match[1] ?? match[2] ?? '', field.start, field.end) })));
  return [...optionScripts('--preview')(command, []), ...bound];
}

/** Files that find writes into: a redirection in other words. */
function findWrites(command: Invocation): Inner[] {
  return command.argv.filter((_, index) => /^-(?:fprintf?0?|fls)$/.test(command.argv[index - 1]?.text ?? '')).flatMap((field) => writesFile(field.text, field));
}

const entries = (names: string, reader: ProgramReader): [string, ProgramReader][] => names.split(' ').map((name) => [name, reader]);
const both = (...readers: readonly ProgramReader[]): ProgramReader => (command, all) => readers.flatMap((reader) => [...reader(command, all)]);

export const PROGRAMS: ReadonlyMap<string, ProgramReader> = new Map<string, ProgramReader>([
  ...entries('eval', evaluated),
  ...entries('sudo', rootShell),
  ...entries('coreutils', multiCall),
  ...entries('test [ let declare typeset local export readonly printf read unset mapfile readarray wait', subscripts),
  ...entries('source .', sourced),
  ...entries('trap', trapped),
  ...entries('alias', aliased),
  ...entries('su runuser', switchedUser),
  ...entries('script', typescripted),
  ...entries('tar gtar bsdtar', tar),
  ...entries('ssh', both(sshOptions, sshInput)),
  ...entries('scp', sshOptions),
  ...entries('sftp', both(sshOptions, clientEscapes)),
  ...entries('rsync', synced),
  ...entries('zip', optionScripts('-TT', '--unzip-command')),
  ...entries('at batch', scheduled),
  ...entries('crontab', scheduleTable),
  ...entries('nc ncat netcat', optionScripts('-c', '-e', '--sh-exec', '--exec')),
  ...entries('socat', networkPrograms),
  ...entries('split gsplit', optionScripts('--filter')),
  ...entries('fzf sk', finder),
  ...entries('wget', optionScripts('--use-askpass')),
  ...entries('concurrently mprocs npm-run-all run-p run-s', linePerOperand),
  ...entries('cmake', cmake),
  ...entries('start-stop-daemon', daemon),
  ...entries('ed red', lineEditor),
  ...entries('less more most', pagerStart),
  ...entries('psql mysql mariadb sqlite3 gdb lldb ftp bc', clientEscapes),
  ...entries('hash', hashed),
  ...entries('mapfile readarray complete compgen bind', optionScripts('-C', '-x')),
  ...entries('vagrant', optionScripts('-c', '--command')),
  ...entries('find gfind bfs', both(findCommands, findWrites)),
  ...entries('fd fdfind', findCommands),
  ...entries('xargs gxargs', xargsCommands),
  ...entries('parallel rush sem', parallelCommands),
  ...entries('sort gsort', optionScripts('--compress-program')),
  ...entries('rg', optionScripts('--pre', '--hostname-bin')),
  ...entries('ag', optionScripts('--pager')),
  ...entries('man', optionScripts('--pager', '-P')),
  ...gitPrograms,
  ...makePrograms,
  ...remotePrograms,
  ...terminalPrograms,
  ...editorPrograms,
  ...windowsPrograms,
]);
