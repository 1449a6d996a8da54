/** The vercel_sandbox backend: a micro virtual machine of Vercel, commands by detached runs (hermes-runtime 6.8). */
import { join } from 'node:path';
import type { Environment } from './base.ts';
import { createHostedEnvironment, Snapshots, type HostedOptions } from './hosted.ts';
import { loadVercel, patientFetch, vercelCredentials } from './vercel-sandbox/client.ts';
import type { VercelSettings } from './vercel-sandbox/settings.ts';
import { vercelVendor } from './vercel-sandbox/vendor.ts';

export { readVercelSettings, type VercelSettings } from './vercel-sandbox/settings.ts';

export interface VercelOptions extends HostedOptions {
  readonly settings: VercelSettings;
  /** A key by the name of its variable: from the environment, `.env` or the keychain. */
  readonly credential: (variable: string) => Promise<string | undefined>;
  /** How Vercel is reached; absent = as usual. */
  readonly fetch?: typeof globalThis.fetch;
}

/** Linux refuses single arguments of 128 KiB. */
const MAX_ARGUMENT_BYTES = 96 * 1024;
/** hermes-runtime 6.8. */
const DEFAULT_CWD = '/vercel/sandbox';
/** The SDK opens interactive sessions, but hands out only an address: what is spoken there is between Vercel and its own command line. */
const WITHOUT_PTY = 'Vercel\'s SDK runs commands without a terminal: a program that needs one cannot run there';

export function createVercelEnvironment(options: VercelOptions): Environment {
  const { settings, home } = options;
  return createHostedEnvironment({
    backend: 'vercel_sandbox', service: 'Vercel', settings, image: settings.runtime, defaultCwd: DEFAULT_CWD, maxArgumentBytes: MAX_ARGUMENT_BYTES, withoutPty: WITHOUT_PTY,
    connect: async () => {
      const keys = await vercelCredentials(options.credential);
      return vercelVendor({
        sdk: await loadVercel(), access: { ...keys, fetch: patientFetch(options.fetch ?? globalThis.fetch) }, settings, options,
        snapshots: (task) => new Snapshots(join(home, 'vercel_sandbox_snapshots.json'), task),
      });
    },
  }, options);
}
