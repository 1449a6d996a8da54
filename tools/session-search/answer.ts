/** Answers of `session_search` in Hermes' field names. */
import type { HistoryHit, HistoryMessage, HistoryService, HistorySession } from '../context.ts';
import { toolError } from '../result.ts';
import type { SearchMode } from './modes.ts';

/** Messages shown of a whole chat. */
const READ_HEAD = 20;
const READ_TAIL = 10;
/** Messages on each side of a hit, and how much of each message. */
const HIT_WINDOW = 2;
const ADAPTIVE_CHARS = 600;
const FULL_CHARS = 4_000;
/** First and last messages of a hit's chat, so that the model sees what it was about. */
const BOOKEND_CHARS = 200;
/** Hits looked at for each chat wanted: one chat often has many. */
const HITS_PER_CHAT = 20;

const when = (at: number): string => new Date(at).toISOString();

function cut(text: string, chars: number): string {
  return text.length <= chars ? text : `${text.slice(0, chars)}… [${String(text.length - chars)} more characters]`;
}

function messageFields({ messageId, role, text, createdAt, tool }: HistoryMessage, chars: number): object {
  return { id: messageId, role, ...(tool === undefined ? {} : { tool }), content: cut(text, chars), when: when(createdAt) };
}

function sessionFields({ sessionId, title, source, updatedAt, messageCount, preview }: HistorySession): object {
  return { session_id: sessionId, title, when: when(updatedAt), source, message_count: messageCount, preview, link: `session:${sessionId}` };
}

/** The chats that are looked into. */
export interface Place {
  readonly history: Omit<HistoryService, 'inProfile'>;
  /** The chat that asks: it knows itself. Undefined in another profile. */
  readonly current: string | undefined;
  /** Undefined = all. */
  readonly only: readonly string[] | undefined;
}

const limits = ({ current, only }: Place): { excludeSession?: string; onlySessions?: readonly string[] } => ({
  ...(current === undefined ? {} : { excludeSession: current }), ...(only === undefined ? {} : { onlySessions: only }),
});
const SCOPE_NOTE = "Only earlier chats of this conversation were looked at; scope='all' looks at all chats.";

export function browse(place: Place, limit: number): object {
  const results = place.history.recent({ limit, ...limits(place) }).map(sessionFields);
  return { success: true, mode: 'browse', results, count: results.length, ...(place.only === undefined ? {} : { note: SCOPE_NOTE }) };
}

/** One entry per chat, best hit first. */
export function discover(place: Place, mode: SearchMode & { kind: 'discovery' }): object {
  const { history, only } = place;
  const query = { query: mode.query, roles: mode.roles, limit: mode.limit * HITS_PER_CHAT, sort: mode.sort, ...limits(place) };
  const hits = history.search(query);
  const firsts = new Map<string, HistoryHit>();
  for (const hit of hits) if (!firsts.has(hit.sessionId)) firsts.set(hit.sessionId, hit);
  const shown = [...firsts.values()].slice(0, mode.limit);
  const hidden = history.countHidden(query);
  const results = shown.map((hit) => hitFields(history, hit, mode.detail === 'full' ? FULL_CHARS : ADAPTIVE_CHARS));
  const more = firsts.size - shown.length;
  const notes = [
    ...(hidden > 0 ? [`${String(hidden)} further matches are not shown: they are in this chat, in subagents' chats${only === undefined ? '' : ', outside this conversation'} or beyond the limit.`] : []),
    ...(only === undefined ? [] : [SCOPE_NOTE]),
    ...(more > 0 ? [`${String(more)} more chats match; raise limit or narrow the query.`] : []),
    ...(results.length === 0 ? ['Nothing found. Try other words, OR between them, or a prefix such as deploy*.'] : []),
  ];
  return { success: true, mode: 'discovery', query: mode.query, results, count: results.length, ...(notes.length === 0 ? {} : { note: notes.join(' ') }) };
}

function hitFields(history: Place['history'], hit: HistoryHit, chars: number): object {
  const near = history.messages({ sessionId: hit.sessionId, around: hit.messageId, window: HIT_WINDOW });
  const ends = history.messages({ sessionId: hit.sessionId, head: 1, tail: 1 }).messages;
  const bookend = (message: HistoryMessage | undefined): string => (message === undefined ? '' : `${message.role}: ${cut(message.text, BOOKEND_CHARS)}`);
  return {
    session_id: hit.sessionId, title: hit.title, when: when(hit.createdAt), source: hit.source, snippet: hit.snippet,
    messages: near.messages.map((message) => messageFields(message, chars)), match_message_id: hit.messageId,
    messages_before: near.before, messages_after: near.after, bookend_start: bookend(ends[0]), bookend_end: bookend(ends.at(-1)), link: `session:${hit.sessionId}`,
  };
}

/** A chat by id, around one message or its beginning and end; an error result when there is none. */
export function readChat({ history, only }: Place, mode: SearchMode & { kind: 'scroll' | 'read' }): object | string {
  if (only?.includes(mode.sessionId) === false) return toolError(`Chat ${mode.sessionId} is outside this conversation. Pass scope='all' to look at all chats.`, { success: false });
  const found = mode.kind === 'scroll'
    ? history.messages({ sessionId: mode.sessionId, around: mode.around, window: mode.window })
    : history.messages({ sessionId: mode.sessionId, head: READ_HEAD, tail: READ_TAIL });
  if (found.session === undefined) return toolError(`There is no chat ${mode.sessionId}. Find one with query, or call without arguments to list recent ones.`, { success: false });
  if (mode.kind === 'scroll' && found.messages.length === 0) {
    return toolError(`There is no message ${mode.around} in chat ${mode.sessionId}. Leave out around_message_id to read the chat.`, { success: false });
  }
  const messages = found.messages.map((message) => messageFields(message, FULL_CHARS));
  const place = mode.kind === 'scroll' ? { around_message_id: mode.around, messages_before: found.before, messages_after: found.after } : { messages_omitted: found.after };
  return { success: true, mode: mode.kind, ...sessionFields(found.session), messages, count: messages.length, ...place };
}
