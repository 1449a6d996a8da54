/** Where a chat is held, in the names of Hermes: the messenger's, else `cli`. */
import type { SessionId } from '../../preload/contract/ids.ts';
import { OWN_PLATFORM } from '../../tools/shared/skills/store.ts';
import { rootOf } from '../lineage.ts';
import type { Storage } from '../ports.ts';

/** A sub-agent's chat is held where the chat is that sent it out. */
export function platformOf(storage: Pick<Storage, 'gateway' | 'values'>, sessionId: SessionId): string {
  return storage.gateway.chatOf(rootOf(storage.values, sessionId))?.platform ?? OWN_PLATFORM;
}
