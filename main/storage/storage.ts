/** The database of the app behind the `Storage` seam: one SQLite file, shared by every process of the same home. */
import { AppError } from '../../preload/contract/errors.ts';
import type { SessionId } from '../../preload/contract/ids.ts';
import type { Clock, Ids, Log, Storage } from '../ports.ts';
import { approvalRuleStore } from './approval-rules.ts';
import { approvalStore } from './approvals.ts';
import { callStore } from './calls.ts';
import { copyStore } from './copies.ts';
import { guarded, openDatabase, storageError } from './database.ts';
import { findStore } from './find.ts';
import { gatewayStore } from './gateway.ts';
import { historyOf, searchMessages } from './history.ts';
import { messageStore } from './messages.ts';
import { profileReader } from './profiles.ts';
import { scheduleStore } from './schedules.ts';
import { createFilter } from './search-filter.ts';
import { createSearch } from './search.ts';
import { sessionStore } from './sessions.ts';
import { terminalStore } from './terminals.ts';

/** Opens or makes `file` (`:memory:` for one that vanishes). Everything it does is durable when it returns. Throws `storage/failed`. */
export function openStorage(file: string, { ids, log }: { readonly clock: Clock; readonly ids: Ids; readonly log: Log }): Storage {
  const database = openDatabase(file);
  const counter = database.prepare<[], number>("UPDATE counters SET value = value + 1 WHERE name = 'number' RETURNING value").pluck();
  const nextNumber = (): number => {
    const number = counter.get();
    if (number === undefined) throw new AppError('storage/failed', `${file} has lost its counter`, { hint: 'Move the file away; it is damaged.' });
    return number;
  };
  const search = createSearch(database, log);
  const history = historyOf(database, search);
  const narrow = createFilter(database);
  const getValue = database.prepare<[string], string>('SELECT value FROM small_values WHERE key = ?').pluck();
  const setValue = database.prepare('INSERT INTO small_values(key, value) VALUES (?, ?) ON CONFLICT(key) DO UPDATE SET value = excluded.value');
  const removeValue = database.prepare('DELETE FROM small_values WHERE key = ?');
  const addUsage = database.prepare('INSERT INTO usage(session_id, model, prompt_tokens, completion_tokens, at) VALUES (@sessionId, @model, @promptTokens, @completionTokens, @at)');
  const sumUsage = database.prepare(`UPDATE sessions SET prompt_tokens = prompt_tokens + @promptTokens, completion_tokens = completion_tokens + @completionTokens,
    requests = requests + 1 WHERE id = @sessionId`);
  const usedBy = database.prepare<[string], { model: string; promptTokens: number; completionTokens: number }>('SELECT model, sum(prompt_tokens) AS promptTokens, sum(completion_tokens) AS completionTokens FROM usage WHERE session_id = ? GROUP BY model');
  const addBoth = database.transaction((entry: Parameters<Storage['usage']['add']>[0]) => { addUsage.run(entry); sumUsage.run(entry); });

  return {
    sessions: guarded('sessions', sessionStore(database)),
    messages: guarded('messages', messageStore(database, nextNumber, { search: (query, limit, filter) => searchMessages(search, narrow, query, limit, filter), find: findStore(database) })),
    calls: guarded('calls', callStore(database, nextNumber)),
    copies: guarded('copies', copyStore(database, ids)),
    approvals: guarded('approvals', approvalStore(database, log)),
    approvalRules: guarded('approvalRules', approvalRuleStore(database, log)),
    schedules: guarded('schedules', scheduleStore(database, log)),
    gateway: guarded('gateway', gatewayStore(database)),
    terminals: guarded('terminals', terminalStore(database, log)),
    values: guarded('values', {
      get: (key: string) => getValue.get(key),
      set: (key: string, value: string | undefined) => { if (value === undefined) removeValue.run(key); else setValue.run(key, value); },
    }),
    usage: guarded('usage', { add: (entry: Parameters<Storage['usage']['add']>[0]) => { addBoth.immediate(entry); }, byModel: (sessionId: SessionId) => usedBy.all(sessionId) }),
    history: guarded('history', { ...history, inProfile: profileReader(file, history, log) }),
    transaction: (work) => database.transaction(work).immediate(),
    close: () => {
      try {
        database.close();
      } catch (cause) {
        throw storageError(cause, `close ${file}`);
      }
    },
  };
}
