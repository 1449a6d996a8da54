/** Permissions and owners. */
import type { Invocation } from '../parse/model.ts';
import { readOptions } from '../parse/options.ts';
import { isUnknown } from '../parse/text.ts';
import { type Hit, hitField, type Rule, shown } from './rule.ts';

/** The mode word: the first that is no flag; `-w` and `-x` forms are modes that look like flags. */
function mode(command: Invocation): Invocation['argv'][number] | undefined {
  return command.argv.slice(1).find((field) => !/^-(?:[RvcfHLPh]+|-.*)$/.test(field.text));
}

/** Whether others may write afterwards. */
function worldWritable(text: string): boolean {
  if (/^[0-7]{1,5}$/.test(text)) return (Number.parseInt(text, 8) & 0o002) !== 0;
  return text.split(',').some((clause) => {
    const match = /^([ugoa]*)([-+=])([rwxXstugo]*)/.exec(clause);
    return match !== null && match[2] !== '-' && /[oa]/.test(match[1] ?? '') && (match[3] ?? '').includes('w');
  });
}

function setsUserId(text: string): boolean {
  if (/^[0-7]{4,5}$/.test(text)) return (Number.parseInt(text, 8) & 0o4000) !== 0;
  return text.split(',').some((clause) => /^(?:[uga]*[ua][uga]*)?[+=][rwxX]*s/.test(clause));
}

function opens(command: Invocation): Hit | undefined {
  const word = mode(command);
  return word !== undefined && worldWritable(word.text) ? hitField(`lets every user write (mode ${shown(word.text)})`, word) : undefined;
}

/** `install -m 777`, `mkdir -m 777`. */
function createsOpen(command: Invocation): Hit | undefined {
  const { options } = readOptions(command.argv, { short: 'mgotS', flags: 'bcCdDpsTvZ', long: ['mode', 'group', 'owner', 'target-directory', 'suffix'], permute: true });
  const value = options.find((option) => option.name === 'm' || option.name === 'mode')?.value;
  return value !== undefined && worldWritable(value.text) ? hitField(`lets every user write (mode ${shown(value.text)})`, value) : undefined;
}

function raises(command: Invocation): Hit | undefined {
  const word = mode(command);
  return word !== undefined && setsUserId(word.text) ? hitField('makes a program run with its owner’s rights', word) : undefined;
}

function unknownMode(command: Invocation): Hit | undefined {
  const word = mode(command);
  return word !== undefined && isUnknown(word.text) ? hitField('sets a mode that only the running shell knows', word) : undefined;
}

function givesToRoot(command: Invocation): Hit | undefined {
  const flags = command.argv.slice(1).filter((field) => field.text.startsWith('-'));
  const isRecursive = flags.some((field) => /^-[A-Za-z]*R/.test(field.text) || (field.text.length > 4 && '--recursive'.startsWith(field.text)));
  const owner = command.argv.slice(1).find((field) => !field.text.startsWith('-'));
  return isRecursive && owner !== undefined && /^(?:root|0)(?:[:.]|$)/.test(owner.text) ? hitField('gives whole trees to root', owner) : undefined;
}

/** Access lists that let everyone write: `setfacl -m o::rwx`, `chmod +a "everyone allow write"`. */
function opensList(command: Invocation): Hit | undefined {
  const word = command.argv.slice(1).find((field) => /(?:^|,|=)(?:d(?:efault)?:)?o(?:ther)?:{1,2}[rx-]*w/.test(field.text));
  return word === undefined ? undefined : hitField('lets every user write', word);
}

/** `umask 000`, `umask a=rwx`: what is made afterwards may be written by everyone. A mask takes rights away, so the bit that counts is a missing one. */
function opensMask(command: Invocation): Hit | undefined {
  const word = command.argv.slice(1).find((field) => !field.text.startsWith('-'));
  if (word === undefined) return undefined;
  const isOpen = /^[0-7]{1,4}$/.test(word.text) ? (Number.parseInt(word.text, 8) & 0o002) === 0 : worldWritable(word.text);
  return isOpen ? hitField(`lets every user write to what is made from here on (mask ${word.text})`, word) : undefined;
}

const CHMOD = ['chmod', 'gchmod'];

export const permissionRules: readonly Rule[] = [
  { key: 'world/other-writable permissions', class: 'permissions', tier: 'danger', programs: CHMOD, pattern: 'chmod 777, 666, o+w, a+w', test: opens },
  { key: 'created world-writable', class: 'permissions', tier: 'danger', programs: ['install', 'ginstall', 'mkdir', 'gmkdir'], pattern: 'install -m 777, mkdir -m 777', test: createsOpen },
  { key: 'open creation mask', class: 'permissions', tier: 'danger', programs: ['umask'], pattern: 'umask 000, umask a=rwx', test: opensMask },
  { key: 'world-writable access list', class: 'permissions', tier: 'danger', programs: ['setfacl'], pattern: 'setfacl -m o::rwx', test: opensList },
  { key: 'set-user-id permissions', class: 'privilege', tier: 'danger', programs: CHMOD, pattern: 'chmod u+s, 4755', test: raises },
  { key: 'unknown permissions', class: 'permissions', tier: 'unknown', programs: CHMOD, pattern: 'chmod $MODE', test: unknownMode },
  { key: 'recursive chown to root', class: 'permissions', tier: 'danger', programs: ['chown', 'gchown'], pattern: 'chown -R root', test: givesToRoot },
];
