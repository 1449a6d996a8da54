/** Unsent text per chat. It outlives a reload; losing it costs a person's words, so a full storage is not an error they can act on. */
import type { SessionId } from '../../../preload/contract/index.ts';

const PREFIX = 'talaria.draft.';

/** A chat that is not made yet has a draft too. */
function keyOf(sessionId: SessionId | undefined): string {
  return PREFIX + (sessionId ?? 'new');
}

export function loadDraft(sessionId: SessionId | undefined): string {
  return localStorage.getItem(keyOf(sessionId)) ?? '';
}

export function saveDraft(sessionId: SessionId | undefined, text: string): void {
  if (text === '') {
    localStorage.removeItem(keyOf(sessionId));
    return;
  }
  try {
    localStorage.setItem(keyOf(sessionId), text);
  } catch (error) {
    console.warn('the draft is kept only until this window is closed', error);
  }
}

/** What was typed before there was a chat goes on in it. */
export function moveDraft(from: SessionId | undefined, to: SessionId): void {
  saveDraft(to, loadDraft(from));
  saveDraft(from, '');
}
