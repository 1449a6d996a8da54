/** Tells one running process from another, also when the system gave an old process' number to a new one. */
import { readFileSync } from 'node:fs';

/** Field 22 of `/proc/PID/stat` (start time in ticks since boot), counted after the command name, which may contain blanks. */
const START_FIELD_AFTER_NAME = 19;

/** Empty where the system does not tell: then the number alone has to do. */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[START_FIELD_AFTER_NAME] ?? '';
  } catch {
    // No such process, or a system without /proc: both mean "not told".
    return '';
  }
}

/** `<pid>:<start>` of this process, to be stored beside what it owns. */
export const ownIdentity = (): string => `${process.pid}:${startOf(process.pid)}`;

/** True when the process that stored this identity still runs; what follows a second colon is the caller's own. */
export function isAlive(identity: string): boolean {
  const [pid = '', started = ''] = identity.split(':');
  if (!/^[1-9]\d*$/.test(pid)) return false;
  try {
    process.kill(Number(pid), 0);
  } catch (error) {
    // EPERM: it lives and belongs to another user.
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return false;
  }
  return started === startOf(Number(pid));
}
