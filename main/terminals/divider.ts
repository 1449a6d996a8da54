/** The line below what a terminal showed in an earlier run of the app. */
import type { Terminal } from '../../preload/contract/terminal.ts';

const ALTERNATE = '\x1b[?1049h';
/** Puts the cursor back where it was when the alternate screen was entered; without one, to the first row. */
const LEAVE_ALTERNATE = '\x1b[?1049l';
/** Ends the scroll margins of a program that is gone, which moves the cursor, and its colours. */
const TO_PLAIN = '\x1b7\x1b[r\x1b8\x1b[0m';
/** A screen whose text ends where its cursor stands: the line comes right below. */
const BELOW = '\r\n';
/** The cursor was moved: only the last row is sure to be below everything. */
const BELOW_ALL = '\x1b[999B\r\n';
const DIM = '\x1b[2m';
const TO_REST = '\x1b[0m\x1b[?25l';

/** Up, to a column, or to a place: a screen that ends with one of these has text below its cursor. */
const CONTROL = '\x1b\\[[\\d;]*';
const MOVED = new RegExp(`${CONTROL}[AFGHfd](?:${CONTROL}[A-Za-z])*$`);

/** A saved screen, and under it that it is history. The words fit the narrowest view; a terminal is rarely shown in the width it had. */
export function withDivider(screen: string, { state }: Pick<Terminal, 'state'>): string {
  const words = state === 'running' ? '── from an earlier run ──\r\nIt still runs; what it prints now is not shown.' : '── from an earlier run of Talaria ──';
  const below = !screen.includes(ALTERNATE) && MOVED.test(screen) ? BELOW_ALL : screen === '' || screen.endsWith('\n') ? '' : BELOW;
  return `${screen}${screen.includes(ALTERNATE) ? LEAVE_ALTERNATE : ''}${TO_PLAIN}${below}${DIM}${words}${TO_REST}`;
}
