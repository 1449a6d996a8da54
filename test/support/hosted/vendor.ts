/** What the loopback servers of the hosted backends have in common: the tests of faults and leftovers run on each of them unchanged. */
import type { Environment } from '../../../environments/base.ts';
import { isAlive, ownIdentity } from '../../../main/process-identity.ts';
import { DEFAULT_TIMING, type HostedOptions, type Timing } from '../../../environments/hosted.ts';

/** What is done when a fault strikes. */
export type Step = 'create' | 'exec' | 'output' | 'write' | 'cleanup';
/** `error`: the service answers with an internal error. `hang`: this request is never answered, others are. */
export type Fault = 'error' | 'hang';

export interface MakeOptions {
  readonly task?: string;
  readonly cwd?: string;
  readonly timing?: Timing;
  readonly settings?: Readonly<Record<string, string>>;
  readonly credentials?: Readonly<Record<string, string | undefined>>;
  /** Absent: one set for all of this server's environments, as in one run of the app. */
  readonly inUse?: Set<string>;
  readonly home?: string;
}

export interface TestVendor {
  readonly name: string;
  /** What a host of its own process (`host-that-dies.ts`) is told, to use this server. */
  readonly dying: { readonly backend: string; readonly given: Readonly<Record<string, unknown>> };
  make(options?: MakeOptions): Environment;
  /** Until `heal`. */
  fail(step: Step, fault: Fault): void;
  /** Half-open: connections stay and carry nothing. */
  silence(): void;
  /** Connections are reset and refused. */
  cut(): void;
  heal(): void;
  /** Sandboxes that run, by task. */
  running(): readonly string[];
  /** Marks all sandboxes as those of a process that has ended. */
  orphan(): void;
  /** Ends them at the service, as when their time is up. */
  expire(): Promise<void>;
  /** Requests that came without the right key, or malformed. Empty at the end of every test. */
  readonly complaints: readonly string[];
  readonly problems: string[];
  readonly home: string;
  close(): Promise<void>;
}

/** The owner of a process that is certainly gone: this machine's name, and a process id that is never given out. */
export const DEAD_PID = 4_194_305;

/** Defaults for what the host gives. */
export function hostedOptions(options: MakeOptions, home: string, problems: string[]): HostedOptions {
  return {
    task: options.task ?? 'default', profile: 'profile-of-test', home: options.home ?? home, cwd: options.cwd ?? '', forceSync: false, credentialFiles: [], hosts: { self: ownIdentity(), isAlive }, inUse: options.inUse ?? new Set(),
    onProblem: (message) => problems.push(message), timing: options.timing ?? DEFAULT_TIMING,
  };
}
