/** Everything a person adds to the app, built over the host's parts. */
import { join } from 'node:path';
import { registry } from '../../tools/registry.ts';
import type { CallsRuntime } from '../calls/calls.ts';
import type { Paths } from '../config/paths.ts';
import type { Clock, ConfigStore, EventBus, Log, Storage } from '../ports.ts';
import { joinExtensions, type Extensions } from './extension.ts';
import { createTrustStore } from './trust-store.ts';
import { createUserTools } from './user-tools.ts';

export interface ExtensionParts {
  readonly calls: Pick<CallsRuntime, 'hooks' | 'availability'>;
  readonly clock: Clock;
  readonly config: Pick<ConfigStore, 'get' | 'env' | 'onChange' | 'update'>;
  readonly events: Pick<EventBus, 'publish'>;
  readonly log: Log;
  readonly paths: Paths;
  readonly values: Storage['values'];
}

/** What takes longer to load joins later: the host does not wait for it. */
const START_WAIT_MS = 1_000;

export function createExtensions(parts: ExtensionParts): Extensions {
  const { clock, log, paths, values } = parts;
  const onChange = (): void => parts.events.publish('toolsets', { type: 'changed' });
  const loader = { cache: join(paths.cache, 'stripped'), clock };
  return joinExtensions([
    createUserTools({ folder: join(paths.home, 'tools'), registry, trust: createTrustStore(values, log, 'tools'), clock, log, loader, onChange }),
  ]);
}

/** Resolves when all are loaded, or after a second. */
export async function startExtensions(extensions: Pick<Extensions, 'rescan'>, clock: Pick<Clock, 'after'>): Promise<void> {
  const late = Promise.withResolvers<undefined>();
  const cancel = clock.after(START_WAIT_MS, () => late.resolve(undefined));
  await Promise.race([extensions.rescan(), late.promise]);
  cancel();
}
