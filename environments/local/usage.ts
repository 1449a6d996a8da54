/** What processes use: memory, processor time, listening ports. Linux; elsewhere the figures are 0 and the lists empty. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { TICKS_PER_SECOND, type ProcessRow } from './proc.ts';

export interface ProcessUsage {
  readonly pid: number;
  readonly ppid: number;
  readonly command: string;
  /** Processor seconds used since its start. */
  readonly cpuSeconds: number;
  readonly memoryBytes: number;
  /** Epoch milliseconds; null when unknown. */
  readonly startedAt: number | null;
  readonly ports: readonly number[];
}

/** Of x86_64 and most aarch64 kernels; a larger page only makes the figure too small. */
const PAGE_BYTES = 4_096;
const LISTEN = '0A';

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // gone, or not ours to see: nothing is known
  }
}

/** Socket inode → port, of listening TCP sockets. */
function listeningSockets(): Map<string, number> {
  const ports = new Map<string, number>();
  for (const path of ['/proc/net/tcp', '/proc/net/tcp6']) {
    for (const line of read(path).split('\n').slice(1)) {
      const fields = line.trim().split(/\s+/);
      const [, local, , state] = fields;
      const inode = fields[9];
      if (state === LISTEN && local !== undefined && inode !== undefined) ports.set(inode, Number.parseInt(local.split(':')[1] ?? '', 16));
    }
  }
  return ports;
}

function portsOf(pid: number, sockets: ReadonlyMap<string, number>): number[] {
  const ports = new Set<number>();
  try {
    for (const descriptor of readdirSync(`/proc/${pid}/fd`)) {
      const inode = /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${descriptor}`))?.[1];
      const port = inode === undefined ? undefined : sockets.get(inode);
      if (port !== undefined) ports.add(port);
    }
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    // It ended, or a descriptor closed, while we looked: what was found so far stands.
  }
  return [...ports].sort((a, b) => a - b);
}

function bootTime(): number | undefined {
  const seconds = /^btime (\d+)$/m.exec(read('/proc/stat'))?.[1];
  return seconds === undefined ? undefined : Number(seconds) * 1_000;
}

export function describeProcesses(rows: readonly ProcessRow[]): ProcessUsage[] {
  if (rows.length === 0) return [];
  const sockets = listeningSockets();
  const boot = bootTime();
  return rows.map((row) => {
    const command = read(`/proc/${row.pid}/cmdline`).replaceAll('\0', ' ').trim() || read(`/proc/${row.pid}/comm`).trim();
    const resident = Number(read(`/proc/${row.pid}/statm`).split(' ')[1] ?? 0);
    const ticks = Number(row.started);
    return {
      pid: row.pid, ppid: row.ppid, command, cpuSeconds: row.cpuTicks / TICKS_PER_SECOND,
      memoryBytes: Number.isFinite(resident) ? resident * PAGE_BYTES : 0,
      startedAt: boot === undefined || !Number.isFinite(ticks) ? null : boot + (ticks / TICKS_PER_SECOND) * 1_000,
      ports: portsOf(row.pid, sockets),
    };
  });
}
