/** One SQLite file, opened the way all of `storage/` needs it. */
import { chmodSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import Sqlite, { type Database } from 'better-sqlite3';
import { AppError } from '../../preload/contract/errors.ts';
import { migrate } from './migrations.ts';

/** How long a write waits for another process' write, in ms. Our own writes last a few ms; a backup tool may hold the file longer. */
const BUSY_MS = 5_000;
/** Page cache in KiB: the upper levels of the search index of a million messages. */
const CACHE_KIB = 32_000;
const MAPPED_BYTES = 1024 ** 3;

/**
 * Opens (and makes) the file, mode 0600, and brings its schema up to date. `:memory:` is allowed.
 * WAL with synchronous=NORMAL: a commit survives the death of every process; a power cut may lose the last commits, never the file.
 * Throws `storage/failed` naming the file and the next step.
 */
export function openDatabase(file: string): Database {
  let database: Database | undefined;
  try {
    if (file !== ':memory:') mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    database = new Sqlite(file, { timeout: BUSY_MS });
    if (file !== ':memory:' && process.platform !== 'win32') chmodSync(file, 0o600);
    database.pragma('journal_mode = WAL');
    database.pragma('synchronous = NORMAL');
    database.pragma('foreign_keys = ON');
    database.pragma('temp_store = MEMORY');
    database.pragma(`cache_size = -${CACHE_KIB}`);
    database.pragma(`mmap_size = ${MAPPED_BYTES}`);
    migrate(database, file);
    return database;
  } catch (cause) {
    database?.close();
    throw storageError(cause, `open ${file}`);
  }
}

const HINTS = new Map([
  ['SQLITE_FULL', 'The disk is full: free some space.'],
  ['SQLITE_BUSY', 'Another program holds the file: close it and try again.'],
  ['SQLITE_NOTADB', 'The file is not a database: move it away and start again.'],
  ['SQLITE_CORRUPT', 'The file is damaged: move it away, or mend a copy with the sqlite3 program (.recover).'],
  ['SQLITE_READONLY', 'The file is read-only: make it writable.'],
  ['SQLITE_CANTOPEN', 'Check that the folder exists and is writable.'],
]);

/** An `AppError` as it is; anything else as `storage/failed` with a next step. */
export function storageError(cause: unknown, what: string): AppError {
  if (cause instanceof AppError) return cause;
  const code = cause instanceof Sqlite.SqliteError ? cause.code : '';
  const hint = HINTS.get(code.split('_').slice(0, 2).join('_')) ?? 'The log has the details.';
  return new AppError('storage/failed', `could not ${what}: ${cause instanceof Error ? cause.message : String(cause)}`, { hint, cause });
}

/** Wraps each function of `part` so that what SQLite throws leaves as `storage/failed`. */
export function guarded<Part extends object>(name: string, part: Part): Part {
  const wrap = (field: string, run: (...input: unknown[]) => unknown) => (...input: unknown[]): unknown => {
    try {
      return run(...input);
    } catch (cause) {
      throw storageError(cause, `do ${name}.${field}`);
    }
  };
  return Object.fromEntries(Object.entries(part).map(([field, value]: [string, unknown]) =>
    [field, typeof value === 'function' ? wrap(field, value as (...input: unknown[]) => unknown) : value])) as Part; // casts: same fields, same signatures
}
