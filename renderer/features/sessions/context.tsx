import { createContext, useContext } from 'react';
import { useStore } from 'zustand';
import type { Session, SessionId } from '../../../preload/contract/index.ts';
import type { Sessions } from './model.ts';
import type { SessionsFeature } from './store.ts';

const SessionsContext = createContext<SessionsFeature | undefined>(undefined);

export const SessionsProvider = SessionsContext.Provider;

export function useSessionsFeature(): SessionsFeature {
  const feature = useContext(SessionsContext);
  if (feature === undefined) throw new Error('useSessionsFeature was called outside SessionsProvider.');
  return feature;
}

export function useSessions<Part>(select: (state: Sessions) => Part): Part {
  return useStore(useSessionsFeature().store, select);
}

export function useSession(id: SessionId | undefined): Session | undefined {
  return useSessions((state) => (id === undefined ? undefined : state.byId.get(id)));
}
