/** Full-text search over all messages and tool calls. */
import Sqlite, { type Database } from 'better-sqlite3';
import type { Log } from '../ports.ts';
import { fill } from './migrations/001-first.ts';
import { isUnspaced, piecesExpression, wordsExpression, type SearchQuery } from './query.ts';

/** One searchable text that matched. `role` is `user`, `assistant`, `notice` or `tool`. */
export interface Found {
  readonly number: number; readonly session_id: string; readonly title: string; readonly origin: string; readonly message_id: string;
  readonly role: string; readonly created_at: number;
  /** Name of the tool, where a call matched. */
  readonly tool: string | null;
}

/** Numbers of texts, both ends included. Below zero are the copies that forks hold. */
export interface NumberRange { readonly first: number; readonly last: number }

export interface Search {
  /**
   * Up to `limit` texts of chats that are not deleted, by age. Why not by relevance: bm25 reads every text that holds any of the words
   * (260 ms for a common word in 300,000 messages), the order of age is the index's own (0.4 ms). Copies come behind everything else.
   */
  find(query: SearchQuery, options: { readonly limit: number; readonly order: 'newest' | 'oldest'; readonly range?: NumberRange | undefined; readonly copies?: NumberRange | undefined }): Found[];
  /** The place of the match in each text, marked by `>>>` and `<<<`. Texts without one begin at their start. */
  snippets(query: SearchQuery, numbers: readonly number[]): Map<number, string>;
}

/** A one- or two-letter text is looked up by the commonest pieces that start with it, at most this many. */
const MOST_PIECES = 300;
/** From this length on the last word may be unfinished. */
const OPEN_LETTERS = 4;
/** Only this much of a text is looked at for its snippet. */
const SNIPPET_SOURCE_CHARS = 50_000;
const SNIPPET_TOKENS = 24;
const PIECE_SNIPPET_TOKENS = 64;

export const ALL: NumberRange = { first: 0, last: Number.MAX_SAFE_INTEGER };
export const ALL_COPIES: NumberRange = { first: Number.MIN_SAFE_INTEGER, last: -1 };

const findSql = (table: string, order: 'ASC' | 'DESC'): string => `
  SELECT found.number, sessions.id AS session_id, sessions.title, sessions.origin, coalesce(message.id, holder.id) AS message_id,
    coalesce(message.role, 'tool') AS role, coalesce(message.created_at, call.ended_at, holder.created_at) AS created_at, call.name AS tool
  FROM (SELECT rowid AS number FROM ${table} WHERE ${table} MATCH ? AND rowid >= ? AND rowid <= ? ORDER BY rowid ${order} LIMIT ?) AS found
  LEFT JOIN messages AS message ON message.number = found.number
  LEFT JOIN calls AS call ON call.number = found.number
  LEFT JOIN messages AS holder ON holder.id = call.message_id
  JOIN sessions ON sessions.id = coalesce(message.session_id, holder.session_id)
  WHERE sessions.deleted_at IS NULL ORDER BY found.number ${order}`;

export function createSearch(database: Database, log: Log): Search {
  database.exec(`
    CREATE VIRTUAL TABLE IF NOT EXISTS temp.snippet_words USING fts5(text, tokenize="unicode61 remove_diacritics 2");
    CREATE VIRTUAL TABLE IF NOT EXISTS temp.snippet_pieces USING fts5(text, tokenize="trigram");`);
  const statement = (table: string, order: 'ASC' | 'DESC') => database.prepare<[string, number, number, number], Found>(findSql(table, order));
  const find = {
    words: { newest: statement('search_words', 'DESC'), oldest: statement('search_words', 'ASC') },
    pieces: { newest: statement('search_pieces', 'DESC'), oldest: statement('search_pieces', 'ASC') },
  };
  const startingWith = database.prepare<[string, string, number], string>(
    'SELECT term FROM search_piece_list WHERE term >= ? AND term < ? ORDER BY doc DESC LIMIT ?').pluck();
  const expand = (start: string): string[] => startingWith.all(start, `${start}\u{10ffff}`, MOST_PIECES);
  const source = database.prepare<[number, number], string>(`SELECT text FROM messages WHERE number = ? UNION ALL
    SELECT name || char(10) || arguments || char(10) || coalesce(result, '') FROM calls WHERE number = ?`).pluck();
  const snippetTable = (table: string, tokens: number) => ({
    clear: database.prepare(`DELETE FROM temp.${table}`),
    put: database.prepare(`INSERT INTO temp.${table}(rowid, text) VALUES (?, ?)`),
    read: database.prepare<[string], { number: number; text: string }>(
      `SELECT rowid AS number, snippet(${table}, 0, '>>>', '<<<', '…', ${tokens}) AS text FROM temp.${table} WHERE ${table} MATCH ?`),
  });
  const snippetTables = { words: snippetTable('snippet_words', SNIPPET_TOKENS), pieces: snippetTable('snippet_pieces', PIECE_SNIPPET_TOKENS) };

  const run = (query: SearchQuery, limit: number, order: 'newest' | 'oldest', { first, last: most }: NumberRange): Found[] => {
    const merge = (lists: readonly Found[][]): Found[] => {
      const all = new Map(lists.flat().map((found) => [found.number, found]));
      return [...all.values()].sort((a, b) => (order === 'newest' ? b.number - a.number : a.number - b.number)).slice(0, limit);
    };
    if (isUnspaced(query)) return find.pieces[order].all(piecesExpression(query, expand) ?? '', first, most, limit);
    const pieces = piecesExpression(query);
    const exact = merge([find.words[order].all(wordsExpression(query), first, most, limit), pieces === undefined ? [] : find.pieces[order].all(pieces, first, most, limit)]);
    const last = query.terms.at(-1);
    if (exact.length > 0 || last === undefined || last.prefix || last.text.length < OPEN_LETTERS) return exact;
    return find.words[order].all(wordsExpression(query, true), first, most, limit);
  };

  /** A damaged index is told by the query itself; it is made anew from the texts, which are the truth. */
  const rebuild = database.transaction(() => {
    database.exec(`INSERT INTO search_words(search_words) VALUES ('delete-all'); INSERT INTO search_pieces(search_pieces) VALUES ('delete-all'); ${fill().join('; ')}; DELETE FROM unindexed_copies;`);
  });

  const marked = database.transaction((query: SearchQuery, numbers: readonly number[]) => {
    const snippets = new Map<number, string>();
    const texts = new Map(numbers.map((number) => [number, (source.get(number, number) ?? '').slice(0, SNIPPET_SOURCE_CHARS)]));
    const look = (kind: 'words' | 'pieces', expression: string | undefined): void => {
      if (expression === undefined) return;
      const { clear, put, read } = snippetTables[kind];
      clear.run();
      for (const [number, text] of texts) if (!snippets.has(number)) put.run(number, text);
      for (const { number, text } of read.all(expression)) snippets.set(number, text);
      clear.run();
    };
    if (!isUnspaced(query)) {
      look('words', wordsExpression(query));
      if (snippets.size < texts.size) look('words', wordsExpression(query, true));
    }
    if (snippets.size < texts.size) look('pieces', piecesExpression(query, expand));
    for (const [number, text] of texts) if (!snippets.has(number)) snippets.set(number, text.slice(0, 200));
    return snippets;
  });

  return {
    find: (query, { limit, order, range = ALL, copies = ALL_COPIES }) => {
      const look = (): Found[] => {
        const found = run(query, limit, order, range);
        if (found.length >= limit) return found;
        // From the low end in any case: coming down, FTS5 walks over everything above zero first (120 ms in a million messages).
        const copied = run(query, limit - found.length, 'oldest', copies);
        return [...found, ...(order === 'newest' ? copied.toReversed() : copied)];
      };
      try {
        return look();
      } catch (error) {
        if (!(error instanceof Sqlite.SqliteError) || !error.code.startsWith('SQLITE_CORRUPT')) throw error;
        log.warn('the search index was damaged and is made anew', { error });
        rebuild.immediate();
        return look();
      }
    },
    snippets: (query, numbers) => marked(query, numbers),
  };
}
