/** What `session_search` was asked for, from the arguments that came (hermes-runtime 7.4). Pure. */

export type SearchMode =
  | { readonly kind: 'browse'; readonly limit: number }
  | { readonly kind: 'discovery'; readonly query: string; readonly limit: number; readonly sort: 'newest' | 'oldest'; readonly roles: readonly string[]; readonly detail: 'adaptive' | 'full' }
  | { readonly kind: 'scroll'; readonly sessionId: string; readonly around: string; readonly window: number }
  | { readonly kind: 'read'; readonly sessionId: string };

const DEFAULT_LIMIT = 3;
const MAX_LIMIT = 10;
const DEFAULT_WINDOW = 5;
const MAX_WINDOW = 20;
const DEFAULT_ROLES: readonly string[] = ['user', 'assistant'];

function clamp(value: unknown, fallback: number, most: number): number {
  return typeof value === 'number' && Number.isFinite(value) ? Math.min(Math.max(Math.trunc(value), 1), most) : fallback;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : '';
}

function rolesFrom(value: unknown): readonly string[] {
  const roles = (Array.isArray(value) ? value.map(text) : text(value).split(',')).map((role) => role.trim().toLowerCase()).filter((role) => role !== '');
  return roles.length === 0 ? DEFAULT_ROLES : roles;
}

export function modeOf(args: Readonly<Record<string, unknown>>): SearchMode | { readonly error: string } {
  const sessionId = text(args['session_id']);
  const around = text(args['around_message_id']);
  if (sessionId !== '' && around !== '') return { kind: 'scroll', sessionId, around, window: clamp(args['window'], DEFAULT_WINDOW, MAX_WINDOW) };
  if (around !== '') return { error: 'around_message_id needs session_id: take both from a hit.' };
  const query = text(args['query']);
  if (query !== '') {
    return {
      kind: 'discovery', query, limit: clamp(args['limit'], DEFAULT_LIMIT, MAX_LIMIT), sort: args['sort'] === 'oldest' ? 'oldest' : 'newest',
      roles: rolesFrom(args['role_filter']), detail: args['detail'] === 'full' ? 'full' : 'adaptive',
    };
  }
  return sessionId === '' ? { kind: 'browse', limit: clamp(args['limit'], DEFAULT_LIMIT, MAX_LIMIT) } : { kind: 'read', sessionId };
}

/** Where to look: another profile's chats, and whether a messenger's conversation keeps to its own. */
export interface SearchReach {
  readonly profile: string | undefined;
  readonly scope: 'current' | 'all';
}

export function reachOf(args: Readonly<Record<string, unknown>>): SearchReach | { readonly error: string } {
  const scope = text(args['scope']).toLowerCase();
  if (scope !== '' && scope !== 'current' && scope !== 'all') return { error: "scope must be 'current' or 'all'." };
  const profile = text(args['profile']);
  return { profile: profile === '' ? undefined : profile, scope: scope === 'all' ? 'all' : 'current' };
}

/** The id behind a link as results show it: `session:<id>`, with a profile before the id as Hermes writes it (`@session:<profile>/<id>`). */
export function linked(args: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const link = text(args['session_id']).replace(/^@?session:/, '');
  const [, profile, id] = /^([^/]+)\/(.+)$/.exec(link) ?? [];
  if (id === undefined || profile === undefined) return link === '' ? args : { ...args, session_id: link };
  return { ...args, session_id: id, profile: text(args['profile']) === '' ? profile : args['profile'] };
}
