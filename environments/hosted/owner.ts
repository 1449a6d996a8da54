/** Whose a sandbox is: labels that it carries, and what is to be done with one that is found (hermes-runtime 8.3: nothing may pile up). */
import { createHash } from 'node:crypto';
import { hostname } from 'node:os';

/** Names that Hermes uses, where it has them. */
export const LABEL = { task: 'hermes_task_id', profile: 'hermes_profile', owner: 'talaria_owner' } as const;
export type Labels = Readonly<Record<string, string>>;

/** Tells running processes apart (`<pid>:<start>`); of this machine only. */
export interface Hosts {
  readonly self: string;
  readonly isAlive: (identity: string) => boolean;
}

const machine = createHash('sha256').update(hostname()).digest('hex').slice(0, 8);

/** This process as a label: machine, process id, and its start, because ids come again. */
function ownerOf(hosts: Hosts): string {
  return `${machine}-${hosts.self.replace(':', '-')}`;
}

/** True when the process that owned it has certainly ended. Of other machines nobody here can tell. */
function ownerIsGone(owner: string, hosts: Hosts): boolean {
  const [where, pid, start] = owner.split('-');
  return where === machine && pid !== undefined && start !== undefined && !hosts.isAlive(`${pid}:${start}`);
}

export type Fate = 'adopt' | 'share' | 'sweep' | 'leave';

/**
 * What to do with a sandbox of this home. `adopt`: it is the task's and nobody uses it. `share`: it is the task's, and another living
 * process owns it. `sweep`: another task's, left behind. `inUse`: ids that this process uses.
 */
export function fateOf(found: { readonly id: string; readonly labels: Labels; readonly running: boolean }, { task, inUse, hosts }: { readonly task: string; readonly inUse: ReadonlySet<string>; readonly hosts: Hosts }): Fate {
  const owner = found.labels[LABEL.owner] ?? '';
  const isFree = owner === ownerOf(hosts) ? !inUse.has(found.id) : ownerIsGone(owner, hosts);
  if (found.labels[LABEL.task] === task) return isFree ? 'adopt' : 'share';
  return isFree && found.running ? 'sweep' : 'leave';
}

export function labelsFor({ task, profile, hosts }: { readonly task: string; readonly profile: string; readonly hosts: Hosts }): Labels {
  return { [LABEL.task]: task, [LABEL.profile]: profile, [LABEL.owner]: ownerOf(hosts) };
}
