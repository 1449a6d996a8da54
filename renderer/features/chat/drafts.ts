/** Unsent text per chat. It outlives a reload; losing it costs a person's words, so a full storage is not an error they can act on. */
import type { SessionId } from '../../../preload/contract/index.ts';

const PREFIX = 'talaria.draft.';

export function loadDraft(sessionId: SessionId): string {
  return localStorage.getItem(PREFIX + sessionId) ?? '';
}

export function saveDraft(sessionId: SessionId, text: string): void {
  if (text === '') {
    localStorage.removeItem(PREFIX + sessionId);
    return;
  }
  try {
    localStorage.setItem(PREFIX + sessionId, text);
  } catch (error) {
    console.warn('the draft is kept only until this window is closed', error);
  }
}
