/** What the kernel knows about processes. Linux reads /proc; elsewhere `ps` answers, without marks and open files. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

export interface ProcessRow {
  readonly pid: number;
  readonly ppid: number;
  readonly pgid: number;
  readonly sid: number;
  /** Foreground process group of its terminal; -1 when it has none. */
  readonly tpgid: number;
  readonly zombie: boolean;
  readonly sleeping: boolean;
  /** Start time, unique together with the pid until the machine restarts. */
  readonly started: string;
  /** Clock ticks of processor time used. */
  readonly cpuTicks: number;
}

/** Clock ticks a second; 100 on every Linux that Node supports (USER_HZ). */
export const TICKS_PER_SECOND = 100;
const onLinux = process.platform === 'linux';

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    // The process went away, or belongs to somebody else: both mean that nothing can be told about it.
    return undefined;
  }
}

function parseStat(pid: number, text: string): ProcessRow | undefined {
  // The name in brackets may hold spaces and brackets itself: fields are counted from the last one.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, ppid, pgid, sid, , tpgid] = fields;
  if (state === undefined || ppid === undefined) return undefined;
  return {
    pid, ppid: Number(ppid), pgid: Number(pgid), sid: Number(sid), tpgid: Number(tpgid), zombie: state === 'Z' || state === 'X', sleeping: state === 'S',
    cpuTicks: Number(fields[11]) + Number(fields[12]), started: fields[19] ?? '',
  };
}

function listWithPs(): ProcessRow[] {
  const text = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,pgid=,sess=,tpgid=,stat=,lstart='], { encoding: 'utf8' });
  return text.split('\n').flatMap((line) => {
    const fields = line.trim().split(/\s+/);
    const [pid, ppid, pgid, sid, tpgid, state] = fields;
    if (pid === undefined || state === undefined) return [];
    return [{
      pid: Number(pid), ppid: Number(ppid), pgid: Number(pgid), sid: Number(sid), tpgid: Number(tpgid), zombie: state.startsWith('Z'),
      sleeping: state.startsWith('S'), started: fields.slice(6).join(' '), cpuTicks: 0,
    }];
  });
}

export function listProcesses(): ProcessRow[] {
  if (!onLinux) return listWithPs();
  return readdirSync('/proc').flatMap((name) => {
    const pid = Number(name);
    if (!Number.isInteger(pid)) return [];
    const row = readProcess(pid);
    return row === undefined ? [] : [row];
  });
}

/** Undefined when there is no such process. */
export function readProcess(pid: number): ProcessRow | undefined {
  if (!onLinux) return listWithPs().find((row) => row.pid === pid);
  const text = read(`/proc/${pid}/stat`);
  return text === undefined ? undefined : parseStat(pid, text);
}

/** How often each thread of a process was taken off a processor: the same twice means that none ran in between. Undefined when nobody can tell. Linux only. */
export function contextSwitches(pid: number): string | undefined {
  if (!onLinux) return undefined;
  try {
    return readdirSync(`/proc/${pid}/task`).map((thread) => {
      const status = readFileSync(`/proc/${pid}/task/${thread}/status`, 'latin1');
      return `${thread} ${status.slice(status.indexOf('voluntary_ctxt_switches'))}`;
    }).join('\n');
  } catch {
    return undefined; // it ended meanwhile
  }
}

let bootId: string | undefined;

/** Names one process for ever: boot and start time. Undefined when it is not alive. */
export function startIdentity(pid: number): string | undefined {
  const row = readProcess(pid);
  if (row === undefined || row.zombie) return undefined;
  bootId ??= read('/proc/sys/kernel/random/boot_id')?.trim() ?? '';
  return `${bootId}/${row.started}`;
}

/** Name of the variable that marks every process we start, and so whatever descends from it. */
export const MARK_VARIABLE = 'TALARIA_MARK';

/** The mark a process was started with; undefined without one. Linux only. */
export function readMark(pid: number): string | undefined {
  if (!onLinux) return undefined;
  const environment = read(`/proc/${pid}/environ`);
  if (environment === undefined) return undefined;
  const at = environment.startsWith(`${MARK_VARIABLE}=`) ? 0 : environment.indexOf(`\0${MARK_VARIABLE}=`) + 1;
  if (at === 0 && !environment.startsWith(`${MARK_VARIABLE}=`)) return undefined;
  const from = at + MARK_VARIABLE.length + 1;
  const to = environment.indexOf('\0', from);
  return environment.slice(from, to === -1 ? undefined : to);
}
