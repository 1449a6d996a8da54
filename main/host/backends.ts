/** Terminal backends besides this machine: what they need, whether they answer, and how they are made. Each is loaded when it is chosen. */
import { createHash } from 'node:crypto';
import { homedir, hostname } from 'node:os';
import { join } from 'node:path';
import { EnvironmentError, type AskCredential, type BackendName, type BackendProbe } from '../../environments/base.ts';
import { reachesHost, readDockerSettings as readDocker } from '../../environments/docker/settings.ts';
import { filterEnvironment, type ReadSetting } from '../../environments/shell.ts';
import { readSingularitySettings as readSingularity } from '../../environments/singularity/settings.ts';
import { LoginMemory } from '../../environments/ssh/memory.ts';
import { probeSshSettings, readSshSettings } from '../../environments/ssh/settings.ts';
import type { CheckAnswer } from '../../tools/registry.ts';
import { terminalSetting } from '../config/settings.ts';
import type { ConfigStore, Log, SecretStore } from '../ports.ts';
import { isAlive, ownIdentity } from '../process-identity.ts';
import type { EnvironmentFactory, TaskOverrides } from '../terminals/terminals.ts';
import type { BackendCheck } from './checks.ts';
import { HOSTED_BACKENDS, hostedBackends } from './hosted-backends.ts';
import { which } from './programs.ts';
import { remoteOwner } from './remote-owner.ts';

/** An answer about the Engine is good for this long: every list of tools asks. */
const PROBE_KEPT_MS = 10_000;
/** TERMINAL_LIFETIME_SECONDS (hermes-runtime 5.2). */
const DEFAULT_LIFETIME_S = 300;
const NO_APPTAINER = { message: 'Neither apptainer nor singularity is on PATH.', fix: 'Install apptainer, or choose another terminal backend.' } as const;
const ALWAYS_ISOLATED: ReadonlySet<string> = new Set(['modal', 'daytona', 'vercel_sandbox']);

export interface BackendParts {
  readonly config: Pick<ConfigStore, 'get' | 'env'>;
  readonly log: Log;
  readonly home: string;
  /** The host's own environment, unfiltered. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Directory the host was started in. */
  readonly cwd: string;
  /** Asks the person on whose behalf something connects. */
  readonly ask: AskCredential;
  /** Keys of hosted services, where the environment has none. */
  readonly secrets: Pick<SecretStore, 'get'>;
}

export interface Backends {
  readonly environments: ReadonlyMap<BackendName, EnvironmentFactory>;
  readonly checks: ReadonlyMap<string, BackendCheck>;
  /** True when nothing of this machine can be reached from there (hermes-runtime 4.1). */
  isIsolated(backend: string): boolean;
  /** Where the key of a hosted service comes from. */
  keySource(variable: string): Promise<'environment' | 'keychain' | null>;
  costOf: ReturnType<typeof hostedBackends>['costOf'];
  /** After this long without work a place is let go; null: never. */
  idleSeconds(backend: string): number | null;
  /** Host and user, as cards name them; cheap. */
  where(backend: string): { readonly host: string; readonly user: string };
}

function answer(probe: BackendProbe): CheckAnswer {
  if (probe.ok) return true;
  return { step: probe.step ?? 'check-failed', message: probe.message ?? 'The backend cannot be used.', ...(probe.fix === undefined ? {} : { fix: probe.fix }) };
}

/** A malformed setting is an answer, too. */
async function answering(probe: () => BackendProbe | Promise<BackendProbe>): Promise<CheckAnswer> {
  try {
    return answer(await probe());
  } catch (error) {
    return { step: 'check-failed', message: error instanceof Error ? error.message : String(error), fix: 'Correct it in config.yaml or the environment, or choose another backend (terminal.backend).' };
  }
}

export function createBackends({ config, log, home, env, cwd, ask, secrets }: BackendParts): Backends {
  const read: ReadSetting = (variable, path) => terminalSetting(config, variable, path);
  const withOverride = (overrides: TaskOverrides): ReadSetting => (variable, path) => (variable === 'TERMINAL_DOCKER_IMAGE' ? overrides.docker_image : variable === 'TERMINAL_SINGULARITY_IMAGE' ? overrides.singularity_image : undefined) ?? read(variable, path);
  const owner = remoteOwner(home);
  const logins = new LoginMemory();
  const userHome = () => env['HOME'] ?? homedir();
  const sandboxes = () => textOf(read('TERMINAL_SANDBOX_DIR', 'terminal.sandbox_dir')) ?? join(home, 'sandboxes');
  const profile = createHash('sha256').update(home).digest('hex').slice(0, 12);
  const lifetimeMs = () => {
    const seconds = Number(read('TERMINAL_LIFETIME_SECONDS', 'terminal.lifetime_seconds') ?? DEFAULT_LIFETIME_S);
    return (Number.isFinite(seconds) && seconds > 0 ? seconds : DEFAULT_LIFETIME_S) * 1_000;
  };
  const apptainer = () => which('apptainer', config.env('PATH') ?? '') ?? which('singularity', config.env('PATH') ?? '');
  const hosts = { self: ownIdentity(), isAlive };
  const credentialFiles = () => strings(config.get('terminal.credential_files'));
  const hosted = hostedBackends({ config, log, home, read, secrets, credentialFiles, userHome });
  let probed: { readonly at: number; readonly answer: Promise<CheckAnswer> } | undefined;

  const environments = new Map<BackendName, EnvironmentFactory>([
    ...hosted.environments,
    ['ssh', async (wanted) => {
      const { createSshEnvironment, requireSshSettings } = await import('../../environments/ssh.ts');
      return createSshEnvironment({
        settings: requireSshSettings(read), knownHosts: join(home, 'desktop', 'known_hosts'), userHome: userHome(), agent: env['SSH_AUTH_SOCK'], env, cwd: wanted.cwd, ask, memory: logins, ...(owner === undefined ? {} : { owner }),
        sync: { home, files: credentialFiles(), force: read('HERMES_FORCE_FILE_SYNC', 'terminal.force_file_sync') === '1', onProblem: (message) => log.warn('files of the home and of the server differ', { message }) },
      });
    }],
    ['docker', async (wanted) => {
      const { createDockerEnvironment, readDockerSettings } = await import('../../environments/docker.ts');
      return createDockerEnvironment({
        settings: readDockerSettings(withOverride(wanted.overrides)), task: wanted.key.replace(/^docker:/, ''), profile, sandboxes: sandboxes(), hostCwd: cwd,
        lifetimeMs: lifetimeMs(), env, cwd: wanted.cwd, machine: hostname(), home: { directory: home, credentialFiles: credentialFiles() }, onProgress: wanted.onProgress,
        hosts, ...(owner === undefined ? {} : { owner }),
      });
    }],
    ['singularity', async (wanted) => {
      const { createSingularityEnvironment, readSingularitySettings } = await import('../../environments/singularity.ts');
      const program = apptainer();
      if (program === undefined) throw new EnvironmentError('missing', NO_APPTAINER.message, { hint: NO_APPTAINER.fix });
      return createSingularityEnvironment({
        program, settings: readSingularitySettings(withOverride(wanted.overrides)), task: wanted.key.replace(/^singularity:/, ''), sandboxes: sandboxes(), env: filterEnvironment(env), cwd: wanted.cwd, hostCwd: cwd,
        home: { directory: home, credentialFiles: credentialFiles() }, hosts,
      });
    }],
  ]);
  const checks = new Map<string, BackendCheck>([
    ...HOSTED_BACKENDS.map((backend): [string, BackendCheck] => [backend.name, () => answering(() => hosted.probe(backend))]),
    ['ssh', () => answering(async () => {
      const settings = readSshSettings(read);
      if (settings.host === undefined || settings.user !== undefined) return probeSshSettings(settings);
      const { configuredUser } = await import('../../environments/ssh.ts');
      return probeSshSettings(settings, await configuredUser(settings.host, userHome()));
    })],
    ['docker', () => {
      if (probed === undefined || performance.now() - probed.at > PROBE_KEPT_MS) {
        probed = { at: performance.now(), answer: answering(async () => {
          const { probeEngine, readDockerSettings } = await import('../../environments/docker.ts');
          readDockerSettings(read); // a malformed value is told here, not by the first command
          return probeEngine(env);
        }) };
      }
      return probed.answer;
    }],
    ['singularity', () => answering(() => {
      readSingularity(read);
      return apptainer() === undefined ? { ok: false, step: 'missing-program', ...NO_APPTAINER } : { ok: true };
    })],
  ]);
  return {
    environments, checks, keySource: hosted.keySource, costOf: hosted.costOf, idleSeconds: (backend) => (backend === 'local' ? null : lifetimeMs() / 1_000),
    isIsolated: (backend) => {
      if (backend !== 'docker' && backend !== 'singularity') return ALWAYS_ISOLATED.has(backend);
      try {
        return backend === 'docker' ? !reachesHost(readDocker(read)) : readSingularity(read).binds.length === 0;
      } catch {
        return false; // settings that cannot be read promise nothing; the command itself will say what is wrong with them
      }
    },
    where: (backend) => {
      if (backend !== 'ssh') return { host: backend, user: '' };
      try {
        const { host = backend, user = '' } = readSshSettings(read);
        return { host, user };
      } catch {
        return { host: backend, user: '' }; // told by the command itself
      }
    },
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
