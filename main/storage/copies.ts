/** Copies of a chat's history in another chat: messages, calls and whole results, as they are. */
import type { Database } from 'better-sqlite3';
import { AppError } from '../../preload/contract/errors.ts';
import type { CallId, MessageId, SessionId } from '../../preload/contract/index.ts';
import type { Ids } from '../ports.ts';
import type { Storage } from '../storage-port.ts';
import { copyIndexer } from './copies-index.ts';

/** A message (`call` null), or one call of the message `holder`. */
interface Original { number: number; holder: string; call: string | null }

const COPIED = "messages.session_id = @from AND messages.seq <= @through AND messages.state <> 'queued'";

/**
 * Places in the chat (`seq`), turns and times stay as they are. Ids are new, because they name one text; a call that a person made keeps pointing
 * at its own message. Terminals are left out: they belong to the chat that opened them. Numbers are drawn from the counter and taken below zero,
 * in the order of the originals.
 */
export function copyStore(database: Database, ids: Pick<Ids, 'message' | 'call'>): Storage['copies'] {
  const originals = database.prepare<{ from: string; through: number }, Original>(`
    SELECT number, id AS holder, NULL AS call FROM messages WHERE ${COPIED}
    UNION ALL SELECT calls.number, messages.id, calls.id FROM messages JOIN calls ON calls.message_id = messages.id WHERE ${COPIED} ORDER BY 1`);
  const draw = database.prepare<[number], number>("UPDATE counters SET value = value + ? WHERE name = 'number' RETURNING value").pluck();
  const copyMessage = database.prepare(`INSERT INTO messages(number, id, session_id, seq, turn, role, state, model, created_at, ended_at, error, text, reasoning, attachments)
    SELECT @number, @id, @to, seq, turn, role, state, model, created_at, ended_at, error, text, reasoning, attachments FROM messages WHERE number = @original`);
  const copyCall = database.prepare(`INSERT INTO calls(number, id, message_id, session_id, model_call_id, name, emoji, state, started_at, ended_at, exit_code, result_chars,
      approval_id, terminal_id, repairs, arguments, result, full_result)
    SELECT @number, @id, @holder, @to, iif(model_call_id = message_id, @holder, model_call_id), name, emoji, state, started_at, ended_at, exit_code, result_chars,
      approval_id, NULL, repairs, arguments, result, full_result FROM calls WHERE number = @original`);
  const goOnAfter = database.prepare('UPDATE sessions SET next_seq = coalesce((SELECT max(seq) FROM messages WHERE session_id = @to), 0) + 1, forked_from = @from WHERE id = @to');
  const toIndex = database.prepare('INSERT INTO unindexed_copies(session_id, next) VALUES (@to, @next)');

  const copy = (from: SessionId, to: SessionId, through: number): number => {
    const all = originals.all({ from, through });
    const drawn = draw.get(all.length);
    if (drawn === undefined) throw new AppError('storage/failed', 'the database has lost its counter', { hint: 'Move the file away; it is damaged.' });
    const copied = new Map<string, MessageId>();
    for (const [index, { number: original, holder, call }] of all.entries()) {
      const number = index - drawn;
      if (call === null) {
        const id = ids.message();
        copied.set(holder, id);
        copyMessage.run({ number, id, to, original });
      } else copyCall.run({ number, id: ids.call(), holder: copied.get(holder), to, original });
    }
    goOnAfter.run({ from, to });
    if (all.length > 0) toIndex.run({ to, next: -drawn });
    return copied.size;
  };
  const copyAtOnce = database.transaction(copy);
  const streaming = database.prepare<{ from: string; through: number }, { state: 'streaming' }>(`SELECT state FROM messages WHERE ${COPIED} AND state = 'streaming' LIMIT 1`);
  const live = database.prepare<{ from: string; through: number }, { state: 'pending' | 'waiting' | 'running'; tool: string }>(`
    SELECT calls.state, calls.name AS tool FROM messages JOIN calls ON calls.message_id = messages.id
    WHERE ${COPIED} AND calls.state IN ('pending', 'waiting', 'running') ORDER BY calls.state = 'waiting' DESC LIMIT 1`);
  const lastAnswer = database.prepare<{ from: string; through: number; tool: string }, { callId: CallId; text: string }>(`
    SELECT calls.id AS callId, coalesce(calls.full_result, calls.result) AS text FROM messages JOIN calls ON calls.message_id = messages.id
    WHERE ${COPIED} AND calls.name = @tool AND calls.state = 'done' AND calls.result IS NOT NULL ORDER BY messages.seq DESC, calls.number DESC LIMIT 1`);

  return {
    // Never a transaction in a transaction: every insert would keep what it changes twice, and take twenty times as long.
    make: ({ from, to, through }) => (database.inTransaction ? copy(from, to, through) : copyAtOnce.immediate(from, to, through)),
    unfinished(from, through) {
      const reply = streaming.get({ from, through });
      return reply === undefined ? live.get({ from, through }) : { ...reply, tool: null };
    },
    lastAnswer: (from, tool, through) => lastAnswer.get({ from, tool, through }),
    index: copyIndexer(database),
  };
}
