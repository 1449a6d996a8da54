/**
 * The script that carries one command (hermes-runtime 6.1): source the task's snapshot, go to its directory, eval the command as one
 * opaque argument, then write the environment and directory back. The command itself is never spliced into script text.
 */

/* eslint-disable no-template-curly-in-string -- shell expansions are the subject of this file */

/** Variables that belong to one call or one terminal: never carried to the next call. */
const NOT_CARRIED = [
  'TERM', 'COLUMNS', 'LINES', 'SHLVL', '_', 'PWD', 'TALARIA_MARK', 'AI_AGENT', 'HERMES_AGENT', 'SUDO_PASSWORD',
] as const;
/** `__hermes_`: the wrapper's own, exported when the command has said `set -a`. */
const NOT_CARRIED_PREFIXES = ['HERMES_SESSION_', 'HERMES_CRON_', 'HERMES_RPC_', '__hermes_'] as const;

/** Above this a command travels through a file: Linux refuses single arguments of 128 KiB (MAX_ARG_STRLEN). */
export const MAX_COMMAND_ARGUMENT_BYTES = 96 * 1024;

/** POSIX single quoting: the result is one word with exactly these characters. */
export function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/**
 * Statements that write exported variables, functions (but for `_name` ones), and aliases of the running shell to `target` (a shell
 * expression), private. They run in a subshell, so the shell itself is left as it was, and start no program: each would cost
 * milliseconds on every call. Reading functions back from the file instead of `$(…)` is part of that.
 */
function dumpStatements(target: string): string {
  const prefixes = NOT_CARRIED_PREFIXES.map((prefix) => `"\${!${prefix}@}"`).join(' ');
  return [
    `( set +eux; set -f; umask 077; for __a in "\${__hermes_a[@]:6}"; do builtin unset -v -- "\${__a%%=*}"; done; set -- ${target}`,
    `builtin unset -v ${NOT_CARRIED.join(' ')} ${prefixes}`,
    'builtin declare -F > "$1"',
    'while IFS=" " builtin read -r __a __b __f; do case "$__f" in _[A-Za-z]*|__hermes_*) builtin unset -f -- "$__f" ;; esac; done < "$1"',
    'builtin unset -v __a __b __f',
    `{ builtin export -p; builtin declare -f; builtin declare -Fx; builtin alias -p; builtin printf '%s\\n' 'shopt -s expand_aliases' 'set +e +u'; } > "$1" )`,
  ].join('; ');
}

/**
 * Statement that lets go of inherited terminals. The pseudo-terminals of this process come down to every child, and whoever holds the near
 * end of one types into it: a command must not have the person's own shell at hand. Above the three standard streams only those are devices.
 */
export const WITHOUT_TERMINALS = 'for __hermes_f in /dev/fd/*; do if [ -c "$__hermes_f" ] && [ "${__hermes_f##*/}" -gt 2 ]; then __hermes_f=${__hermes_f##*/}; exec {__hermes_f}>&-; fi; done';

/** Script for the first login shell: dumps to `$1`, and the plain environment, NUL-separated, to `$2`. */
export function loginScript(): string {
  return `__hermes_a=("$@"); set --; ${dumpStatements('"${__hermes_a[0]}"')} 2>/dev/null; command env -0 > "\${__hermes_a[1]}"`;
}

/**
 * How the directory after the command comes back: `file` = written to a file whose name is an argument (local: out of band, works
 * for pipes and pseudo-terminals alike); `stderr` = on the stderr the wrapper was started with, which no command output reaches
 * (docker and ssh pipes); `none` = not at all.
 */
export type Report = 'file' | 'stderr' | 'none';

export interface WrapOptions {
  /** Absolute path of the snapshot inside the backend; empty = none to source. */
  readonly snapshot: string;
  /**
   * Where the new snapshot is written. It counts only once the directory has been reported, which comes after it: whoever reads the
   * report then renames it over the old one. Absent = nothing is carried over (background commands).
   */
  readonly nextSnapshot?: string;
  readonly cwd: string;
  readonly command: string;
  /** File that holds the command instead, when it is too long for an argument. */
  readonly commandFile?: string;
  readonly report: Report;
  /** File for `file`; the nonce for `stderr`. */
  readonly reportTo?: string;
  readonly pty: boolean;
  /** Set for this call on top of the snapshot, and not carried over. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Arguments for `bash`: everything up to and including the eval stands on one line, so bash counts the command's lines from 1, and
 * aliases of the snapshot cannot touch the wrapper (a line is parsed before it runs).
 */
export function wrapCommand(options: WrapOptions): string[] {
  const report = options.report === 'file'
    ? '[ -z "${__hermes_a[2]}" ] || builtin pwd -P > "${__hermes_a[2]}"'
    : options.report === 'stderr'
      ? 'builtin printf "%s%s%s" "${__hermes_a[2]}" "$(builtin pwd -P)" "${__hermes_a[2]}" >&19'
      : ':';
  const carry = options.nextSnapshot !== undefined;
  const end = carry
    ? [
      '__hermes_end() { __hermes_code=$?; { set +xe; } 2>/dev/null',
      '[ -z "${__hermes_done-}" ] || return "$__hermes_code"; __hermes_done=1',
      dumpStatements('"${__hermes_a[5]}"'),
      report,
      'return "$__hermes_code"; }',
      "builtin trap '{ __hermes_end; } 2>/dev/null' EXIT",
    ]
    : [];
  const line = [
    WITHOUT_TERMINALS,
    ...(options.report === 'stderr' ? ['exec 19>&2 2>&1'] : []),
    '__hermes_a=("$@"); set --',
    ...end,
    '[ -z "${__hermes_a[0]}" ] || builtin . "${__hermes_a[0]}" >/dev/null 2>&1',
    'builtin export AI_AGENT=hermes-agent HERMES_AGENT=true PAGER=cat GIT_PAGER=cat',
    ...(options.pty ? ['command stty iutf8 2>/dev/null'] : []),
    '[ "${#__hermes_a[@]}" -le 6 ] || builtin export "${__hermes_a[@]:6}"',
    '__hermes_o=${OLDPWD-}; builtin cd -- "${__hermes_a[1]}" || builtin exit 126; [ -z "$__hermes_o" ] || OLDPWD=$__hermes_o',
    '[ -z "${__hermes_a[3]}" ] || IFS= builtin read -r -d "" "__hermes_a[4]" < "${__hermes_a[3]}"',
    // `plain` keeps bash from waiting for background jobs of the command (hermes-runtime 5.5).
    ...(carry ? [] : ['set +m']),
    'builtin eval "${__hermes_a[4]}"',
    ...(carry ? ['{ __hermes_end; } 2>/dev/null'] : []),
  ].join('; ');
  return [
    '--noprofile', '--norc', '-c', line, 'bash',
    options.snapshot, options.cwd, options.reportTo ?? '', options.commandFile ?? '',
    options.commandFile === undefined ? options.command : '', options.nextSnapshot ?? '',
    ...Object.entries(options.env).map(([name, value]) => `${name}=${value}`),
  ];
}
