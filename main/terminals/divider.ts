/** The line below what a terminal showed in an earlier run of the app. */
import type { Terminal } from '../../preload/contract/terminal.ts';

/** Leaves the alternate screen and scroll margins of a program that is gone, hides the cursor: nothing is typed here any more. */
const TO_PLAIN = '\x1b[?1049l\x1b[r\x1b[0m\x1b[999B\r\n';
const DIM = '\x1b[2m';
const TO_REST = '\x1b[0m\x1b[?25l';

/** A saved screen, and under it that it is history. */
export function withDivider(screen: string, terminal: Pick<Terminal, 'state' | 'cols'>): string {
  const words = terminal.state === 'running' ? ' from an earlier run; it still runs, and writes to its log ' : ' from an earlier run of Talaria ';
  const rule = '─'.repeat(Math.max(2, Math.floor((terminal.cols - words.length) / 2)));
  return `${screen}${TO_PLAIN}${DIM}${`${rule}${words}${rule}`.slice(0, Math.max(terminal.cols, words.trim().length))}${TO_REST}`;
}
