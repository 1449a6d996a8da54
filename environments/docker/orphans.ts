/** Containers of this home that no host uses any more: found by their labels, ended and taken away. */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type Docker from 'dockerode';
import type { Hosts } from '../shell.ts';
import { statusCode } from './engine.ts';

export const LABEL = { agent: 'hermes-agent', task: 'hermes-task-id', profile: 'hermes-profile', settings: 'talaria-settings', owner: 'talaria-owner' } as const;
/** hermes-runtime 6.3: reaped when ended for twice the lifetime, at least this long. */
const MIN_ORPHAN_MS = 60_000;
const STOP_S = 1;

/** Who uses a container now: a directory per container, a file per host in it. */
export class Owners {
  readonly #directory: string;
  readonly #hosts: Hosts;

  constructor(sandboxes: string, hosts: Hosts) {
    this.#directory = join(sandboxes, 'docker', 'owners');
    this.#hosts = hosts;
  }

  /** Value of the label that says who made a container. */
  get self(): string {
    return this.#hosts.self;
  }

  take(container: string): void {
    mkdirSync(join(this.#directory, container), { recursive: true, mode: 0o700 });
    writeFileSync(join(this.#directory, container, encodeURIComponent(this.#hosts.self)), '');
  }

  /** True when no other living host uses it. */
  release(container: string): boolean {
    rmSync(join(this.#directory, container, encodeURIComponent(this.#hosts.self)), { force: true });
    return !this.#users(container).some((host) => this.#hosts.isAlive(host));
  }

  forget(container: string): void {
    rmSync(join(this.#directory, container), { recursive: true, force: true });
  }

  /** By a host that still runs. `madeBy`: the container's label, which counts before anybody has taken it. */
  isUsed(container: string, madeBy: string | undefined): boolean {
    const users = this.#users(container);
    return (users.length === 0 && madeBy !== undefined ? [madeBy] : users).some((host) => this.#hosts.isAlive(host));
  }

  #users(container: string): string[] {
    try {
      return readdirSync(join(this.#directory, container)).map(decodeURIComponent);
    } catch {
      return []; // nobody has said that it is theirs
    }
  }
}

export interface ReapOptions {
  readonly profile: string;
  /** Containers of this task are wanted. */
  readonly task: string;
  readonly lifetimeMs: number;
  /** Containers outlive their host on purpose: running ones are stopped, not removed. */
  readonly keepStopped: boolean;
  readonly owners: Owners;
}

/** What another sweep is removing, or has removed, is no failure. */
async function leniently(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (![304, 404, 409].includes(statusCode(error) ?? 0)) throw error;
  }
}

/** Ends running containers whose host is dead, and removes those that ended long ago. Throws what the Engine says. */
export async function reapOrphans(docker: Docker, { profile, task, lifetimeMs, keepStopped, owners }: ReapOptions): Promise<void> {
  const rows = await docker.listContainers({ all: true, filters: { label: [`${LABEL.agent}=1`, `${LABEL.profile}=${profile}`] } });
  const age = Math.max(MIN_ORPHAN_MS, 2 * lifetimeMs);
  for (const row of rows) {
    if (owners.isUsed(row.Id, row.Labels[LABEL.owner])) continue;
    const wanted = row.Labels[LABEL.task] === task && keepStopped;
    if (wanted) continue;
    const container = docker.getContainer(row.Id);
    await leniently(async () => {
      const { State, Created } = await container.inspect();
      if (State.Running && keepStopped) {
        await container.stop({ t: STOP_S });
        return;
      }
      const since = Date.parse(State.FinishedAt);
      if (!keepStopped || Date.now() - (since > 0 ? since : Date.parse(Created)) > age) {
        await container.remove({ force: true, v: true });
        owners.forget(row.Id);
      }
    });
  }
}
