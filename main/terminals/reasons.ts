/** Why a process ended, in words a person understands. */
import { constants } from 'node:os';
import type { ProcessEnd } from '../../environments/base.ts';

const SIGNAL_WORDS = new Map([
  ['SIGKILL', 'probably out of memory'], ['SIGSEGV', 'it crashed (invalid memory access)'], ['SIGABRT', 'it gave up by itself (abort)'],
  ['SIGBUS', 'it crashed (bad memory alignment or a truncated file)'], ['SIGFPE', 'it crashed (arithmetic error)'], ['SIGILL', 'it crashed (illegal instruction)'],
  ['SIGPIPE', 'nobody read its output any more'], ['SIGINT', 'interrupted'], ['SIGTERM', 'asked to end'], ['SIGHUP', 'its terminal was closed'],
  ['SIGXCPU', 'its processor time was used up'], ['SIGXFSZ', 'a file grew beyond its limit'],
]);
/** A shell reports a child's death by signal N as 128 + N. */
const SIGNAL_EXIT_BASE = 128;
const nameByNumber = new Map<number, string>(Object.entries(constants.signals).map(([name, number]) => [number, name]));
const numberByName = new Map<string, number>(Object.entries(constants.signals));

/** 9 for `SIGKILL`; 0 for a name that this machine does not know. */
export function signalNumber(name: string): number {
  return numberByName.get(name) ?? 0;
}

/**
 * `exit code 1`, `killed by signal 9, probably out of memory`, `stopped after its time limit`, … `stoppedByUs`: the signal was ours,
 * so nothing is guessed about its cause.
 */
export function endInWords(end: Pick<ProcessEnd, 'exitCode' | 'signal' | 'why' | 'detail'>, stoppedByUs = false): string {
  if (end.why === 'timeout') return 'stopped after its time limit';
  if (end.why === 'abort') return 'stopped by request';
  if (end.why === 'lost') return end.detail ?? 'the connection to it was lost; it may still be running';
  if (end.signal !== null) {
    const number = numberByName.get(end.signal) ?? '?';
    const words = stoppedByUs ? undefined : SIGNAL_WORDS.get(end.signal);
    return `killed by signal ${number}${words === undefined ? ` (${end.signal})` : `, ${words}`}`;
  }
  const code = end.exitCode;
  if (code === null) return end.detail ?? 'ended for an unknown reason';
  if (code === 0) return 'finished';
  const inner = code > SIGNAL_EXIT_BASE ? nameByNumber.get(code - SIGNAL_EXIT_BASE) : undefined;
  if (inner === undefined) return `exit code ${code}`;
  const words = stoppedByUs ? undefined : SIGNAL_WORDS.get(inner);
  return `exit code ${code}: a process of it was killed by signal ${code - SIGNAL_EXIT_BASE}${words === undefined ? ` (${inner})` : `, ${words}`}`;
}
