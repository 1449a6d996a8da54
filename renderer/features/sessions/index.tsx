/** Chats: the list, its search, and what may be done to one. */
export { SessionsProvider, useSession, useSessions } from './context.tsx';
export { neighbourOf, snippetWords, waitingCount } from './model.ts';
export { Snippet, useSearch } from './search.tsx';
export { SessionList } from './session-list.tsx';
export { statusWord } from './status-dot.tsx';
export { createSessions } from './store.ts';
export type { SessionsFeature } from './store.ts';
