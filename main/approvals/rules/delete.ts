/** Deleting files. */
import type { Invocation } from '../parse/model.ts';
import { globMatches } from '../parse/glob.ts';
import { isUnknown } from '../parse/text.ts';
import { readPath } from './paths.ts';
import { ancestors, type Facts, type Hit, hitCommand, hitField, type Rule, shown } from './rule.ts';
import { readRm, RM_NAMES } from './rm.ts';

const targets = (command: Invocation): string => readRm(command).operands.map((field) => shown(field.text)).join(', ') || 'what it is given';
const insideXargs = (command: Invocation, facts: Facts): boolean => ancestors(command, facts).some((parent) => /^(?:g?xargs|parallel|rush)$/.test(parent.name));
const insideFind = (command: Invocation, facts: Facts): boolean => ancestors(command, facts).some((parent) => /^(?:g?find|bfs|fd|fdfind)$/.test(parent.name));

/** The temp files that the agent's own checks leave behind may be removed without a question (hermes-runtime 4.4). */
function isOwnArtifact(command: Invocation, { place }: Facts): boolean {
  const [program, flag, operand, more] = command.argv;
  if (program?.text !== 'rm' || flag?.text !== '-f' || operand === undefined || more !== undefined) return false;
  if (operand.glob || !(operand.bare || operand.substitutions.length === 0) || /[*?[{]/.test(operand.text)) return false;
  const folder = (place.tmpdir ?? '/tmp').replace(/\/+$/, '');
  if (!operand.text.startsWith(`${folder}/`) || command.depth > 0) return false;
  return /^hermes-(?:verify|ad-hoc)-[\w.-]+$/.test(operand.text.slice(folder.length + 1)) && !operand.text.includes('..');
}

function rootPath(command: Invocation, facts: Facts): Hit | undefined {
  if (isOwnArtifact(command, facts)) return undefined;
  const operand = readRm(command).operands.find((field) => readPath(field.text, facts.place).base !== '');
  return operand === undefined ? undefined : hitField(`deletes ${shown(operand.text)}`, operand);
}

function recursive(kind: 'short' | 'long' | 'late') {
  return (command: Invocation): Hit | undefined => {
    const call = readRm(command);
    if (call.recursive === undefined) return undefined;
    const actual = call.late ? 'late' : call.long ? 'long' : 'short';
    return actual === kind ? { effect: `deletes ${targets(command)} and everything below`, start: command.start, end: command.end } : undefined;
  };
}

function unknownTarget(command: Invocation, facts: Facts): Hit | undefined {
  const call = readRm(command);
  if (call.unknown === undefined || insideXargs(command, facts) || insideFind(command, facts)) return undefined;
  return hitField('deletes something that only the running shell knows', call.unknown);
}

function throughXargs(command: Invocation, facts: Facts): Hit | undefined {
  return insideXargs(command, facts) ? hitCommand('deletes every name that it reads', command) : undefined;
}

function throughFind(command: Invocation, facts: Facts): Hit | undefined {
  return insideFind(command, facts) ? hitCommand('deletes every file that find meets', command) : undefined;
}

const VALUED = new Set(['-name', '-iname', '-path', '-ipath', '-wholename', '-regex', '-iregex', '-newer', '-user', '-group', '-type', '-size', '-mtime', '-mmin', '-atime', '-ctime', '-perm', '-maxdepth', '-mindepth', '-printf', '-fprintf', '-fprint', '-lname', '-samefile', '-inum', '-links', '-fstype']);

function findWords(command: Invocation): Invocation['argv'] {
  return command.argv.filter((_, index) => index > 0 && !VALUED.has(command.argv[index - 1]?.text ?? ''));
}

function findDelete(command: Invocation): Hit | undefined {
  const word = findWords(command).find((field) => field.text === '-delete');
  return word === undefined ? undefined : hitField('deletes every file that find meets', word);
}

function findDynamic(command: Invocation): Hit | undefined {
  const destructive = ['-delete', '-exec', '-execdir', '-ok', '-okdir'];
  const word = findWords(command).find((field) => field.splits || (field.glob && destructive.some((flag) => globMatches(field.text, flag))) || (isUnknown(field.text) && field.text.startsWith('-')));
  const alone = word !== undefined && word.splits && !word.text.startsWith('-') && command.argv.indexOf(word) === 1;
  return word === undefined || alone ? undefined : hitField('may turn into a flag that deletes or runs programs', word);
}

function syncDelete(command: Invocation): Hit | undefined {
  if (command.argv.slice(1).some((field) => field.text === '--dry-run' || /^-(?!-)[A-Za-z]*n/.test(field.text))) return undefined;
  const word = command.argv.find((field) => /^--del(?:ete(?:-\w+)*)?$|^--remove-source-files$/.test(field.text));
  return word === undefined ? undefined : hitField('deletes files that the other side does not have', word);
}

function movesToNowhere(command: Invocation): Hit | undefined {
  const last = command.argv.at(-1);
  return last?.text === '/dev/null' && command.argv.length > 2 ? hitField('moves files to where they are lost', last) : undefined;
}

const rule = (key: string, programs: Rule['programs'], pattern: string, test: Rule['test'], tier: Rule['tier'] = 'danger'): Rule => ({ key, class: 'delete', tier, programs, pattern, test });

export const deleteRules: readonly Rule[] = [
  rule('delete in root path', RM_NAMES, 'rm with an absolute path', rootPath),
  rule('recursive delete', RM_NAMES, 'rm -r, -R in any flag group', recursive('short')),
  rule('recursive delete (long flag)', RM_NAMES, 'rm --recursive', recursive('long')),
  rule('recursive delete (flags after operands)', RM_NAMES, 'rm NAME -r', recursive('late')),
  rule('delete of an unknown target', RM_NAMES, 'rm with a name that only the shell knows', unknownTarget, 'unknown'),
  rule('xargs with rm', [...RM_NAMES, 'shred'], 'xargs rm, parallel rm', throughXargs),
  rule('find -exec/-execdir rm', [...RM_NAMES, 'shred'], 'find -exec rm, fd -x rm', throughFind),
  rule('find -delete', ['find', 'gfind', 'bfs'], 'find … -delete', findDelete),
  rule('find dynamic shell word may expand to destructive flag', ['find', 'gfind', 'bfs'], 'find . -{delete,print}, find . -del*', findDynamic, 'unknown'),
  rule('rsync deleting', ['rsync'], 'rsync --delete, --remove-source-files', syncDelete),
  rule('move to /dev/null', ['mv'], 'mv NAME /dev/null', movesToNowhere),
];
