/** The MCP servers of config.yaml, each with a life of its own; the file is followed. */
import { AppError } from '../../preload/contract/errors.ts';
import type { McpServerInfo } from '../../preload/contract/mcp.ts';
import type { ToolRegistry } from '../../tools/registry.ts';
import type { ConfigStore, Storage } from '../ports.ts';
import type { Extension } from '../plugins/extension.ts';
import { createTrustStore } from '../plugins/trust-store.ts';
import { readServer, type ReadServer } from './config.ts';
import { depthOf } from './depth.ts';
import { createGate } from './gate.ts';
import { createMalwareCheck } from './malware.ts';
import { toolsetName } from './names.ts';
import { SeenTools } from './seen.ts';
import { McpServer, type ServerParts } from './server.ts';
import { switchedTools } from './switches.ts';
import { outOfReach } from './tools.ts';

/** Who waits for the servers of a fresh start waits no longer than this. */
const READY_WAIT_MS = 10_000;
/** Talarias within each other, each an MCP server of the one around it, of which the last one starts servers. */
const DEEPEST = 2;
/** Servers that are being connected at the same time. */
const AT_ONCE = 12;

export interface McpParts extends Omit<ServerParts, 'name' | 'config' | 'seen' | 'gate' | 'checkProgram'> {
  readonly registry: ToolRegistry;
  readonly config: Pick<ConfigStore, 'get' | 'env' | 'onChange' | 'update'>;
  readonly values: Storage['values'];
}

/** What screens and the command line do with servers. Each throws `not-found` for a name that is not in config.yaml. */
export interface McpDesk {
  list(): Promise<McpServerInfo[]>;
  /** Rejects with `mcp/sign-in-failed`, or `request/not-possible` for a server without a sign-in. */
  signIn(server: string): Promise<void>;
  signOut(server: string): Promise<void>;
  restart(server: string): Promise<void>;
  setTool(server: string, tool: string, enabled: boolean): Promise<void>;
}

export interface Mcp extends Extension {
  /** Resolves when every server is connected or has failed once, or after 10 s. */
  ready(): Promise<void>;
  /** Whether the server behind this tool says that its tools may run side by side. */
  allowsParallel(tool: string): boolean;
  readonly desk: McpDesk;
}

interface Known { readonly signature: string; readonly filter: string; readonly read: ReadServer; readonly server: McpServer | undefined }

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null && !Array.isArray(value);

export function createMcp(parts: McpParts): Mcp {
  const { registry, clock, config, log } = parts;
  const known = new Map<string, Known>();
  const gate = createGate(AT_ONCE);
  const checkProgram = createMalwareCheck({ clock, log, endpoint: parts.place.environment['OSV_ENDPOINT'] });
  let closed = false;

  // A Talaria that is an MCP server of itself would start itself without end.
  const depth = depthOf(parts.place.environment);
  if (depth >= DEEPEST) log.warn('this Talaria was started as an MCP server of another one, which was started as one itself: it starts no MCP servers of its own', { depth });

  function configured(): Map<string, ReadServer> {
    if (depth >= DEEPEST) return new Map();
    const servers = config.get('mcp_servers') ?? {};
    const from = { env: (variable: string) => config.env(variable), workspaceFolder: parts.place.cwd };
    const read = new Map(isObject(servers) ? Object.entries(servers).map(([name, raw]) => [name, readServer(name, raw, from)]) : []);
    // A section that says nothing to us is shown in the place of the servers that it was to bring.
    if (!isObject(servers)) read.set('mcp_servers', { kind: 'wrong', message: 'mcp_servers in config.yaml has to be names with settings, such as `mcp_servers: {files: {command: npx, args: […]}}`.' });
    if (config.get('mcpServers') !== undefined) read.set('mcpServers', { kind: 'wrong', message: 'mcpServers in config.yaml is called mcp_servers here: rename it.' });
    return read;
  }

  function start(name: string, read: Extract<ReadServer, { kind: 'ok' }>): McpServer {
    const store = (kind: string) => createTrustStore(parts.values, log, `${kind}:${name}`);
    const server = new McpServer({ ...parts, name, config: read.config, seen: new SeenTools(store('mcp'), store('mcp-text')), gate, checkProgram });
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

  /** Makes what runs what config.yaml says; what did not change is left alone, and other switches of tools cost no connection. */
  function follow(): void {
    if (closed) return;
    const wanted = configured();
    for (const name of known.keys()) if (!wanted.has(name)) void removed(name);
    for (const [name, read] of wanted) followOne(name, read);
  }

  function followOne(name: string, read: ReadServer): void {
    const signature = JSON.stringify(read.kind === 'ok' ? { ...read.config, tools: undefined } : read);
    const filter = JSON.stringify(read.kind === 'ok' ? read.config.tools : undefined);
    const before = known.get(name);
    if (before?.signature === signature) {
      if (before.filter === filter || read.kind !== 'ok') return;
      before.server?.filter(read.config.tools);
      known.set(name, { ...before, filter, read });
      return;
    }
    if (before !== undefined) void removed(name);
    if (read.kind !== 'ok') showProblem(name, read);
    known.set(name, { signature, filter, read, server: read.kind === 'ok' && read.config.enabled ? start(name, read) : undefined });
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

  function existing(name: string): McpServer {
    const found = known.get(name);
    if (found === undefined) throw new AppError('not-found', `There is no MCP server '${name}'.`, { hint: 'See mcp_servers in config.yaml, or `talaria mcp`.' });
    if (found.server === undefined) throw new AppError('request/not-possible', `MCP server '${name}' does not run.`, { hint: `Mend mcp_servers.${name} in config.yaml, or set its enabled to true.` });
    return found.server;
  }

  const noSignIn = (name: string): AppError => new AppError('request/not-possible', `MCP server '${name}' has no sign-in of this kind.`, { hint: 'Only remote servers without an Authorization header of their own are signed in to.' });

  const desk: McpDesk = {
    list: () => Promise.all([...known].map(async ([name, { read, server }]) => await server?.info() ?? stillInfo(name, read))),
    async signIn(name) {
      if (!await existing(name).signIn()) throw noSignIn(name);
      parts.onChange();
    },
    async signOut(name) {
      if (!await existing(name).signOut()) throw noSignIn(name);
      parts.onChange();
    },
    async restart(name) {
      await existing(name).restart();
      parts.onChange();
    },
    async setTool(name, tool, enabled) {
      const all = existing(name).toolNames;
      if (!all.includes(tool)) throw new AppError('not-found', `MCP server '${name}' has no tool '${tool}'.`, { hint: 'See `talaria mcp` for its tools.' });
      if (name.includes('.')) throw new AppError('request/not-possible', `The tools of '${name}' cannot be switched from here, because of the dot in its name.`, { hint: `List the tool under mcp_servers."${name}".tools.exclude in config.yaml.` });
      await config.update(`mcp_servers.${name}.tools`, (tools) => switchedTools(tools, all, tool, enabled));
      follow();
    },
  };

  return {
    desk,
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

/** Of one that does not run: switched off, or wrong in config.yaml. */
function stillInfo(name: string, read: ReadServer): McpServerInfo {
  const config = read.kind === 'ok' ? read.config : undefined;
  return {
    name, state: config === undefined ? 'wrong' : 'off', kind: config === undefined ? 'unknown' : config.kind === 'stdio' ? 'stdio' : 'http',
    where: config === undefined ? '' : config.kind === 'stdio' ? [config.command, ...config.args].join(' ') : config.url,
    why: read.kind === 'ok' ? null : read.message, variables: [], stderr: '', pid: null, signedIn: false, signInPage: null, unasked: null, problems: [], tools: [],
  };
}
