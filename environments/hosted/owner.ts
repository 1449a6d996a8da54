/** Whose a sandbox is: labels that it carries, and what is to be done with one that is found (hermes-runtime 8.3: nothing may pile up). */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';

/** Names that Hermes uses, where it has them. */
export const LABEL = { task: 'hermes_task_id', profile: 'hermes_profile', owner: 'talaria_owner' } as const;
export type Labels = Readonly<Record<string, string>>;

/** Field 22 of /proc/PID/stat: when it started, in ticks since boot. Empty where there is no /proc. */
function startOf(pid: number): string {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return ''; // no such process, or another kind of system
  }
}

const machine = createHash('sha256').update(hostname()).digest('hex').slice(0, 8);
/** This process, unmistakably: machine, process id, and its start, because ids come again. */
export const OWNER = `${machine}-${process.pid}-${startOf(process.pid)}`;

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** True when the process that owned it has certainly ended. Of other machines nobody here can tell. */
export function ownerIsGone(owner: string): boolean {
  const [where, pid, start] = owner.split('-');
  if (where !== machine || pid === undefined || start === undefined) return false;
  return !isAlive(Number(pid)) || startOf(Number(pid)) !== start;
}

export type Fate = 'adopt' | 'share' | 'sweep' | 'leave';

/**
 * What to do with a sandbox of this home. `adopt`: it is the task's and nobody uses it. `share`: it is the task's, and another living
 * process owns it. `sweep`: another task's, left behind. `inUse`: ids that this process uses.
 */
export function fateOf(found: { readonly id: string; readonly labels: Labels; readonly running: boolean }, task: string, inUse: ReadonlySet<string>): Fate {
  const owner = found.labels[LABEL.owner] ?? '';
  const isFree = owner === OWNER ? !inUse.has(found.id) : ownerIsGone(owner);
  if (found.labels[LABEL.task] === task) return isFree ? 'adopt' : 'share';
  return isFree && found.running ? 'sweep' : 'leave';
}

export function labelsFor(task: string, profile: string): Labels {
  return { [LABEL.task]: task, [LABEL.profile]: profile, [LABEL.owner]: OWNER };
}
