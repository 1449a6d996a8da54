/** Which files a command writes, by the way each program names them. */
import type { Invocation } from '../parse/model.ts';
import { type OptionSpec, readOptions } from '../parse/options.ts';
import { type Field, HOME, madeField, sliceField } from '../parse/text.ts';

/** Programs in words of a command line are short; what stands further on is not looked at. */
const MAX_PROGRAM_CHARS = 10_000;

export interface WriteTarget {
  readonly field: Field;
  readonly how: 'redirection' | 'tee' | 'copy' | 'edit' | 'other';
}

const COPY: OptionSpec = { short: 'tSmogZ', flags: 'abdfHilLnPpRrsTuvxzDCc', long: ['target-directory', 'suffix', 'mode', 'owner', 'group'], permute: true };
const TRANSFER: OptionSpec = { short: 'ePiFoSlJfT', flags: 'aAvzrlptgoDnqcuHWhxRbCB346', long: ['rsh', 'exclude', 'include', 'files-from', 'rsync-path', 'port', 'bwlimit', 'log-file', 'chmod', 'chown', 'exclude-from', 'partial-dir', 'backup-dir', 'temp-dir', 'compare-dest', 'link-dest'], permute: true };

/** The last of at least two operands, or the value of `-t`. */
function destination(command: Invocation, spec: OptionSpec): Field[] {
  const { options, operands } = readOptions(command.argv, spec);
  const named = options.find((option) => (spec === COPY && option.name === 't') || (option.long && option.name.length > 2 && 'target-directory'.startsWith(option.name)));
  if (named?.value !== undefined) return [named.value];
  const last = operands.at(-1);
  const alone = operands.length === 1 && (command.name !== 'install' || !options.some((option) => option.name === 'd' || option.name === 'directory'));
  return last === undefined || alone ? [] : [last];
}

function optionValues(command: Invocation, short: string, ...long: readonly string[]): Field[] {
  const found: Field[] = [];
  for (const [index, field] of command.argv.entries()) {
    const { text } = field;
    const next = command.argv[index + 1];
    const name = long.find((each) => text.startsWith(`--${each}=`));
    if (name !== undefined) found.push(sliceField(field, name.length + 3));
    else if (long.some((each) => text === `--${each}`) && next !== undefined) found.push(next);
    else if (short !== '' && /^-[A-Za-z]*$/.test(text) && text.endsWith(short) && next !== undefined) found.push(next);
    else if (short !== '' && text.startsWith(`-${short}`) && text.length > 2) found.push(sliceField(field, 2));
  }
  return found;
}

const operandsOf = (command: Invocation): Field[] => command.argv.slice(1).filter((field) => !field.text.startsWith('-'));

/** In-place editors: whether `-i` is on, and the files that follow. */
function edited(command: Invocation): Field[] {
  const inPlace = command.argv.slice(1).some((field) => /^-(?!-)[A-Za-z0-9.]*i/.test(field.text) || (/^--in/.test(field.text) && '--in-place'.startsWith(field.text.split('=')[0] ?? '')));
  return inPlace ? operandsOf(command) : [];
}

/** Files named inside a program text, as a field that stands for the whole text. */
function named(command: Invocation, pattern: RegExp): Field[] {
  return command.argv.slice(1).flatMap((field) => [...field.text.slice(0, MAX_PROGRAM_CHARS).matchAll(pattern)].slice(0, 20).map((match) => madeField(match[1] ?? '', field.start, field.end)));
}

/** The `w` command and the `w` flag of sed. */
const sedWrites = (command: Invocation): Field[] => named(command, /(?:^|[\s;{}\d$/!|#,])[gpIe\d]*w\s+([~/][^\n;}]*)/g);
/** `print > "file"` in awk. */
const awkWrites = (command: Invocation): Field[] => named(command, />\s*"([^"\n]+)"/g);

/** The programs that {@link writeTargets} knows. */
export const WRITERS = ['tee', 'gtee', 'sponge', 'sort', 'gsort', 'tee-object', 'out-file', 'set-content', 'add-content', 'cp', 'mv', 'install', 'ln', 'gcp', 'gmv', 'ginstall', 'copy', 'move', 'xcopy', 'robocopy', 'copy-item', 'move-item', 'rsync', 'scp', 'sed', 'gsed', 'perl', 'ruby', 'gawk', 'dd', 'curl', 'wget', 'tar', 'unzip', 'truncate', 'touch', 'patch', 'ed', 'shred', 'chattr', 'yq', 'sd', 'rpl', 'dos2unix', 'unix2dos', 'sudoedit', 'sudo', 'awk', 'mawk', 'nawk', 'cpio', 'find', 'gfind', 'clear-content', 'new-item', 'rename-item', 'certutil', 'bitsadmin', 'start-bitstransfer', 'iwr', 'invoke-webrequest'];

/** The shell opens a tilde behind `name=` too. */
const atHome = (field: Field): Field => (field.text.startsWith('~/') ? { ...field, text: HOME + field.text.slice(1) } : field);

function written(command: Invocation): readonly [WriteTarget['how'], readonly Field[]] {
  const { argv } = command;
  switch (command.name) {
    case 'tee':
    case 'gtee':
    case 'sponge':
      return ['tee', operandsOf(command)];
    case 'sort':
    case 'gsort':
      return ['tee', optionValues(command, 'o', 'output')];
    case 'tee-object':
    case 'out-file':
    case 'set-content':
    case 'add-content':
      return ['tee', operandsOf(command)];
    case 'cp':
    case 'mv':
    case 'install':
    case 'ln':
    case 'gcp':
    case 'gmv':
    case 'ginstall':
    case 'copy':
    case 'move':
    case 'xcopy':
    case 'robocopy':
    case 'copy-item':
    case 'move-item':
      return ['copy', destination(command, COPY)];
    case 'rsync':
    case 'scp':
      return ['copy', destination(command, TRANSFER).filter((field) => !/^[^/]+:/.test(field.text) || /^[A-Za-z]:[\\/]/.test(field.text))];
    case 'sed':
    case 'gsed':
      return ['edit', [...edited(command), ...sedWrites(command)]];
    case 'yq':
    case 'perl':
    case 'ruby':
      return ['edit', edited(command)];
    case 'awk':
    case 'gawk':
    case 'mawk':
    case 'nawk':
      return ['edit', [...edited(command), ...awkWrites(command)]];
    case 'sudoedit':
      return ['edit', operandsOf(command)];
    case 'sudo':
      return ['edit', argv.some((field) => /^-\w*e$|^--edit$/.test(field.text)) ? operandsOf(command) : []];
    case 'find':
    case 'gfind':
      return ['other', argv.filter((_, index) => /^-(?:fprintf?0?|fls)$/.test(argv[index - 1]?.text ?? ''))];
    case 'cpio':
      return ['other', argv.some((field) => /^-\w*[pi]/.test(field.text)) ? operandsOf(command) : []];
    case 'iwr':
    case 'invoke-webrequest':
    case 'start-bitstransfer':
      return ['other', argv.filter((_, index) => /^-(?:outf\w*|dest\w*)$/i.test(argv[index - 1]?.text ?? ''))];
    case 'dd':
      return ['other', argv.filter((field) => field.text.startsWith('of=')).map((field) => atHome(sliceField(field, 3)))];
    case 'curl':
      return ['other', optionValues(command, 'o', 'output', 'dump-header', 'cookie-jar', 'output-dir')];
    case 'wget':
      return ['other', [...optionValues(command, 'O', 'output-document'), ...optionValues(command, 'P', 'directory-prefix')]];
    case 'tar':
    case 'unzip':
      return ['other', command.name === 'tar' ? (argv.some((field) => /^-{0,2}[a-z]*x|^--extract/.test(field.text)) ? optionValues(command, 'C', 'directory') : []) : optionValues(command, 'd')];
    case 'sd':
    case 'rpl':
    case 'dos2unix':
    case 'unix2dos':
      return ['edit', operandsOf(command)];
    case 'truncate':
    case 'touch':
    case 'patch':
    case 'ed':
    case 'shred':
    case 'chattr':
    case 'clear-content':
    case 'new-item':
    case 'rename-item':
    case 'certutil':
    case 'bitsadmin':
      return ['other', operandsOf(command)];
    default:
      return ['other', []];
  }
}

/** Every file that the command itself or one of its redirections writes. */
export function writeTargets(command: Invocation): WriteTarget[] {
  const found: WriteTarget[] = command.redirects.filter((redirect) => redirect.operator !== '<').map((redirect) => ({ field: redirect.target, how: 'redirection' }));
  const [how, fields] = written(command);
  for (const field of fields) found.push({ field, how });
  return found;
}
