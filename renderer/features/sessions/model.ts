/** The list of chats: pure transitions, the same object back when nothing changed. */
import type { SearchHit, Session, SessionId } from '../../../preload/contract/index.ts';

export interface Sessions {
  /** False until the first list arrived. */
  readonly loaded: boolean;
  readonly byId: ReadonlyMap<SessionId, Session>;
  /** Ids of what is not deleted, the latest first. */
  readonly order: readonly SessionId[];
}

export const noSessions: Sessions = { loaded: false, byId: new Map(), order: [] };

export function withList(sessions: readonly Session[]): Sessions {
  return ordered(new Map(sessions.map((session) => [session.id, session])));
}

export function withChanged(state: Sessions, session: Session): Sessions {
  const byId = new Map(state.byId).set(session.id, session);
  return { ...ordered(byId), loaded: state.loaded };
}

export function withRemoved(state: Sessions, id: SessionId): Sessions {
  if (!state.byId.has(id)) return state;
  const byId = new Map(state.byId);
  byId.delete(id);
  return { ...ordered(byId), loaded: state.loaded };
}

/** How many requests wait for the person, in all chats. */
export function waitingCount(state: Sessions): number {
  let count = 0;
  for (const id of state.order) count += state.byId.get(id)?.waiting ?? 0;
  return count;
}

/** The chat to show when `id` goes away: its neighbour below, else the one above. */
export function neighbourOf(state: Sessions, id: SessionId): SessionId | undefined {
  const at = state.order.indexOf(id);
  return at === -1 ? state.order[0] : state.order[at + 1] ?? state.order[at - 1];
}

export interface SessionGroup {
  readonly title: string;
  readonly ids: readonly SessionId[];
}

const DAY_MS = 86_400_000;

/** `order` cut by age of the last change: today, this week, older. Empty groups are left out. */
export function groupByAge(state: Sessions, now: number): readonly SessionGroup[] {
  const midnight = new Date(now).setHours(0, 0, 0, 0);
  const groups: { title: string; from: number; ids: SessionId[] }[] = [
    { title: 'Today', from: midnight, ids: [] },
    { title: 'Last seven days', from: midnight - 6 * DAY_MS, ids: [] },
    { title: 'Older', from: Number.NEGATIVE_INFINITY, ids: [] },
  ];
  for (const id of state.order) {
    const at = state.byId.get(id)?.updatedAt ?? 0;
    groups.find((group) => at >= group.from)?.ids.push(id);
  }
  return groups.filter((group) => group.ids.length > 0).map(({ title, ids }) => ({ title, ids }));
}

export interface SnippetPiece {
  readonly text: string;
  readonly match: boolean;
}

/** What a person reads of a hit: of a tool call the values of its arguments, without the marks of its JSON. */
export function snippetWords({ snippet, tool }: Pick<SearchHit, 'snippet' | 'tool'>): string {
  if (tool === undefined) return snippet;
  const dressed = snippet.replace(/^\S+ (?=\{)/, '');
  if (dressed === snippet && !snippet.startsWith('{')) return snippet;
  return dressed.replace(/^\{"[^"]*": ?"?/, '').replace(/"?\}$/, '').replace(/"?, ?"[^"]*": ?"?/g, ' · ').replace(/\\[nrt]/g, ' ').replace(/\\(["\\/])/g, '$1');
}

/** A search hit's snippet with its `>>>`…`<<<` marks turned into pieces. */
export function splitSnippet(snippet: SearchHit['snippet']): readonly SnippetPiece[] {
  return snippet.split('>>>').flatMap((part, index): SnippetPiece[] => {
    if (index === 0) return part === '' ? [] : [{ text: part, match: false }];
    const [match = '', ...rest] = part.split('<<<');
    const after = rest.join('<<<');
    return [{ text: match, match: true }, ...(after === '' ? [] : [{ text: after, match: false }])];
  });
}

function ordered(byId: ReadonlyMap<SessionId, Session>): Sessions {
  const kept = [...byId.values()].filter((session) => session.deletedAt === null);
  kept.sort((left, right) => right.updatedAt - left.updatedAt || right.createdAt - left.createdAt || (left.id < right.id ? -1 : 1));
  return { loaded: true, byId, order: kept.map((session) => session.id) };
}
