/** What a person keeps of a terminal: all of its text, or its screen with colours; without known secrets either way. */
import { open } from 'node:fs/promises';
import type { TerminalId } from '../../preload/contract/ids.ts';
import { AppError } from '../../preload/contract/errors.ts';
import type { Terminals } from '../ports.ts';
import { slices } from './clean-file.ts';
import { cleanScreen } from './clean-screen.ts';
import { plainText } from '../../tools/shared/plain-text.ts';
import { SCROLLBACK_LINES } from './screen.ts';
import { MAX_SCREEN_CHARS, type Shelf } from './shelf.ts';

/** More than that no editor opens with ease. */
const MOST_BYTES = 16 * 1024 * 1024;

type Redact = (text: string) => string;

/** As the screen shows it, or from the file of all output once the first lines have left the screen. Throws `not-found`. */
export async function textOf(shelf: Shelf, id: TerminalId, redact: Redact): ReturnType<Terminals['text']> {
  const live = shelf.live(id);
  const path = shelf.capturePath(id);
  const drawn = live === undefined ? plainText(savedScreen(shelf, id)) : await live.screen.settled(() => live.screen.allText());
  await live?.capture.flushed();
  const bytes = shelf.get(id)?.bytes ?? 0;
  const hasAll = bytes < MAX_SCREEN_CHARS && drawn.split('\n').length < SCROLLBACK_LINES;
  const captured = hasAll || path === null ? undefined : await capturedText(path, redact);
  return { text: captured ?? redact(drawn), path };
}

/** Throws `not-found`. */
export async function screenOf(shelf: Shelf, id: TerminalId, redact: Redact): Promise<string> {
  const live = shelf.live(id);
  return live === undefined ? savedScreen(shelf, id) : cleanScreen(await live.screen.settled(() => live.screen.serialized(MAX_SCREEN_CHARS)), redact);
}

/** It was cleaned when it was saved. */
function savedScreen(shelf: Shelf, id: TerminalId): string {
  if (shelf.get(id) === undefined) throw new AppError('not-found', 'there is no such terminal');
  return shelf.savedScreen(id);
}

/** The end of the file as plain text, a line about what is left out before it; undefined when the file is gone. */
async function capturedText(path: string, redact: Redact): Promise<string | undefined> {
  const file = await open(path, 'r').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (file === undefined) return undefined;
  try {
    const { size } = await file.stat();
    const leftOut = Math.max(0, size - MOST_BYTES);
    const parts = leftOut === 0 ? [] : [`[The first ${leftOut} bytes are left out here; ${path} holds all of it.]\n`];
    for await (const slice of slices(file, leftOut)) parts.push(redact(plainText(Buffer.from(slice, 'latin1').toString('utf8'))));
    return parts.join('').trimEnd();
  } finally {
    await file.close();
  }
}
