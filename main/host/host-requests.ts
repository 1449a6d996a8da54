/** `host.*`: what this host is, and links that a person clicked. */
import { hostname, userInfo } from 'node:os';
import type { EnvironmentDescription } from '../../environments/base.ts';
import { AppError } from '../../preload/contract/errors.ts';
import type { BackendInfo, DoctorLine, HostInfo } from '../../preload/contract/settings.ts';
import type { ConfigStore, SecretStore, Shell } from '../ports.ts';
import type { CheckAnswer, CheckContext } from '../../tools/registry.ts';
import type { Backends } from './backends.ts';
import { BACKEND_CHECKS } from './checks.ts';
import type { AreaHandlers } from './handlers.ts';
import { HOSTED_BACKENDS } from './hosted-backends.ts';

export interface HostRequestParts {
  readonly config: ConfigStore;
  readonly cwd: string;
  readonly doctor: () => Promise<DoctorLine[]>;
  readonly shell: Shell;
  readonly secrets: Pick<SecretStore, 'set'>;
  readonly backends: Pick<Backends, 'checks' | 'costOf' | 'idleSeconds' | 'isIsolated' | 'keySource'>;
  readonly terminals: { openPlaces(): readonly EnvironmentDescription[] };
  readonly checks: CheckContext;
  readonly version: string;
}

export function hostRequests({ config, cwd, doctor, shell, secrets, backends, terminals, checks, version }: HostRequestParts): AreaHandlers<'host'> {
  function warnings(): string[] {
    const problem = config.problem;
    return [
      ...(problem === undefined ? [] : [`${problem.path} cannot be read${problem.line === null ? '' : ` (line ${problem.line})`}: ${problem.message}. Defaults are used and nothing is saved until it is mended.`]),
      ...(shell.secrets.warning === undefined || shell.secrets.isEmpty?.() === true ? [] : [shell.secrets.warning]),
    ];
  }
  const keysOf = (name: string) => HOSTED_BACKENDS.find((backend) => backend.name === name)?.keys.flat() ?? [];

  function listBackends(): Promise<BackendInfo[]> {
    const chosen = config.settings().terminal.backend;
    const open = terminals.openPlaces();
    return Promise.all([...BACKEND_CHECKS, ...backends.checks].map(async ([name, check]) => {
      const answer = await check(checks);
      return {
        name, chosen: name === chosen, isolated: backends.isIsolated(name), reason: reasonOf(answer),
        keys: await Promise.all(keysOf(name).map(async (variable) => ({ variable, source: await backends.keySource(variable) }))),
        cost: await backends.costOf(name), idleSeconds: backends.idleSeconds(name),
        places: open.filter(({ backend }) => backend === name).map(({ host, user, image, isolated, cost, mounts }) => ({ host, user, image: image ?? null, isolated, endsAt: cost?.endsAt ?? null, mounts: [...mounts] })),
      };
    }));
  }

  return {
    'host.backends': listBackends,
    'host.setBackendKey': async ({ variable, value }) => {
      if (!HOSTED_BACKENDS.some(({ keys }) => keys.flat().includes(variable))) throw new AppError('request/invalid', `${variable} is not the key of a backend`);
      await secrets.set(variable, value.trim() === '' ? undefined : value.trim());
      return listBackends();
    },
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

function reasonOf(answer: CheckAnswer): BackendInfo['reason'] {
  if (answer === true) return null;
  if (typeof answer !== 'object') return { message: typeof answer === 'string' ? answer : 'It cannot be used.' };
  return { message: answer.message, ...(answer.fix === undefined ? {} : { fix: answer.fix }) };
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
