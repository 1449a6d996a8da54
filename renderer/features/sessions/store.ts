import { createStore } from 'zustand/vanilla';
import type { StoreApi } from 'zustand/vanilla';
import type { Session, SessionId, Talaria } from '../../../preload/contract/index.ts';
import { noSessions, withChanged, withList, withRemoved } from './model.ts';
import type { Sessions } from './model.ts';

export type SessionsStore = StoreApi<Sessions>;

export interface SessionsFeature {
  readonly store: SessionsStore;
  create(): Promise<Session>;
  rename(sessionId: SessionId, title: string): Promise<void>;
  delete(sessionId: SessionId): Promise<void>;
  restore(sessionId: SessionId): Promise<void>;
  /** The whole chat as one text, with a name for its file. */
  export(sessionId: SessionId, format: 'markdown' | 'json'): Promise<{ readonly fileName: string; readonly text: string }>;
  close(): void;
}

/** The chats of this host, kept in step by its events. Requests reject with the host's `AppError`. */
export function createSessions(bridge: Talaria): SessionsFeature {
  const store = createStore<Sessions>()(() => noSessions);
  const changed = (session: Session): void => { store.setState((state) => withChanged(state, session), true); };
  const reload = (): void => {
    bridge.request('sessions.list', {}).then(
      (sessions) => { store.setState(withList(sessions), true); },
      (error: unknown) => { console.warn('the list of chats could not be read; it is read again when the connection is back', error); },
    );
  };
  const offs = [
    bridge.subscribe('sessions', (event) => {
      if (event.type === 'changed') changed(event.session);
      else store.setState((state) => withRemoved(state, event.sessionId), true);
    }),
    bridge.onStatus((status) => { if (status === 'open') reload(); }),
  ];
  return {
    store,
    async create() {
      const session = await bridge.request('sessions.create', {});
      changed(session);
      return session;
    },
    async rename(sessionId, title) { changed(await bridge.request('sessions.rename', { sessionId, title })); },
    async delete(sessionId) { changed(await bridge.request('sessions.delete', { sessionId })); },
    async restore(sessionId) { changed(await bridge.request('sessions.restore', { sessionId })); },
    export: (sessionId, format) => bridge.request('sessions.export', { sessionId, format }),
    close() { for (const off of offs) off(); },
  };
}
