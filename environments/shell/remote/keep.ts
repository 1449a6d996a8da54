/**
 * Programs that outlive the connection: a keeper beside them holds their input and writes their output to a file there, and whoever comes
 * later follows that file. Needs `setsid`, `mkfifo` and `tail`.
 */
import { z } from 'zod';

/** What is needed to find a kept program again. */
const Handle = z.object({ directory: z.string().min(1), mark: z.string().regex(/^keep\.[0-9a-f]{24}$/), pid: z.int().positive() });
export type Handle = z.infer<typeof Handle>;

/** Undefined for a text that is no handle of ours. */
export function parseHandle(text: string): Handle | undefined {
  try {
    return Handle.parse(JSON.parse(text));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof z.ZodError) return undefined;
    throw error;
  }
}

/**
 * Stays beside the program: its parent, and the one writer of its input that never leaves before it is told to (USR1). $1 directory · then
 * the program. Signals of the whole group are none of the keeper's and are ignored, never trapped: one that came while the program ended made
 * bash lose its exit code for good (-1 in one of a few tries). The program has them as usual, SIGINT too, which a shell lets its background
 * programs ignore.
 */
const KEEPER = [
  'd=$1; shift; trap "" INT TERM HUP QUIT; trap "exec 7>&-; i=1" USR1; exec 7<>"$d/in"',
  '( trap - INT TERM HUP QUIT USR1; exec "$@" <"$d/in" 7>&- ) >"$d/log" 2>&1 & c=$!',
  'echo "$$" >"$d/pid.new"; mv "$d/pid.new" "$d/pid"',
  // USR1 ends a wait with a status of its own, also when the program has ended meanwhile: it is asked again, and 127 says that the first answer was the program's.
  // Bash may even say -1 in that moment: then it knows a little later.
  'e= n=0; while :; do i=; wait "$c" 2>/dev/null; s=$?; if [ "$s" -lt 0 ] && [ "$n" -lt 100 ]; then n=$((n + 1)); sleep 0.02; continue; fi; [ "$s" = 127 ] && [ -n "$e" ] || e=$s; [ -n "$i" ] && [ "$e" -gt 128 ] && [ "$s" != 127 ] || break; done',
  'echo "$e" >"$d/exit.new"; mv "$d/exit.new" "$d/exit"',
].join('\n');

/** $1 directory · $2 mark · $3 snapshot that has to be there · then the program. Prints the keeper's pid. */
export const KEEP_START = [
  'd=$1 m=$2 s=$3; shift 3; [ -f "$s" ] || exit 98; umask 077; mkdir "$d" && mkfifo "$d/in" || exit 97',
  // Without it, what follows would begin life with SIGINT ignored for good; its notices are not for us.
  'exec 8>&1 >/dev/null 2>&1; set -m',
  `env -i PATH="$PATH" HOME="$HOME" \${LANG:+LANG="$LANG"} \${LC_ALL:+LC_ALL="$LC_ALL"} TERM=dumb TALARIA_MARK="$m" setsid bash --noprofile --norc -c '${KEEPER.replaceAll("'", `'\\''`)}' bash "$d" "$@" </dev/null 8>&- &`,
  'i=0; until [ -s "$d/pid" ]; do i=$((i + 1)); [ "$i" -lt 500 ] || { rm -rf "$d"; exit 97; }; sleep 0.02; done; cat "$d/pid" >&8',
].join('\n');

/**
 * Follows a kept program in the frames of `OUTER`: what it has written so far, then what comes, then its end. Input is passed on.
 * $1 nonce · $2 directory · $3 bytes of its output that are known already. Takes the directory away after the end has been told, unless
 * another one has begun to follow: this one's connection may be dead without its knowing.
 */
export const KEEP_FOLLOW = [
  'n=$1 d=$2; p=; [ -f "$d/pid" ] && IFS= read -r p <"$d/pid"; if [ -z "$p" ]; then printf "\\036%sB0\\036" "$n"; exit 98; fi',
  'echo "$n" >"$d/follower"; o=$(($3 + 1)); printf "\\036%sB%s\\036" "$n" "$p"; exec 5<&0; cat <&5 >"$d/in" 2>/dev/null & c=$!',
  'if tail --help 2>&1 | grep -q -e --pid; then tail -c +$o -f -s 0.1 --pid="$p" "$d/log"; else tail -c +$o -f "$d/log" & t=$!; while kill -0 "$p" 2>/dev/null; do sleep 0.2; done; sleep 1.2; kill "$t"; fi',
  'e=137; [ -f "$d/exit" ] && IFS= read -r e <"$d/exit"; kill "$c" 2>/dev/null; printf "\\036%sE%s;\\036" "$n" "$e"; f=; IFS= read -r f <"$d/follower"; [ "$f" != "$n" ] || rm -rf "$d"; exit "$e"',
].join('\n');
