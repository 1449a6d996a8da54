/** The container that a task's commands run in: found by its labels, or created with Hermes' walls (hermes-runtime 6.3). */
import { createHash, randomBytes } from 'node:crypto';
import type Docker from 'dockerode';
import type { EnvironmentDescription } from '../base.ts';
import { bindsOf, mountsOf, type BindOptions } from './binds.ts';
import { engineError } from './engine.ts';
import { requireImage } from './image.ts';
import { LABEL, reapOrphans, type Owners } from './orphans.ts';
import type { DockerSettings } from './settings.ts';
import type { EngineWatch } from './watch.ts';

const MEGABYTE = 1_048_576;
const SHM_BYTES = 1_073_741_824;
const PIDS_LIMIT = 256;
const CAPABILITIES = ['DAC_OVERRIDE', 'CHOWN', 'FOWNER'];
const USER_CAPABILITIES = ['SETUID', 'SETGID'];
const NANO = 1e9;

export interface ContainerOptions extends BindOptions {
  readonly lifetimeMs: number;
  /** A few lines on how far the image has come, a few times a second. */
  readonly onProgress?: ((text: string) => void) | undefined;
}

/** The Engine, who looks after it, and what is known about it. */
export interface Engine {
  readonly docker: Docker;
  readonly watch: EngineWatch;
  readonly owners: Owners;
  /** It runs on another machine: directories of this one mean nothing to it. */
  readonly remote: boolean;
}

interface EngineInfo {
  readonly Driver?: string;
  readonly DriverStatus?: readonly (readonly [string, string])[];
  readonly CpuCfsQuota?: boolean;
  readonly MemoryLimit?: boolean;
  readonly PidsLimit?: boolean;
}

function body(options: ContainerOptions, owner: string, binds: readonly string[], info: EngineInfo, image: Docker.ImageInspectInfo): Docker.ContainerCreateOptions {
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
    Labels: { [LABEL.agent]: '1', [LABEL.task]: task, [LABEL.profile]: profile, [LABEL.settings]: settingsHash(settings, binds), [LABEL.owner]: owner },
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

interface Obtained { readonly container: Docker.Container; readonly mounts: EnvironmentDescription['mounts'] }

/** A running container for the task: one that fits by its labels, started again if need be, or a new one. Throws `EnvironmentError`. */
export async function obtainContainer(engine: Engine, options: ContainerOptions): Promise<Obtained> {
  const { watch, owners } = engine;
  const binds = bindsOf(options, engine.remote);
  try {
    const container = await watch.guard(findContainer(engine, options, binds)) ?? await createContainer(engine, options, binds);
    owners.take(container.id);
    return { container, mounts: mountsOf(binds) };
  } catch (error) {
    throw engineError(error, 'the container could not be started');
  }
}

/** Sweeps, then looks for one that is there. */
async function findContainer({ docker, owners }: Engine, { settings, task, profile, lifetimeMs }: ContainerOptions, wanted: readonly string[]): Promise<Docker.Container | undefined> {
  if (settings.orphanReaper) await reapOrphans(docker, { profile, task, lifetimeMs, keepStopped: settings.persistAcrossProcesses, owners });
  if (!settings.persistAcrossProcesses) return undefined;
  const label = [`${LABEL.agent}=1`, `${LABEL.task}=${task}`, `${LABEL.profile}=${profile}`, `${LABEL.settings}=${settingsHash(settings, wanted)}`];
  const [found] = await docker.listContainers({ all: true, filters: { label, status: ['running', 'exited', 'created'] } });
  if (found === undefined) return undefined;
  const container = docker.getContainer(found.Id);
  if (found.State !== 'running') await container.start();
  return container;
}

async function createContainer({ docker, watch, owners }: Engine, options: ContainerOptions, binds: readonly string[]): Promise<Docker.Container> {
  const image = await watch.guard(requireImage(docker, options.settings.image, options.onProgress));
  const info = await watch.guard(docker.info()) as EngineInfo; // dockerode leaves the answer untyped
  const wanted = body(options, owners.self, binds, info, image);
  try {
    return await watch.guard(createAndStart(docker, wanted));
  } catch (error) {
    // podman starts an init only where one is installed; a container without it is better than none.
    if (wanted.HostConfig?.Init !== true || !/catatonit|init binary|container-init/i.test(error instanceof Error ? error.message : '')) throw error;
    return watch.guard(createAndStart(docker, { ...wanted, HostConfig: { ...wanted.HostConfig, Init: false } }));
  }
}

/** Leaves nothing half-made behind. */
async function createAndStart(docker: Docker, wanted: Docker.ContainerCreateOptions): Promise<Docker.Container> {
  // Options beside `_query` and `_body` would all go into the URL, secrets included.
  const container = await docker.createContainer({ _query: { name: `hermes-${randomBytes(4).toString('hex')}` }, _body: wanted } as unknown as Docker.ContainerCreateOptions);
  try {
    await container.start();
  } catch (error) {
    await container.remove({ force: true, v: true });
    throw error;
  }
  return container;
}
