/** Chats in the database. Counts are kept by triggers, waiting requests are counted on read. */
import type { Database } from 'better-sqlite3';
import { AppError } from '../../preload/contract/errors.ts';
import type { Session, SessionId } from '../../preload/contract/index.ts';
import type { Storage } from '../ports.ts';
import { assignments, flag, json, type Column } from './columns.ts';

interface SessionRow {
  id: string; title: string; titled: number; origin: string; status: string; cwd: string; backend: string; model: string | null; toolsets: string;
  created_at: number; updated_at: number; deleted_at: number | null; prompt_tokens: number; completion_tokens: number; requests: number;
  message_count: number; waiting: number; forked_from: string | null;
}

const COLUMNS = `id, title, titled, origin, status, cwd, backend, model, toolsets, created_at, updated_at, deleted_at, prompt_tokens, completion_tokens,
  requests, message_count, forked_from, (SELECT count(*) FROM approvals a WHERE a.session_id = sessions.id AND a.state IN ('created', 'delivered', 'seen', 'held')) AS waiting`;

const FIELDS: ReadonlyMap<string, Column> = new Map([
  ['title', { column: 'title' }], ['titled', { column: 'titled', encode: flag }], ['origin', { column: 'origin' }], ['status', { column: 'status' }],
  ['cwd', { column: 'cwd' }], ['backend', { column: 'backend' }], ['model', { column: 'model' }], ['toolsets', { column: 'toolsets', encode: json }],
  ['createdAt', { column: 'created_at' }], ['updatedAt', { column: 'updated_at' }], ['deletedAt', { column: 'deleted_at' }],
  ['promptTokens', { column: 'prompt_tokens' }], ['completionTokens', { column: 'completion_tokens' }], ['requests', { column: 'requests' }],
]);

// The casts in this function hold because only `insert` and `update` below write these columns, from typed sessions.
function fromRow(row: SessionRow): Session {
  return {
    id: row.id as SessionId, title: row.title, titled: row.titled === 1, origin: row.origin as Session['origin'], status: row.status as Session['status'],
    cwd: row.cwd, backend: row.backend, model: row.model, toolsets: JSON.parse(row.toolsets) as Session['toolsets'],
    createdAt: row.created_at, updatedAt: row.updated_at, deletedAt: row.deleted_at, messageCount: row.message_count, waiting: row.waiting,
    usage: { promptTokens: row.prompt_tokens, completionTokens: row.completion_tokens, requests: row.requests },
    ...(row.forked_from === null ? {} : { forkedFrom: row.forked_from as SessionId }),
  };
}

/** Small values that belong to one chat and go with it. */
const VALUES_OF_CHATS = ['todos', 'trim', 'memory-snapshot', 'context'] as const;

export function sessionStore(database: Database): Storage['sessions'] {
  const insert = database.prepare(`INSERT INTO sessions(id, title, titled, origin, status, cwd, backend, model, toolsets, created_at, updated_at, deleted_at,
      prompt_tokens, completion_tokens, requests)
    VALUES (@id, @title, @titled, @origin, @status, @cwd, @backend, @model, @toolsets, @createdAt, @updatedAt, @deletedAt, @promptTokens, @completionTokens, @requests)`);
  const byId = database.prepare<[string], SessionRow>(`SELECT ${COLUMNS} FROM sessions WHERE id = ?`);
  const kept = database.prepare<[], SessionRow>(`SELECT ${COLUMNS} FROM sessions WHERE deleted_at IS NULL ORDER BY updated_at DESC, rowid DESC`);
  const gone = database.prepare<[], SessionRow>(`SELECT ${COLUMNS} FROM sessions WHERE deleted_at IS NOT NULL ORDER BY updated_at DESC, rowid DESC`);
  const purgeable = database.prepare<[number], string>('SELECT id FROM sessions WHERE deleted_at < ?').pluck();
  /** What hangs on a chat without a foreign key, because scripts may use a chat that has no row. */
  const loose = ['approvals', 'session_grants', 'usage'].map((table) => database.prepare(`DELETE FROM ${table} WHERE session_id = ?`));
  const removeValue = database.prepare('DELETE FROM small_values WHERE key = ?');
  const remove = database.prepare('DELETE FROM sessions WHERE id = ?');

  const purge = database.transaction((deletedBefore: number): number => {
    const ids = purgeable.all(deletedBefore);
    for (const id of ids) {
      for (const statement of loose) statement.run(id);
      for (const kept of VALUES_OF_CHATS) removeValue.run(`${kept}:${id}`);
      remove.run(id);
    }
    return ids.length;
  });
  const get = (id: SessionId): Session | undefined => {
    const row = byId.get(id);
    return row === undefined ? undefined : fromRow(row);
  };
  return {
    insert: (session) => {
      const { usage, messageCount: _counted, waiting: _waiting, forkedFrom: _forked, ...own } = session;
      const exists = byId.get(session.id) !== undefined;
      if (exists) throw new AppError('conflict', `there is already a chat with the id ${session.id}`);
      insert.run({ ...own, ...usage, titled: flag(own.titled), toolsets: json(own.toolsets) });
    },
    update: (id, change) => {
      const { usage, ...own } = change;
      const assigned = assignments({ ...own, ...usage }, FIELDS);
      if (assigned !== undefined) database.prepare(`UPDATE sessions SET ${assigned.set} WHERE id = @where`).run({ ...assigned.values, where: id });
      const session = get(id);
      if (session === undefined) throw new AppError('not-found', `there is no chat with the id ${id}`);
      return session;
    },
    get,
    list: (options = {}) => {
      const rows = (options.deleted === true ? gone : kept).all();
      const { origins } = options;
      return rows.map(fromRow).filter((session) => origins === undefined || origins.includes(session.origin));
    },
    purge: (deletedBefore) => purge.immediate(deletedBefore),
  };
}
