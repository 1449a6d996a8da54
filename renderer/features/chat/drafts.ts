/** Unsent text per chat. It outlives a reload; losing it costs a person's words, so a full storage is not an error they can act on. */
import type { AttachmentId, SessionId } from '../../../preload/contract/index.ts';

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
  keep(keyOf(sessionId), text);
}

function keep(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch (error) {
    console.warn('the draft is kept only until this window is closed', error);
  }
}

const FILES_PREFIX = 'talaria.draft-files.';

/** Ids of files that were attached and not sent yet. */
export function loadDraftFiles(sessionId: SessionId | undefined): AttachmentId[] {
  const stored = localStorage.getItem(FILES_PREFIX + (sessionId ?? 'new'));
  return stored === null || stored === '' ? [] : stored.split(' ') as AttachmentId[]; // written below; the host looks for each
}

export function saveDraftFiles(sessionId: SessionId | undefined, ids: readonly AttachmentId[]): void {
  const key = FILES_PREFIX + (sessionId ?? 'new');
  if (ids.length === 0) localStorage.removeItem(key);
  else keep(key, ids.join(' '));
}

/** What was typed before there was a chat goes on in it. */
export function moveDraft(from: SessionId | undefined, to: SessionId): void {
  saveDraft(to, loadDraft(from));
  saveDraft(from, '');
  saveDraftFiles(to, loadDraftFiles(from));
  saveDraftFiles(from, []);
}
