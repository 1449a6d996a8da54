/**
 * Which process works in a chat. Several hosts may share one home (the app and a command line): only chats whose process is
 * dead are taken for interrupted.
 */
import type { SessionId } from '../../preload/contract/ids.ts';
import type { Storage } from '../ports.ts';
import { isAlive, ownIdentity } from '../process-identity.ts';

const keyOf = (sessionId: SessionId): string => `owner:${sessionId}`;

export function claim(values: Storage['values'], sessionId: SessionId): void {
  values.set(keyOf(sessionId), ownIdentity());
}

export function release(values: Storage['values'], sessionId: SessionId): void {
  values.set(keyOf(sessionId), undefined);
}

/** True when another process that still lives works in that chat. */
export function isOwnedElsewhere(values: Storage['values'], sessionId: SessionId): boolean {
  const owner = values.get(keyOf(sessionId));
  return owner !== undefined && owner !== ownIdentity() && isAlive(owner);
}
