/** Whose programs run in a backend: so that what a host that is gone left behind can be told from what another host still looks after. */
import { randomBytes } from 'node:crypto';

export interface RemoteOwner {
  /** The home on its machine; letters and digits. */
  readonly home: string;
  /** This host among those of the home; letters, digits and dashes. */
  readonly self: string;
  /** Whether that host of the home still lives. */
  isAlive(self: string): boolean;
}

/** Value of `TALARIA_MARK` for one program and all its descendants. */
export function newMark(owner: RemoteOwner | undefined): string {
  const nonce = randomBytes(12).toString('hex');
  return owner === undefined ? `remote.${nonce}` : `remote.${owner.home}.${owner.self}.${nonce}`;
}

/** What `LEFT_BEHIND` found, without what a living host looks after. */
export function abandoned(found: string, owner: RemoteOwner): { readonly marks: readonly string[]; readonly directories: readonly string[] } {
  const marks: string[] = [];
  const directories: string[] = [];
  for (const line of found.split('\0')) {
    const [kind, value = '', ...path] = line.split(' ');
    const [prefix, home, self = ''] = value.split('.');
    if (prefix !== 'remote' || home !== owner.home || self === '' || self === owner.self || owner.isAlive(self)) continue;
    if (kind === 'mark') marks.push(value);
    else if (kind === 'directory') directories.push(path.join(' '));
  }
  return { marks: [...new Set(marks)], directories };
}

/** $1 home. Takes away what kept programs that ended a week ago have left. Lists marks of running programs and private directories of all hosts of that home, each entry ended by NUL. */
export const LEFT_BEHIND = [
  `for d in "\${TMPDIR:-/tmp}"/talaria-keep-*; do [ -O "$d/exit" ] && [ -n "$(find "$d/exit" -mtime +7)" ] && rm -rf -- "$d"; done`,
  `cat /proc/[0-9]*/environ 2>/dev/null | tr "\\000" "\\n" | grep -a "^TALARIA_MARK=remote\\.$1\\." | sort -u | while IFS= read -r l; do printf "mark %s\\0" "\${l#TALARIA_MARK=}"; done`,
  `for f in "\${TMPDIR:-/tmp}"/talaria-*/owner; do [ -O "$f" ] && IFS= read -r o <"$f" && printf "directory %s %s\\0" "$o" "\${f%/owner}"; done; exit 0`,
].join('\n');
