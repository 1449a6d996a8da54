/** What each chat has been shown already: an identical view is answered shortly. In memory only; bounded. */

const MAX_CHATS = 500;
const MAX_VIEWS = 200;
const chats = new Map<string, Map<string, string>>();

/** True when this chat was shown the same file with the same content before; otherwise notes it. */
export function wasShown(sessionId: string, path: string, fingerprint: string): boolean {
  const views = chats.get(sessionId) ?? new Map<string, string>();
  if (views.get(path) === fingerprint) return true;
  views.set(path, fingerprint);
  chats.set(sessionId, views);
  dropOldest(views, MAX_VIEWS);
  dropOldest(chats, MAX_CHATS);
  return false;
}

/** After a part of a chat was left out of its requests, or a skill was changed in it. */
export function forgetViews(sessionId: string): void {
  chats.delete(sessionId);
}

function dropOldest(map: Map<string, unknown>, most: number): void {
  const oldest = map.keys().next();
  if (map.size > most && oldest.done !== true) map.delete(oldest.value);
}
