/** Settings of the daytona backend (hermes-runtime 5.2, 6.7). */
import { readHostedSettings, type HostedSettings } from '../hosted.ts';
import { DEFAULT_IMAGE, textSetting, type ReadSetting } from '../shell.ts';

/** Daytona's list prices: a virtual CPU and a GiB, per hour. */
const PRICES = { cpu: 0.0504, memoryGib: 0.0162, diskGib: 0.000_108 } as const;
const MB_PER_GIB = 1_024;
/** hermes-runtime 6.7: more is refused there. */
const MAX_DISK_GIB = 10;

export interface DaytonaSettings extends HostedSettings {
  readonly image: string;
  /** As Daytona counts: whole CPUs and GiB; absent = its own default. */
  readonly resources: { readonly cpu?: number; readonly memory?: number; readonly disk?: number };
  /** Other than Daytona's own service, for those who host it themselves. */
  readonly apiUrl?: string;
  readonly target?: string;
}

/** Throws `EnvironmentError` that names the variable. */
export function readDaytonaSettings(read: ReadSetting): DaytonaSettings {
  const hosted = readHostedSettings(read, PRICES);
  const apiUrl = textSetting(read, 'DAYTONA_API_URL', 'terminal.daytona_api_url');
  const target = textSetting(read, 'DAYTONA_TARGET', 'terminal.daytona_target');
  return {
    ...hosted, image: textSetting(read, 'TERMINAL_DAYTONA_IMAGE', 'terminal.daytona_image') ?? DEFAULT_IMAGE,
    resources: {
      ...(hosted.cpus > 0 ? { cpu: Math.ceil(hosted.cpus) } : {}), ...(hosted.memoryMb > 0 ? { memory: Math.ceil(hosted.memoryMb / MB_PER_GIB) } : {}),
      ...(hosted.diskMb > 0 ? { disk: Math.min(MAX_DISK_GIB, Math.ceil(hosted.diskMb / MB_PER_GIB)) } : {}),
    },
    ...(apiUrl === undefined ? {} : { apiUrl }), ...(target === undefined ? {} : { target }),
  };
}
