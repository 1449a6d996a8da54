/** The daytona backend: a sandbox of Daytona, commands on terminals over WebSockets (hermes-runtime 6.7). */
import { EnvironmentError, type Environment } from './base.ts';
import { connectDaytona, loadDaytona } from './daytona/client.ts';
import type { DaytonaSettings } from './daytona/settings.ts';
import { daytonaVendor } from './daytona/vendor.ts';
import { createHostedEnvironment, type HostedOptions } from './hosted.ts';

export { readDaytonaSettings, type DaytonaSettings } from './daytona/settings.ts';

export interface DaytonaOptions extends HostedOptions {
  readonly settings: DaytonaSettings;
  /** A key by the name of its variable: from the environment, `.env` or the keychain. */
  readonly credential: (variable: string) => Promise<string | undefined>;
}

/** Linux refuses single arguments of 128 KiB. */
const MAX_ARGUMENT_BYTES = 96 * 1024;

export function createDaytonaEnvironment(options: DaytonaOptions): Environment {
  const { settings, timing } = options;
  return createHostedEnvironment({
    backend: 'daytona', service: 'Daytona', settings, image: settings.image, maxArgumentBytes: MAX_ARGUMENT_BYTES,
    connect: async () => {
      const apiKey = await options.credential('DAYTONA_API_KEY');
      if (apiKey === undefined) {
        throw new EnvironmentError('missing', 'Daytona needs DAYTONA_API_KEY', { hint: 'Make a key at app.daytona.io/dashboard/keys and set it in the environment, in .env, or in Settings › Terminals.' });
      }
      return daytonaVendor({ daytona: connectDaytona(await loadDaytona(), apiKey, settings, timing), settings, options });
    },
  }, options);
}
