/** Messages in the database, in the order of their chat. */
import type { Database } from 'better-sqlite3';
import { AppError } from '../../preload/contract/errors.ts';
import type { Attachment, Message, MessageId, SessionId } from '../../preload/contract/index.ts';
import type { Storage } from '../ports.ts';
import { CALL_COLUMNS, callFromRow, storedFromRow, type CallRow } from './calls.ts';
import { assignments, json, type Column } from './columns.ts';

interface MessageRow {
  id: string; session_id: string; seq: number; turn: number; role: string; text: string; reasoning: string; state: string; error: string | null;
  model: string | null; created_at: number; ended_at: number | null; attachments: string | null;
}

const COLUMNS = 'id, session_id, seq, turn, role, text, reasoning, state, error, model, created_at, ended_at, attachments';

const FIELDS: ReadonlyMap<string, Column> = new Map([
  ['text', { column: 'text' }], ['reasoning', { column: 'reasoning' }], ['state', { column: 'state' }], ['error', { column: 'error', encode: json }],
  ['endedAt', { column: 'ended_at' }], ['model', { column: 'model' }], ['turn', { column: 'turn' }],
]);

// The casts in this function hold because only the store below writes these columns, from typed messages.
function fromRow(row: MessageRow): Omit<Message, 'calls'> {
  return {
    id: row.id as MessageId, sessionId: row.session_id as SessionId, seq: row.seq, turn: row.turn, role: row.role as Message['role'], text: row.text,
    reasoning: row.reasoning, state: row.state as Message['state'], error: row.error === null ? null : JSON.parse(row.error) as Message['error'],
    model: row.model, createdAt: row.created_at, endedAt: row.ended_at,
    ...(row.attachments === null ? {} : { attachments: JSON.parse(row.attachments) as Message['attachments'] }),
  };
}

function byMessage<Call>(rows: readonly CallRow[], read: (row: CallRow) => Call): (id: string) => Call[] {
  const groups = new Map<string, Call[]>();
  for (const row of rows) {
    const group = groups.get(row.message_id);
    if (group === undefined) groups.set(row.message_id, [read(row)]);
    else group.push(read(row));
  }
  return (id) => groups.get(id) ?? [];
}

/** `nextNumber` draws from the counter shared with the calls. */
export function messageStore(database: Database, nextNumber: () => number, look: Pick<Storage['messages'], 'search' | 'find'>): Storage['messages'] {
  const takeSeq = database.prepare<[string], number>('UPDATE sessions SET next_seq = next_seq + 1 WHERE id = ? RETURNING next_seq - 1').pluck();
  const insert = database.prepare(`INSERT INTO messages(number, id, session_id, seq, turn, role, state, model, created_at, ended_at, error, text, reasoning, attachments)
    VALUES (@number, @id, @sessionId, @seq, @turn, @role, @state, @model, @createdAt, @endedAt, @error, @text, @reasoning, @attachments)`);
  const remove = database.prepare('DELETE FROM messages WHERE id = ?');
  const byId = database.prepare<[string], MessageRow>(`SELECT ${COLUMNS} FROM messages WHERE id = ?`);
  const callsOf = database.prepare<[string], CallRow>(`SELECT ${CALL_COLUMNS} FROM calls WHERE message_id = ? ORDER BY number`);
  const before = database.prepare<[string, number, number], MessageRow>(`SELECT ${COLUMNS} FROM messages WHERE session_id = ? AND seq < ? ORDER BY seq DESC LIMIT ?`);
  const all = database.prepare<[string], MessageRow>(`SELECT ${COLUMNS} FROM messages WHERE session_id = ? ORDER BY seq`);
  const callsFrom = (columns: string): string => `SELECT ${columns} FROM messages JOIN calls ON calls.message_id = messages.id
    WHERE messages.session_id = ? AND messages.seq BETWEEN ? AND ? ORDER BY calls.number`;
  const screenCalls = database.prepare<[string, number, number], CallRow>(callsFrom(CALL_COLUMNS));
  const wholeCalls = database.prepare<[string, number, number], CallRow>(callsFrom(`${CALL_COLUMNS}, calls.full_result`));
  const attachedOf = database.prepare<[string], string>('SELECT attachments FROM messages WHERE session_id = ? AND attachments IS NOT NULL ORDER BY seq').pluck();
  const attachedAll = database.prepare<[], string>('SELECT attachments FROM messages WHERE attachments IS NOT NULL').pluck();
  const turn = database.prepare<[string], number>('SELECT coalesce(max(turn), 0) FROM messages WHERE session_id = ?').pluck();

  const get = (id: MessageId): Message | undefined => {
    const row = byId.get(id);
    return row === undefined ? undefined : { ...fromRow(row), calls: callsOf.all(id).map(callFromRow) };
  };
  const insertOne = database.transaction((message: Omit<Message, 'seq' | 'calls'>): Message => {
    const seq = takeSeq.get(message.sessionId);
    if (seq === undefined) throw new AppError('not-found', `there is no chat with the id ${message.sessionId}`);
    insert.run({ ...message, error: json(message.error), attachments: message.attachments === undefined ? null : JSON.stringify(message.attachments), seq, number: nextNumber() });
    return { ...message, seq, calls: [] };
  });
  const readPage = database.transaction((sessionId: SessionId, seq: number, limit: number): { messages: Message[]; more: boolean } => {
    const rows = before.all(sessionId, seq, limit + 1);
    const more = rows.length > limit;
    const shown = rows.slice(0, limit).reverse();
    const callsFor = byMessage(screenCalls.all(sessionId, shown[0]?.seq ?? 0, shown.at(-1)?.seq ?? -1), callFromRow);
    return { messages: shown.map((row) => ({ ...fromRow(row), calls: callsFor(row.id) })), more };
  });
  const readAll = database.transaction((sessionId: SessionId) => {
    const rows = all.all(sessionId);
    const callsFor = byMessage(wholeCalls.all(sessionId, rows[0]?.seq ?? 0, rows.at(-1)?.seq ?? -1), storedFromRow);
    return rows.map((row) => ({ ...fromRow(row), calls: callsFor(row.id) }));
  });
  return {
    insert: (message) => insertOne.immediate(message),
    update: (id, change) => {
      const assigned = assignments(change, FIELDS);
      if (assigned !== undefined) database.prepare(`UPDATE messages SET ${assigned.set} WHERE id = @where`).run({ ...assigned.values, where: id });
      const message = get(id);
      if (message === undefined) throw new AppError('not-found', `there is no message with the id ${id}`);
      return message;
    },
    remove: (id) => { remove.run(id); },
    get,
    page: (sessionId, options) => readPage(sessionId, options.before ?? Number.MAX_SAFE_INTEGER, options.limit),
    transcript: (sessionId) => readAll(sessionId),
    attached: (sessionId) => (sessionId === undefined ? attachedAll.all() : attachedOf.all(sessionId)).flatMap((list) => JSON.parse(list) as Attachment[]), // written by `insert` above
    lastTurn: (sessionId) => turn.get(sessionId) ?? 0,
    ...look,
  };
}
