/** What a person narrows a search by: whose words, which tool, when, which chat. */
import type { Database } from 'better-sqlite3';
import type { SessionId } from '../../preload/contract/ids.ts';
import type { SearchRole } from '../../preload/contract/sessions.ts';
import { ALL, ALL_COPIES, type Found, type NumberRange } from './search.ts';

export interface SearchFilter {
  readonly roles?: readonly SearchRole[] | undefined;
  /** Name of a tool: only its calls. */
  readonly tool?: string | undefined;
  /** Times in ms, both included. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly sessionId?: SessionId | undefined;
}

export interface NarrowedSearch {
  /** Where the texts that may pass lie. */
  readonly range: NumberRange;
  /** The same for copies, which are in no order of time. */
  readonly copies: NumberRange;
  passes(found: Found): boolean;
}

/** Clocks are set back, and calls end later than they begin: the range is this much wider at both ends. */
const CLOCK_SLACK_MS = 86_400_000;

export function createFilter(database: Database): (filter: SearchFilter) => NarrowedSearch {
  const highest = database.prepare<[], number | null>('SELECT max(number) FROM messages').pluck();
  const nextAt = database.prepare<[number], { number: number; created_at: number }>('SELECT number, created_at FROM messages WHERE number >= ? ORDER BY number LIMIT 1');
  const ofChat = database.prepare<{ session: string; least: number; most: number }, { first: number | null; last: number | null }>(`SELECT min(number) AS first, max(number) AS last FROM (
    SELECT number FROM messages WHERE session_id = @session UNION ALL SELECT calls.number FROM messages JOIN calls ON calls.message_id = messages.id WHERE messages.session_id = @session)
    WHERE number BETWEEN @least AND @most`);

  /** Number of the first message at or after a time: numbers grow with time, so it is looked up by halves. */
  function numberAt(time: number): number {
    let [low, high] = [0, (highest.get() ?? 0) + 1];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const found = nextAt.get(middle);
      if (found === undefined || found.created_at >= time) high = middle;
      else low = found.number + 1;
    }
    return low;
  }

  return ({ roles, tool, from, to, sessionId }) => {
    const inChat = ({ first, last }: NumberRange): NumberRange => {
      if (sessionId === undefined) return { first, last };
      const own = ofChat.get({ session: sessionId, least: first, most: last });
      return { first: own?.first ?? first, last: own?.last ?? first - 1 };
    };
    const chat = inChat(ALL);
    const first = Math.max(chat.first, from === undefined ? 0 : numberAt(from - CLOCK_SLACK_MS));
    const last = Math.min(chat.last, to === undefined ? Number.MAX_SAFE_INTEGER : numberAt(to + CLOCK_SLACK_MS));
    return {
      range: { first, last }, copies: inChat(ALL_COPIES),
      passes: (found) => (roles === undefined || roles.length === 0 || roles.some((role) => role === found.role)) && (tool === undefined || found.tool === tool)
        && (from === undefined || found.created_at >= from) && (to === undefined || found.created_at <= to) && (sessionId === undefined || found.session_id === sessionId),
    };
  };
}
