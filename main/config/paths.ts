/** Where everything of ours lies: the home that is shared with Hermes, and our own folder in it. */
import { chmodSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { AppError } from '../../preload/contract/errors.ts';
import type { HomePaths } from '../../tools/context.ts';

export interface Paths extends HomePaths {
  /** `config.yaml`, shared with Hermes. */
  readonly config: string;
  /** `.env`, shared with Hermes. */
  readonly dotEnv: string;
  /** `<home>/desktop`: nothing outside it is ours alone. */
  readonly own: string;
  readonly database: string;
  readonly logs: string;
  /** Keys, in shells without a keychain. */
  readonly secrets: string;
  /** Port and cookie of the browser shell's last run. */
  readonly lastServe: string;
}

/** Paths under `HERMES_HOME`, else `~/.hermes`. A leading `~` is the user's home; nothing is made on disk. */
export function homePaths(environment: Readonly<Record<string, string | undefined>> = process.env): Paths {
  const named = environment['HERMES_HOME']?.trim();
  const home = named === undefined || named === '' ? join(homedir(), '.hermes') : resolve(named.replace(/^~(?=$|[/\\])/, homedir()));
  const own = join(home, 'desktop');
  return {
    home,
    cache: join(home, 'cache'),
    outputs: join(own, 'outputs'),
    config: join(home, 'config.yaml'),
    dotEnv: join(home, '.env'),
    own,
    database: join(own, 'talaria.db'),
    logs: join(own, 'logs'),
    secrets: join(own, 'secrets.json'),
    lastServe: join(own, 'last-serve.json'),
  };
}

/** Makes our own folders, readable by their owner only. Throws `storage/failed` when the home cannot be written. */
export function makeOwnFolders(paths: Paths): void {
  try {
    mkdirSync(paths.home, { recursive: true, mode: 0o700 });
    for (const folder of [paths.own, paths.outputs, paths.logs]) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      if (process.platform !== 'win32') chmodSync(folder, 0o700);
    }
  } catch (cause) {
    throw new AppError('storage/failed', `the folder ${paths.own} cannot be made`, {
      hint: 'Make it writable, or set HERMES_HOME to a folder that is.', cause,
    });
  }
}
