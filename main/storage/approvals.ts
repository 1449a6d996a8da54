/** The durable table of approval requests, where rules came from, and what was granted to one chat. */
import type { Database } from 'better-sqlite3';
import { AppError } from '../../preload/contract/errors.ts';
import { ApprovalRequest, type ApprovalId } from '../../preload/contract/index.ts';
import type { Log, Storage } from '../ports.ts';

interface EntryRow { entry: string; created_at: number | null; created_from: string | null; created_by: string | null; last_used_at: number | null; uses: number }

/** Texts of a request that the history is searched in, in one folded string. */
const wordsOf = (request: ApprovalRequest): string =>
  [
    request.command, request.editedCommand ?? '', request.reason, request.sessionTitle, request.agent ?? '', request.tool, request.denyReason ?? '', request.choice ?? '', request.state,
    request.decidedBy ?? '', request.review.rule ?? '', ...request.savedRules ?? [], ...request.leftOpen === undefined ? [] : ['left open'], request.backend, request.cwd, ...request.exitCode === undefined || request.exitCode === null ? [] : [`exit ${request.exitCode}`],
  ].join('\n').toLowerCase();

export function approvalStore(database: Database, log: Log): Storage['approvals'] {
  const insert = database.prepare('INSERT INTO approvals(id, session_id, state, created_at, decided_at, words, request) VALUES (?, ?, ?, ?, ?, ?, ?)');
  const write = database.prepare('UPDATE approvals SET state = ?, decided_at = ?, words = ?, request = ? WHERE id = ?');
  const byId = database.prepare<[string], string>('SELECT request FROM approvals WHERE id = ?').pluck();
  const open = database.prepare<[], string>(`SELECT request FROM approvals WHERE state IN ('created', 'delivered', 'seen', 'held') ORDER BY created_at, rowid`).pluck();
  const settled = database.prepare<[string, number], string>(`SELECT request FROM approvals
    WHERE decided_at IS NOT NULL AND instr(words, ?) > 0 ORDER BY decided_at DESC, rowid DESC LIMIT ?`).pluck();
  const settledOf = database.prepare<[string, string, number], string>(`SELECT request FROM approvals
    WHERE session_id = ? AND decided_at IS NOT NULL AND instr(words, ?) > 0 ORDER BY decided_at DESC, rowid DESC LIMIT ?`).pluck();
  const entries = database.prepare<[], EntryRow>('SELECT * FROM allowlist_entries');
  const note = database.prepare(`INSERT INTO allowlist_entries(entry, created_at, created_from, created_by, last_used_at, uses)
    VALUES (@entry, @createdAt, @createdFrom, @createdBy, @usedAt, @use)
    ON CONFLICT(entry) DO UPDATE SET created_at = coalesce(excluded.created_at, created_at), created_from = coalesce(excluded.created_from, created_from),
      created_by = coalesce(excluded.created_by, created_by), last_used_at = coalesce(excluded.last_used_at, last_used_at), uses = uses + excluded.uses`);
  const grants = database.prepare<[string], string>('SELECT key FROM session_grants WHERE session_id = ? ORDER BY key').pluck();
  const grant = database.prepare('INSERT OR IGNORE INTO session_grants(session_id, key) VALUES (?, ?)');
  const clear = database.prepare('DELETE FROM session_grants WHERE session_id = ?');

  /** One damaged row must not hide the others. */
  const readable = (texts: readonly string[]): ApprovalRequest[] => texts.flatMap((text) => {
    const read = ApprovalRequest.safeParse(JSON.parse(text));
    if (!read.success) log.error('a stored approval request is not readable', { issues: read.error.issues });
    return read.success ? [read.data] : [];
  });
  const get = (id: ApprovalId): ApprovalRequest | undefined => {
    const text = byId.get(id);
    return text === undefined ? undefined : readable([text])[0];
  };
  const transition = database.transaction((id: ApprovalId, from: readonly ApprovalRequest['state'][], change: Partial<ApprovalRequest>): boolean => {
    const current = get(id);
    if (current === undefined) throw new AppError('not-found', `there is no approval request with the id ${id}`);
    if (!from.includes(current.state)) return false;
    const next: ApprovalRequest = { ...current, ...change, id };
    write.run(next.state, next.decidedAt ?? null, wordsOf(next), JSON.stringify(next), id);
    return true;
  });
  const grantAll = database.transaction((sessionId: string, keys: readonly string[]) => {
    for (const key of keys) grant.run(sessionId, key);
  });
  return {
    insert: (request) => {
      insert.run(request.id, request.sessionId, request.state, request.createdAt, request.decidedAt ?? null, wordsOf(request), JSON.stringify(request));
    },
    transition: (id, from, change) => transition.immediate(id, from, change),
    get,
    open: () => readable(open.all()),
    history: ({ query = '', sessionId, limit }) => {
      const words = query.trim().toLowerCase();
      return readable(sessionId === undefined ? settled.all(words, limit) : settledOf.all(sessionId, words, limit));
    },
    entryMeta: () => new Map(entries.all().map((row) => [row.entry, {
      uses: row.uses,
      ...(row.created_at === null ? {} : { createdAt: row.created_at }),
      ...(row.created_from === null ? {} : { createdFrom: row.created_from }),
      ...(row.created_by === null ? {} : { createdBy: row.created_by }),
      ...(row.last_used_at === null ? {} : { lastUsedAt: row.last_used_at }),
    }])),
    noteEntry: (entry, meta) => {
      note.run({
        entry, createdAt: meta.createdAt ?? null, createdFrom: meta.createdFrom ?? null, createdBy: meta.createdBy ?? null,
        usedAt: meta.usedAt ?? null, use: meta.usedAt === undefined ? 0 : 1,
      });
    },
    sessionGrants: (sessionId) => grants.all(sessionId),
    grantSession: (sessionId, keys) => grantAll.immediate(sessionId, keys),
    clearSession: (sessionId) => { clear.run(sessionId); },
  };
}
