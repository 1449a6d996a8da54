/** Steps from an empty file to today's schema, forward only. A step that was released is never changed; a new one is added. */
import type { Database } from 'better-sqlite3';
import { AppError } from '../../preload/contract/errors.ts';
import { first } from './migrations/001-first.ts';
import { approvalRules } from './migrations/002-approval-rules.ts';
import { schedules } from './migrations/003-schedules.ts';
import { gateway } from './migrations/004-gateway.ts';
import { sentOnce } from './migrations/005-sent-once.ts';
import { conversations } from './migrations/006-conversations.ts';
import { forks } from './migrations/007-forks.ts';
import { attachments } from './migrations/008-attachments.ts';

export interface Migration {
  /** Counts up by one from 1; kept in the file as `user_version`. */
  readonly version: number;
  readonly name: string;
  readonly sql: string;
}

export const MIGRATIONS: readonly Migration[] = [first, approvalRules, schedules, gateway, sentOnce, conversations, forks, attachments];

/** `TALA` in ASCII: tells our file from another program's. */
const APPLICATION_ID = 0x54414c41;

const versionOf = (database: Database): number => Number(database.pragma('user_version', { simple: true }));

/**
 * Brings the file to the newest schema in one transaction: all steps or none. Safe when several processes open it at once.
 * Throws `storage/failed` for a file of a newer Talaria or of another program, and leaves it as it is.
 */
export function migrate(database: Database, file: string, migrations: readonly Migration[] = MIGRATIONS): void {
  const newest = migrations.at(-1)?.version ?? 0;
  refuseForeign(database, file, newest);
  if (versionOf(database) === newest) return;
  database.transaction(() => {
    refuseForeign(database, file, newest);
    for (const migration of migrations.slice(versionOf(database))) {
      try {
        database.exec(migration.sql);
      } catch (cause) {
        throw new AppError('storage/failed', `step ${migration.version} (${migration.name}) of bringing ${file} up to date failed`, {
          hint: 'Nothing was changed. Please report this with the log.', cause,
        });
      }
      database.pragma(`user_version = ${migration.version}`);
    }
    database.pragma(`application_id = ${APPLICATION_ID}`);
  }).immediate();
}

function refuseForeign(database: Database, file: string, newest: number): void {
  const version = versionOf(database);
  const owner = Number(database.pragma('application_id', { simple: true }));
  const tables = Number(database.prepare('SELECT count(*) FROM sqlite_schema').pluck().get());
  if (owner !== APPLICATION_ID && (version !== 0 || tables !== 0)) {
    throw new AppError('storage/failed', `${file} is a database of another program`, { hint: 'Move it away, or set HERMES_HOME to another folder.' });
  }
  if (version > newest) {
    throw new AppError('storage/failed', `${file} was written by a newer Talaria (schema ${version}; this one knows up to ${newest})`, {
      hint: 'Update Talaria, or set HERMES_HOME to another folder. The file was not changed.',
    });
  }
}

/** Throws `storage/failed` unless the file has exactly today's schema: it is read as it is and never brought up to date. */
export function checkOurs(database: Database, file: string): void {
  const newest = MIGRATIONS.at(-1)?.version ?? 0;
  refuseForeign(database, file, newest);
  if (versionOf(database) < newest) throw new AppError('storage/failed', `${file} was written by an older Talaria (schema ${versionOf(database)}; this one reads ${newest})`, { hint: 'Start Talaria once in that profile.' });
}
