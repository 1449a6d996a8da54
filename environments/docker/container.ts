/** The container that a task's commands run in: found by its labels, or created with Hermes' walls (hermes-runtime 6.3). */
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type Docker from 'dockerode';
import { EnvironmentError, type EnvironmentDescription } from '../base.ts';
import { engineError, statusCode } from './engine.ts';
import { absoluteVolume, isHostPath, type DockerSettings } from './settings.ts';

export const LABEL = { agent: 'hermes-agent', task: 'hermes-task-id', profile: 'hermes-profile', settings: 'talaria-settings' } as const;
const MEGABYTE = 1_048_576;
const SHM_BYTES = 1_073_741_824;
const PIDS_LIMIT = 256;
const CAPABILITIES = ['DAC_OVERRIDE', 'CHOWN', 'FOWNER'];
const USER_CAPABILITIES = ['SETUID', 'SETGID'];
const NANO = 1e9;
/** hermes-runtime 6.3: reaped when ended for twice the lifetime, at least this long. */
const MIN_ORPHAN_MS = 60_000;

export interface ContainerOptions {
  readonly settings: DockerSettings;
  /** Names the task over restarts. */
  readonly task: string;
  /** Names the home whose containers these are. */
  readonly profile: string;
  /** Directory for what is kept on this machine (TERMINAL_SANDBOX_DIR). */
  readonly sandboxes: string;
  /** Directory of this machine for mount mode. */
  readonly hostCwd: string;
  readonly lifetimeMs: number;
  readonly onProgress?: ((line: string) => void) | undefined;
}

type Mounts = EnvironmentDescription['mounts'];

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

export function bindsOf({ settings, task, sandboxes, hostCwd }: ContainerOptions): string[] {
  const binds = settings.volumes.map((volume) => (isHostPath(volume) ? absoluteVolume(volume, hostCwd) : volume));
  if (settings.mountCwd) binds.push(`${checkedCwd(hostCwd)}:/workspace`);
  if (settings.persistent) {
    const directory = join(sandboxes, 'docker', task.replace(/[^A-Za-z0-9_.-]/g, '_'));
    for (const [name, inside] of [['home', '/root'], ['workspace', '/workspace']] as const) {
      if (binds.some((bind) => bind.split(':')[1] === inside)) continue;
      mkdirSync(join(directory, name), { recursive: true, mode: 0o700 });
      binds.push(`${join(directory, name)}:${inside}`);
    }
  }
  return binds;
}

export function mountsOf(binds: readonly string[]): Mounts {
  return binds.map((bind) => {
    const [host = '', inside = '', mode] = bind.split(':');
    return { host, inside, readOnly: mode?.split(',').includes('ro') === true };
  });
}

interface EngineInfo {
  readonly Driver?: string;
  readonly DriverStatus?: readonly (readonly [string, string])[];
  readonly CpuCfsQuota?: boolean;
  readonly MemoryLimit?: boolean;
  readonly PidsLimit?: boolean;
}

function body(options: ContainerOptions, binds: readonly string[], info: EngineInfo, image: Docker.ImageInspectInfo): Docker.ContainerCreateOptions {
  const { settings, task, profile } = options;
  const { extra } = settings;
  // Images of s6 bring their own init, which writes programs to /run.
  const ownInit = [image.Config.Entrypoint ?? []].flat()[0] === '/init';
  const hostUser = settings.runAsHostUser && process.getuid !== undefined ? `${process.getuid()}:${process.getgid?.() ?? 0}` : undefined;
  const user = extra.user ?? hostUser;
  const quota = settings.diskMb > 0 && info.Driver === 'overlay2' && info.DriverStatus?.some(([name, value]) => name === 'Backing Filesystem' && value === 'xfs') === true;
  const kept = new Set(binds.map((bind) => bind.split(':')[1]));
  const tmpfs: Record<string, string> = {
    '/tmp': 'rw,exec,nosuid,size=512m,mode=1777', '/var/tmp': 'rw,noexec,nosuid,size=256m,mode=1777', '/run': `rw,${ownInit ? 'exec' : 'noexec'},nosuid,size=64m`,
    ...(settings.persistent ? {} : { '/workspace': 'rw,exec,size=10g,mode=1777', '/root': 'rw,exec,size=1g' }),
  };
  return {
    Image: settings.image, Entrypoint: ownInit ? undefined : [], Cmd: ['sleep', 'infinity'], WorkingDir: '/', Env: Object.entries(settings.env).map(([name, value]) => `${name}=${value}`),
    Labels: { [LABEL.agent]: '1', [LABEL.task]: task, [LABEL.profile]: profile, [LABEL.settings]: settingsHash(settings, binds) },
    ...(user === undefined ? {} : { User: user }), ...(extra.hostname === undefined ? {} : { Hostname: extra.hostname }),
    HostConfig: {
      Binds: [...binds], Tmpfs: Object.fromEntries(Object.entries(tmpfs).filter(([path]) => !kept.has(path))), Init: !ownInit, ShmSize: SHM_BYTES,
      CapDrop: ['ALL'], CapAdd: [...CAPABILITIES, ...(hostUser === undefined ? USER_CAPABILITIES : []), ...extra.capAdd], SecurityOpt: ['no-new-privileges'],
      ExtraHosts: [...extra.addHost], Devices: extra.devices.map((device) => ({ PathOnHost: device.split(':')[0] ?? device, PathInContainer: device.split(':')[1] ?? device, CgroupPermissions: 'rwm' })),
      ...(info.PidsLimit === false ? {} : { PidsLimit: PIDS_LIMIT }),
      ...(settings.cpus > 0 && info.CpuCfsQuota !== false ? { NanoCpus: Math.round(settings.cpus * NANO) } : {}),
      ...(settings.memoryMb > 0 && info.MemoryLimit !== false ? { Memory: Math.round(settings.memoryMb * MEGABYTE) } : {}),
      ...(settings.network ? (extra.network === undefined ? {} : { NetworkMode: extra.network }) : { NetworkMode: 'none' }),
      ...(quota ? { StorageOpt: { size: `${settings.diskMb}m` } } : {}),
    },
  };
}

/** A container made with other settings is another container. */
function settingsHash(settings: DockerSettings, binds: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify([settings, binds])).digest('hex').slice(0, 16);
}

async function inspectImage(docker: Docker, options: ContainerOptions): Promise<Docker.ImageInspectInfo> {
  const { image } = options.settings;
  try {
    return await docker.getImage(image).inspect();
  } catch (error) {
    if (statusCode(error) !== 404) throw engineError(error, `the image ${image} cannot be looked at`);
  }
  try {
    const stream = await docker.pull(image);
    await new Promise<void>((resolve, reject) => {
      docker.modem.followProgress(stream, (error) => { if (error === null) resolve(); else reject(error); }, (event: { status?: string; id?: string; progress?: string }) => {
        options.onProgress?.([event.id, event.status, event.progress].filter((part) => part !== undefined && part !== '').join(' '));
      });
    });
    return await docker.getImage(image).inspect();
  } catch (error) {
    throw new EnvironmentError('missing', `the image ${image} is not here and could not be pulled: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error, hint: 'Check TERMINAL_DOCKER_IMAGE (terminal.docker_image) and the connection to its registry.',
    });
  }
}

/** A running container for the task: one that fits by its labels, started again if need be, or a new one. Throws `EnvironmentError`. */
export async function obtainContainer(docker: Docker, options: ContainerOptions): Promise<{ readonly container: Docker.Container; readonly mounts: Mounts }> {
  const { settings, task, profile } = options;
  const binds = bindsOf(options);
  const mounts = mountsOf(binds);
  try {
    if (settings.orphanReaper) await reapOrphans(docker, options);
    if (settings.persistAcrossProcesses) {
      const label = [`${LABEL.agent}=1`, `${LABEL.task}=${task}`, `${LABEL.profile}=${profile}`, `${LABEL.settings}=${settingsHash(settings, binds)}`];
      const [found] = await docker.listContainers({ all: true, filters: { label, status: ['running', 'exited', 'created'] } });
      if (found !== undefined) {
        const container = docker.getContainer(found.Id);
        if (found.State !== 'running') await container.start();
        return { container, mounts };
      }
    }
    const image = await inspectImage(docker, options);
    const info = await docker.info() as EngineInfo; // dockerode leaves the answer untyped
    // Options beside `_query` and `_body` would all go into the URL, secrets included.
    const container = await docker.createContainer({ _query: { name: `hermes-${randomBytes(4).toString('hex')}` }, _body: body(options, binds, info, image) } as unknown as Docker.ContainerCreateOptions);
    try {
      await container.start();
    } catch (error) {
      await container.remove({ force: true, v: true });
      throw error;
    }
    return { container, mounts };
  } catch (error) {
    throw engineError(error, 'the container could not be started');
  }
}

/** Removes containers of this home that ended long ago. */
async function reapOrphans(docker: Docker, { profile, task, lifetimeMs }: ContainerOptions): Promise<void> {
  const ended = await docker.listContainers({ all: true, filters: { label: [`${LABEL.agent}=1`, `${LABEL.profile}=${profile}`], status: ['exited', 'created', 'dead'] } });
  const age = Math.max(MIN_ORPHAN_MS, 2 * lifetimeMs);
  for (const row of ended) {
    if (row.Labels[LABEL.task] === task) continue;
    const container = docker.getContainer(row.Id);
    try {
      const { State, Created } = await container.inspect();
      const since = Date.parse(State.FinishedAt);
      if (Date.now() - (since > 0 ? since : Date.parse(Created)) > age) await container.remove({ force: true, v: true });
    } catch (error) {
      if (![404, 409].includes(statusCode(error) ?? 0)) throw error; // gone, or being removed by another
    }
  }
}
