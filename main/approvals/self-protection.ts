/**
 * Commands that would end, restart or replace the program that runs them (hermes-runtime 4.14): every agent and command in it would go with it, so
 * they are refused whatever the mode. Looks at the words the detector resolved, so wrappers and quoting hide nothing.
 */
import { readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { basename } from 'node:path';
import type { CommandPart, Finding } from '../../preload/contract/approvals.ts';

const SELF_KEY = 'stops the running app';

/** What the program is to the system. */
export interface OwnProcess {
  readonly pid: number;
  /** Names it goes by in a list of processes. */
  readonly names: readonly string[];
  /** How it was started, as one line. */
  readonly commandLine: string;
  readonly user: string;
  readonly platform: NodeJS.Platform;
}

export function ownProcess(): OwnProcess {
  return { pid: process.pid, names: [...new Set(['talaria', basename(process.execPath), ownName()])], commandLine: [process.execPath, ...process.argv.slice(1)].join(' '), user: userInfo().username, platform: process.platform };
}

/** The name that `pkill` and `killall` compare with. */
function ownName(): string {
  try {
    return readFileSync('/proc/self/comm', 'utf8').trim();
  } catch {
    // Systems without /proc: the program's file name is what such tools look at there.
    return basename(process.execPath);
  }
}

/** Options of the tools that end processes by name which take the next word. */
const TAKES_VALUE = /^-(?:[uUGgPstFc]|-(?:euid|uid|group|pgroup|parent|session|terminal|pidfile|signal|user|older|newer))$/;
const BY_NAME = new Set(['pkill', 'killall', 'killall5']);
const SERVICE_VERBS = /^(?:stop|restart|try-restart|reload-or-restart|kill|disable|mask|condrestart)$/;
const LAUNCHD_VERBS = /^(?:stop|kickstart|bootout|unload|kill|disable|remove)$/;
const OWN_UNIT = /hermes|talaria/i;

/** Operands, and the values of options by their letter. */
function split(words: readonly string[]): { readonly operands: readonly string[]; readonly flags: ReadonlyMap<string, string> } {
  const operands: string[] = [];
  const flags = new Map<string, string>();
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? '';
    if (word === '--') operands.push(...words.slice(index + 1).splice(0));
    if (word === '--') break;
    if (!word.startsWith('-') || word === '-') operands.push(word);
    else if (TAKES_VALUE.test(word)) flags.set(word, words[index += 1] ?? '');
    else flags.set(word.split('=')[0] ?? word, word.split('=')[1] ?? '');
  }
  return { operands, flags };
}

/** Whether a pattern of `pkill` can match: each piece of it that is plain text stands in one of the texts. Never narrower than the pattern. */
function canMatch(pattern: string, texts: readonly string[]): boolean {
  const pieces = pattern.toLowerCase().split(/\\.|\[[^\]]*\]?|.?[*?]|.\{[^}]*\}?|[.^$+()]/).flatMap((piece) => piece.split('|')).filter((piece) => piece !== '');
  const alternatives = pattern.includes('|');
  return texts.some((text) => {
    const lower = text.toLowerCase();
    const holds = (piece: string): boolean => lower.includes(piece);
    return pieces.length > 0 && (alternatives ? pieces.some(holds) : pieces.every(holds));
  });
}

function endsByNumber(words: readonly string[], { pid }: OwnProcess): boolean {
  // The shell of a command is a child of this program, so its $PPID may be this program.
  return words.some((word) => word === String(pid) || word === `-${pid}` || /^-?\$\{?PPID\}?$/.test(word));
}

function endsByName(program: string, words: readonly string[], own: OwnProcess): boolean {
  if (program === 'taskkill') {
    const at = (option: string): string => (words[words.findIndex((word) => word.toLowerCase() === option) + 1] ?? '').toLowerCase();
    return (words.some((word) => word.toLowerCase() === '/pid') && at('/pid') === String(own.pid)) || own.names.some((name) => at('/im').replace(/\.exe$/, '') === name.toLowerCase().replace(/\.exe$/, ''));
  }
  const { operands, flags } = split(words);
  const has = (letter: string): boolean => [...flags.keys()].some((flag) => /^-[a-zA-Z]+$/.test(flag) && flag.includes(letter));
  if (flags.has('-l') || flags.has('-L') || flags.has('--list')) return false;
  const users = ['-u', '-U', '--user', '--euid', '--uid'].flatMap((name) => flags.get(name)?.split(',') ?? []);
  if (operands.length === 0) return program === 'killall5' || users.includes(own.user);
  if (program === 'killall') return operands.some((name) => own.names.includes(name) || (has('r') && canMatch(name, own.names)));
  if (has('f') || flags.has('--full')) return operands.some((pattern) => canMatch(pattern, [own.commandLine]));
  return operands.some((pattern) => (has('x') ? own.names.includes(pattern) : canMatch(pattern, own.names)));
}

/** `hermes gateway stop`, `systemctl restart hermes`, `launchctl kickstart …hermes`: only while this program serves messengers. */
function endsService(program: string, words: readonly string[], own: OwnProcess): boolean {
  const plain = words.filter((word) => !word.startsWith('-'));
  const [first = '', second = ''] = plain;
  if (program === 'hermes' || program === 'talaria') return (first === 'gateway' && /^(?:stop|restart|uninstall)$/.test(second)) || first === 'update';
  if (program === 'systemctl') return SERVICE_VERBS.test(first) && plain.slice(1).some((unit) => OWN_UNIT.test(unit));
  if (program === 'service') return OWN_UNIT.test(first) && SERVICE_VERBS.test(second);
  if (program !== 'launchctl') return false;
  return (LAUNCHD_VERBS.test(first) && plain.some((label) => OWN_UNIT.test(label))) || (own.platform === 'darwin' && /^(?:submit|bootstrap)$/.test(first));
}

/** What would end this program, as a floor; undefined for any other command. `serving`: it runs the messenger gateway now. */
export function selfHarm(parts: readonly Pick<CommandPart, 'argv' | 'start' | 'end'>[], own: OwnProcess, serving: boolean): Finding | undefined {
  const found = parts.find(({ argv: [first = '', ...words] }) => {
    const program = basename(first).toLowerCase().replace(/\.exe$/, '');
    if (program === 'kill') return endsByNumber(words, own);
    if (BY_NAME.has(program) || program === 'taskkill') return endsByName(program, words, own);
    return serving && endsService(program, words, own);
  });
  if (found === undefined) return undefined;
  return { key: SELF_KEY, description: SELF_KEY, class: 'agent-self', effect: 'ends the program that runs this, and every agent and command in it', start: found.start, end: found.end, tier: 'floor' };
}
