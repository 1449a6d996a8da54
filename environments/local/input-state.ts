/** What the foreground program of a pseudo-terminal does with its input, seen from outside. */
import { execFile } from 'node:child_process';
import { readFile, readlink } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { InputState } from '../base.ts';
import { contextSwitches, listProcesses, readProcess, type ProcessRow } from './proc.ts';

const run = promisify(execFile);

/** `stty` answers in 2 ms; a terminal that does not answer in this time tells nothing. */
const STTY_TIMEOUT_MS = 2_000;
/** Number of the read call: x86_64 0, aarch64 63. Other machines tell by the settings alone. */
const READ_CALL = process.arch === 'x64' ? '0' : process.arch === 'arm64' ? '63' : undefined;
/** Calls in which a program sleeps until input, a signal or a child's end comes: read, the poll and select family, wait. */
const WAITING_CALLS = process.arch === 'x64'
  ? new Set(['0', '7', '23', '61', '232', '247', '270', '271', '281', '441'])
  : process.arch === 'arm64' ? new Set(['63', '72', '73', '22', '95', '260', '441']) : new Set<string>();

/** The system call a process sleeps in and its first argument; undefined when it runs or cannot be asked. */
async function systemCall(pid: number): Promise<{ call: string; first: number } | undefined> {
  try {
    const [call, first] = (await readFile(`/proc/${pid}/syscall`, 'latin1')).split(' ');
    return call === undefined || first === undefined ? undefined : { call, first: Number(first) };
  } catch {
    // Gone, or the kernel does not let us look: unknown, which is treated as busy.
    return undefined;
  }
}

async function isTerminalDescriptor(pid: number, descriptor: number, ttyPath: string): Promise<boolean> {
  try {
    const target = await readlink(`/proc/${pid}/fd/${descriptor}`);
    return target === ttyPath || target === '/dev/tty';
  } catch {
    return false; // closed meanwhile: not a wait on the terminal
  }
}

/** What `readInputState` found, and what would differ had a process that can change it run since. */
interface Known { readonly state: InputState; readonly group: number; readonly processes: readonly number[]; readonly trace: string }

/**
 * Asks for the input state of one terminal, again and again. A look while nothing ran costs a few reads of /proc instead of a program and a list
 * of all processes: a prompt that waits for hours is looked at all that time.
 */
export function inputStateReader(leader: number, ttyPath: string): () => Promise<InputState> {
  let known: Known | undefined;
  const trace = (processes: readonly number[]): string | undefined => {
    const all = processes.map((pid) => ({ row: readProcess(pid), count: contextSwitches(pid) }));
    return all.every(({ row, count }) => row?.sleeping === true && count !== undefined)
      ? all.map(({ row, count }) => `${row?.pid} ${row?.started} ${count}`).join('\n') : undefined;
  };
  return async () => {
    const group = readProcess(leader)?.tpgid ?? -1;
    if (known !== undefined && known.group === group && trace(known.processes) === known.trace) return known.state;
    known = undefined;
    const members = listProcesses().filter((row) => row.pgid === group && !row.zombie);
    // The leader too: a shell that puts another program into the group runs to do so.
    const processes = [...new Set([leader, ...members.map((row) => row.pid)])];
    const before = trace(processes);
    const state = await readInputState(group, members, ttyPath);
    if (before !== undefined) known = { state, group, processes, trace: before };
    return state;
  };
}

/**
 * `secret`: echo is off while whole lines are read (a password prompt); `line`: a program of the foreground group sleeps in a read of
 * the terminal; `raw`: the program edits the line itself and all of the group wait for something; `busy`: none of these, or unknown.
 */
async function readInputState(group: number, members: readonly ProcessRow[], ttyPath: string): Promise<InputState> {
  const flag = process.platform === 'darwin' ? '-f' : '-F';
  let settings: Set<string>;
  try {
    const { stdout } = await run('stty', ['-a', flag, ttyPath], { timeout: STTY_TIMEOUT_MS });
    settings = new Set(stdout.split(/[\s;]+/));
  } catch {
    return 'busy'; // the terminal is gone or stty is missing: nothing can be told
  }
  const lineMode = settings.has('icanon');
  if (lineMode && settings.has('-echo')) return 'secret';
  if (group <= 0) return 'busy';
  const calls = await Promise.all(members.map(async (row) => ({ row, call: await systemCall(row.pid) })));
  for (const { row, call } of calls) {
    if (call !== undefined && call.call === READ_CALL && await isTerminalDescriptor(row.pid, call.first, ttyPath)) return lineMode ? 'line' : 'raw';
  }
  const allWait = members.length > 0 && calls.every(({ row, call }) => row.sleeping && call !== undefined && WAITING_CALLS.has(call.call));
  return !lineMode && allWait ? 'raw' : 'busy';
}
