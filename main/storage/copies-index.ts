/** Makes copied texts searchable, a little at a time, so that nothing else waits for it. What a dead process left is gone on with. */
import type { Database } from 'better-sqlite3';
import { fill } from './migrations/001-first.ts';

/** Indexing these takes about 30 ms on a slow machine; a single text may be longer. */
const SLICE_CHARS = 60_000;

interface Copy { number: number; chars: number }

/** One slice in one transaction. Answers whether something may be left to do. */
export function copyIndexer(database: Database): () => boolean {
  const pending = database.prepare<[], { session_id: string; next: number }>('SELECT session_id, next FROM unindexed_copies LIMIT 1');
  const texts = database.prepare<{ session: string; next: number }, Copy>(`
    SELECT number, length(text) AS chars FROM messages WHERE session_id = @session AND number BETWEEN @next AND -1
    UNION ALL SELECT calls.number, length(calls.arguments) + coalesce(length(calls.result), 0) FROM messages JOIN calls ON calls.message_id = messages.id
    WHERE messages.session_id = @session AND calls.number BETWEEN @next AND -1 ORDER BY 1`);
  const statements = ['DELETE FROM search_words WHERE rowid = @number', 'DELETE FROM search_pieces WHERE rowid = @number', ...fill(' AND number = @number')].map((sql) => database.prepare(sql));
  const goOn = database.prepare('UPDATE unindexed_copies SET next = @next WHERE session_id = @session');
  const done = database.prepare('DELETE FROM unindexed_copies WHERE session_id = @session');

  const slice = database.transaction((): boolean => {
    const chat = pending.get();
    if (chat === undefined) return false;
    const session = chat.session_id;
    const all = texts.all({ session, next: chat.next });
    let chars = 0;
    for (const copy of all) {
      if (chars >= SLICE_CHARS) {
        goOn.run({ session, next: copy.number });
        return true;
      }
      for (const statement of statements) statement.run({ number: copy.number });
      chars += copy.chars;
    }
    done.run({ session });
    return true;
  });
  return () => slice.immediate();
}
