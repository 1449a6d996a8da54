/** Everything a person adds to the app, built over the host's parts. */
import { join } from 'node:path';
import { registry } from '../../tools/registry.ts';
import type { CallsRuntime } from '../calls/calls.ts';
import type { Paths } from '../config/paths.ts';
import { createMcp } from '../mcp/mcp.ts';
import type { Clock, ConfigStore, EventBus, Log, Storage } from '../ports.ts';
import { VERSION } from '../version.ts';
import { joinExtensions, type Extensions } from './extension.ts';
import { createPlugins } from './plugins.ts';
import { createTrustStore } from './trust-store.ts';
import { createUserTools } from './user-tools.ts';

export interface ExtensionParts {
  readonly calls: Pick<CallsRuntime, 'hooks'>;
  readonly clock: Clock;
  readonly config: Pick<ConfigStore, 'get' | 'env' | 'onChange' | 'set' | 'update'>;
  readonly events: Pick<EventBus, 'publish'>;
  readonly log: Log;
  readonly paths: Paths;
  readonly values: Storage['values'];
  /** Environment and directory of the host. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly redact: (text: string) => string;
}

export interface HostExtensions extends Extensions {
  /** Whether the MCP server behind this tool says that its tools may run side by side. */
  allowsParallel(tool: string): boolean;
}

/** What takes longer to load joins later: the host does not wait for it. */
const START_WAIT_MS = 1_000;

export function createExtensions(parts: ExtensionParts): HostExtensions {
  const { clock, log, paths, values } = parts;
  const onChange = (): void => parts.events.publish('toolsets', { type: 'changed' });
  const loader = { cache: join(paths.cache, 'stripped'), clock };
  const mcp = createMcp({
    registry, clock, config: parts.config, log, values, redact: parts.redact, onChange,
    place: { clock, environment: parts.env, cwd: parts.cwd, version: VERSION }, media: join(paths.outputs, 'mcp'),
  });
  const projectPlugins = /^(?:1|true|yes|on)$/i.test(parts.env['HERMES_ENABLE_PROJECT_PLUGINS'] ?? '') ? [join(parts.cwd, '.hermes/plugins')] : [];
  const joined = joinExtensions([
    mcp,
    createPlugins({ folders: [join(paths.home, 'plugins'), ...projectPlugins], registry, hooks: parts.calls.hooks, config: parts.config, clock, log, loader, onChange }),
    createUserTools({ folder: join(paths.home, 'tools'), registry, trust: createTrustStore(values, log, 'tools'), clock, log, loader, onChange }),
  ]);
  return { ...joined, allowsParallel: (tool) => mcp.allowsParallel(tool) };
}

/** Resolves when all are loaded, or after a second. */
export async function startExtensions(extensions: Pick<Extensions, 'rescan'>, clock: Pick<Clock, 'after'>): Promise<void> {
  const late = Promise.withResolvers<undefined>();
  const cancel = clock.after(START_WAIT_MS, () => late.resolve(undefined));
  await Promise.race([extensions.rescan(), late.promise]);
  cancel();
}
