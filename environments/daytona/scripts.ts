/**
 * How a program with pipes runs on a pseudo-terminal and loses no byte. Daytona's other way, sessions, hands output over as text and
 * would damage what is no UTF-8; its terminals carry bytes.
 */

import { quote } from '../shell.ts';

/** Typed into the login shell that a terminal starts with. It makes the line clean, says so, and takes the script as one line of base64. */
export function bootstrap(nonce: string): string {
  return ` exec bash --noprofile --norc -c 'o=$(stty -g); stty raw -echo; printf "\\036R${nonce}\\036"; IFS= read -r l; eval "$(printf %s "$l" | base64 -d)"'\r`;
}

/** What `bootstrap` prints when the line is clean. */
export function readyMark(nonce: string): Buffer {
  return Buffer.from(`\x1eR${nonce}\x1e`);
}

function words(program: readonly string[], env: Readonly<Record<string, string>>): string {
  return ['env', ...Object.entries(env).map(([name, value]) => `${name}=${value}`), ...program].map(quote).join(' ');
}

/** The terminal is the program's own. */
export function onTerminal(program: readonly string[], env: Readonly<Record<string, string>>): string {
  return `stty "$o"; exec ${words(program, env)}`;
}

/**
 * The terminal is only the wire. Input comes as lines: base64 of bytes, `F` and a path whose content is taken and removed, or `.` for the
 * end; `R` and a path: it did not arrive whole, is removed, and that is the end, too. A session of its own: what the command leaves running must outlive the wire.
 */
export function onPipes(program: readonly string[], env: Readonly<Record<string, string>>, input: boolean): string {
  const pump = `pump() { while IFS= read -r l <&8; do case $l in .) return ;; R*) rm -f -- "\${l#R}"; return ;; F*) cat -- "\${l#F}" || return; rm -f -- "\${l#F}" ;; *) printf %s "$l" | base64 -d ;; esac || return; done; }`;
  return [
    's=; if command -v setsid >/dev/null; then s=setsid; fi; exec 8<&0',
    input ? `${pump}; exec 7< <(trap "" PIPE; pump 2>/dev/null)` : 'exec 7</dev/null',
    `exec 0<&7; $s ${words(program, env)} 2>/dev/null 7<&- 8<&- | cat`,
    `exit "\${PIPESTATUS[0]}"`,
  ].join('\n');
}
