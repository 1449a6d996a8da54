/** A sandbox for a task: the one it had, or a new one; and what others left behind is ended (hermes-runtime 8.3). */
import type { Channel, LaunchOptions } from '../shell.ts';
import { fateOf, type Hosts, type Labels } from './owner.ts';

/** A running sandbox. */
export interface Sandbox {
  readonly id: string;
  /** Throws `SandboxGone`, or another `EnvironmentError`. */
  launch(program: readonly string[], options: LaunchOptions): Promise<Channel>;
  /** A short request that says whether the service and the sandbox are there. */
  ask(): Promise<unknown>;
  /** Ends it: kept for the task's next time when the settings say so, else for good. Throws `EnvironmentError`. */
  release(): Promise<void>;
  /** Lets go of connections; the sandbox goes on. */
  detach(): void;
}

/** A sandbox that the service lists. */
export interface Found {
  readonly id: string;
  readonly labels: Labels;
  readonly running: boolean;
  /** Made the task's own again: labelled anew, started if need be. */
  adopt(): Promise<Sandbox>;
  /** Used beside its owner. */
  share(): Promise<Sandbox>;
  release(): Promise<void>;
}

export interface Vendor {
  /** Sandboxes of this home. */
  list(): Promise<readonly Found[]>;
  /** A new one, from the task's snapshot where there is one. */
  create(): Promise<Sandbox>;
}

export interface Obtained {
  readonly sandbox: Sandbox;
  /** Another living process owns it: it is not ended from here. */
  readonly shared: boolean;
}

export interface Wish {
  readonly task: string;
  /** Ids that this process uses, over all tasks; the new one is added. */
  readonly inUse: Set<string>;
  readonly hosts: Hosts;
  /** Problems of the sweep are told and stop nothing. */
  readonly onProblem: (message: string) => void;
  /** Aborted: nobody waits any more. Nothing more is begun then. */
  readonly signal: AbortSignal;
}

export async function obtain(vendor: Vendor, { task, inUse, hosts, onProblem, signal }: Wish): Promise<Obtained> {
  const found = await vendor.list();
  let mine: Obtained | undefined;
  for (const one of found) {
    signal.throwIfAborted();
    const fate = fateOf(one, { task, inUse, hosts });
    if (fate === 'leave') continue;
    if (fate === 'sweep' || mine !== undefined) {
      if (fate === 'share') continue;
      await one.release().catch((error: unknown) => onProblem(`The left-over sandbox ${one.id} could not be ended: ${error instanceof Error ? error.message : String(error)}`));
      continue;
    }
    inUse.add(one.id);
    try {
      mine = fate === 'adopt' ? { sandbox: await one.adopt(), shared: false } : { sandbox: await one.share(), shared: true };
    } catch (error) {
      inUse.delete(one.id);
      // It ended while it was looked at: a new one is made below.
      onProblem(`The sandbox ${one.id} could not be used again: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  if (mine !== undefined) return mine;
  signal.throwIfAborted();
  const sandbox = await vendor.create();
  inUse.add(sandbox.id);
  return { sandbox, shared: false };
}
