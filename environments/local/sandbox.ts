/** A wall around local commands, made by bubblewrap: what they may write, and whether they reach the network. */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { EnvironmentError } from '../base.ts';

export interface SandboxPolicy {
  readonly mode: 'workspace-write' | 'read-only';
  readonly network: boolean;
  /** Canonical directory that may be written in `workspace-write`. A person chose it; a command's `cd` does not move it. */
  readonly workspace: string;
  /** Home of Hermes: never written from inside, its keys not seen. */
  readonly home: string;
}

/** The policy, and the program that keeps it. */
export interface Sandbox { readonly policy: SandboxPolicy; readonly bubblewrap: string }

export interface SandboxPlaces {
  /** Private directory of the machine object: the wrapper's inputs. */
  readonly directory: string;
  /** Directory of this environment alone, in `directory`: what its commands report, and their temporary files. */
  readonly box: string;
  readonly tmpdir: string;
}

const TOO_WIDE = new Set(['/', '/home', '/root', '/Users', '/etc', '/usr', '/var', '/tmp']);
/** Names of a repository by which a later command of the person's own would run what was put there. */
const GIT_RUNS = ['.git/hooks', '.git/config'] as const;
const SECRETS = ['.env', 'auth.json', 'desktop/secrets.json', 'desktop/talaria.db'] as const;
/** A resolver's file is often a link into /run, which is hidden because of the sockets in it. */
const RESOLVERS = ['/run/systemd/resolve', '/run/resolvconf', '/run/NetworkManager/resolv.conf'] as const;

/** Short, for cards and badges. */
export function sandboxWords({ mode, network }: Pick<SandboxPolicy, 'mode' | 'network'>): string {
  return `sandbox: ${mode === 'read-only' ? 'read-only' : 'writes only in its folder'}${network ? '' : ', no network'}`;
}

/** Throws `EnvironmentError` for a directory that is no project: writing in it is no wall at all. */
export function checkWorkspace({ mode, workspace }: SandboxPolicy): void {
  if (mode !== 'workspace-write' || !(TOO_WIDE.has(workspace) || workspace === homedir())) return;
  throw new EnvironmentError('denied', `the sandbox cannot let commands write in ${workspace}: it holds far more than one project`, { hint: 'Choose the folder of a project for this chat, or make its sandbox read-only.' });
}

/** Options of `bwrap`, up to the program. Later ones lie over earlier ones. */
export function sandboxArguments(policy: SandboxPolicy, { directory, box, tmpdir }: SandboxPlaces): string[] {
  const { mode, network, workspace, home } = policy;
  const temporary = [...new Set(['/tmp', '/var/tmp', tmpdir])].filter((path) => existsSync(path));
  const writable = mode === 'workspace-write';
  return [
    '--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--tmpfs', '/run', ...RESOLVERS.flatMap((path) => ['--ro-bind-try', path, path]),
    ...temporary.flatMap((path) => ['--bind', join(box, 'tmp'), path]),
    writable ? '--bind' : '--ro-bind', workspace, workspace,
    ...(writable ? GIT_RUNS.flatMap((name) => ['--ro-bind-try', join(workspace, name), join(workspace, name)]) : []),
    // Whatever lies above has hidden them, or made them writable.
    '--ro-bind', directory, directory, '--bind', box, box,
    ...(existsSync(home) ? ['--ro-bind', home, home, ...SECRETS.map((name) => join(home, name)).filter((path) => existsSync(path)).flatMap((path) => ['--ro-bind', '/dev/null', path])] : []),
    '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try', ...(network ? [] : ['--unshare-net']), '--cap-drop', 'ALL', '--',
  ];
}
