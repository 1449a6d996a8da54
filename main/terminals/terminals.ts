/** Public door of the folder: builds the terminal manager with the backends of this version. */
import { createLocalEnvironment, LocalMachine, type Sandbox } from '../../environments/local.ts';
import type { BackendName } from '../../environments/base.ts';
import type { JsonValue } from '../../tools/context.ts';
import { Manager, type TerminalsOptions } from './manager.ts';
import type { EnvironmentFactory } from './places.ts';

export type { Manager } from './manager.ts';
export type { EnvironmentFactory, TaskOverrides } from './places.ts';

export interface CreateTerminalsOptions extends Omit<TerminalsOptions, 'environments' | 'machine'> {
  /** Environment of the host itself, unfiltered; `process.env` of the host. */
  readonly hostEnvironment: Readonly<Record<string, string | undefined>>;
  /** Backends besides `local`, or instead of it. */
  readonly environments?: ReadonlyMap<BackendName, EnvironmentFactory>;
  /** The wall around a task's local commands; absent = none. Throws `EnvironmentError` when one is wanted and cannot be had. */
  sandboxFor?(taskId: string, cwd: string): Sandbox | undefined;
}

function strings(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/**
 * The manager, usable at once. Call `recover()` when the host is up, and `close()` at its end: afterwards no process that was started
 * here is alive.
 */
export function createTerminals(options: CreateTerminalsOptions): Manager {
  const { config, log } = options;
  const machine = new LocalMachine({
    env: options.hostEnvironment, home: options.paths.home, passthrough: strings(config.get('terminal.env_passthrough')), initFiles: strings(config.get('terminal.shell_init_files')),
    sourceBashrc: config.get('terminal.auto_source_bashrc') === true,
    onLogin: (from, milliseconds) => log.info('the login environment was read', { from, milliseconds: Math.round(milliseconds) }),
  });
  const environments = new Map<BackendName, EnvironmentFactory>([['local', ({ cwd, key }) => {
    const sandbox = options.sandboxFor?.(key.replace(/^local:/, ''), cwd);
    return createLocalEnvironment(machine, { cwd, ...(sandbox === undefined ? {} : { sandbox }) });
  }], ...(options.environments ?? [])]);
  return new Manager({ ...options, environments, machine });
}
