/** The backends at hosted services: how they are made, whether they could be used, and their keys. An SDK is loaded when its backend is. */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { BackendName, BackendProbe } from '../../environments/base.ts';
import type { HostedOptions, HostedSettings } from '../../environments/hosted.ts';
import { DEFAULT_TIMING } from '../../environments/hosted/limits.ts';
import type { ReadSetting } from '../../environments/shell.ts';
import type { ConfigStore, Log, SecretStore } from '../ports.ts';
import { isAlive, ownIdentity } from '../process-identity.ts';
import type { EnvironmentFactory, TaskOverrides } from '../terminals/terminals.ts';

export interface HostedBackendParts {
  readonly config: Pick<ConfigStore, 'env'>;
  readonly log: Log;
  readonly home: string;
  readonly read: ReadSetting;
  readonly secrets: Pick<SecretStore, 'get'>;
  readonly credentialFiles: () => readonly string[];
  /** Where a person's own files are; Modal keeps its keys there. */
  readonly userHome: () => string;
}

export interface HostedBackend {
  readonly name: Extract<BackendName, 'modal' | 'daytona' | 'vercel_sandbox'>;
  readonly sdk: string;
  /** Sets of variables, each of which is enough alone. */
  readonly keys: readonly (readonly string[])[];
}

export const HOSTED_BACKENDS: readonly HostedBackend[] = [
  { name: 'modal', sdk: 'modal', keys: [['MODAL_TOKEN_ID', 'MODAL_TOKEN_SECRET']] },
  { name: 'daytona', sdk: '@daytona/sdk', keys: [['DAYTONA_API_KEY']] },
  { name: 'vercel_sandbox', sdk: '@vercel/sandbox', keys: [['VERCEL_TOKEN', 'VERCEL_TEAM_ID', 'VERCEL_PROJECT_ID'], ['VERCEL_OIDC_TOKEN']] },
];

/** Without loading it: that takes half a second and 20 MB. */
function isInstalled(sdk: string): boolean {
  try {
    createRequire(import.meta.url).resolve(sdk);
    return true;
  } catch {
    return false; // not found
  }
}

export function hostedBackends({ config, log, home, read, secrets, credentialFiles, userHome }: HostedBackendParts): {
  readonly environments: readonly (readonly [BackendName, EnvironmentFactory])[];
  readonly probe: (backend: HostedBackend) => Promise<BackendProbe>;
  readonly keySource: (variable: string) => Promise<'environment' | 'keychain' | null>;
  /** What a sandbox costs about, by the settings of now. Null for another backend, and where the settings cannot be read. */
  readonly costOf: (backend: string) => Promise<{ readonly usdPerHour: number; readonly lifetimeSeconds: number } | null>;
} {
  const credential = async (variable: string): Promise<string | undefined> => {
    const value = config.env(variable)?.trim();
    return value === undefined || value === '' ? secrets.get(variable) : value;
  };
  const keySource = async (variable: string) => ((config.env(variable)?.trim() ?? '') !== '' ? 'environment' : await secrets.get(variable) === undefined ? null : 'keychain');
  // Several machines may have a home at the same path, and one account.
  const profile = createHash('sha256').update(`${hostname()}:${home}`).digest('hex').slice(0, 12);
  const hosts = { self: ownIdentity(), isAlive };
  const inUse = new Map(HOSTED_BACKENDS.map(({ name }) => [name, new Set<string>()]));

  function shared(backend: HostedBackend['name'], wanted: { readonly cwd: string; readonly key: string }): HostedOptions & { readonly credential: typeof credential } {
    return {
      task: wanted.key.replace(/^[^:]+:/, ''), profile, home, cwd: wanted.cwd, hosts, credentialFiles: credentialFiles(), credential, timing: DEFAULT_TIMING, inUse: inUse.get(backend) ?? new Set(),
      forceSync: read('HERMES_FORCE_FILE_SYNC', 'terminal.force_file_sync') === '1', onProblem: (message) => log.warn(`${backend}: ${message}`),
    };
  }
  const withImage = (variable: string, image: string | undefined): ReadSetting => (asked, path) => (asked === variable ? image : undefined) ?? read(asked, path);

  /** A malformed setting throws, here as with the first command. */
  async function readSettings(backend: HostedBackend['name']): Promise<HostedSettings> {
    switch (backend) {
      case 'modal': return (await import('../../environments/modal/settings.ts')).readModalSettings(read);
      case 'daytona': return (await import('../../environments/daytona/settings.ts')).readDaytonaSettings(read);
      case 'vercel_sandbox': return (await import('../../environments/vercel-sandbox/settings.ts')).readVercelSettings(read);
    }
  }

  const modal = async (wanted: { readonly cwd: string; readonly key: string; readonly overrides: TaskOverrides }) => {
    const { createModalEnvironment, readModalSettings } = await import('../../environments/modal.ts');
    return createModalEnvironment({ ...shared('modal', wanted), settings: readModalSettings(withImage('TERMINAL_MODAL_IMAGE', wanted.overrides.modal_image)) });
  };
  const daytona = async (wanted: { readonly cwd: string; readonly key: string; readonly overrides: TaskOverrides }) => {
    const { createDaytonaEnvironment, readDaytonaSettings } = await import('../../environments/daytona.ts');
    return createDaytonaEnvironment({ ...shared('daytona', wanted), settings: readDaytonaSettings(withImage('TERMINAL_DAYTONA_IMAGE', wanted.overrides.daytona_image)) });
  };
  const vercel = async (wanted: { readonly cwd: string; readonly key: string }) => {
    const { createVercelEnvironment, readVercelSettings } = await import('../../environments/vercel-sandbox.ts');
    return createVercelEnvironment({ ...shared('vercel_sandbox', wanted), settings: readVercelSettings(read) });
  };

  return {
    environments: [['modal', modal], ['daytona', daytona], ['vercel_sandbox', vercel]],
    keySource,
    costOf: async (name) => {
      const backend = HOSTED_BACKENDS.find((one) => one.name === name);
      try {
        const settings = backend === undefined ? undefined : await readSettings(backend.name);
        return settings === undefined ? null : { usdPerHour: settings.usdPerHour, lifetimeSeconds: settings.lifetimeS };
      } catch {
        return null; // `probe` says what is wrong with them
      }
    },
    /** hermes-runtime 6.10: SDK and token. Cheap: nothing is asked of the service. */
    probe: async ({ name, sdk, keys }) => {
      if (!isInstalled(sdk)) return { ok: false, step: 'missing-program', message: `The SDK ${sdk} is not installed.`, fix: 'Install Talaria with its optional dependencies (npm install, without --omit=optional), or choose another terminal backend.' };
      await readSettings(name);
      if (name === 'modal' && existsSync(config.env('MODAL_CONFIG_PATH') ?? join(userHome(), '.modal.toml'))) return { ok: true };
      const missing = await Promise.all(keys.map(async (set) => (await Promise.all(set.map(async (variable) => (await credential(variable) === undefined ? [variable] : [])))).flat()));
      if (missing.some((set) => set.length === 0)) return { ok: true };
      return { ok: false, step: 'missing-variable', message: `The ${name} backend needs ${new Intl.ListFormat('en-GB').format(missing[0] ?? [])}.`, fix: 'Set what is missing in the environment, in .env of the Hermes home, or in Settings › Terminals.' };
    },
  };
}
