/** Facts about other processes, from Linux' /proc. */
import { readdirSync, readFileSync } from 'node:fs';

/** Ticks a second in /proc/PID/stat: fixed at 100 for every architecture Linux offers to user space. */
const TICK_MS = 10;

/** The fields behind the name, which may hold blanks and brackets; undefined when the process is gone. */
function statFields(pid: number): string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined; // it ended between two looks
  }
}

/** Processor time so far, user and system, of the process without its children, in ms; NaN when it is gone. */
export function processCpuMs(pid: number): number {
  const fields = statFields(pid);
  return fields === undefined ? Number.NaN : (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

/** Process ids below `pid`, at any depth, whose command line is exactly these words. */
export function descendantsRunning(pid: number, words: readonly string[]): number[] {
  const wanted = words.map((word) => `${word}\0`).join('');
  const parents = new Map(readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map((name) => [Number(name), Number(statFields(Number(name))?.[1])]));
  const isBelow = (child: number): boolean => {
    for (let at = parents.get(child); at !== undefined && at > 1; at = parents.get(at)) if (at === pid) return true;
    return false;
  };
  return [...parents.keys()].filter((child) => isBelow(child) && commandLine(child) === wanted);
}

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return ''; // it ended between two looks
  }
}

/** True while the process runs and is no zombie. */
export function isRunning(pid: number): boolean {
  const state = statFields(pid)?.[0];
  return state !== undefined && state !== 'Z' && state !== 'X';
}
