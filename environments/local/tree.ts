/** Ends a process with everything that descends from it, also what left its group, its session or its parent. */
import { setTimeout as sleep } from 'node:timers/promises';
import { listProcesses, readMark, readProcess, type ProcessRow } from './proc.ts';

type EndSignal = 'SIGINT' | 'SIGTERM' | 'SIGKILL';

export interface TreeRoot {
  /** Leader of the group and session that was started; null when only the mark is known. */
  readonly pid: number | null;
  /** `started` of the leader when it was launched: a recycled pid has another. */
  readonly started: string | undefined;
  /** Exact mark, or the beginning of it when it ends in a dot. */
  readonly mark: string | undefined;
}

/** How often the remaining processes are looked up while waiting. */
const POLL_MS = 20;
/** SIGKILL cannot be refused, but a process in an uninterruptible read lingers: after this it is reported as a survivor. */
const KILL_WAIT_MS = 1_500;

function carriesMark(pid: number, wanted: string): boolean {
  const mark = readMark(pid);
  return mark !== undefined && (wanted.endsWith('.') ? mark.startsWith(wanted) : mark === wanted);
}

/**
 * Everything alive that belongs to the tree: the leader's group and session, what carries the mark (double forks, setsid, adopted by
 * init), and all descendants of these. Never the calling process itself.
 */
export function membersOf(root: TreeRoot, rows: readonly ProcessRow[] = listProcesses()): ProcessRow[] {
  const alive = rows.filter((row) => !row.zombie && row.pid !== process.pid && row.pid > 1);
  const leader = root.pid === null ? undefined : rows.find((row) => row.pid === root.pid);
  // A pid that now belongs to a stranger says nothing about our group; without a leader the group's number cannot have been reused.
  const leaderIsOurs = leader === undefined || root.started === undefined || leader.started === root.started;
  const members = new Map<number, ProcessRow>();
  for (const row of alive) {
    const inGroup = root.pid !== null && leaderIsOurs && (row.pid === root.pid || row.pgid === root.pid || row.sid === root.pid);
    if (inGroup || (root.mark !== undefined && carriesMark(row.pid, root.mark))) members.set(row.pid, row);
  }
  let grew = members.size > 0;
  while (grew) {
    grew = false;
    for (const row of alive) {
      if (!members.has(row.pid) && (members.has(row.ppid) || members.has(row.sid))) {
        members.set(row.pid, row);
        grew = true;
      }
    }
  }
  return [...members.values()];
}

function send(rows: readonly ProcessRow[], signal: EndSignal | 'SIGCONT'): void {
  for (const row of rows) {
    // Looked at once more right before the signal: a pid recycled in between has another start time.
    if (readProcess(row.pid)?.started !== row.started) continue;
    try {
      process.kill(row.pid, signal);
    } catch (error) {
      // ESRCH: gone by itself. EPERM: changed its user; it stays in the list of survivors.
      if (!(error instanceof Error)) throw error;
    }
  }
}

/** Merges what is found now with what was known and is still the same process: a parent's death must not hide its children. */
function remaining(root: TreeRoot, known: Map<number, ProcessRow>): ProcessRow[] {
  const rows = listProcesses();
  const byPid = new Map(rows.map((row) => [row.pid, row]));
  for (const row of membersOf(root, rows)) known.set(row.pid, row);
  for (const row of rows) if (known.has(row.ppid) && row.pid !== process.pid) known.set(row.pid, row);
  for (const [pid, row] of known) {
    const now = byPid.get(pid);
    if (now === undefined || now.zombie || now.started !== row.started) known.delete(pid);
  }
  return [...known.values()];
}

async function waitUntilGone(root: TreeRoot, known: Map<number, ProcessRow>, forMs: number): Promise<ProcessRow[]> {
  const deadline = performance.now() + forMs;
  let left = remaining(root, known);
  while (left.length > 0 && performance.now() < deadline) {
    await sleep(POLL_MS);
    left = remaining(root, known);
  }
  return left;
}

/**
 * `first`, then (SIGINT only) SIGTERM, then SIGKILL, sharing `graceMs` between the polite steps; stopped processes are woken to hear
 * them. Resolves with the pids that outlived even SIGKILL.
 */
export async function endTree(root: TreeRoot, options: { readonly first: EndSignal; readonly graceMs: number }): Promise<number[]> {
  const known = new Map<number, ProcessRow>();
  const polite: EndSignal[] = options.first === 'SIGINT' ? ['SIGINT', 'SIGTERM'] : options.first === 'SIGTERM' ? ['SIGTERM'] : [];
  let left = remaining(root, known);
  for (const signal of polite) {
    if (left.length === 0) return [];
    send(left, signal);
    send(left, 'SIGCONT');
    left = await waitUntilGone(root, known, options.graceMs / polite.length);
  }
  const deadline = performance.now() + KILL_WAIT_MS;
  while (left.length > 0 && performance.now() < deadline) {
    send(left, 'SIGKILL');
    left = await waitUntilGone(root, known, POLL_MS * 2);
  }
  return left.map((row) => row.pid);
}
