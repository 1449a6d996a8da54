/** The ssh backend: another machine, over one connection with many channels (hermes-runtime 6.4). */
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AskCredential, Environment, EnvironmentDescription } from './base.ts';
import { execOn, filterEnvironment, RemoteShell, type RemoteFacts, type RemoteOwner } from './shell.ts';
import { readHostConfig, type ConfigSource } from './ssh/config.ts';
import { Connections } from './ssh/connection.ts';
import { resolveHops } from './ssh/hops.ts';
import { KnownHosts } from './ssh/known-hosts.ts';
import { LoginMemory } from './ssh/memory.ts';
import type { SshSettings } from './ssh/settings.ts';
import { sftpFiles } from './ssh/sftp-files.ts';
import { sshTransport } from './ssh/transport.ts';
import { FileSync } from './sync.ts';

export { requireSshSettings, type SshSettings } from './ssh/settings.ts';

const SYSTEM_CONFIG = '/etc/ssh/ssh_config';
/** Bringing files back and ending what runs; a server that does not answer is not waited for. */
const CLOSE_MS = 8_000;

export interface SshOptions {
  readonly settings: SshSettings;
  /** File of known servers that Talaria keeps: `<home>/desktop/known_hosts`. */
  readonly knownHosts: string;
  readonly userHome: string;
  readonly agent?: string | undefined;
  /** Environment that `~/.ssh/config` may name (`${NAME}`). */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Files of OpenSSH's configuration; by default the user's and the system's. */
  readonly configFiles?: readonly string[];
  /** What was typed to log in; kept for as long as whoever gives it likes. By default for this environment. */
  readonly memory?: LoginMemory;
  /** Directory there; empty or `~` = the home there. */
  readonly cwd: string;
  /** Asks a person: passphrases, passwords, the key of a new server. */
  readonly ask: AskCredential;
  /** This host among those of the home: what the others that are gone left running there is ended. */
  readonly owner?: RemoteOwner;
  /** Keeps `~/.hermes` there like the one here (hermes-runtime 6.9); absent = not. */
  readonly sync?: { readonly home: string; readonly files: readonly string[]; readonly force: boolean; readonly onProblem: (message: string) => void };
}

function sourceOf(userHome: string, configFiles?: readonly string[]): ConfigSource {
  const sshFolder = join(userHome, '.ssh');
  return { files: configFiles ?? [join(sshFolder, 'config'), SYSTEM_CONFIG], sshFolder, userHome, localUser: userInfo().username };
}

/** The user that `~/.ssh/config` names for that host. Throws `EnvironmentError` when it cannot be read. */
export async function configuredUser(host: string, userHome: string): Promise<string | undefined> {
  return (await readHostConfig(host, sourceOf(userHome))).get('user')?.[0];
}

export function createSshEnvironment(options: SshOptions): Environment {
  const { settings, userHome, sync } = options;
  const source = { ...sourceOf(userHome, options.configFiles), agent: options.agent, env: options.env ?? {} };
  const connections = new Connections({ hops: () => resolveHops(settings, source), knownHosts: new KnownHosts(options.knownHosts), memory: options.memory ?? new LoginMemory(), ask: options.ask, programEnvironment: filterEnvironment(options.env ?? {}) });
  let facts: RemoteFacts | undefined;
  const shell = new RemoteShell({ transport: sshTransport(connections, () => facts?.shell ?? 'sh'), ...(options.owner === undefined ? {} : { owner: options.owner }) });
  const files = sftpFiles(connections, shell.files);
  const home = () => facts?.home ?? '/';
  const synced = sync === undefined ? undefined : new FileSync({ ...sync, exec: (spec) => execOn((start) => shell.start(start), spec, home()), remoteHome: home });
  let closing: Promise<void> | undefined;

  const open = async () => { facts = await shell.open(); };
  const defaultCwd = () => (options.cwd === '' ? home() : options.cwd.replace(/^~(?=$|\/)/, home()));

  async function close(keep: boolean): Promise<void> {
    // A server that is gone cannot be tidied up; the connection is let go all the same, and in time.
    if (keep) shell.leave();
    else await Promise.race([tidyUp().catch(() => undefined), sleep(CLOSE_MS, undefined, { ref: false })]);
    await connections.close();
  }

  async function tidyUp(): Promise<void> {
    if (facts !== undefined) await synced?.pull();
    await shell.close();
  }

  return {
    backend: 'ssh',
    ...files,
    describe: (): EnvironmentDescription => ({
      backend: 'ssh', host: settings.host, user: facts?.user ?? settings.user ?? '', homeDirectory: home(), defaultCwd: defaultCwd(), isolated: false, mounts: [], tmpdir: facts?.tmpdir ?? '/tmp',
    }),
    open,
    start: async (spec) => {
      await open();
      if (spec.shell !== 'interactive') await synced?.push();
      return shell.start(spec);
    },
    reattach: async (handle) => {
      await open();
      return shell.reattach(handle);
    },
    exec: async (spec) => {
      await open();
      return execOn((start) => shell.start(start), spec, defaultCwd());
    },
    close: async (how) => {
      closing ??= close(how?.keep === true);
      await closing;
    },
  };
}
