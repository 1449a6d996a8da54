/**
 * The bash scripts that act inside a remote backend. Nothing is spliced into them: whatever varies is an argument. They need bash, a
 * Linux /proc or `ps`, and the tools every image has (`env`, `head`, `tr`, `mv`, `rm`, `grep`, `stat`, `readlink`); busybox' will do.
 */

/* eslint-disable no-template-curly-in-string -- shell expansions are the subject of this file */

/** Exit codes by which file scripts say what is wrong. */
export const FILE_CODES = { notFound: 81, isDirectory: 82, notADirectory: 83, denied: 84, tooLarge: 85, notRegular: 87, full: 88 } as const;

/**
 * Stays beside the command as its parent and frames its output: the begin mark with the pid, at the end exit code and directory. So the
 * end is known though a grandchild holds the output, and nothing has to be fetched afterwards.
 *
 * $1 nonce · $2 stdin: `none`, `keep`, or the number of bytes to expect · $3 rows and columns of the terminal, or empty · $4 base name of
 * private files, or empty · $5 snapshot, which has to be there, or empty · $6 `clean` to start from a minimal environment · then the program.
 *
 * Its own stderr goes nowhere: bash would write about children that die of a signal.
 */
export const OUTER = [
  'n=$1 i=$2 z=$3 f=$4 s=$5 c=$6; shift 6; trap : INT QUIT TERM HUP',
  'exec 9>&2 2>/dev/null',
  'if [ -n "$s" ] && [ ! -f "$s" ]; then printf "\\036%sB0\\036" "$n"; exit 98; fi',
  'if [ -n "$z" ]; then stty rows "${z% *}" cols "${z#* }" iutf8; fi',
  'printf "\\036%sB%s\\036" "$n" "$$"',
  // Input that is known comes as a file: programs may open /dev/stdin again, and one that does not read it is not held up.
  // A connection that broke in the middle leaves too little: the program must not take half an input for all of it.
  'case $i in keep) ;; none) exec </dev/null ;; *) ( umask 077; head -c "$i" >"$f.in" ) || { rm -f "$f.in"; exit 88; }; exec <"$f.in"; s2=$(wc -c <"$f.in"); rm -f "$f.in"; [ "$s2" -eq "$i" ] || exit 96 ;; esac',
  'if [ -n "$c" ]; then set -- env -i PATH="$PATH" HOME="$HOME" ${LANG:+LANG="$LANG"} ${LC_ALL:+LC_ALL="$LC_ALL"} ${TERM:+TERM="$TERM"} ${COLORTERM:+COLORTERM="$COLORTERM"} TALARIA_MARK="$TALARIA_MARK" "$@"; fi',
  '"$@" 2>&1 9>&-; e=$?; d=',
  'if [ -n "$f" ]; then',
  'if [ -s "$f.cwd" ]; then IFS= read -r -d "" d <"$f.cwd"; d=${d%$\'\\n\'}; [ ! -f "$f.sh" ] || mv -f "$f.sh" "$s"; [ -d "$d" ] || d=; fi',
  'rm -f "$f.cwd" "$f.sh" "$f.command"; fi',
  'd=${d//%/%25}; d=${d//$\'\\n\'/%0A}; d=${d//$\'\\r\'/%0D}; printf "\\036%sE%s;%s\\036" "$n" "$e" "$d"; exit "$e"',
].join('\n');

/**
 * Makes the private directory and the first snapshot. $1 login script · $2 whose directory it is, or empty. Prints, each ended by NUL: directory, home, user, shell, host,
 * temporary directory, working directory. A start-up file that hangs is cut off after 10 s where `timeout` exists, and a plainer shell asked.
 */
export const BOOTSTRAP = [
  'umask 077; d=$(mktemp -d "${TMPDIR:-/tmp}/talaria-XXXXXXXX") || exit 97; d=$(cd "$d" && pwd -P); [ -z "$2" ] || printf "%s\\n" "$2" >"$d/owner"',
  // A full disk still makes directories: without room there is no state to carry from call to call.
  'printf x >"$d/room" && [ -s "$d/room" ] || { rm -rf "$d"; exit 97; }; rm -f "$d/room"',
  't=; if command -v timeout >/dev/null; then t="timeout 10"; fi',
  'for o in "-l -i" "-l" "--noprofile --norc"; do $t bash $o -c "$1" bash "$d/snap.sh" "$d/login.env" </dev/null >/dev/null 2>&1; [ ! -s "$d/snap.sh" ] || break; done',
  '[ -f "$d/snap.sh" ] || : >"$d/snap.sh"; rm -f "$d/login.env"',
  'u=$(id -un 2>/dev/null) || u=$(id -u); h=$(uname -n); sh=${SHELL:-}; [ -x "$sh" ] || sh=$(command -v bash)',
  'printf "%s\\0" "$d" "$HOME" "$u" "$sh" "$h" "${TMPDIR:-/tmp}" "$(pwd -P)"',
].join('\n');

/** `rows` fills L (alive: pid ppid pgid sid tpgid start tty, one a line). A group or terminal owner outside of the container shows as 0. */
const ROWS = [
  'rows() { L=; if [ -r /proc/self/stat ]; then local f l; for f in /proc/[0-9]*/stat; do l=; { IFS= read -r -d "" l <"$f"; } 2>/dev/null; [ -n "$l" ] || continue',
  'local p=${l%% *}; set -f; set -- ${l##*) }; set +f; case $1 in Z|X) continue ;; esac; L+="$p $2 $3 $4 $6 ${20} $5"$\'\\n\'; done',
  'else L=$(ps -A -o pid=,ppid=,pgid=,sess=,tpgid=,stat= | while read -r a b c d e s; do case $s in Z*) ;; *) echo "$a $b $c $d $e - 0" ;; esac; done)$\'\\n\'; fi; }',
].join('\n');

/**
 * Ends a tree: what carries the mark, the group and session of the root, and all their descendants. $1 mark · $2 root pid · $3 polite
 * signals · $4 rounds of 50 ms to wait for each. Prints the pids that outlived SIGKILL.
 */
export const END_TREE = [
  ROWS,
  // One pipeline for all processes; busybox' grep stops at the first NUL, so they become line feeds before.
  'marked() { head -v -c 262144 /proc/[0-9]*/environ 2>/dev/null | tr "\\000" "\\n" | grep -e "^==> /proc/" -e "^TALARIA_MARK=$mark$" | while read -r w p _; do case $w in "==>") q=${p#/proc/}; q=${q%%/*} ;; *) printf "%s " "$q" ;; esac; done; }',
  'mark=$1 root=$2 polite=$3 rounds=$4 known=" " startOf=" "',
  // `known` survives the rounds: a parent's death must not hide its children.
  'remaining() { rows; local m=" " p pp g s t b y grew=1 found; found=" $(marked)"',
  'while [ $grew = 1 ]; do grew=0; while read -r p pp g s t b y; do [ -n "$p" ] && [ "$p" != $$ ] && [ "$p" != 1 ] && [ "$pp" != $$ ] || continue',
  'case $m in *" $p "*) continue ;; esac',
  'if [ "$p" = "$root" ] || [ "$g" = "$root" ] || [ "$s" = "$root" ]; then m+="$p "; grew=1; continue; fi',
  'case $found in *" $p "*) m+="$p "; grew=1; continue ;; esac',
  'case $startOf in *" $p:$b "*) m+="$p "; grew=1; continue ;; esac',
  'case $m in *" $pp "*|*" $s "*) m+="$p "; grew=1; continue ;; esac',
  'case $known in *" $pp "*) [ "$pp" = 1 ] || { m+="$p "; grew=1; } ;; esac',
  'done <<<"$L"; done',
  'startOf=" "; while read -r p pp g s t b y; do case $m in *" $p "*) startOf+="$p:$b " ;; esac; done <<<"$L"; known=$m; [ "$m" != " " ]; }',
  // A look at what is known costs a fraction of a look at everything, which is only needed once none of it is left.
  'alive() { local p l; [ -r /proc/self/stat ] || return 1; for p in $known; do l=; { IFS= read -r -d "" l <"/proc/$p/stat"; } 2>/dev/null; [ -n "$l" ] || continue; case ${l##*) } in Z*|X*) ;; *) return 0 ;; esac; done; return 1; }',
  'for sig in $polite; do remaining || exit 0; kill -s "$sig" $known 2>/dev/null; kill -s CONT $known 2>/dev/null; i=0',
  'while [ $i -lt "$rounds" ]; do alive || remaining || exit 0; sleep 0.05; i=$((i + 1)); done; done',
  'i=0; while [ $i -lt 30 ] && remaining; do kill -s KILL $known 2>/dev/null; j=0; while [ $j -lt 5 ] && alive; do sleep 0.01; j=$((j + 1)); done; i=$((i + 1)); done',
  'remaining && echo $known; exit 0',
].join('\n');

/** One signal to the foreground group of the root's terminal, or to its own group without one. $1 root pid · $2 signal. */
export const SIGNAL = [
  ROWS,
  'rows; while read -r p pp g s t b y; do if [ "$p" = "$1" ]; then [ "${t:--1}" -gt 0 ] 2>/dev/null && g=$t; if [ "${g:-0}" -gt 0 ] 2>/dev/null; then kill -s "$2" -- "-$g"; exit; fi; fi; done <<<"$L"',
  // The group is led from outside of the container: its members here are the descendants.
  'm=" $1 "; grew=1; while [ $grew = 1 ]; do grew=0; while read -r p pp g s t b y; do case $m in *" $p "*) ;; *" $pp "*) m+="$p "; grew=1 ;; esac; done <<<"$L"; done; kill -s "$2" $m',
].join('\n');

/**
 * What the foreground program does with its input (`InputState`). $1 root pid. By the settings of its terminal, and by the system call
 * its processes sleep in: read, or for programs that edit the line themselves any call that waits.
 */
export const INPUT_STATE = [
  ROWS,
  'case $(uname -m) in x86_64) rd=0; wt=" 0 7 23 61 232 247 270 271 281 441 " ;; aarch64) rd=63; wt=" 63 72 73 22 95 260 441 " ;; *) rd=-; wt=" " ;; esac',
  'tty=$(readlink "/proc/$1/fd/1") && set -- "$1" $(stty -a <"$tty" 2>/dev/null | tr ";" " ") || { echo busy; exit; }',
  'o=" $* "; case $o in *" icanon "*) line=1 ;; *" -icanon "*) line= ;; *) echo busy; exit ;; esac',
  'if [ -n "$line" ]; then case $o in *" -echo "*) echo secret; exit ;; esac; fi',
  'rows; fg= own=; while read -r p pp g s t b y; do [ "$p" != "$1" ] || { fg=$t; own=$y; }; done <<<"$L"; [ "${fg:--1}" -ge 0 ] || { echo busy; exit; }',
  'all=1; while read -r p pp g s t b y; do [ -n "$p" ] && [ "$g" = "$fg" ] && [ "$y" = "$own" ] || continue; call=; { read -r call first _ <"/proc/$p/syscall"; } 2>/dev/null',
  'if [ "$call" = "$rd" ]; then case $(readlink "/proc/$p/fd/$((first))") in "$tty"|/dev/tty) if [ -n "$line" ]; then echo line; else echo raw; fi; exit ;; esac; fi',
  'case $wt in *" ${call:-none} "*) ;; *) all= ;; esac; done <<<"$L"',
  'if [ -z "$line" ] && [ -n "$all" ]; then echo raw; else echo busy; fi',
].join('\n');

const CHECK_FILE = [
  '[ -e "$1" ] || [ -L "$1" ] || exit 81; [ ! -d "$1" ] || exit 82; [ -f "$1" ] || exit 87',
].join('\n');

/** $1 path · $2 limit in bytes, or empty. */
export const READ_FILE = [
  CHECK_FILE, '[ -r "$1" ] || exit 84',
  'if [ -n "$2" ]; then s=$(stat -L -c %s -- "$1"); if [ "$s" -gt "$2" ]; then echo "$s"; exit 85; fi; exec head -c "$(($2 + 1))" -- "$1"; fi; exec cat -- "$1"',
].join('\n');

/** Sets R to the canonical path of $1. */
const RESOLVE = [
  'resolve() { local p=$1 r= q; while [ ! -e "$p" ] && [ ! -L "$p" ]; do r="/${p##*/}$r"; p=${p%/*}; [ -n "$p" ] || { p=/; break; }; done',
  'q=$(readlink -f -- "$p"; echo x); q=${q%$\'\\n\'x}; [ "$q" != / ] || q=; R="$q$r"; R=${R:-/}; }',
].join('\n');

/** Content on stdin. $1 absolute path without `.` and `..` · $2 mode in octal, or empty · $3 number for the temporary name. */
export const WRITE_FILE = [
  RESOLVE, 'resolve "$1"; set -- "$R" "$2" "$3"',
  '[ ! -d "$1" ] || exit 82; if [ -e "$1" ]; then [ -f "$1" ] || exit 87; [ -w "$1" ] || exit 84; fi',
  'd=${1%/*}; [ -n "$d" ] || d=/; mkdir -p -- "$d" 2>&1 || exit 1; t="$d/.talaria-$3.tmp"',
  'trap \'rm -f -- "$t"\' EXIT',
  'cat >"$t" || { [ -w "$d" ] || exit 84; exit 1; }',
  'm=$2; if [ -e "$1" ]; then [ -n "$m" ] || m=$(stat -c %a -- "$1"); chown "$(stat -c %u:%g -- "$1")" "$t" 2>/dev/null; fi',
  '[ -z "$m" ] || chmod "$m" "$t"; mv -f -- "$t" "$1"',
].join('\n');

/** $1 path. Two lines: the path itself and what it leads to. */
export const STAT = '[ -e "$1" ] || exit 81; stat -c "%f %s %Y %y" -- "$1" && exec stat -L -c "%f %s %Y %y" -- "$1"';

/** $1 path. Names, each ended by NUL. */
export const LIST = [
  '[ -e "$1" ] || exit 81; [ -d "$1" ] || exit 83; [ -r "$1" ] && [ -x "$1" ] || exit 84; cd -- "$1" || exit 84; shopt -s nullglob dotglob',
  'for n in *; do printf "%s\\0" "$n"; done',
].join('\n');

/** $1 path. */
export const REMOVE = '[ -e "$1" ] || [ -L "$1" ] || exit 81; exec rm -rf -- "$1"';

/** $1 from · $2 to. */
export const RENAME = '[ -e "$1" ] || [ -L "$1" ] || exit 81; d=${2%/*}; [ -z "$d" ] || mkdir -p -- "$d" || exit 1; exec mv -f -T -- "$1" "$2"';

/** $1 absolute path without `.` and `..`. What does not exist yet stays as given below the nearest ancestor that does. */
export const REALPATH = [RESOLVE, 'resolve "$1"; printf %s "$R"'].join('\n');
