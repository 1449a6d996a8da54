/** Read-only view of all chats, for the person's search box and for `session_search`. */
import type { Database } from 'better-sqlite3';
import type { MessageId, SearchHit } from '../../preload/contract/index.ts';
import { SessionId } from '../../preload/contract/ids.ts';
import type { HistoryHit, HistoryMessage, HistoryQuery, HistoryService, HistorySession } from '../../tools/context.ts';
import { rootOf } from '../lineage.ts';
import { parseQuery, type SearchQuery } from './query.ts';
import type { SearchFilter, createFilter } from './search-filter.ts';
import type { Found, Search } from './search.ts';

/** Hits looked at before some are left out, so that a talkative current chat does not hide the others. */
const LOOKED_AT = 500;
const PREVIEW_CHARS = 200;
/** Chats that are no part of what the person and the agent said: a delegate's errands and the scripted tour. */
const HIDDEN_ORIGINS = new Set(['delegate', 'tour']);
/** Result text of one call as the model may scroll through it. */
const RESULT_CHARS = 2_000;

interface SessionRow { id: string; title: string; origin: string; updated_at: number; message_count: number; preview: string | null }
interface MessageRow { kind: number; seq: number; message_id: string; role: string; text: string; created_at: number; tool: string | null }

const SESSION = `SELECT id, title, origin, updated_at, message_count, (SELECT substr(text, 1, ${PREVIEW_CHARS}) FROM messages
  WHERE session_id = sessions.id AND role = 'user' ORDER BY seq LIMIT 1) AS preview FROM sessions`;

const MESSAGES = `SELECT 0 AS kind, 0 AS number, seq, messages.id AS message_id, role, text, created_at, NULL AS tool FROM messages WHERE session_id = @session AND seq BETWEEN @from AND @to
  UNION ALL SELECT 1, calls.number, messages.seq, messages.id, 'tool', substr(coalesce(calls.result, ''), 1, ${RESULT_CHARS}), coalesce(calls.ended_at, messages.created_at), calls.name
  FROM messages JOIN calls ON calls.message_id = messages.id WHERE messages.session_id = @session AND messages.seq BETWEEN @from AND @to
  ORDER BY seq, kind, number`;

const sessionOf = (row: SessionRow): HistorySession => ({
  sessionId: row.id, title: row.title, source: row.origin, updatedAt: row.updated_at, messageCount: row.message_count, preview: row.preview ?? '',
});

/** Texts that have the words and are held against a filter: about 40 ms for a word that is everywhere. */
const FILTERED = 20_000;

/** The person's search: newest first, every role unless `filter` says otherwise. */
export function searchMessages(search: Search, narrow: ReturnType<typeof createFilter>, text: string, limit: number, filter?: SearchFilter): SearchHit[] {
  const query = parseQuery(text);
  if (query === undefined) return [];
  const narrowed = filter === undefined ? undefined : narrow(filter);
  const found = narrowed === undefined ? search.find(query, { limit, order: 'newest' })
    : search.find(query, { limit: FILTERED, order: 'newest', range: narrowed.range, copies: narrowed.copies }).filter((hit) => narrowed.passes(hit)).slice(0, limit);
  const snippets = search.snippets(query, found.map((hit) => hit.number));
  return found.map((hit) => ({
    sessionId: hit.session_id as SessionId, sessionTitle: hit.title, messageId: hit.message_id as MessageId, // casts: read from the id columns
    role: hit.role, snippet: snippets.get(hit.number) ?? '', createdAt: hit.created_at, ...(hit.tool === null ? {} : { tool: hit.tool }),
  }));
}

/** Hits in the wanted roles; a chat that has only others keeps its first, so that a word seen only in a tool's output still finds the chat. */
function byRole(found: readonly Found[], roles: readonly string[]): Found[] {
  const wanted = new Set(found.filter((hit) => roles.includes(hit.role)).map((hit) => hit.session_id));
  const stoodFor = new Set<string>();
  return found.filter((hit) => {
    if (roles.length === 0 || roles.includes(hit.role)) return true;
    if (wanted.has(hit.session_id) || stoodFor.has(hit.session_id)) return false;
    stoodFor.add(hit.session_id);
    return true;
  });
}

/** The chats of one database, without a way to those of others. */
export type ChatHistory = Omit<HistoryService, 'inProfile'>;

const within = (id: string, only: readonly string[] | undefined): boolean => only === undefined || only.includes(id);

export function historyOf(database: Database, search: Search): ChatHistory {
  const conversation = database.prepare<[string], string>(`SELECT other.session_id FROM gateway_past_chats AS own JOIN gateway_past_chats AS other USING (platform, chat, thread)
    WHERE own.session_id = ? ORDER BY other.session_id`).pluck();
  const smallValue = database.prepare<[string], string>('SELECT value FROM small_values WHERE key = ?').pluck();
  const recent = database.prepare<[], SessionRow>(`${SESSION} WHERE deleted_at IS NULL AND message_count > 0 ORDER BY origin = 'cron', updated_at DESC`);
  const session = database.prepare<[string], SessionRow>(`${SESSION} WHERE id = ? AND deleted_at IS NULL`);
  const positions = database.prepare<[string], { id: string; seq: number }>('SELECT id, seq FROM messages WHERE session_id = ? ORDER BY seq');
  const rows = database.prepare<{ session: string; from: number; to: number }, MessageRow>(MESSAGES);
  const read = (sessionId: string, from: number, to: number): HistoryMessage[] =>
    rows.all({ session: sessionId, from, to }).map((row) => ({
      messageId: row.message_id, role: row.role, text: row.text, createdAt: row.created_at, ...(row.tool === null ? {} : { tool: row.tool }),
    }));

  const look = (query: SearchQuery, { roles, limit, sort, excludeSession, onlySessions }: HistoryQuery): { found: Found[]; hits: Found[] } => {
    const found = search.find(query, { limit: Math.max(limit, LOOKED_AT), order: sort ?? 'newest' });
    const others = byRole(found.filter((hit) => hit.session_id !== excludeSession && within(hit.session_id, onlySessions) && !HIDDEN_ORIGINS.has(hit.origin)), roles);
    return { found, hits: [...others.filter((hit) => hit.origin !== 'cron'), ...others.filter((hit) => hit.origin === 'cron')].slice(0, limit) };
  };

  return {
    conversation: (sessionId) => {
      // A sub-agent belongs to the conversation that sent it out.
      const known = SessionId.safeParse(sessionId);
      const found = known.success ? conversation.all(rootOf({ get: (key) => smallValue.get(key) }, known.data)) : [];
      return found.length === 0 ? undefined : found;
    },
    recent: ({ limit, excludeSession, onlySessions }) => {
      const shown: HistorySession[] = [];
      for (const row of recent.iterate()) {
        if (row.id === excludeSession || !within(row.id, onlySessions) || HIDDEN_ORIGINS.has(row.origin)) continue;
        if (shown.push(sessionOf(row)) >= limit) break;
      }
      return shown;
    },
    countHidden: (options) => {
      const query = parseQuery(options.query);
      if (query === undefined) return 0;
      const { found, hits } = look(query, options);
      return found.length - hits.length;
    },
    search: (options) => {
      const query = parseQuery(options.query);
      if (query === undefined) return [];
      const { hits } = look(query, options);
      const snippets = search.snippets(query, hits.map((hit) => hit.number));
      return hits.map((hit): HistoryHit => ({
        sessionId: hit.session_id, title: hit.title, source: hit.origin, messageId: hit.message_id, role: hit.role,
        snippet: snippets.get(hit.number) ?? '', createdAt: hit.created_at,
      }));
    },
    messages: ({ sessionId, around, window = 5, head = 20, tail = 10 }) => {
      const row = session.get(sessionId);
      const places = row === undefined ? [] : positions.all(sessionId);
      const middle = around === undefined ? -1 : places.findIndex((place) => place.id === around);
      if (row === undefined || places.length === 0 || (around !== undefined && middle < 0)) {
        return { session: row === undefined ? undefined : sessionOf(row), messages: [], before: 0, after: 0 };
      }
      const seqAt = (index: number): number => places[index]?.seq ?? 0;
      if (around === undefined) {
        const whole = head + tail >= places.length;
        const messages = whole ? read(sessionId, seqAt(0), seqAt(places.length - 1))
          : [...read(sessionId, seqAt(0), seqAt(head - 1)), ...(tail === 0 ? [] : read(sessionId, seqAt(places.length - tail), seqAt(places.length - 1)))];
        return { session: sessionOf(row), messages, before: 0, after: whole ? 0 : places.length - head - tail };
      }
      const from = Math.max(0, middle - window);
      const to = Math.min(places.length - 1, middle + window);
      return { session: sessionOf(row), messages: read(sessionId, seqAt(from), seqAt(to)), before: from, after: places.length - 1 - to };
    },
  };
}
