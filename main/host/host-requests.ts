/** `host.*`: what this host is, and links that a person clicked. */
import { hostname, userInfo } from 'node:os';
import type { DoctorLine, HostInfo } from '../../preload/contract/settings.ts';
import type { ConfigStore, Shell } from '../ports.ts';
import type { AreaHandlers } from './handlers.ts';

export interface HostRequestParts {
  readonly config: ConfigStore;
  readonly cwd: string;
  readonly doctor: () => Promise<DoctorLine[]>;
  readonly shell: Shell;
  readonly version: string;
}

export function hostRequests({ config, cwd, doctor, shell, version }: HostRequestParts): AreaHandlers<'host'> {
  function warnings(): string[] {
    const problem = config.problem;
    return [
      ...(problem === undefined ? [] : [`${problem.path} cannot be read${problem.line === null ? '' : ` (line ${problem.line})`}: ${problem.message}. Defaults are used and nothing is saved until it is mended.`]),
      ...(shell.secrets.warning === undefined || shell.secrets.isEmpty?.() === true ? [] : [shell.secrets.warning]),
    ];
  }
  return {
    'host.info': (): HostInfo => ({
      version, shell: shell.name, platform: process.platform, home: config.home, cwd, user: userName(), host: hostname(), warnings: warnings(),
    }),
    'host.doctor': () => doctor(),
    'host.openLink': async ({ url }) => {
      await shell.openExternal(url);
      return {};
    },
  };
}

/** A container may run under a user id without a name. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // ENOENT: no entry in the user database; the number is all there is.
    return String(process.getuid?.() ?? 'unknown');
  }
}
