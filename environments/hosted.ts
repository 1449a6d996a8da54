/**
 * What the backends at hosted services share: a sandbox is found or made, commands run in it through `RemoteShell`, the files of the home
 * follow, and it is let go within seconds even when the service is silent. A vendor brings a `Vendor` and says what it is called.
 */
import { EnvironmentError, type BackendName, type Environment, type EnvironmentDescription } from './base.ts';
import { within, whileAlive, type Timing } from './hosted/limits.ts';
import { obtain, type Obtained, type Vendor } from './hosted/obtain.ts';
import type { Hosts } from './hosted/owner.ts';
import { SandboxGone } from './hosted/problem.ts';
import type { HostedSettings } from './hosted/settings.ts';
import { execOn, insideDirectory, RemoteShell, type Channel, type ExecSpec, type LaunchOptions, type RemoteFacts } from './shell.ts';
import { FileSync } from './sync.ts';

export { hostedChannel, type HostedChannel } from './hosted/channel.ts';
export { DEFAULT_TIMING, within, type Timing } from './hosted/limits.ts';
export type { Found, Sandbox, Vendor } from './hosted/obtain.ts';
export { LABEL, labelsFor } from './hosted/owner.ts';
export { isNetworkError, isNoSpace, kindOfStatus, noSpaceIn, problem, SandboxGone, startProblem, type ProblemKind, type Service } from './hosted/problem.ts';
export { readHostedSettings, type HostedSettings, type Prices } from './hosted/settings.ts';
export { Snapshots } from './hosted/snapshots.ts';

/** What the host gives to every hosted backend. */
export interface HostedOptions {
  /** Names the sandbox over restarts. */
  readonly task: string;
  /** Names the Hermes home: sandboxes of others are not touched. */
  readonly profile: string;
  /** The Hermes home, absolute. */
  readonly home: string;
  /** Wanted directory inside; empty = the vendor's default. */
  readonly cwd: string;
  readonly hosts: Hosts;
  /** Credential files below the home that follow into the sandbox (`terminal.credential_files`). */
  readonly credentialFiles: readonly string[];
  /** HERMES_FORCE_FILE_SYNC=1. */
  readonly forceSync: boolean;
  /** Ids of the sandboxes that this process uses; one set per backend. */
  readonly inUse: Set<string>;
  readonly onProblem: (message: string) => void;
  readonly timing: Timing;
}

export interface HostedParts {
  readonly backend: BackendName;
  /** As it is called in messages. */
  readonly service: string;
  readonly settings: HostedSettings;
  readonly image: string;
  /** Absent: the home of the user there. */
  readonly defaultCwd?: string;
  readonly maxArgumentBytes: number;
  /** Why there are no pseudo-terminals, where there are none. */
  readonly withoutPty?: string;
  /** Connects; the SDK is loaded here. Throws `EnvironmentError`. */
  readonly connect: () => Promise<Vendor & { readonly ask: () => Promise<unknown>; readonly disconnect: () => void }>;
}

const MS_PER_SECOND = 1_000;

export function createHostedEnvironment(parts: HostedParts, options: HostedOptions): Environment {
  const { service, settings, backend } = parts;
  const { timing, onProblem, inUse } = options;
  let connection: ReturnType<HostedParts['connect']> | undefined;
  let current: Promise<Obtained> | undefined;
  let known: Obtained | undefined;
  let since = 0;
  let facts: RemoteFacts | undefined;
  let recreated = false;
  let closing: Promise<void> | undefined;

  function connect() {
    connection ??= parts.connect().catch((error: unknown) => {
      connection = undefined;
      throw error;
    });
    return connection;
  }

  function get(signal?: AbortSignal): Promise<Obtained> {
    current ??= (async () => {
      const vendor = await connect();
      const what = `the ${service} sandbox could not be made`;
      const abandoned = new AbortController();
      const made = obtain(vendor, { task: options.task, inUse, hosts: options.hosts, onProblem, signal: abandoned.signal });
      try {
        known = await whileAlive(made, { timing, service, what, ask: vendor.ask, signal });
      } catch (error) {
        abandoned.abort();
        // Should it come after all, nobody waits for it any more.
        void made.then(({ sandbox, shared }) => release(sandbox, shared), () => undefined);
        throw error;
      }
      since = Date.now();
      return known;
    })().catch((error: unknown) => {
      current = undefined;
      throw error;
    });
    return current;
  }

  async function release(sandbox: Obtained['sandbox'], shared: boolean): Promise<void> {
    try {
      if (!shared) await sandbox.release();
    } finally {
      inUse.delete(sandbox.id);
      sandbox.detach();
    }
  }

  /** A sandbox that has ended is made anew, once; the next command's result says so. */
  async function launch(program: readonly string[], how: LaunchOptions): Promise<Channel> {
    if (how.pty !== undefined && parts.withoutPty !== undefined) throw new EnvironmentError('failed', parts.withoutPty, { hint: 'Run the command without pty.' });
    const used = get();
    const { sandbox } = await used;
    try {
      return await sandbox.launch(program, how);
    } catch (error) {
      if (!(error instanceof SandboxGone) || closing !== undefined) throw error;
      if (current === used) {
        current = undefined;
        recreated = true;
        inUse.delete(sandbox.id);
        sandbox.detach();
        shell.forget();
        sync.forget();
      }
      return (await get()).sandbox.launch(program, how);
    }
  }

  const shell: RemoteShell = new RemoteShell({ transport: { maxArgumentBytes: parts.maxArgumentBytes, launch } });
  const defaultCwd = () => insideDirectory(options.cwd, parts.defaultCwd ?? facts?.home ?? '/root');
  const exec = (spec: ExecSpec) => execOn((start) => shell.start(start), spec, defaultCwd());
  const sync = new FileSync({ home: options.home, files: options.credentialFiles, force: options.forceSync, exec, remoteHome: () => facts?.home ?? '/root', onProblem });

  async function open(signal?: AbortSignal): Promise<void> {
    if (closing !== undefined) throw new EnvironmentError('closed', 'this terminal environment was closed');
    await get(signal);
    facts = await shell.open();
  }

  async function close(keep: boolean): Promise<void> {
    const opened = await current?.catch(() => undefined); // never made: nothing to let go
    const vendor = await connection?.catch(() => undefined); // likewise
    if (opened !== undefined) await letGo(opened, keep);
    vendor?.disconnect();
  }

  /** A silent service must not hold up the end of the app: it is asked once, and if it does not answer, left to the sandbox's own end. */
  async function letGo({ sandbox, shared }: Obtained, keep: boolean): Promise<void> {
    const state = await within(sandbox.ask(), timing.answerMs, service).then(() => 'there' as const, (error: unknown) => (error instanceof SandboxGone ? 'gone' as const : 'silent' as const));
    if (state === 'there') {
      if (!shared) await sync.pull();
      await shell.close().catch((error: unknown) => onProblem(`Processes in the ${service} sandbox could not be ended: ${String(error)}`));
    }
    try {
      if (keep || state === 'gone') sandbox.detach();
      else if (state === 'there') await whileAlive(release(sandbox, shared), { timing, service, what: 'it did not end', ask: () => sandbox.ask().catch((error: unknown) => { if (!(error instanceof SandboxGone)) throw error; }) });
      else await within(release(sandbox, shared), timing.answerMs / 2, service);
    } catch (error) {
      if (error instanceof SandboxGone) return;
      const end = new Date(since + settings.lifetimeS * MS_PER_SECOND).toISOString().slice(11, 16);
      throw new EnvironmentError('unreachable', `the ${service} sandbox ${sandbox.id} could not be ended: ${error instanceof Error ? error.message : String(error)}`, {
        cause: error, hint: `It may run, and cost, until ${end} UTC at the latest; the next start looks for it and ends it.`,
      });
    } finally {
      inUse.delete(sandbox.id);
    }
  }

  return {
    backend,
    ...shell.files,
    describe: (): EnvironmentDescription => ({
      backend, host: known?.sandbox.id ?? '', user: facts?.user ?? '', homeDirectory: facts?.home ?? '/root', defaultCwd: defaultCwd(), isolated: true, image: parts.image, mounts: [], tmpdir: facts?.tmpdir ?? '/tmp',
      cost: { usdPerHour: settings.usdPerHour, ...(since === 0 ? {} : { endsAt: since + settings.lifetimeS * MS_PER_SECOND }) },
    }),
    open,
    start: async (spec) => {
      await open();
      await sync.push();
      const running = await shell.start(spec);
      if (!recreated) return running;
      recreated = false;
      return { ...running, recreated: true };
    },
    exec: async (spec) => {
      await open();
      return exec(spec);
    },
    close: async (how) => {
      closing ??= close(how?.keep === true);
      await closing;
    },
  };
}
