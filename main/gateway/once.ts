/** Sends a piece of a message so that it is there once, also when the process dies or the connection breaks in the middle. */
import type { OutgoingFile, Platform, SendOptions, Target } from './platform.ts';

export type Piece = { readonly text: string } | { readonly file: OutgoingFile };

/** `unsure`: an earlier try may have arrived and this messenger cannot tell; nothing was sent. */
export type Sent = { readonly kind: 'sent'; readonly id: string } | { readonly kind: 'unsure' };

/**
 * `triedAt` is when an earlier try began whose end nobody knows (null = there was none): then the messenger is asked whether the piece is there, or the
 * same key is sent again, or it is left alone. Throws PlatformError.
 */
export async function sendPiece(platform: Platform, to: Target, piece: Piece, options: SendOptions & { readonly key: string }, triedAt: number | null): Promise<Sent> {
  if (triedAt !== null && platform.keyed !== true) {
    const arrived = 'text' in piece ? await platform.hasArrived?.(to, { key: options.key, text: piece.text, since: triedAt }) : undefined;
    if (arrived === undefined) return { kind: 'unsure' };
    if (arrived) return { kind: 'sent', id: '' };
  }
  return { kind: 'sent', id: 'text' in piece ? await platform.sendText(to, piece.text, options) : await platform.sendFile(to, piece.file, options) };
}

const SHOWN_CHARS = 120;

/** What is told in place of a piece that may or may not have arrived. */
export function unsureWords(piece: Piece): string {
  const what = 'text' in piece ? `a message that begins “${piece.text.slice(0, SHOWN_CHARS)}${piece.text.length > SHOWN_CHARS ? '…' : ''}”` : `the file ${piece.file.path.split('/').at(-1) ?? ''}`;
  return `⚠️ The connection ended while ${what} was on its way here: it may or may not have arrived, and it was not sent a second time. /again sends the last answer once more.`;
}
