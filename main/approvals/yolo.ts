/** Where approvals are switched off: for the whole run, by how it was started, and chat by chat, by a person. */
import { AppError } from '../../preload/contract/errors.ts';
import type { SessionId } from '../../preload/contract/ids.ts';
import type { Approvals, EventBus, Storage } from '../ports.ts';

export interface Yolo {
  /** Off in one of these chats, or in all. */
  isOn(chats: readonly SessionId[]): boolean;
  /** Throws `not-found` for a chat that is not there. */
  readonly set: Approvals['setYolo'];
  readonly state: Approvals['yolo'];
}

/** Kept in memory only: who starts the app anew is asked again. */
export function createYolo({ storage, events, process }: { readonly storage: Pick<Storage, 'sessions'>; readonly events: Pick<EventBus, 'publish'>; readonly process: boolean }): Yolo {
  const chats = new Set<SessionId>();
  const state = (): { process: boolean; sessions: SessionId[] } => ({ process, sessions: [...chats] });
  return {
    isOn: (asked) => process || asked.some((chat) => chats.has(chat)),
    set: (sessionId, on) => {
      if (on === chats.has(sessionId)) return;
      if (on && storage.sessions.get(sessionId) === undefined) throw new AppError('not-found', `there is no chat with the id ${sessionId}`);
      if (on) chats.add(sessionId); else chats.delete(sessionId);
      events.publish('yolo', { type: 'changed', ...state() });
    },
    state,
  };
}
