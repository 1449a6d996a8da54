/** The MCP servers of config.yaml, each with a life of its own; the file is followed. */
import type { ToolRegistry } from '../../tools/registry.ts';
import type { Clock, ConfigStore, Log, Storage } from '../ports.ts';
import type { Extension } from '../plugins/extension.ts';
import { createTrustStore } from '../plugins/trust-store.ts';
import { readServer, type ReadServer } from './config.ts';
import type { ConnectionPlace } from './connection.ts';
import { createGate } from './gate.ts';
import { toolsetName } from './names.ts';
import { SeenTools } from './seen.ts';
import { McpServer } from './server.ts';
import { outOfReach } from './tools.ts';

/** Who waits for the servers of a fresh start waits no longer than this. */
const READY_WAIT_MS = 10_000;
/** Servers that are being connected at the same time. */
const AT_ONCE = 12;

export interface McpParts {
  readonly registry: ToolRegistry;
  readonly clock: Clock;
  readonly config: Pick<ConfigStore, 'get' | 'env' | 'onChange'>;
  readonly log: Log;
  readonly values: Storage['values'];
  readonly place: Omit<ConnectionPlace, 'signal'>;
  readonly media: string;
  readonly redact: (text: string) => string;
  readonly onChange: () => void;
}

export interface Mcp extends Extension {
  /** Resolves when every server is connected or has failed once, or after 10 s. */
  ready(): Promise<void>;
  /** Whether the server behind this tool says that its tools may run side by side. */
  allowsParallel(tool: string): boolean;
}

interface Known { readonly signature: string; readonly server: McpServer | undefined }

export function createMcp(parts: McpParts): Mcp {
  const { registry, clock, config, log } = parts;
  const known = new Map<string, Known>();
  const gate = createGate(AT_ONCE);
  let closed = false;

  function configured(): Map<string, unknown> {
    const servers = config.get('mcp_servers');
    return new Map(typeof servers === 'object' && servers !== null && !Array.isArray(servers) ? Object.entries(servers) : []);
  }

  function start(name: string, read: Extract<ReadServer, { kind: 'ok' }>): McpServer {
    const store = (kind: string) => createTrustStore(parts.values, log, `${kind}:${name}`);
    const server = new McpServer({ ...parts, name, config: read.config, seen: new SeenTools(store('mcp'), store('mcp-text')), gate });
    server.start();
    return server;
  }

  function showProblem(name: string, read: Exclude<ReadServer, { kind: 'ok' }>): void {
    log.warn(read.message);
    registry.replaceToolset(toolsetName(name), outOfReach(name, [], {
      step: read.kind === 'missing-variable' ? 'missing-variable' : 'check-failed', message: read.message, fix: `Mend mcp_servers.${name} in config.yaml, or set what it needs in the home's .env.`,
    }));
    registry.registerToolsetAlias(name, toolsetName(name));
    parts.onChange();
  }

  async function remove(name: string): Promise<void> {
    const server = known.get(name)?.server;
    known.delete(name);
    if (server !== undefined) await server.close();
    else registry.replaceToolset(toolsetName(name), []);
  }

  /** Makes what runs what config.yaml says; what did not change is left alone. */
  function follow(): void {
    if (closed) return;
    const wanted = configured();
    for (const name of known.keys()) if (!wanted.has(name)) void removed(name);
    for (const [name, raw] of wanted) {
      const read = readServer(name, raw, { env: (variable) => config.env(variable), workspaceFolder: parts.place.cwd });
      const off = read.kind === 'ok' && !read.config.enabled;
      const signature = JSON.stringify(read);
      if (known.get(name)?.signature === signature) continue;
      if (known.has(name)) void removed(name);
      if (off) continue;
      if (read.kind !== 'ok') showProblem(name, read);
      known.set(name, { signature, server: read.kind === 'ok' ? start(name, read) : undefined });
    }
  }

  async function removed(name: string): Promise<void> {
    try {
      await remove(name);
    } catch (error) {
      log.warn('an MCP server did not close properly', { server: name, error });
    }
    parts.onChange();
  }

  const servers = (): McpServer[] => [...known.values()].map(({ server }) => server).filter((server) => server !== undefined);
  const unfollow = config.onChange(follow);

  return {
    rescan() {
      follow();
      for (const server of servers()) if (server.hasFailed) server.retryNow();
      return Promise.resolve();
    },
    async ready() {
      const waiting = servers().filter((server) => !server.isSettled);
      if (waiting.length === 0) return;
      for (const server of waiting) server.retryNow();
      const late = Promise.withResolvers<undefined>();
      const cancel = clock.after(READY_WAIT_MS, () => late.resolve(undefined));
      await Promise.race([Promise.all(waiting.map((server) => server.settled)), late.promise]);
      cancel();
    },
    allowsParallel(tool) {
      const toolset = registry.getToolsetForTool(tool);
      for (const [name, { server }] of known) if (toolsetName(name) === toolset) return server?.allowsParallel === true;
      return false;
    },
    trust(name) {
      const found = [...known].find(([server]) => server === name || toolsetName(server) === name)?.[1].server;
      found?.accept();
      return Promise.resolve(found !== undefined);
    },
    async close() {
      closed = true;
      unfollow();
      await Promise.all([...known.keys()].map(removed));
    },
  };
}
