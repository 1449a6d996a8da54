/**
 * How a program's input and output get through an interface that carries neither bytes nor input: output goes as lines of base64, input
 * comes by a named pipe.
 */


/**
 * Runs the program. $1 path of the named pipe for its input, or empty; then the program. `dd` takes what is there and waits for no more, so
 * output flows as it comes. Something has to hold the pipe open between two writes: its pid is kept
 * beside it, as a link, which needs no room on the disk.
 */
export const RUN = [
  'f=$1; shift',
  'if [ -n "$f" ]; then mkfifo -m 600 -- "$f" || exit 97; sleep 2147483647 >"$f" </dev/null 2>/dev/null & ln -s "$!" "$f.pid"; exec <"$f"; else exec </dev/null; fi',
  '{ "$@" 2>/dev/null; c=$?; [ -z "$f" ] || { kill "$(readlink "$f.pid")"; rm -f -- "$f" "$f.pid"; } 2>/dev/null; exit "$c"; } | while x=$(dd bs=65536 count=1 2>/dev/null | base64 | tr -d "\\n") && [ -n "$x" ]; do printf "%s\\n" "$x"; done',
  `exit "\${PIPESTATUS[0]}"`,
].join('\n');

/** Exit code of `WRITE` when the file is not there, or only a part of it. */
export const NO_INPUT = 9;

/** Hands input over. $1 the named pipe · $2 base64, or empty · $3 otherwise a file with it, removed afterwards · $4 its bytes. Nothing when the program has ended. */
export const WRITE = '[ -z "$3" ] || [ "$(wc -c 2>/dev/null <"$3")" -eq "$4" ] 2>/dev/null || exit 9; if [ -p "$1" ]; then if [ -n "$2" ]; then printf %s "$2" | base64 -d; else cat -- "$3"; fi >"$1"; fi; [ -z "$3" ] || rm -f -- "$3"';

/** The end of input: nobody holds the pipe open any more. $1 the named pipe · $2 a file of input that did not arrive whole, or absent. */
export const CLOSE = '[ ! -L "$1.pid" ] || kill "$(readlink "$1.pid")"; rm -f -- "$2"';

/** Puts lines of base64 together over any chunking. */
export function lineDecoder(deliver: (bytes: Buffer) => void): (text: string) => void {
  let held = '';
  return (text) => {
    const lines = `${held}${text}`.split('\n');
    held = lines.pop() ?? '';
    for (const line of lines) if (line !== '') deliver(Buffer.from(line, 'base64'));
  };
}
