import type { ProcessInfo } from '../../../preload/contract/terminal.ts';

export interface ProcessRow { readonly process: ProcessInfo; readonly depth: number }

/** Processes as a tree, parents before children, children by pid. One whose parent is not in the list is a root; a ring is cut. */
export function processTree(processes: readonly ProcessInfo[]): ProcessRow[] {
  const byPid = new Map(processes.map((process) => [process.pid, process]));
  const children = new Map<number, ProcessInfo[]>();
  const roots: ProcessInfo[] = [];
  for (const process of [...processes].sort((left, right) => left.pid - right.pid)) {
    if (byPid.has(process.ppid) && process.ppid !== process.pid) children.set(process.ppid, [...children.get(process.ppid) ?? [], process]);
    else roots.push(process);
  }
  const rows: ProcessRow[] = [];
  const seen = new Set<number>();
  const walk = (process: ProcessInfo, depth: number): void => {
    if (seen.has(process.pid)) return;
    seen.add(process.pid);
    rows.push({ process, depth });
    for (const child of children.get(process.pid) ?? []) walk(child, depth + 1);
  };
  for (const root of roots) walk(root, 0);
  for (const process of processes) walk(process, 0);
  return rows;
}
