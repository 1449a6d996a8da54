/** git commands that lose work or rewrite what others have. */
import type { Invocation } from '../parse/model.ts';
import { readGit } from '../parse/program-git.ts';
import { readOptions } from '../parse/options.ts';
import { type Field, HOME, isUnknown } from '../parse/text.ts';
import { type Hit, hitCommand, hitField, type Rule } from './rule.ts';

/** The words behind git's sub-command, when it is `name`. */
function verbWords(command: Invocation, ...names: readonly string[]): readonly Field[] | undefined {
  const { verb, rest, doubt } = readGit(command);
  if (verb !== undefined && names.includes(verb.text)) return rest;
  // An option of git that we do not know may have taken the word before.
  return doubt && rest[0] !== undefined && names.includes(rest[0].text) ? rest.slice(1) : undefined;
}

const untilDashes = (fields: readonly Field[]): readonly Field[] => {
  const end = fields.findIndex((field) => field.text === '--');
  return end === -1 ? fields : fields.slice(0, end);
};

/** A long option in full or cut off to at least `least` letters, as git accepts it. */
const long = (field: Field, name: string, least: number): boolean => {
  const given = field.text.split('=')[0] ?? '';
  return given.startsWith('--') && given.length - 2 >= least && `--${name}`.startsWith(given);
};
const bundle = (field: Field, letter: string): boolean => /^-[A-Za-z]+$/.test(field.text) && field.text.includes(letter);

function hardReset(command: Invocation): Hit | undefined {
  const word = untilDashes(verbWords(command, 'reset') ?? []).find((field) => long(field, 'hard', 1));
  return word === undefined ? undefined : hitCommand('throws away all changes that are not committed', command);
}

const PUSH = { short: 'o', flags: '46dfnquv', long: ['repo', 'receive-pack', 'exec', 'push-option', 'recurse-submodules', 'signed'], permute: true };

function forcePush(kind: 'long' | 'short' | 'refspec' | 'remove') {
  return (command: Invocation): Hit | undefined => {
    const rest = verbWords(command, 'push');
    if (rest === undefined) return undefined;
    const { operands } = readOptions(rest, PUSH, 0);
    const words = untilDashes(rest);
    const word = {
      long: words.find((field) => long(field, 'force', 3) || field.text.startsWith('--force') || field.text === '--mirror'),
      short: words.find((field) => bundle(field, 'f')),
      refspec: operands.slice(1).find((field) => field.text.startsWith('+')),
      remove: words.find((field) => long(field, 'delete', 3) || bundle(field, 'd') || long(field, 'prune', 3)) ?? operands.slice(1).find((field) => /^:[^:]+$/.test(field.text)),
    }[kind];
    return word === undefined ? undefined : hitCommand(kind === 'remove' ? 'removes a branch or tag on the remote' : 'replaces history on the remote', command);
  };
}

function clean(command: Invocation): Hit | undefined {
  const rest = untilDashes(verbWords(command, 'clean') ?? []);
  const dry = rest.some((field) => bundle(field, 'n') || long(field, 'dry-run', 3));
  const forced = rest.some((field) => bundle(field, 'f') || long(field, 'force', 1));
  return forced && !dry ? hitCommand('deletes every file that git does not track', command) : undefined;
}

function branchDelete(command: Invocation): Hit | undefined {
  const rest = untilDashes(verbWords(command, 'branch') ?? []);
  const capital = rest.some((field) => bundle(field, 'D'));
  const deletes = rest.some((field) => bundle(field, 'd') || long(field, 'delete', 3));
  const forced = rest.some((field) => bundle(field, 'f') || long(field, 'force', 3));
  return capital || (deletes && forced) ? hitCommand('deletes a branch even if its commits are nowhere else', command) : undefined;
}

function rewrites(command: Invocation): Hit | undefined {
  if (verbWords(command, 'filter-branch', 'filter-repo') !== undefined) return hitCommand('rewrites the whole history', command);
  const reflog = verbWords(command, 'reflog');
  if (reflog?.[0] !== undefined && /^(?:expire|delete)$/.test(reflog[0].text)) return hitCommand('throws away the way back to lost commits', command);
  if (verbWords(command, 'update-ref')?.some((field) => field.text === '-d') === true) return hitCommand('removes a reference, and with it the way to its commits', command);
  const gc = verbWords(command, 'gc', 'prune');
  return gc?.some((field) => /^--(?:prune|expire)=(?:now|all)$/.test(field.text)) === true ? hitCommand('throws away commits that no branch holds', command) : undefined;
}

/** `core.hooksPath`: from then on git runs what stands there. A folder of the project is like the rest of its scripts. */
function hooksElsewhere(command: Invocation): Hit | undefined {
  const { options, verb, rest } = readGit(command);
  const given = options.flatMap((option) => (option.name === 'c' ? (/^core\.hookspath=(.+)$/is.exec(option.value?.text ?? '')?.[1] ?? []) : []));
  const words = rest.filter((field) => !field.text.startsWith('-') && field.text !== 'set').map((field) => field.text);
  if (verb?.text === 'config' && words[0]?.toLowerCase() === 'core.hookspath' && words[1] !== undefined) given.push(words[1]);
  const outside = given.some((path) => path !== '/dev/null' && (/^[/~]|^\.\.(?:\/|$)|^[A-Za-z]:/.test(path) || path.startsWith(HOME) || isUnknown(path)));
  return outside ? hitCommand('makes git run programs from another folder', command) : undefined;
}

function unknownVerb(command: Invocation): Hit | undefined {
  const { verb } = readGit(command);
  return verb !== undefined && isUnknown(verb.text) ? hitField('does something in git that only the running shell knows', verb) : undefined;
}

const rule = (key: string, pattern: string, test: Rule['test'], tier: Rule['tier'] = 'danger'): Rule => ({ key, class: 'git-history', tier, programs: ['git'], pattern, test });

export const gitRules: readonly Rule[] = [
  rule('git reset --hard (destroys uncommitted changes)', 'git reset --hard, also cut off to --h', hardReset),
  rule('git force push (rewrites remote history)', 'git push --force, --force-with-lease, --mirror', forcePush('long')),
  rule('git force push short flag (rewrites remote history)', 'git push -f', forcePush('short')),
  rule('git force push by refspec (rewrites remote history)', 'git push origin +main', forcePush('refspec')),
  rule('git push that removes a ref', 'git push --delete, git push origin :name', forcePush('remove')),
  rule('git clean with force (deletes untracked files)', 'git clean -f, without -n', clean),
  rule('git branch force delete', 'git branch -D, -d -f, --delete --force', branchDelete),
  rule('git history rewrite', 'git filter-branch, reflog expire, gc --prune=now, update-ref -d', rewrites),
  { ...rule('git hooks from elsewhere', 'git -c core.hooksPath=/…, git config core.hooksPath /…', hooksElsewhere), class: 'persistence' },
  rule('unknown git command', 'git $VERB', unknownVerb, 'unknown'),
];
