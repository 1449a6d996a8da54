/** Background processes as the `process` tool knows them: live ones, ended ones for a while, and ones adopted after a restart. */
import { endTree, readAdoptedOutput, startIdentity } from '../../environments/local.ts';
import type { SessionId, TerminalId } from '../../preload/contract/ids.ts';
import type { Clock } from '../ports.ts';
import type { CheckpointEntry } from './checkpoint.ts';
import type { LiveTerminal } from './live-terminal.ts';
import type { Watcher } from './watch.ts';

/** Hermes' figures: ended ones are kept for half an hour, 64 in all; running ones are never dropped. */
const KEEP_ENDED_MS = 1_800_000;
const MAX_TRACKED = 64;
/** Characters of output kept, the end wins. */
export const ROLLING_CHARS = 200_000;

export interface Killed { readonly source: string; readonly output: string }

interface Common {
  readonly id: TerminalId;
  readonly sessionId: SessionId | null;
  readonly taskId: string;
  readonly command: string;
  readonly cwd: string;
  readonly startedAt: number;
  notify: boolean;
  /** The model has learnt of the end already. */
  delivered: boolean;
  /** Recorded first by a kill: what a reader finds out later does not replace it. */
  killed: Killed | undefined;
  endedAt: number | undefined;
}
export interface LiveTracked extends Common { readonly kind: 'live'; readonly live: LiveTerminal; readonly watcher: Watcher; waiters: number }
/** Followed by pid and start time only: its output went to a host that is gone. */
export interface DetachedTracked extends Common { readonly kind: 'detached'; readonly pid: number; readonly identity: string; readonly mark: string | undefined; readonly watchPatterns: readonly string[]; /** What it has written since it was adopted; the end wins. */ readonly output: () => string }
export type Tracked = LiveTracked | DetachedTracked;

export function isRunning(tracked: Tracked): boolean {
  if (tracked.killed !== undefined) return false;
  return tracked.kind === 'live' ? tracked.live.running : startIdentity(tracked.pid) === tracked.identity;
}

export class TrackedProcesses {
  readonly #byId = new Map<TerminalId, Tracked>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(tracked: Tracked): void {
    this.#byId.set(tracked.id, tracked);
    this.#prune();
  }

  remove(id: TerminalId): void {
    this.#byId.delete(id);
  }

  all(): Tracked[] {
    this.#prune();
    return [...this.#byId.values()];
  }

  running(): Tracked[] {
    return [...this.#byId.values()].filter(isRunning);
  }

  /** By id, or by the only id that begins so, among those that `owned` accepts. */
  find(id: string, owned: (tracked: Tracked) => boolean): Tracked | undefined {
    const wanted = id.trim();
    const exact = this.#byId.get(wanted as TerminalId); // any text may be asked for; a Map answers undefined
    if (exact !== undefined) return owned(exact) ? exact : undefined;
    if (wanted === '') return undefined;
    const matches = [...this.#byId.values()].filter((tracked) => owned(tracked) && (tracked.id.startsWith(wanted) || tracked.id.startsWith(`proc_${wanted}`)));
    return matches.length === 1 ? matches[0] : undefined;
  }

  #prune(): void {
    const now = this.#clock.now();
    const ended = [...this.#byId.values()].filter((tracked) => !isRunning(tracked));
    for (const tracked of ended) {
      tracked.endedAt ??= now;
      if (now - tracked.endedAt > KEEP_ENDED_MS) this.#byId.delete(tracked.id);
    }
    const oldestFirst = ended.filter((tracked) => this.#byId.has(tracked.id)).sort((a, b) => (a.endedAt ?? now) - (b.endedAt ?? now));
    for (const tracked of oldestFirst) if (this.#byId.size > MAX_TRACKED) this.#byId.delete(tracked.id);
  }
}

/** Whole-tree end of an adopted process. Resolves with survivors. */
export function endDetached(tracked: DetachedTracked, graceMs: number): Promise<number[]> {
  const started = tracked.identity.split('/')[1];
  return endTree({ pid: tracked.pid, started, mark: tracked.mark }, { first: 'SIGTERM', graceMs });
}

export function adopted(entry: CheckpointEntry, ids: { readonly id: TerminalId; readonly sessionId: SessionId | null }): DetachedTracked | undefined {
  if (entry.pid_scope !== 'host' || entry.pid === null || entry.host_start_time === null || startIdentity(entry.pid) !== entry.host_start_time) return undefined;
  let output = '';
  readAdoptedOutput(entry.pid, (text) => { output = (output + text).slice(-ROLLING_CHARS); });
  return {
    output: () => output, kind: 'detached', ...ids, taskId: entry.task_id, command: entry.command, cwd: entry.cwd, startedAt: entry.started_at, notify: entry.notify_on_complete,
    delivered: false, killed: undefined, endedAt: undefined, pid: entry.pid, identity: entry.host_start_time, mark: entry.mark, watchPatterns: entry.watch_patterns,
  };
}
