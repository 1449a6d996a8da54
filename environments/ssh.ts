/** The ssh backend: another machine, over one connection with many channels (hermes-runtime 6.4). */
import { join } from 'node:path';
import type { Environment, EnvironmentDescription } from './base.ts';
import { execOn, RemoteShell, type RemoteFacts } from './shell.ts';
import { Connections } from './ssh/connection.ts';
import { KnownHosts } from './ssh/known-hosts.ts';
import type { SshSettings } from './ssh/settings.ts';
import { sshTransport } from './ssh/transport.ts';

export { requireSshSettings, type SshSettings } from './ssh/settings.ts';

export interface SshOptions {
  readonly settings: SshSettings;
  /** File of known servers that Talaria keeps: `<home>/desktop/known_hosts`. */
  readonly knownHosts: string;
  readonly userHome: string;
  readonly agent?: string | undefined;
  /** Directory there; empty or `~` = the home there. */
  readonly cwd: string;
}

export function createSshEnvironment(options: SshOptions): Environment {
  const { settings, userHome } = options;
  const knownHosts = new KnownHosts(options.knownHosts, [join(userHome, '.ssh', 'known_hosts')]);
  const connections = new Connections({ settings, knownHosts, userHome, agent: options.agent });
  let facts: RemoteFacts | undefined;
  const shell = new RemoteShell({ transport: sshTransport(connections, () => facts?.shell ?? 'sh') });
  let closing: Promise<void> | undefined;

  const open = async () => { facts = await shell.open(); };
  const home = () => facts?.home ?? '/';
  const defaultCwd = () => (options.cwd === '' ? home() : options.cwd.replace(/^~(?=$|\/)/, home()));

  async function close(): Promise<void> {
    // A server that is gone cannot be tidied up; the connection is let go all the same.
    await shell.close().catch(() => undefined);
    await connections.close();
  }

  return {
    backend: 'ssh',
    ...shell.files,
    describe: (): EnvironmentDescription => ({
      backend: 'ssh', host: settings.host, user: settings.user, homeDirectory: home(), defaultCwd: defaultCwd(), isolated: false, mounts: [], tmpdir: facts?.tmpdir ?? '/tmp',
    }),
    open,
    start: async (spec) => {
      await open();
      return shell.start(spec);
    },
    exec: async (spec) => {
      await open();
      return execOn((start) => shell.start(start), spec, defaultCwd());
    },
    close: async (how) => {
      closing ??= how?.keep === true ? connections.close() : close();
      await closing;
    },
  };
}
