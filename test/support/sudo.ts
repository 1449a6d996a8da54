/** A real sudo for tests; installed where it is missing and may be. */
import { existsSync } from 'node:fs';
import { install } from './install.ts';

/** False when it cannot be had here; the reason is printed. */
export async function haveSudo(): Promise<boolean> {
  return existsSync('/usr/bin/sudo') || install('sudo');
}

/** A stand-in where no sudo can be had or every command runs as root anyway: the options, words and exit codes of sudo 1.9. Three attempts, as sudo. */
export function standInSudo(password: string): string {
  return `#!/bin/bash
from=tty command=run
while [ $# -gt 0 ]; do
  case $1 in
    -n) from=nobody; shift ;;
    -S) from=stdin; shift ;;
    -A) from=askpass; shift ;;
    -k) shift; [ $# -gt 0 ] || exit 0 ;;
    -v) command=validate; shift ;;
    -p) shift 2 ;;
    --) shift; break ;;
    *) break ;;
  esac
done
tries=0
while :; do
  case $from in
    nobody) echo 'sudo: a password is required' >&2; exit 1 ;;
    tty) echo 'sudo: a terminal is required to read the password; either use the -S option to read from standard input or configure an askpass helper' >&2; exit 1 ;;
    stdin) IFS= read -r given || { echo 'sudo: no password was provided' >&2; exit 1; } ;;
    askpass) given=$("$SUDO_ASKPASS" 'Password: ') || { echo 'sudo: no password was provided' >&2; exit 1; } ;;
  esac
  [ "$given" != '${password}' ] || break
  tries=$((tries + 1))
  [ $tries -lt 3 ] || { echo 'sudo: 3 incorrect password attempts' >&2; exit 1; }
  echo 'Sorry, try again.' >&2
done
[ $command != validate ] || exit 0
exec "$@"
`;
}
