/** Where the window is, kept in the address so that a reload comes back to it. Pure. */
import type { SessionId } from '../../preload/contract/index.ts';

export type Route =
  /** Undecided: the latest chat, once the list is there. */
  | { readonly kind: 'start' }
  | { readonly kind: 'new' }
  | { readonly kind: 'chat'; readonly sessionId: SessionId }
  | { readonly kind: 'settings'; readonly sectionId: string | undefined };

/** An address that is not ours counts as the start. */
export function parseRoute(hash: string): Route {
  const [place = '', name = ''] = hash.replace(/^#\/?/, '').split('/', 2);
  if (place === 'new') return { kind: 'new' };
  if (place === 'chat' && name !== '') return { kind: 'chat', sessionId: decodeURIComponent(name) as SessionId }; // the host checks it: a wrong one answers `not-found`
  if (place === 'settings') return { kind: 'settings', sectionId: name === '' ? undefined : decodeURIComponent(name) };
  return { kind: 'start' };
}

export function formatRoute(route: Route): string {
  switch (route.kind) {
    case 'start': return '#/';
    case 'new': return '#/new';
    case 'chat': return `#/chat/${encodeURIComponent(route.sessionId)}`;
    case 'settings': return route.sectionId === undefined ? '#/settings' : `#/settings/${encodeURIComponent(route.sectionId)}`;
  }
}
