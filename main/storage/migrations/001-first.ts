/**
 * The first schema. Big texts stand last in their tables: what comes before them is read without touching them.
 * `messages.number` and `calls.number` are drawn from one counter, so that a number names one searchable text of either kind
 * and grows with time; it is the row id of both search indexes.
 */
import type { Migration } from '../migrations.ts';

/**
 * Scripts that are written without spaces between words (Thai, Lao, Tibetan, Burmese, Khmer, Chinese, Japanese, Korean):
 * words cannot be cut at spaces there, so texts that hold them are indexed by three-letter pieces as well. A GLOB set.
 */
export const UNSPACED = '[\u0e00-\u109f\u1780-\u17ff\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff66-\uff9f\u{20000}-\u{3ffff}]';

/** Two line ends after the text give its last letters three-letter pieces of their own: short words at the end are found too. */
const piecesOf = (text: string): string => `${text} || char(10, 10)`;
export const callText = (row: string): string => `${row}.name || char(10) || ${row}.arguments || char(10) || coalesce(${row}.result, '')`;
const unspaced = (text: string): string => `(${text}) GLOB '*${UNSPACED}*'`;

/** A call is searchable once it has ended. */
export const ENDED = `('done', 'error', 'blocked', 'cancelled', 'unknown')`;

/** SQL that makes a text searchable under its number. */
export function put(number: string, text: string): string {
  return `
    INSERT INTO search_words(rowid, text) VALUES (${number}, ${text});
    INSERT INTO search_pieces(rowid, text) SELECT ${number}, ${piecesOf(text)} WHERE ${unspaced(text)};`;
}

function drop(number: string): string {
  return `
    DELETE FROM search_words WHERE rowid = ${number};
    DELETE FROM search_pieces WHERE rowid = ${number};`;
}

export const first: Migration = {
  version: 1,
  name: 'chats, approvals, terminals and the search index',
  sql: `
  CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  INSERT INTO counters VALUES ('number', 0);

  CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    titled INTEGER NOT NULL, origin TEXT NOT NULL, status TEXT NOT NULL, cwd TEXT NOT NULL, backend TEXT NOT NULL, model TEXT,
    toolsets TEXT NOT NULL, created_at REAL NOT NULL, updated_at REAL NOT NULL, deleted_at REAL,
    prompt_tokens INTEGER NOT NULL, completion_tokens INTEGER NOT NULL, requests INTEGER NOT NULL,
    next_seq INTEGER NOT NULL DEFAULT 1, message_count INTEGER NOT NULL DEFAULT 0,
    title TEXT NOT NULL
  ) STRICT;
  CREATE INDEX sessions_updated ON sessions(updated_at DESC);

  CREATE TABLE messages (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    session_id TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
    seq INTEGER NOT NULL, turn INTEGER NOT NULL, role TEXT NOT NULL, state TEXT NOT NULL, model TEXT,
    created_at REAL NOT NULL, ended_at REAL,
    error TEXT, text TEXT NOT NULL, reasoning TEXT NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX messages_order ON messages(session_id, seq);
  CREATE INDEX messages_turn ON messages(session_id, turn);

  CREATE TABLE calls (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    message_id TEXT NOT NULL REFERENCES messages(id) ON DELETE CASCADE,
    session_id TEXT NOT NULL,
    model_call_id TEXT NOT NULL, name TEXT NOT NULL, emoji TEXT NOT NULL, state TEXT NOT NULL,
    started_at REAL, ended_at REAL, exit_code INTEGER, result_chars INTEGER NOT NULL, approval_id TEXT, terminal_id TEXT,
    repairs TEXT NOT NULL, arguments TEXT NOT NULL,
    result TEXT,
    full_result TEXT -- only where it is longer than result
  ) STRICT;
  CREATE INDEX calls_message ON calls(message_id);
  CREATE INDEX calls_started ON calls(started_at, name);

  CREATE TRIGGER messages_counted AFTER INSERT ON messages BEGIN
    UPDATE sessions SET message_count = message_count + 1 WHERE id = new.session_id;
  END;
  CREATE TRIGGER messages_uncounted AFTER DELETE ON messages BEGIN
    UPDATE sessions SET message_count = message_count - 1 WHERE id = old.session_id;
  END;

  CREATE VIRTUAL TABLE search_words USING fts5(text, content='', contentless_delete=1, tokenize="unicode61 remove_diacritics 2");
  CREATE VIRTUAL TABLE search_pieces USING fts5(text, content='', contentless_delete=1, tokenize="trigram");
  CREATE VIRTUAL TABLE search_piece_list USING fts5vocab(search_pieces, 'row');

  CREATE TRIGGER messages_indexed AFTER INSERT ON messages WHEN new.state <> 'streaming' AND new.text <> '' BEGIN
    ${put('new.number', 'new.text')}
  END;
  CREATE TRIGGER messages_reindexed AFTER UPDATE OF text, state ON messages
  WHEN new.state <> 'streaming' AND (new.text IS NOT old.text OR old.state = 'streaming') BEGIN
    ${drop('new.number')}
    ${put('new.number', 'new.text')}
  END;
  CREATE TRIGGER messages_unindexed AFTER DELETE ON messages BEGIN
    ${drop('old.number')}
  END;
  CREATE TRIGGER calls_indexed AFTER INSERT ON calls WHEN new.state IN ${ENDED} BEGIN
    ${put('new.number', callText('new'))}
  END;
  CREATE TRIGGER calls_reindexed AFTER UPDATE OF state, result, arguments ON calls
  WHEN new.state IN ${ENDED} AND (old.state NOT IN ${ENDED} OR new.result IS NOT old.result OR new.arguments IS NOT old.arguments) BEGIN
    ${drop('new.number')}
    ${put('new.number', callText('new'))}
  END;
  CREATE TRIGGER calls_unindexed AFTER DELETE ON calls BEGIN
    ${drop('old.number')}
  END;

  CREATE TABLE approvals (
    id TEXT PRIMARY KEY,
    session_id TEXT NOT NULL, state TEXT NOT NULL, created_at REAL NOT NULL, decided_at REAL,
    words TEXT NOT NULL, -- what the history is searched in
    request TEXT NOT NULL -- the whole ApprovalRequest as JSON
  ) STRICT;
  CREATE INDEX approvals_open ON approvals(session_id) WHERE state IN ('created', 'delivered', 'seen', 'held');
  CREATE INDEX approvals_settled ON approvals(decided_at DESC) WHERE decided_at IS NOT NULL;
  CREATE INDEX approvals_session ON approvals(session_id, decided_at);

  CREATE TABLE allowlist_entries (
    entry TEXT PRIMARY KEY, created_at REAL, created_from TEXT, created_by TEXT, last_used_at REAL, uses INTEGER NOT NULL DEFAULT 0
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE session_grants (session_id TEXT NOT NULL, key TEXT NOT NULL, PRIMARY KEY (session_id, key)) STRICT, WITHOUT ROWID;

  CREATE TABLE terminals (
    id TEXT PRIMARY KEY, started_at REAL NOT NULL, task_id TEXT NOT NULL, capture_path TEXT, start_identity TEXT, terminal TEXT NOT NULL
  ) STRICT;
  CREATE TABLE terminal_screens (id TEXT PRIMARY KEY REFERENCES terminals(id) ON DELETE CASCADE, screen TEXT NOT NULL) STRICT;

  CREATE TABLE small_values (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE usage (
    session_id TEXT NOT NULL, model TEXT NOT NULL, prompt_tokens INTEGER NOT NULL, completion_tokens INTEGER NOT NULL, at REAL NOT NULL
  ) STRICT;
  CREATE INDEX usage_session ON usage(session_id, at);
  `,
};

/** Four statements that put stored texts into both indexes; `only` narrows them by `number`. They must not be in there yet. */
export const fill = (only = ''): readonly string[] => [
  `INSERT INTO search_words(rowid, text) SELECT number, text FROM messages WHERE state <> 'streaming' AND text <> ''${only}`,
  `INSERT INTO search_pieces(rowid, text) SELECT number, ${piecesOf('text')} FROM messages WHERE state <> 'streaming' AND ${unspaced('text')}${only}`,
  `INSERT INTO search_words(rowid, text) SELECT number, ${callText('calls')} FROM calls WHERE state IN ${ENDED}${only}`,
  `INSERT INTO search_pieces(rowid, text) SELECT number, ${piecesOf(callText('calls'))} FROM calls WHERE state IN ${ENDED} AND ${unspaced(callText('calls'))}${only}`,
];
