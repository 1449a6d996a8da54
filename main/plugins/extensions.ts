/** Everything a person adds to the app, built over the host's parts. */
import { join } from 'node:path';
import type { SessionId } from '../../preload/contract/ids.ts';
import { registry, type CheckContext } from '../../tools/registry.ts';
import type { CallsRuntime } from '../calls/calls.ts';
import type { Paths } from '../config/paths.ts';
import { createMcp } from '../mcp/mcp.ts';
import type { McpDesk } from '../mcp/mcp.ts';
import type { AskModel } from '../mcp/sampling.ts';
import type { Clock, ConfigStore, EventBus, FormAsker, Log, Shell, Storage } from '../ports.ts';
import { VERSION } from '../version.ts';
import { joinExtensions, type Extensions } from './extension.ts';
import type { PluginCommands } from './commands.ts';
import type { ContextParts, PluginReach } from './plugin-context.ts';
import { createPlugins, type Plugins } from './plugins.ts';
import { followSessions } from './session-hooks.ts';
import { createTrustStore } from './trust-store.ts';
import { createUserTools } from './user-tools.ts';

export interface ExtensionParts {
  readonly calls: Pick<CallsRuntime, 'hooks' | 'middleware' | 'definitions' | 'catalog'>;
  readonly checks: CheckContext;
  readonly commands: Pick<PluginCommands, 'add'>;
  readonly reach: PluginReach;
  readonly clock: Clock;
  readonly config: Pick<ConfigStore, 'get' | 'env' | 'onChange' | 'set' | 'update'>;
  readonly events: Pick<EventBus, 'publish' | 'subscribe'>;
  readonly log: Log;
  readonly paths: Paths;
  readonly values: Storage['values'];
  readonly sessions: Pick<Storage['sessions'], 'get' | 'list'>;
  /** Environment and directory of the host. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly redact: (text: string) => string;
  readonly shell: Pick<Shell, 'secrets' | 'openExternal' | 'fork'>;
  /** Where servers ask the person, and the model. */
  readonly questions: FormAsker;
  readonly askModel: AskModel;
  /** Random text of so many bytes, in hexadecimal. */
  readonly random: (bytes: number) => string;
}

export interface HostExtensions extends Extensions {
  /** Whether the MCP server behind this tool says that its tools may run side by side. */
  allowsParallel(tool: string): boolean;
  readonly mcp: McpDesk;
  readonly plugins: Plugins;
}

/** What takes longer to load joins later: the host does not wait for it. */
const START_WAIT_MS = 1_000;

export function createExtensions(parts: ExtensionParts): HostExtensions {
  const { clock, log, paths, values } = parts;
  const onChange = (): void => parts.events.publish('toolsets', { type: 'changed' });
  const mcp = createMcp({
    registry, clock, config: parts.config, log, values, redact: parts.redact, onChange,
    secrets: parts.shell.secrets, openPage: (page) => parts.shell.openExternal(page), questions: parts.questions, askModel: parts.askModel, newState: () => parts.random(32), newCallId: () => `call_${parts.random(8)}`, chatFor: (last) => chatFor(parts.sessions, last),
    place: { clock, environment: parts.env, cwd: parts.cwd, version: VERSION }, media: join(paths.outputs, 'mcp'),
    prepare: (toolset) => void parts.calls.definitions.prepareAhead(toolset),
  });
  const project = /^(?:1|true|yes|on)$/i.test(parts.env['HERMES_ENABLE_PROJECT_PLUGINS'] ?? '') ? join(parts.cwd, '.hermes/plugins') : undefined;
  const { hooks, middleware, catalog: platforms } = parts.calls;
  const { commands, config, checks, reach } = parts;
  const fork = parts.shell.fork?.bind(parts.shell);
  const context: ContextParts = { registry, hooks, middleware, commands, platforms, config, checks, clock, log, reach, ...(fork === undefined ? {} : { fork }) };
  const plugins = createPlugins({ ...context, config, home: paths.home, places: { user: join(paths.home, 'plugins'), project }, onChange });
  const joined = joinExtensions([
    mcp,
    plugins,
    createUserTools({ ...context, folder: join(paths.home, 'tools'), trust: createTrustStore(values, log, 'tools'), onChange }),
  ]);
  const ends = followSessions({ hooks, events: parts.events, sessions: parts.sessions, clock });
  const close = async (): Promise<void> => {
    await ends.close();
    await joined.close();
  };
  return { ...joined, close, allowsParallel: (tool) => mcp.allowsParallel(tool), mcp: mcp.desk, plugins };
}

/** The chat in which a server asks outside of any call: the one that used it last, while it is there, else the newest that a person opened here (none of a messenger's). */
function chatFor(sessions: ExtensionParts['sessions'], last: string | undefined): string | undefined {
  const used = last === undefined ? undefined : sessions.get(last as SessionId); // cast: a call's context names a chat of the storage
  return used !== undefined && used.deletedAt === null ? used.id : sessions.list({ origins: ['user', 'cli'] })[0]?.id;
}

/** Resolves when all are loaded, or after a second. */
export async function startExtensions(extensions: Pick<Extensions, 'rescan'>, clock: Pick<Clock, 'after'>): Promise<void> {
  const late = Promise.withResolvers<undefined>();
  const cancel = clock.after(START_WAIT_MS, () => late.resolve(undefined));
  await Promise.race([extensions.rescan(), late.promise]);
  cancel();
}
