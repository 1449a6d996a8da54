/** What the model is told when a person takes the keys of a terminal and gives them back. */
import type { LiveTerminal } from './live-terminal.ts';
import type { Notices } from './notices.ts';
import { plainText } from '../../tools/shared/plain-text.ts';

const SCREEN_NOTE_CHARS = 2_000;

/**
 * Tells who drives, and what the screen shows when the model gets the terminal back: never what was typed. The first line is for both
 * readers; what follows it is the model's, and screens fold it away.
 */
export async function tellHandOver(live: LiveTerminal, notices: Notices, redact: (text: string) => string): Promise<void> {
  const name = `"${live.row.title}" (${live.row.id})`;
  const { driver, sessionId, id: processId } = live.row;
  if (driver === 'user') {
    notices.addQuietly(sessionId, { processId, kind: 'other', text: `The user has taken over the terminal ${name}.\nYour input to it is refused until it is handed back.` });
    return;
  }
  const screen = live.running ? await live.screen.settled(() => live.screen.visibleText()) : '';
  const shown = redact(plainText(screen)).slice(-SCREEN_NOTE_CHARS);
  const state = live.running ? 'It is still running.' : `It has ended: ${live.row.ended ?? 'unknown'}.`;
  notices.add(sessionId, { processId, kind: 'other', text: `The user has handed back the terminal ${name}. ${state}\nIts screen now:\n${shown}` });
}
