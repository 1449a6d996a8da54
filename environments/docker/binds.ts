/** What a container sees of the machine that its Engine runs on. */
import { mkdirSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { EnvironmentError, type EnvironmentDescription } from '../base.ts';
import { homeMounts } from '../shell.ts';
import { absoluteVolume, isHostPath, type DockerSettings } from './settings.ts';

const KEPT = [['home', '/root'], ['workspace', '/workspace']] as const;
const HOME_INSIDE = '/root';

export interface BindOptions {
  readonly settings: DockerSettings;
  readonly task: string;
  /** Names the home whose containers these are. */
  readonly profile: string;
  /** Directory for what is kept on this machine (TERMINAL_SANDBOX_DIR). */
  readonly sandboxes: string;
  /** Directory of this machine for mount mode. */
  readonly hostCwd: string;
  /** Home whose skills, cache and credential files are shown inside, read-only; absent = none. */
  readonly home?: { readonly directory: string; readonly credentialFiles: readonly string[] };
}

/** Never all of a person's files, or the machine's (hermes-runtime 8.3). */
function checkedCwd(cwd: string): string {
  let real: string;
  try {
    real = realpathSync(cwd);
    if (!statSync(real).isDirectory()) throw new Error('it is not a directory');
  } catch (cause) {
    throw new EnvironmentError('missing', `the directory ${cwd} cannot be mounted at /workspace: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
  if (['/', '/root', '/home', '/Users', '/etc', '/usr', '/var'].includes(real) || real === homedir()) {
    throw new EnvironmentError('denied', `${real} is not mounted into a container: it holds far more than one project`, { hint: 'Start in the directory of a project, or switch docker_mount_cwd_to_workspace off.' });
  }
  return real;
}

const safeName = (text: string): string => text.replace(/[^A-Za-z0-9_.-]/g, '_');

/**
 * Binds as the Engine takes them. An Engine elsewhere sees other directories under the same names, so nothing of this machine is bound
 * there: what is kept goes into volumes of the Engine, and a setting that asks for a directory of this machine is an error.
 */
export function bindsOf({ settings, task, profile, sandboxes, hostCwd, home }: BindOptions, remote: boolean): string[] {
  if (remote && settings.mountCwd) {
    throw new EnvironmentError('failed', 'the working directory cannot be mounted: the Docker Engine runs on another machine', { hint: 'Switch docker_mount_cwd_to_workspace off, or use an Engine of this machine (DOCKER_HOST).' });
  }
  const binds = settings.volumes.map((volume) => (isHostPath(volume) ? absoluteVolume(volume, hostCwd) : volume));
  if (settings.mountCwd) binds.push(`${checkedCwd(hostCwd)}:/workspace`);
  const isBound = (inside: string): boolean => binds.some((bind) => bind.split(':')[1] === inside);
  if (settings.persistent) {
    for (const [name, inside] of KEPT) {
      if (isBound(inside)) continue;
      const directory = join(sandboxes, 'docker', safeName(task), name);
      if (!remote) mkdirSync(directory, { recursive: true, mode: 0o700 });
      binds.push(`${remote ? `hermes-${safeName(profile)}-${safeName(task)}-${name}` : directory}:${inside}`);
    }
  }
  if (home !== undefined && !remote) {
    for (const { host, inside } of homeMounts(home.directory, home.credentialFiles, HOME_INSIDE)) if (!isBound(inside)) binds.push(`${host}:${inside}:ro`);
  }
  return binds;
}

export function mountsOf(binds: readonly string[]): EnvironmentDescription['mounts'] {
  return binds.map((bind) => {
    const [host = '', inside = '', mode] = bind.split(':');
    return { host, inside, readOnly: mode?.split(',').includes('ro') === true };
  });
}
