/** Tool calls in the database: the screen's fields, and the whole result where it is longer than what the screen shows. */
import type { Database } from 'better-sqlite3';
import { AppError } from '../../preload/contract/errors.ts';
import type { ApprovalId, CallId, MessageId, SessionId, TerminalId, ToolCall } from '../../preload/contract/index.ts';
import type { Storage, StoredCall } from '../ports.ts';
import { assignments, json, type Column } from './columns.ts';

/** The contract's cut of `ToolCall.result`. */
const SCREEN_CHARS = 20_000;

export interface CallRow {
  id: string; message_id: string; session_id: string; model_call_id: string; name: string; emoji: string; arguments: string; state: string; repairs: string;
  started_at: number | null; ended_at: number | null; exit_code: number | null; result: string | null; result_chars: number;
  approval_id: string | null; terminal_id: string | null; full_result?: string | null;
}

export const CALL_COLUMNS = ['id', 'message_id', 'session_id', 'model_call_id', 'name', 'emoji', 'arguments', 'state', 'repairs', 'started_at', 'ended_at',
  'exit_code', 'result', 'result_chars', 'approval_id', 'terminal_id'].map((column) => `calls.${column}`).join(', ');

const FIELDS: ReadonlyMap<string, Column> = new Map([
  ['modelCallId', { column: 'model_call_id' }], ['name', { column: 'name' }], ['emoji', { column: 'emoji' }], ['arguments', { column: 'arguments' }],
  ['state', { column: 'state' }], ['repairs', { column: 'repairs', encode: json }], ['startedAt', { column: 'started_at' }], ['endedAt', { column: 'ended_at' }],
  ['exitCode', { column: 'exit_code' }], ['result', { column: 'result' }], ['resultChars', { column: 'result_chars' }],
  ['approvalId', { column: 'approval_id' }], ['terminalId', { column: 'terminal_id' }], ['fullResult', { column: 'full_result' }],
]);

// The casts in this function hold because only the store below writes these columns, from typed calls.
export function callFromRow(row: CallRow): ToolCall {
  return {
    id: row.id as CallId, messageId: row.message_id as MessageId, sessionId: row.session_id as SessionId, modelCallId: row.model_call_id,
    name: row.name, emoji: row.emoji, arguments: row.arguments, state: row.state as ToolCall['state'], repairs: JSON.parse(row.repairs) as string[],
    startedAt: row.started_at, endedAt: row.ended_at, exitCode: row.exit_code, result: row.result, resultChars: row.result_chars,
    approvalId: row.approval_id as ApprovalId | null, terminalId: row.terminal_id as TerminalId | null,
  };
}

export const storedFromRow = (row: CallRow): StoredCall => ({ ...callFromRow(row), fullResult: row.full_result ?? row.result });

/** A whole result is kept once: as `result` when it is short, else beside it. */
function withResult(change: Partial<StoredCall>): Partial<StoredCall> {
  const { fullResult } = change;
  if (fullResult === undefined) return change;
  if (fullResult === null) return { result: null, resultChars: 0, ...change };
  const short = fullResult.length <= SCREEN_CHARS;
  return { resultChars: fullResult.length, ...change, result: short ? fullResult : fullResult.slice(0, SCREEN_CHARS), fullResult: short ? null : fullResult };
}

export function callStore(database: Database, nextNumber: () => number): Storage['calls'] {
  const insert = database.prepare(`INSERT INTO calls(number, id, message_id, session_id, model_call_id, name, emoji, state, started_at, ended_at, exit_code,
      result_chars, approval_id, terminal_id, repairs, arguments, result)
    VALUES (@number, @id, @messageId, @sessionId, @modelCallId, @name, @emoji, @state, @startedAt, @endedAt, @exitCode,
      @resultChars, @approvalId, @terminalId, @repairs, @arguments, @result)`);
  const byId = database.prepare<[string], CallRow>(`SELECT ${CALL_COLUMNS}, calls.full_result FROM calls WHERE id = ?`);
  const screenById = database.prepare<[string], CallRow>(`SELECT ${CALL_COLUMNS} FROM calls WHERE id = ?`);
  const uses = database.prepare<[number], { name: string; uses: number }>('SELECT name, count(*) AS uses FROM calls WHERE started_at >= ? AND number > 0 GROUP BY name');
  const insertAll = database.transaction((calls: readonly ToolCall[]) => {
    for (const call of calls) insert.run({ ...call, repairs: json(call.repairs), number: nextNumber() });
  });
  return {
    insert: (calls) => insertAll.immediate(calls),
    update: (id, change) => {
      const assigned = assignments(withResult(change), FIELDS);
      if (assigned !== undefined) database.prepare(`UPDATE calls SET ${assigned.set} WHERE id = @where`).run({ ...assigned.values, where: id });
      const row = screenById.get(id);
      if (row === undefined) throw new AppError('not-found', `there is no tool call with the id ${id}`);
      return callFromRow(row);
    },
    get: (id) => {
      const row = byId.get(id);
      return row === undefined ? undefined : storedFromRow(row);
    },
    usesSince: (since) => new Map(uses.all(since).map((row) => [row.name, row.uses])),
  };
}
