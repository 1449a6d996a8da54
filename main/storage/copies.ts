/** Copies of a chat's history in another chat: messages, calls and whole results, as they are. */
import type { Database } from 'better-sqlite3';
import { AppError } from '../../preload/contract/errors.ts';
import type { MessageId, SessionId } from '../../preload/contract/index.ts';
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
  const copyMessage = database.prepare(`INSERT INTO messages(number, id, session_id, seq, turn, role, state, model, created_at, ended_at, error, text, reasoning)
    SELECT @number, @id, @to, seq, turn, role, state, model, created_at, ended_at, error, text, reasoning FROM messages WHERE number = @original`);
  const copyCall = database.prepare(`INSERT INTO calls(number, id, message_id, session_id, model_call_id, name, emoji, state, started_at, ended_at, exit_code, result_chars,
      approval_id, terminal_id, repairs, arguments, result, full_result)
    SELECT @number, @id, @holder, @to, iif(model_call_id = message_id, @holder, model_call_id), name, emoji, state, started_at, ended_at, exit_code, result_chars,
      approval_id, NULL, repairs, arguments, result, full_result FROM calls WHERE number = @original`);
  const goOnAfter = database.prepare('UPDATE sessions SET next_seq = max(next_seq, @next), forked_from = @from WHERE id = @to');
  const toIndex = database.prepare('INSERT INTO unindexed_copies(session_id, next) VALUES (@to, @next)');

  const copy = database.transaction((from: SessionId, to: SessionId, through: number): number => {
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
    goOnAfter.run({ next: through + 1, from, to });
    if (all.length > 0) toIndex.run({ to, next: -drawn });
    return copied.size;
  });
  return { make: ({ from, to, through }) => copy.immediate(from, to, through), index: copyIndexer(database) };
}
