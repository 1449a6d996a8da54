/** A small text file that others edit too: its newest content without reading it every time. */
import { readFileSync, statSync, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Clock, Log } from '../ports.ts';

/** Two questions within this time share one look at the disk. */
const LOOK_MS = 10;
/** Where the system cannot watch a folder, the file is looked at this often. */
const POLL_MS = 1_000;

export interface LiveFile {
  /** The content as it is now; empty when the file is absent. */
  text(): string;
  /** Looks at the disk at once, whenever the last look was. True when the content is another one. */
  refresh(): boolean;
  close(): void;
}

export interface LiveFileOptions {
  readonly path: string;
  readonly clock: Pick<Clock, 'monotonic' | 'after'>;
  readonly log: Log;
  /** Told when a look found another content, at whatever occasion. */
  readonly onChange: () => void;
}

function identityOf(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false, bigint: true });
  return stat === undefined ? 'absent' : `${stat.ino}:${stat.size}:${stat.mtimeNs}:${stat.ctimeNs}`;
}

/** Unreadable counts as absent, and is logged. */
export function openLiveFile({ path, clock, log, onChange }: LiveFileOptions): LiveFile {
  let identity = '';
  let text = '';
  let lookedAt = Number.NEGATIVE_INFINITY;
  let closed = false;
  let stopTimer: (() => void) | undefined;

  const refresh = (): boolean => {
    lookedAt = clock.monotonic();
    const before = text;
    try {
      const now = identityOf(path);
      if (now === identity) return false;
      text = now === 'absent' ? '' : readFileSync(path, 'utf8');
      identity = now;
    } catch (error) {
      log.error('a settings file cannot be read', { path, error });
      text = '';
    }
    if (text === before) return false;
    onChange();
    return true;
  };
  const poll = (): void => {
    refresh();
    if (!closed) stopTimer = clock.after(POLL_MS, poll);
  };
  const watchFolder = (): (() => void) | undefined => {
    try {
      const watcher = watch(dirname(path), { persistent: false }, (_event, name) => { if (name === null || name === basename(path)) refresh(); });
      watcher.on('error', (error) => {
        log.warn('a folder cannot be watched any more', { path, error });
        watcher.close();
        if (!closed) poll();
      });
      return () => watcher.close();
    } catch (error) {
      log.warn('a folder cannot be watched; its files are looked at once a second', { path, error });
      poll();
      return undefined;
    }
  };
  refresh();
  const stopWatching = watchFolder();
  return {
    text: () => {
      if (clock.monotonic() - lookedAt > LOOK_MS) refresh();
      return text;
    },
    refresh,
    close: () => {
      closed = true;
      stopTimer?.();
      stopWatching?.();
    },
  };
}
