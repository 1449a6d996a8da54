/** One configured MCP server: its line, its tools in the registry, its sign-in. */
import type { Tool } from '@modelcontextprotocol/client';
import type { McpServerInfo, McpToolInfo } from '../../preload/contract/mcp.ts';
import type { CheckReason, ToolRegistration, ToolRegistry } from '../../tools/registry.ts';
import type { Clock, FormAsker, Log, SecretStore } from '../ports.ts';
import { Asking } from './asking.ts';
import { Calls } from './calls.ts';
import type { ServerConfig, StdioServer } from './config.ts';
import type { Connection, ConnectionPlace } from './connection.ts';
import type { Gate } from './gate.ts';
import { Link, type LinkState } from './link.ts';
import type { Listing } from './listing.ts';
import { isWanted, toolsetName } from './names.ts';
import { SignInDesk } from './oauth/desk.ts';
import type { AskModel } from './sampling.ts';
import type { Difference, SeenTools } from './seen.ts';
import { suspiciousWords } from './suspicious.ts';
import { outOfReach, registrationsOf } from './tools.ts';

/** Shown of a dead server's last words beside the reason. */
const SHOWN_STDERR_CHARS = 500;

export interface ServerParts {
  readonly name: string;
  readonly config: ServerConfig;
  readonly registry: ToolRegistry;
  readonly clock: Clock;
  readonly log: Log;
  readonly seen: SeenTools;
  readonly place: ConnectionPlace;
  readonly secrets: SecretStore;
  readonly questions: FormAsker;
  readonly openPage: (page: string) => Promise<void>;
  readonly askModel: AskModel;
  readonly newState: () => string;
  /** Where a question stands that no call waits for; see `Asking`. */
  readonly chatFor: (last: string | undefined) => string | undefined;
  readonly newCallId: () => string;
  /** Rejects for a program that must not be started. */
  readonly checkProgram: (server: StdioServer) => Promise<void>;
  /** Folder for images and other binary parts of results. */
  readonly media: string;
  readonly redact: (text: string) => string;
  /** So many servers at most are being connected at once. */
  readonly gate: Gate;
  readonly onChange: () => void;
  /** Makes the definitions of tools that have just come, so that the next request does not have to. */
  readonly prepare: (toolset: string) => void;
}

export class McpServer {
  readonly #parts: ServerParts;
  readonly #link: Link;
  readonly #calls: Calls;
  readonly #asking: Asking;
  readonly #signIn: SignInDesk | undefined;
  #filter: ServerConfig['tools'];
  #listing: Listing = { tools: [], problems: [] };
  /** What of its list is not offered, and why. */
  #problems: readonly string[] = [];
  #held: ReadonlyMap<string, readonly Difference[]> = new Map();
  #registered: readonly ToolRegistration[] = [];
  #stderr = '';
  #isClosed = false;

  constructor(parts: ServerParts) {
    const { name, config, clock, log, place, gate } = parts;
    this.#parts = parts;
    this.#filter = config.tools;
    const asking = this.#asking = new Asking({ ...parts, server: name, onUnasked: parts.onChange });
    const ownLogin = config.kind === 'stdio' || Object.keys(config.headers).some((header) => header.toLowerCase() === 'authorization');
    this.#signIn = ownLogin ? undefined : new SignInDesk({ ...parts, config });
    this.#link = new Link({
      name, config, clock, log, place, gate, auth: this.#signIn?.tokens, isBusy: () => asking.isBusy, lastWords: () => this.#lastWords(),
      beforeStart: () => (config.kind === 'stdio' ? parts.checkProgram(config) : Promise.resolve()),
      asked: {
        onElicit: (params, signal) => asking.elicit(params, signal), onElicitationDone: (id) => asking.completed(id), onSample: (params, signal) => asking.sample(params, signal),
      },
      onStderr: (tail) => { this.#stderr = tail; },
      onTools: (listing, connection) => this.#take(listing, connection),
      onIdle: parts.onChange,
      onDown: (why, state) => this.#showUnreachable(why, state),
    });
    this.#calls = new Calls({ name, config, clock, link: this.#link, asking, media: parts.media, lastWords: () => this.#lastWords() });
  }

  get settled(): Promise<unknown> {
    return this.#link.settled;
  }

  get isSettled(): boolean {
    return this.#link.isSettled;
  }

  get hasFailed(): boolean {
    return this.#link.hasFailed;
  }

  get allowsParallel(): boolean {
    return this.#parts.config.supports_parallel_tool_calls;
  }

  /** Its own names, switched off ones included. */
  get toolNames(): string[] {
    return this.#listing.tools.map(({ name }) => name);
  }

  start(): void {
    this.#show({ step: 'check-failed', message: `MCP server '${this.#parts.name}' is being connected.`, fix: 'Wait a moment and check again.' });
    this.#link.start();
  }

  retryNow(): void {
    this.#link.retryNow();
  }

  async restart(): Promise<void> {
    this.#calls.forgetFailures();
    await this.#link.restart();
  }

  /** Opens the sign-in page; resolves when the server is connected with the new tokens or has failed. Rejects with `mcp/sign-in-failed`. */
  async signIn(): Promise<boolean> {
    if (this.#signIn === undefined) return false;
    // Its refusal says where the authorization server is and what it wants.
    if (!this.isSettled) {
      this.#link.retryNow();
      await this.#link.settled;
    }
    await this.#signIn.signIn();
    await this.restart();
    return true;
  }

  async signOut(): Promise<boolean> {
    if (this.#signIn === undefined) return false;
    await this.#signIn.signOut();
    await this.restart();
    return true;
  }

  /** Other tools are wanted; the connection stays. */
  filter(tools: ServerConfig['tools']): void {
    this.#filter = tools;
    const connection = this.#link.current;
    if (connection !== undefined) this.#take(this.#listing, connection);
  }

  /** The person accepts what the tools say of themselves now. */
  accept(): void {
    this.#parts.seen.accept(this.#listing.tools);
    const connection = this.#link.current;
    if (connection !== undefined) this.#take(this.#listing, connection);
  }

  async info(): Promise<McpServerInfo> {
    const { name, config, redact } = this.#parts;
    return {
      name, state: this.#link.state, kind: config.kind === 'stdio' ? 'stdio' : 'http', where: redact(config.kind === 'stdio' ? [config.command, ...config.args].join(' ') : config.url),
      why: this.#link.state === 'connected' || this.#link.why === '' ? null : this.#link.why, variables: config.kind === 'stdio' ? Object.keys(config.env).sort() : [],
      stderr: redact(this.#stderr), pid: this.#link.pid, signedIn: await this.#signIn?.isSignedIn() ?? false, signInPage: this.#signIn?.page ?? null, unasked: this.#asking.unasked, problems: [...this.#problems], tools: this.#listing.tools.map((tool) => this.#toolInfo(tool)),
    };
  }

  #toolInfo({ name, description = '' }: Tool): McpToolInfo {
    const difference = this.#held.get(name);
    const state = !isWanted(name, this.#filter) ? 'off' : difference === undefined ? 'offered' : 'held';
    return { name, description, state, difference: [...difference ?? []], suspicious: suspiciousWords(description) };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#signIn?.close();
    this.#parts.registry.replaceToolset(toolsetName(this.#parts.name), []);
    await this.#link.close();
  }

  #lastWords(): string {
    return this.#parts.redact(this.#stderr.trim().slice(-SHOWN_STDERR_CHARS));
  }

  // --- what the registry shows -------------------------------------------------------------------------------------

  #take(listing: Listing, { client }: Connection): void {
    const { name, seen, log } = this.#parts;
    const { tools } = listing;
    const known = new Set(this.#listing.tools.map((tool) => tool.name));
    this.#listing = listing;
    this.#held = seen.check(tools.filter((tool) => isWanted(tool.name, this.#filter)));
    for (const tool of tools.filter((each) => !known.has(each.name))) {
      const signs = suspiciousWords(tool.description ?? '');
      if (signs.length > 0) log.warn('the description of an MCP tool looks as if it were meant to steer the model', { server: name, tool: tool.name, signs });
    }
    const { list, problems } = registrationsOf({ server: name, filter: this.#filter, tools, held: this.#held, capabilities: client.getServerCapabilities() ?? {} }, this.#calls);
    this.#problems = [...listing.problems, ...problems];
    for (const problem of this.#problems) log.warn('a tool of an MCP server cannot be offered', { server: name, problem });
    this.#registered = list;
    this.#place(list);
  }

  #showUnreachable(why: string, state: LinkState): void {
    const { name } = this.#parts;
    if (state === 'needs-sign-in') {
      this.#show({ step: 'needs-sign-in', message: `${why}.`, fix: `Sign in here, or with \`talaria mcp login ${name}\`.` });
      return;
    }
    const words = this.#lastWords();
    this.#show({
      step: 'check-failed', message: `${why}.${words === '' ? '' : ` Its last words: ${words}`}`, fix: `It is tried again by itself. See mcp_servers.${name} in config.yaml, then check again.`,
    });
  }

  #show(reason: CheckReason): void {
    this.#place(outOfReach(this.#parts.name, this.#registered, reason));
  }

  #place(list: readonly ToolRegistration[]): void {
    const { name, registry, onChange, prepare } = this.#parts;
    if (this.#isClosed) return;
    const toolset = toolsetName(name);
    const placed = registry.replaceToolset(toolset, list);
    if (placed.length > 0) registry.registerToolsetAlias(name, toolset);
    prepare(toolset);
    onChange();
  }
}
