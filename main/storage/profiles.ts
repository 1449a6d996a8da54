/**
 * Chats of other profiles (`<root>/profiles/<name>`, and `default` for the root itself), read and never written: each look opens the
 * other profile's database read-only and closes it again.
 */
import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { AppError } from '../../preload/contract/errors.ts';
import type { HistoryService } from '../../tools/context.ts';
import type { Log } from '../ports.ts';
import { storageError } from './database.ts';
import { historyOf, type ChatHistory } from './history.ts';
import { checkOurs } from './migrations.ts';
import { createSearch } from './search.ts';

const ROOT_PROFILE = 'default';
const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
const BUSY_MS = 1_000;

/** The home that all profiles lie in: a profile is `<root>/profiles/<name>`. */
function rootOf(home: string): string {
  return basename(dirname(home)) === 'profiles' ? dirname(dirname(home)) : home;
}

function namesIn(root: string): string[] {
  const folder = join(root, 'profiles');
  const others = existsSync(folder) ? readdirSync(folder, { withFileTypes: true }).filter((entry) => !entry.isFile() && NAME.test(entry.name)).map(({ name }) => name) : [];
  return [ROOT_PROFILE, ...others.sort()];
}

/** `file` is this profile's database, `<home>/desktop/talaria.db`. Throws `not-found` for a profile that is none or has no chats, `storage/failed`. */
export function profileReader(file: string, own: ChatHistory, log: Log): HistoryService['inProfile'] {
  const home = dirname(dirname(file));
  const root = rootOf(home);
  return (name, look) => {
    const folder = name === ROOT_PROFILE ? root : join(root, 'profiles', name);
    if (name !== ROOT_PROFILE && (!NAME.test(name) || !existsSync(folder))) {
      throw new AppError('not-found', `There is no profile '${name}'.`, { hint: `Profiles here: ${namesIn(root).join(', ')}.` });
    }
    if (folder === home) return look(own, true);
    const database = join(folder, 'desktop', 'talaria.db');
    if (!existsSync(database)) throw new AppError('not-found', `Profile '${name}' has no chats of this app yet.`, { hint: `It keeps them in ${database}.` });
    let opened: Sqlite.Database | undefined;
    try {
      opened = new Sqlite(database, { readonly: true, fileMustExist: true, timeout: BUSY_MS });
      checkOurs(opened, database);
      return look(historyOf(opened, createSearch(opened, log)), false);
    } catch (cause) {
      throw storageError(cause, `read the chats of profile '${name}'`);
    } finally {
      opened?.close();
    }
  };
}
