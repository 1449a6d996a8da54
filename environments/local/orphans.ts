/** Processes that a host which is gone has left behind, found by the mark that all of them carry. */
import { createHash } from 'node:crypto';
import { listProcesses, readMark, readProcess, startIdentity } from './proc.ts';

/** Part of every mark: whose home a host serves. */
export function scopeOf(home: string): string {
  return createHash('sha256').update(home).digest('hex').slice(0, 12);
}

/** True while the host that started the marked process is alive. */
function hasOwner(mark: string): boolean {
  const [owner, started] = mark.split('-');
  return started !== undefined && readProcess(Number(owner))?.started === started;
}

/** True when this process is the one meant, and the host that started it still looks after it. */
export function isLookedAfter(pid: number, identity: string): boolean {
  const mark = readMark(pid);
  return mark !== undefined && startIdentity(pid) === identity && hasOwner(mark);
}

/** Live processes that an earlier host of this home left behind: they carry a mark whose host is gone. */
export function findOrphans(home: string): { readonly pid: number; readonly mark: string }[] {
  return listProcesses().flatMap((row) => {
    const mark = row.zombie ? undefined : readMark(row.pid);
    if (mark === undefined || mark.split('-')[2] !== scopeOf(home) || hasOwner(mark)) return [];
    return [{ pid: row.pid, mark }];
  });
}
