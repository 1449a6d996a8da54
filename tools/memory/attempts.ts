/** Stops a model that keeps trying to write into a full memory. */

/** Failures in one turn after which the answer is final (hermes-runtime 7.4). */
const MAX_FAILURES = 3;
/** Chats remembered; the oldest is forgotten first. */
const MAX_CHATS = 500;

const failures = new Map<string, { readonly turn: string; readonly count: number }>();

/** Counts a failure for lack of room; true when the model must stop trying in this turn. */
export function noteFull(chat: string, turn: string): boolean {
  const before = failures.get(chat);
  const count = before?.turn === turn ? before.count + 1 : 1;
  failures.delete(chat);
  failures.set(chat, { turn, count });
  const oldest = failures.keys().next();
  if (failures.size > MAX_CHATS && oldest.done !== true) failures.delete(oldest.value);
  return count >= MAX_FAILURES;
}

export function noteWritten(chat: string): void {
  failures.delete(chat);
}
