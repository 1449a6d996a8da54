/** What never runs, whatever the mode, rule or backend (hermes-runtime 4.3). At most twenty; the rest can be asked about. */
import type { Invocation } from '../parse/model.ts';
import { readOptions } from '../parse/options.ts';
import { programName } from '../parse/place.ts';
import type { Field } from '../parse/text.ts';
import { WRAPPERS } from '../parse/wrappers.ts';
import { isRawDevice, protectedPlace, readPath } from './paths.ts';
import { type Facts, type Hit, hitCommand, hitField, plainOperands, producers, type Rule, shown } from './rule.ts';
import { readRm, RM_NAMES } from './rm.ts';

const DELETERS = [...RM_NAMES, 'find', 'gfind', 'bfs', 'rmdir', 'rd', 'del', 'erase', 'remove-item', 'ri'];

const FINDERS = ['find', 'gfind', 'bfs'];
/** Words of find that leave nothing out. */
const SWEEPING = /^-(?:delete|exec|execdir|ok|okdir|depth|d|mindepth|maxdepth|xdev|mount|print0?|type|a|and|true)$/;

/** Where find starts, when it deletes what it meets there and nothing narrows that. */
function sweptPlaces(command: Invocation): readonly Field[] {
  const words = command.argv.slice(1).filter((field) => !/^-(?:[HLP]|O\d|D\w*)$/.test(field.text));
  const at = words.findIndex((field) => /^[-(!]/.test(field.text));
  const expression = at === -1 ? [] : words.slice(at);
  const run = expression.findIndex((field) => /^-(?:exec|execdir|ok|okdir)$/.test(field.text));
  const deletes = expression.some((field) => field.text === '-delete') || (run !== -1 && RM_NAMES.includes(programName(expression[run + 1]?.text)));
  const tests = run === -1 ? expression : expression.slice(0, run + 1);
  if (!deletes || tests.some((field) => /^[-(!]/.test(field.text) && !SWEEPING.test(field.text))) return [];
  return at === 0 ? [{ ...expression[0] as Field, text: '.' }] : words.slice(0, at);
}

function deletesPlace(kind: 'root' | 'system' | 'home', what: string) {
  return (command: Invocation, { place }: Facts): Hit | undefined => {
    if (FINDERS.includes(command.name)) {
      const swept = sweptPlaces(command).find((field) => protectedPlace(readPath(field.text, place, command.directory)) === kind);
      return swept === undefined ? undefined : hitField(`deletes ${what} (${shown(swept.text)}) and everything below`, swept);
    }
    // Plain rmdir removes empty directories only; cmd's takes /s.
    if (command.name === 'rmdir' && !command.argv.some((field) => /^(?:\/s|-r\w*)$/i.test(field.text))) return undefined;
    for (const operand of readRm(command).operands) {
      if (/^\/[a-z]$/i.test(operand.text) && command.name !== 'rm') continue;
      if (operand.text === '') continue;
      if (protectedPlace(readPath(operand.text, place, command.directory)) === kind) return hitField(`deletes ${what} (${shown(operand.text)}) and everything below`, operand);
    }
    return undefined;
  };
}

/** `--help` and `--version` alone start nothing. */
const onlyAsks = (command: Invocation): boolean => command.argv.length === 2 && /^--(?:help|version)$/.test(command.argv[1]?.text ?? '');

function formats(command: Invocation, { place }: Facts): Hit | undefined {
  const { name } = command;
  if (name === 'diskutil') {
    const verb = command.argv.slice(1).find((field) => field.text !== 'quiet');
    return verb !== undefined && /^(?:erase|zero|random|secureErase|reformat|partitionDisk)/i.test(verb.text) ? hitCommand('erases a disk', command) : undefined;
  }
  if (name === 'format') {
    const drive = command.argv.slice(1).find((field) => /^[a-z]:[\\/]?$/i.test(field.text));
    return drive === undefined ? undefined : hitCommand(`formats drive ${drive.text}`, command);
  }
  if (name === 'format-volume') return hitCommand('formats a volume', command);
  if (/^(?:mkswap|newfs)/.test(name)) {
    const device = command.argv.slice(1).find((field) => isRawDevice(field.text, place, command.directory));
    return device === undefined ? undefined : hitField(`formats ${shown(device.text)}`, device);
  }
  if (!/^(?:mkfs(?:\.(?!(?:sh|py|pl|rb|js|ts|txt|md|log|conf|ya?ml|json|bak)$)\w+)?|mke2fs)$/.test(name) || onlyAsks(command)) return undefined;
  return hitCommand('makes a new, empty file system over what is there', command);
}

/** The word that makes the program destroy what is on a device; `undefined` when this call does not. */
function wipes(command: Invocation): boolean {
  const texts = command.argv.slice(1).map((field) => field.text);
  const short = (letters: string): boolean => texts.some((text) => /^-[A-Za-z]+$/.test(text) && [...letters].some((letter) => text.slice(1).includes(letter)));
  const long = (...names: readonly string[]): boolean => texts.some((text) => names.some((name) => text === name || (text.length > 4 && name.startsWith(text))));
  switch (command.name) {
    case 'wipefs':
      return (short('a') || long('--all')) && !short('n') && !long('--no-act');
    case 'sgdisk':
      return short('zZo') || long('--zap', '--zap-all', '--clear');
    case 'blkdiscard':
    case 'shred':
    case 'gshred':
      return true;
    default:
      return false;
  }
}

function wipesDevice(command: Invocation, { place }: Facts): Hit | undefined {
  if (!wipes(command)) return undefined;
  const device = command.argv.slice(1).find((field) => isRawDevice(field.text, place, command.directory));
  return device === undefined ? undefined : hitField(`wipes ${shown(device.text)}`, device);
}

function copiesToDevice(command: Invocation, { place }: Facts): Hit | undefined {
  for (const field of command.argv.slice(1)) {
    if (field.text.startsWith('of=') && isRawDevice(field.text.slice(3), place, command.directory)) return hitField(`overwrites ${shown(field.text.slice(3))}`, field);
  }
  return undefined;
}

const WRITERS = ['tee', 'gtee', 'cp', 'gcp', 'mv', 'sponge', 'install', 'ginstall', 'rsync'];
const FETCHERS = new Set(['curl', 'wget', 'wget2', 'aria2c']);

function writesToDevice(command: Invocation, { place }: Facts): Hit | undefined {
  for (const { operator, target } of command.redirects) {
    if (operator !== '<' && isRawDevice(target.text, place, command.directory)) return hitField(`overwrites ${shown(target.text)}`, target);
  }
  if (FETCHERS.has(command.name)) {
    const output = command.argv.slice(1).find((field) => isRawDevice(field.text.replace(/^(?:-[oO]|--output(?:-document)?=|--out=)/, ''), place, command.directory));
    return output === undefined ? undefined : hitField('overwrites a disk with what it fetches', output);
  }
  if (!WRITERS.includes(command.name)) return undefined;
  const operands = plainOperands(command);
  const targets = command.name === 'tee' || command.name === 'gtee' || command.name === 'sponge' ? operands : operands.slice(-1);
  const device = targets.find((field) => (operands.length > 1 || command.name !== 'cp') && isRawDevice(field.text, place, command.directory));
  return device === undefined ? undefined : hitField(`overwrites ${shown(device.text)}`, device);
}

/** `kill … -1` with -1 as the target: every process of the user. `kill -1 PID` sends a hang-up to one. */
function killsAll(command: Invocation): Hit | undefined {
  const rest = command.argv.slice(1);
  const ones = rest.filter((field) => field.text === '-1');
  const last = ones.at(-1);
  if (last === undefined) return undefined;
  const first = rest[0];
  const asSignal = first === last && rest.length > 1;
  if (asSignal) return undefined;
  return hitField('signals every process that the user owns', last);
}

function powersOff(command: Invocation): Hit | undefined {
  if (onlyAsks(command)) return undefined;
  return hitCommand('stops or restarts the machine', command);
}

const restartsKernel = (command: Invocation): Hit | undefined => (command.argv.slice(1).some((field) => /^-[a-z]*e$|^--exec$/.test(field.text)) ? hitCommand('starts another kernel at once', command) : undefined);

function changesRunlevel(command: Invocation): Hit | undefined {
  const level = command.argv.slice(1).find((field) => !field.text.startsWith('-'));
  return level !== undefined && /^[06]$/.test(level.text) ? hitCommand('stops or restarts the machine', command) : undefined;
}

function systemPower(command: Invocation): Hit | undefined {
  const { operands } = readOptions(command.argv, { short: 'tpPHMnos', long: ['type', 'state', 'property', 'job-mode', 'host', 'machine', 'signal', 'output', 'root', 'lines', 'what', 'when', 'kill-whom', 'boot-loader-entry'], permute: true });
  const [verb, ...units] = operands;
  if (verb === undefined) return undefined;
  if (/^(?:poweroff|reboot|halt|kexec|soft-reboot)$/.test(verb.text)) return hitCommand('stops or restarts the machine', command);
  const target = units.find((field) => /^(?:poweroff|reboot|halt|kexec|ctrl-alt-del|runlevel[06])(?:\.target)?$/.test(field.text));
  return /^(?:start|isolate)$/.test(verb.text) && target !== undefined ? hitCommand('stops or restarts the machine', command) : undefined;
}

function sysrq(command: Invocation, { place }: Facts): Hit | undefined {
  const isTrigger = (text: string): boolean => readPath(text, place).pieces.join('/') === 'proc/sysrq-trigger';
  const target = command.redirects.find((redirect) => redirect.operator !== '<' && isTrigger(redirect.target.text))?.target ?? (command.name === 'tee' ? command.argv.slice(1).find((field) => isTrigger(field.text)) : undefined);
  return target === undefined ? undefined : hitField('restarts or crashes the machine at once', target);
}

const SUDO = WRAPPERS.get('sudo') ?? {};

/** A password for sudo that the model itself would have to supply. */
function sudoReadsInput(command: Invocation, facts: Facts): Hit | undefined {
  if (facts.place.sudoPasswordSet === true) return undefined;
  const { options } = readOptions(command.argv, SUDO);
  const option = options.find((each) => (each.long ? each.name.length > 2 && 'stdin'.startsWith(each.name) : each.name === 'S'));
  return option === undefined ? undefined : hitField('gives sudo a password that the agent made up or was told', option.field);
}

function cmdForkBomb(command: Invocation, facts: Facts): Hit | undefined {
  const piped = producers(command, facts).some((each) => each.argv[0]?.text === '%0');
  return piped ? hitCommand('starts itself again and again', command) : undefined;
}

const floor = (key: string, cls: Rule['class'], programs: Rule['programs'], pattern: string, test: Rule['test']): Rule => ({ key, class: cls, tier: 'floor', programs, pattern, test });

export const floorRules: readonly Rule[] = [
  floor('recursive delete of root filesystem', 'delete', DELETERS, 'rm on /, /*, // or any spelling of the root or of a whole drive', deletesPlace('root', 'the whole file system')),
  floor('recursive delete of system directory', 'delete', DELETERS, 'rm on /home /root /etc /usr /var /bin /sbin /boot /lib and the like', deletesPlace('system', 'a system directory')),
  floor('recursive delete of home directory', 'delete', DELETERS, 'rm on ~, $HOME or everything in it', deletesPlace('home', 'the home directory')),
  floor('format filesystem (mkfs)', 'disk', ['mkfs', 'mkfs.*', 'mke2fs', 'mkswap', 'newfs*', 'diskutil', 'format', 'format-volume'], 'mkfs, mkfs.<fs>, mke2fs; mkswap or newfs on a device; diskutil erase…; format X:; Format-Volume', formats),
  floor('wipe raw block device', 'disk', ['wipefs', 'sgdisk', 'blkdiscard', 'shred', 'gshred'], 'wipefs -a, sgdisk -z/-Z/-o, blkdiscard, shred on a device', wipesDevice),
  floor('dd to raw block device', 'disk', ['dd', 'gdd', 'dcfldd', 'dc3dd'], 'dd of=/dev/<disk>', copiesToDevice),
  { ...floor('redirect to raw block device', 'disk', [...WRITERS, ...FETCHERS], '> /dev/<disk>, tee, cp or curl -o onto it', writesToDevice), also: 'redirects' },
  floor('kill all processes', 'processes', ['kill'], 'kill … -1', killsAll),
  floor('system shutdown/reboot', 'power', ['shutdown', 'reboot', 'halt', 'poweroff', 'restart-computer', 'stop-computer'], 'shutdown, reboot, halt, poweroff, Restart-Computer, Stop-Computer', powersOff),
  floor('kernel restart by kexec', 'power', ['kexec'], 'kexec -e', restartsKernel),
  floor('init 0/6', 'power', ['init'], 'init 0, init 6', changesRunlevel),
  floor('telinit 0/6', 'power', ['telinit'], 'telinit 0, telinit 6', changesRunlevel),
  floor('systemctl poweroff/reboot/halt/kexec', 'power', ['systemctl', 'loginctl'], 'systemctl poweroff|reboot|halt|kexec, or isolating their targets', systemPower),
  { ...floor('write to sysrq trigger', 'power', ['tee'], '> /proc/sysrq-trigger', sysrq), also: 'redirects' },
  floor('sudo reading a password from stdin', 'privilege', ['sudo'], 'sudo -S without a configured password', sudoReadsInput),
  floor('fork bomb', 'processes', ['%0'], '%0|%0 and functions that pipe into themselves', cmdForkBomb),
];
