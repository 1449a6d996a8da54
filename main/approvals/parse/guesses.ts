/** Programs that a half-known or globbed first word most likely is: `r${x}m` with nothing in x, `/bin/r?m`. */
import { globMatches } from './glob.ts';
import { programName } from './place.ts';
import { type Field, isUnknown, UNKNOWN } from './text.ts';

/** Programs worth hiding behind a glob, because their plain name is asked about or refused. */
const HIDDEN = ['rm', 'dd', 'mkfs', 'mkfs.ext4', 'shred', 'wipefs', 'reboot', 'shutdown', 'poweroff', 'halt', 'init', 'systemctl', 'kill', 'sudo', 'busybox', 'bash', 'sh', 'env', 'find', 'xargs'];
/** A glob that fits more of them becomes more words than one, the first of which starts and the rest of which are its arguments. */
const MAX_FITTING = 1;

/**
 * Other readings of a command line whose program only the running shell knows in full.
 * @param argv the words, program first
 * @returns none when the program is known as it stands, or not known at all
 */
export function guessedPrograms(argv: readonly Field[]): readonly (readonly Field[])[] {
  const [first, ...rest] = argv;
  if (first === undefined) return [];
  const as = (text: string): readonly Field[] => [{ ...first, text, segments: [{ at: 0, start: first.start, end: first.end, linear: false }], glob: false, splits: false }, ...rest];
  const name = programName(first.text);
  if (isUnknown(name)) {
    // An unset variable is nothing at all, which is what such a spelling counts on.
    const known = first.text.replaceAll(UNKNOWN, '');
    return known === '' || known.endsWith('/') || known === first.text ? [] : [as(known)];
  }
  // A glob without a folder finds programs only in the folder that the shell stands in.
  if (!first.glob || !first.text.startsWith('/') || !/[*?[]/.test(name)) return [];
  const fitting = HIDDEN.filter((program) => globMatches(name, program));
  return fitting.length > MAX_FITTING ? [] : fitting.map(as);
}
