/** Tells when something changes in a set of folders: several changes in a row as one. */
import { watch, type FSWatcher } from 'node:fs';
import type { Clock, Log } from '../ports.ts';
import { parseErrorCode } from './error-code.ts';

/** Editors write a file in several steps. */
const SETTLE_MS = 150;
/** The platform gives out only so many watches. */
const MOST_FOLDERS = 1_000;

export interface FolderWatch {
  /** The folders to watch from now on, without what is below them. Those that do not exist are left out. */
  follow(folders: readonly string[]): void;
  close(): void;
}

export function watchFolders({ clock, log }: { readonly clock: Pick<Clock, 'after'>; readonly log: Log }, onChange: () => void): FolderWatch {
  const watchers = new Map<string, FSWatcher>();
  let cancel: () => void = () => undefined;
  let closed = false;

  function changed(): void {
    cancel();
    if (!closed) cancel = clock.after(SETTLE_MS, onChange);
  }

  function drop(folder: string): void {
    watchers.get(folder)?.close();
    watchers.delete(folder);
  }

  function add(folder: string): void {
    try {
      const watcher = watch(folder, { persistent: false }, changed);
      watcher.on('error', (error) => {
        log.debug('a folder is not watched any more', { folder, error });
        drop(folder);
        changed();
      });
      watchers.set(folder, watcher);
    } catch (error) {
      if (parseErrorCode(error) !== 'ENOENT') log.warn('a folder cannot be watched; changes in it count after "Check now"', { folder, error });
    }
  }

  return {
    follow(folders) {
      if (closed) return;
      const wanted = new Set(folders.slice(0, MOST_FOLDERS));
      for (const folder of watchers.keys()) if (!wanted.has(folder)) drop(folder);
      for (const folder of wanted) if (!watchers.has(folder)) add(folder);
    },
    close() {
      closed = true;
      cancel();
      for (const folder of [...watchers.keys()]) drop(folder);
    },
  };
}
