/** What the checks of tools may look at, and which backends could be used now. */
import type { CheckAnswer, CheckContext } from '../../tools/registry.ts';
import type { ConfigStore } from '../ports.ts';
import { which } from './programs.ts';

/** A cheap look at one backend, without opening it. Never throws. */
export type BackendCheck = (checks: Pick<CheckContext, 'env' | 'which' | 'config'>) => CheckAnswer | Promise<CheckAnswer>;

function localCheck({ which: find }: Pick<CheckContext, 'which'>): CheckAnswer {
  return find('bash') !== undefined || { step: 'missing-program', message: 'bash is not on PATH.', fix: 'Install bash (Debian: apt install bash).' };
}

/** Backends this host can open, by name in config.yaml. */
export const BACKEND_CHECKS: ReadonlyMap<string, BackendCheck> = new Map([['local', localCheck]]);

/** `alsoInUse`: backends that chats have chosen for themselves. What needs a backend is offered while one of all these answers; a call on another says why it cannot run. */
export function createChecks(config: ConfigStore, backends: ReadonlyMap<string, BackendCheck> = BACKEND_CHECKS, alsoInUse: () => Iterable<string> = () => []): CheckContext {
  const path = (): string => config.env('PATH') ?? '';
  const checks: CheckContext = {
    env: (name) => config.env(name),
    which: (program) => which(program, path()),
    get path() {
      return path();
    },
    get backend() {
      return config.settings().terminal.backend;
    },
    config: (at) => config.get(at),
    probeBackend: async () => {
      const name = config.settings().terminal.backend;
      const check = backends.get(name);
      if (!check) return { step: 'wrong-backend', message: `The terminal backend "${name}" is not known to this version.`, fix: `Set terminal.backend in config.yaml to one of: ${[...backends.keys()].join(', ')}.` };
      const answer = await check(checks);
      if (answer === true) return true;
      for (const other of new Set(alsoInUse())) if (other !== name && await backends.get(other)?.(checks) === true) return true;
      return answer;
    },
  };
  return checks;
}
