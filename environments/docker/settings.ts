/** Settings of the docker backend (hermes-runtime 5.2, 6.3). */
import { homedir } from 'node:os';
import { containerSettings, DEFAULT_IMAGE, invalidValue, jsonSetting, textSetting, truthSetting, type ContainerSettings, type ReadSetting } from '../shell.ts';

/** Persistent: `/root` and `/workspace` are kept in the sandbox directory. */
export interface DockerSettings extends ContainerSettings {
  readonly image: string;
  /** `host:container[:ro]`; a host side without a slash in front is a named volume. */
  readonly volumes: readonly string[];
  readonly forwardEnv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly extra: ExtraArguments;
  readonly mountCwd: boolean;
  readonly runAsHostUser: boolean;
  readonly network: boolean;
  readonly persistAcrossProcesses: boolean;
  readonly orphanReaper: boolean;
}

/** What of `docker run`'s options is understood. */
export interface ExtraArguments {
  readonly network?: string;
  readonly capAdd: readonly string[];
  readonly addHost: readonly string[];
  readonly devices: readonly string[];
  readonly hostname?: string;
  readonly user?: string;
}

const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every((item) => typeof item === 'string');
const isTable = (value: unknown): value is Record<string, string | number | boolean> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.values(value).every((item) => ['string', 'number', 'boolean'].includes(typeof item));

function parseExtra(list: readonly string[], network: boolean): ExtraArguments {
  const words = list.flatMap((item) => item.split(/[\s=]+/)).filter((word) => word !== '');
  const found = { capAdd: [] as string[], addHost: [] as string[], devices: [] as string[] };
  const single: { network?: string; hostname?: string; user?: string } = {};
  for (let at = 0; at < words.length; at += 2) {
    const [option = '', value] = words.slice(at, at + 2);
    if (value === undefined) throw invalidValue('TERMINAL_DOCKER_EXTRA_ARGS', option, 'the option needs a value');
    switch (option) {
      case '--network': case '--net':
        if (!network && value !== 'none') throw invalidValue('TERMINAL_DOCKER_EXTRA_ARGS', `${option} ${value}`, 'it contradicts docker_network: false');
        single.network = value;
        break;
      case '--cap-add': found.capAdd.push(value); break;
      case '--add-host': found.addHost.push(value); break;
      case '--device': found.devices.push(value); break;
      case '--hostname': case '-h': single.hostname = value; break;
      case '--user': case '-u': single.user = value; break;
      default: throw invalidValue('TERMINAL_DOCKER_EXTRA_ARGS', option, 'known are --network, --cap-add, --add-host, --device, --hostname, --user');
    }
  }
  return { ...found, ...single };
}

/** Throws `EnvironmentError` that names the variable. */
export function readDockerSettings(read: ReadSetting): DockerSettings {
  const truth = (variable: string, path: string, otherwise: boolean) => truthSetting(read, `TERMINAL_${variable}`, `terminal.${path}`, otherwise);
  const list = (variable: string, path: string) => jsonSetting(read, variable, path, [] as string[], 'a JSON list of texts is wanted', isTexts);
  const network = truth('DOCKER_NETWORK', 'docker_network', true);
  const env = jsonSetting(read, 'TERMINAL_DOCKER_ENV', 'terminal.docker_env', {}, 'a JSON object of texts is wanted', isTable);
  return {
    image: textSetting(read, 'TERMINAL_DOCKER_IMAGE', 'terminal.docker_image') ?? DEFAULT_IMAGE,
    ...containerSettings(read),
    volumes: list('TERMINAL_DOCKER_VOLUMES', 'terminal.docker_volumes'),
    forwardEnv: list('TERMINAL_DOCKER_FORWARD_ENV', 'terminal.docker_forward_env'),
    env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, String(value)])),
    extra: parseExtra(list('TERMINAL_DOCKER_EXTRA_ARGS', 'terminal.docker_extra_args'), network),
    mountCwd: truth('DOCKER_MOUNT_CWD_TO_WORKSPACE', 'docker_mount_cwd_to_workspace', false),
    runAsHostUser: truth('DOCKER_RUN_AS_HOST_USER', 'docker_run_as_host_user', false),
    network,
    persistAcrossProcesses: truth('DOCKER_PERSIST_ACROSS_PROCESSES', 'docker_persist_across_processes', true),
    orphanReaper: truth('DOCKER_ORPHAN_REAPER', 'docker_orphan_reaper', true),
  };
}

/** True when a volume's host side is a path of this machine (hermes-runtime 4.1). */
export function isHostPath(volume: string): boolean {
  return /^(?:\/|~|\.\.?\/|[A-Za-z]:[\\/])/.test(volume);
}

/** Whether commands inside can reach files of this machine: then they are judged like local ones. */
export function reachesHost(settings: Pick<DockerSettings, 'mountCwd' | 'volumes' | 'extra'>): boolean {
  return settings.mountCwd || settings.volumes.some(isHostPath) || settings.extra.devices.length > 0;
}

/** `~` and relative host sides made absolute; `cwd` is the directory of the host they are relative to. */
export function absoluteVolume(volume: string, cwd: string): string {
  if (volume.startsWith('~')) return volume.replace(/^~/, homedir());
  return volume.startsWith('.') ? `${cwd}/${volume}` : volume;
}
