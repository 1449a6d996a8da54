/** Terminals in the database: what they were, where their output lies, and their last screen. */
import type { Database } from 'better-sqlite3';
import { Terminal } from '../../preload/contract/index.ts';
import type { Log, Storage } from '../ports.ts';

interface TerminalRow { terminal: string; task_id: string; capture_path: string | null; start_identity: string | null }

export function terminalStore(database: Database, log: Log): Storage['terminals'] {
  const upsert = database.prepare(`INSERT INTO terminals(id, started_at, task_id, capture_path, start_identity, terminal) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT(id) DO UPDATE SET started_at = excluded.started_at, task_id = excluded.task_id, capture_path = excluded.capture_path,
      start_identity = excluded.start_identity, terminal = excluded.terminal`);
  const saveScreen = database.prepare('INSERT INTO terminal_screens(id, screen) VALUES (?, ?) ON CONFLICT(id) DO UPDATE SET screen = excluded.screen');
  const screen = database.prepare<[string], string>('SELECT screen FROM terminal_screens WHERE id = ?').pluck();
  const list = database.prepare<[], TerminalRow>('SELECT terminal, task_id, capture_path, start_identity FROM terminals ORDER BY started_at, rowid');
  const remove = database.prepare('DELETE FROM terminals WHERE id = ?');
  return {
    upsert: (terminal, extra) => {
      upsert.run(terminal.id, terminal.startedAt, extra.taskId, extra.capturePath, extra.startIdentity, JSON.stringify(terminal));
    },
    saveScreen: (id, serialized) => { saveScreen.run(id, serialized); },
    screen: (id) => screen.get(id),
    list: () => list.all().flatMap((row) => {
      const terminal = Terminal.safeParse(JSON.parse(row.terminal));
      if (!terminal.success) {
        log.error('a stored terminal is not readable', { issues: terminal.error.issues });
        return [];
      }
      return [{ terminal: terminal.data, taskId: row.task_id, capturePath: row.capture_path, startIdentity: row.start_identity }];
    }),
    remove: (id) => { remove.run(id); },
  };
}
