/** What a person narrows a search by, as the form holds it. Pure. */
import type { RequestInput, SearchHit, SessionId } from '../../../preload/contract/index.ts';

export interface SearchFilter {
  readonly who: '' | 'user' | 'assistant' | 'tool' | 'notice';
  /** Name of a tool; empty = any. */
  readonly tool: string;
  readonly when: '' | 'today' | 'week' | 'month' | 'days';
  /** Days as `2026-11-30`, for `days`; either may be empty. */
  readonly from: string;
  readonly to: string;
  readonly here: boolean;
}

export const NO_FILTER: SearchFilter = { who: '', tool: '', when: '', from: '', to: '', here: false };

const DAY_MS = 86_400_000;

/** How many things narrow the search. */
export function countFilters({ who, tool, when, here }: SearchFilter): number {
  return [who !== '', tool.trim() !== '', when !== '', here].filter(Boolean).length;
}

/** The part of the request that says it. `open`: the chat that is looked at. */
export function requestOf(filter: SearchFilter, now: number, open: SessionId | undefined): Omit<RequestInput<'sessions.search'>, 'query' | 'limit'> {
  const { who, tool, here } = filter;
  return {
    ...(who === '' ? {} : { roles: [who] }), ...(tool.trim() === '' ? {} : { tool: tool.trim() }), ...timesOf(filter, now), ...(here && open !== undefined ? { sessionId: open } : {}),
  };
}

function timesOf({ when, from, to }: SearchFilter, now: number): { readonly from?: number; readonly to?: number } {
  const midnight = new Date(now).setHours(0, 0, 0, 0);
  switch (when) {
    case '': return {};
    case 'today': return { from: midnight };
    case 'week': return { from: midnight - 6 * DAY_MS };
    case 'month': return { from: midnight - 29 * DAY_MS };
    case 'days': {
      const [first, last] = [startOf(from), startOf(to)];
      return { ...(first === undefined ? {} : { from: first }), ...(last === undefined ? {} : { to: new Date(last).setHours(23, 59, 59, 999) }) };
    }
  }
}

/** Midnight of a day where the person is; undefined for anything else. */
function startOf(day: string): number | undefined {
  const time = /^\d{4}-\d\d-\d\d$/.test(day) ? new Date(`${day}T00:00:00`).getTime() : Number.NaN;
  return Number.isFinite(time) ? time : undefined;
}

/** Whose words a hit is, in a word. */
export function hitWord({ role, tool }: Pick<SearchHit, 'role' | 'tool'>): string {
  if (tool !== undefined) return tool;
  return role === 'user' ? 'you' : role === 'assistant' ? 'reply' : role;
}
