/** The life of one configured MCP server: connected in the background, followed, reconnected, and honest about why it cannot be used. */
import type { Client, RequestOptions, Tool } from '@modelcontextprotocol/client';
import type { ToolContext } from '../../tools/context.ts';
import type { CheckReason, ToolRegistration, ToolRegistry } from '../../tools/registry.ts';
import { toolError, toolResult } from '../../tools/result.ts';
import type { Clock, Log } from '../ports.ts';
import type { ServerConfig } from './config.ts';
import { connect, type Connection, type ConnectionPlace } from './connection.ts';
import { describeConnectFailure, failureOf } from './failures.ts';
import type { Gate } from './gate.ts';
import { isWanted, toolsetName } from './names.ts';
import { callResult, promptResult, readResult } from './results.ts';
import type { SeenTools } from './seen.ts';
import { CALL_WAIT_MS, FIRST_TRIES, LATER_TRIES, LONGEST_DELAY_MS, PARKED_MS, PING_LIMIT_MS, START_DELAY_MS } from './timing.ts';
import { outOfReach, registrationsOf, type ServerCalls } from './tools.ts';

/** Shown of a dead server's last words. */
const SHOWN_STDERR_CHARS = 500;

const isAborted = ({ signal }: ToolContext): boolean => signal.aborted;

export interface ServerParts {
  readonly name: string;
  readonly config: ServerConfig;
  readonly registry: ToolRegistry;
  readonly clock: Clock;
  readonly log: Log;
  readonly seen: SeenTools;
  readonly place: Omit<ConnectionPlace, 'signal'>;
  /** Folder for images and other binary parts of results. */
  readonly media: string;
  readonly redact: (text: string) => string;
  /** So many servers at most are being connected at once. */
  readonly gate: Gate;
  readonly onChange: () => void;
}

export class McpServer implements ServerCalls {
  readonly #parts: ServerParts;
  readonly #closing = new AbortController();
  readonly #settled = Promise.withResolvers<undefined>();
  #connection: Connection | undefined;
  /** Grows with every connection: what an older one still reports is not listened to. */
  #epoch = 0;
  #connecting: Promise<void> | undefined;
  #tools: readonly Tool[] = [];
  #registered: readonly ToolRegistration[] = [];
  #everConnected = false;
  #failures = 0;
  #why = '';
  #stderr = '';
  #cancelTimer: () => void = () => undefined;
  #waiters: (() => void)[] = [];

  constructor(parts: ServerParts) {
    this.#parts = parts;
  }

  /** Resolves when the first connection stands or has failed; `isSettled` says whether it has. */
  get settled(): Promise<unknown> {
    return this.#settled.promise;
  }

  get isSettled(): boolean {
    return this.#connection !== undefined || this.#everConnected || this.#failures > 0;
  }

  get allowsParallel(): boolean {
    return this.#parts.config.supports_parallel_tool_calls;
  }

  start(): void {
    this.#show({ step: 'check-failed', message: `MCP server '${this.#parts.name}' is being connected.`, fix: 'Wait a moment and check again.' });
    this.#tryIn(START_DELAY_MS);
  }

  /** True when the last try to connect has failed and the next one is still to come. */
  get hasFailed(): boolean {
    return this.#failures > 0 && this.#connecting === undefined;
  }

  /** Tries at once instead of at the next time. Nothing happens while it is connected. */
  retryNow(): void {
    if (this.#connection !== undefined || this.#connecting !== undefined || this.#closing.signal.aborted) return;
    this.#cancelTimer();
    this.#connecting = this.#parts.gate(() => this.#connect()).finally(() => { this.#connecting = undefined; });
  }

  /** The person accepts what the tools say of themselves now. */
  accept(): void {
    this.#parts.seen.accept(this.#tools);
    if (this.#connection !== undefined) this.#take(this.#tools, this.#connection.client);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#cancelTimer();
    this.#wakeWaiters();
    this.#settled.resolve(undefined);
    this.#epoch += 1;
    const connection = this.#connection;
    this.#connection = undefined;
    this.#parts.registry.replaceToolset(toolsetName(this.#parts.name), []);
    await Promise.all([connection?.close(), this.#connecting]);
  }

  // --- connection --------------------------------------------------------------------------------------------------

  #isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  async #connect(): Promise<void> {
    const { name, config, log, place } = this.#parts;
    if (this.#isClosed()) return;
    const epoch = this.#epoch += 1;
    const isCurrent = (): boolean => this.#epoch === epoch;
    let opened: Connection | undefined;
    let early: readonly Tool[] | undefined;
    try {
      opened = await connect(config, { ...place, signal: this.#closing.signal }, {
        onTools: (tools) => {
          if (!isCurrent()) return;
          if (this.#connection === undefined) early = tools;
          else this.#take(tools, this.#connection.client);
        },
        onListFailed: (error) => log.warn('an MCP server changed its tools and could not list them; the old ones stay', { server: name, error }),
        onClose: () => { if (isCurrent()) this.#lost(`MCP server '${name}' has ended`); },
        onStderr: (tail) => { this.#stderr = tail; },
      });
      const { client } = opened;
      const listed = client.getServerCapabilities()?.tools === undefined ? [] : (await client.listTools(undefined, { timeout: config.connect_timeout * 1_000, signal: this.#closing.signal })).tools;
      if (!isCurrent()) throw new Error('it ended right after it had started');
      this.#connection = opened;
      this.#everConnected = true;
      this.#failures = 0;
      this.#take(early ?? listed, client);
      log.info('an MCP server is connected', { server: name, tools: this.#registered.length });
      this.#settled.resolve(undefined);
      this.#wakeWaiters();
      this.#keepAlive(opened, epoch);
    } catch (error) {
      this.#epoch += 1;
      await opened?.close();
      if (!this.#isClosed()) this.#failed(describeConnectFailure(error, config.kind === 'stdio' ? config.command : undefined));
    }
  }

  #failed(why: string): void {
    this.#failures += 1;
    const tries = this.#everConnected ? LATER_TRIES : FIRST_TRIES;
    const delayMs = this.#failures >= tries ? PARKED_MS : Math.min(LONGEST_DELAY_MS, 1_000 * 2 ** (this.#failures - 1));
    this.#parts.log.warn('an MCP server cannot be connected', { server: this.#parts.name, why, nextTryInSeconds: delayMs / 1_000, stderr: this.#lastWords() });
    this.#showUnreachable(`MCP server '${this.#parts.name}' cannot be connected: ${why}`);
    this.#settled.resolve(undefined);
    this.#wakeWaiters();
    this.#tryIn(delayMs);
  }

  #lost(why: string): void {
    this.#connection = undefined;
    this.#epoch += 1;
    this.#parts.log.warn('the connection to an MCP server was lost', { server: this.#parts.name, why, stderr: this.#lastWords() });
    this.#showUnreachable(why);
    this.#tryIn(1_000);
  }

  /** For a connection that is not closed but of no use any more. */
  #drop(connection: Connection, why: string): void {
    if (this.#connection !== connection) return;
    this.#lost(why);
    void connection.close().catch((error: unknown) => this.#parts.log.debug('closing a lost MCP connection failed', { server: this.#parts.name, error }));
  }

  #tryIn(ms: number): void {
    this.#cancelTimer();
    this.#cancelTimer = this.#parts.clock.after(ms, () => this.retryNow());
  }

  #keepAlive(connection: Connection, epoch: number): void {
    this.#cancelTimer = this.#parts.clock.after(this.#parts.config.keepalive_interval * 1_000, () => {
      connection.client.ping({ timeout: PING_LIMIT_MS }).then(
        () => { if (this.#epoch === epoch) this.#keepAlive(connection, epoch); },
        (error: unknown) => this.#drop(connection, `MCP server '${this.#parts.name}' does not answer any more (${failureOf(error).message})`),
      );
    });
  }

  #lastWords(): string {
    return this.#parts.redact(this.#stderr.trim().slice(-SHOWN_STDERR_CHARS));
  }

  // --- what the registry shows -------------------------------------------------------------------------------------

  #take(tools: readonly Tool[], client: Client): void {
    const { name, config, seen, log } = this.#parts;
    this.#tools = tools;
    const held = seen.check(tools.filter((tool) => isWanted(tool.name, config.tools)));
    const { list, problems } = registrationsOf({ server: name, config, tools, held, capabilities: client.getServerCapabilities() ?? {} }, this);
    for (const problem of problems) log.warn(problem);
    this.#registered = list;
    this.#place(list);
  }

  #showUnreachable(why: string): void {
    this.#why = why;
    const words = this.#lastWords();
    this.#show({
      step: 'check-failed', message: `${why}.${words === '' ? '' : ` Its last words: ${words}`}`,
      fix: `It is tried again by itself. See mcp_servers.${this.#parts.name} in config.yaml, then check again.`,
    });
  }

  #show(reason: CheckReason): void {
    this.#place(outOfReach(this.#parts.name, this.#registered, reason));
  }

  #place(list: readonly ToolRegistration[]): void {
    const { name, registry, onChange } = this.#parts;
    if (this.#closing.signal.aborted) return;
    const toolset = toolsetName(name);
    if (registry.replaceToolset(toolset, list).length > 0) registry.registerToolsetAlias(name, toolset);
    onChange();
  }

  // --- calls -------------------------------------------------------------------------------------------------------

  callTool(name: string, args: Readonly<Record<string, unknown>>, context: ToolContext): Promise<string> {
    return this.#use(context, async (client, options) => callResult(await client.callTool({ name, arguments: args }, options), this.#parts.media));
  }

  listResources(context: ToolContext): Promise<string> {
    return this.#use(context, async (client, options) => toolResult({ resources: (await client.listResources(undefined, options)).resources }));
  }

  readResource(uri: string, context: ToolContext): Promise<string> {
    return this.#use(context, async (client, options) => readResult(await client.readResource({ uri }, options), this.#parts.media));
  }

  listPrompts(context: ToolContext): Promise<string> {
    return this.#use(context, async (client, options) => toolResult({ prompts: (await client.listPrompts(undefined, options)).prompts }));
  }

  getPrompt(name: string, args: Readonly<Record<string, string>>, context: ToolContext): Promise<string> {
    return this.#use(context, async (client, options) => promptResult(await client.getPrompt({ name, arguments: args }, options), this.#parts.media));
  }

  /** One request. A failure is this call's alone, unless it shows that the connection is of no use any more. */
  async #use(context: ToolContext, ask: (client: Client, options: RequestOptions) => Promise<string>): Promise<string> {
    const { name, config } = this.#parts;
    const options: RequestOptions = {
      signal: context.signal, timeout: config.timeout * 1_000,
      onprogress: ({ progress, total, message }) => context.emit({ kind: 'output', tail: `${String(progress)}${total === undefined ? '' : ` of ${String(total)}`}${message === undefined ? '' : `: ${message}`}` }),
    };
    for (let retried = false; ; retried = true) {
      const connection = this.#connection ?? await this.#comesBack(context.signal);
      if (isAborted(context)) return toolError('Cancelled: the user stopped the turn.');
      if (connection === undefined) return toolError(`${this.#why === '' ? `MCP server '${name}' is not connected` : this.#why}. It is being reconnected; try again later.`);
      try {
        return await ask(connection.client, options);
      } catch (error) {
        if (isAborted(context)) return toolError('Cancelled: the user stopped the turn.');
        const failure = failureOf(error);
        if (failure.kind === 'timeout') return toolError(`MCP server '${name}' did not answer within ${String(config.timeout)} s. Only this call was given up; the server stays connected.`);
        if (failure.kind === 'call') return toolError(failure.message);
        this.#drop(connection, `MCP server '${name}' was lost during a call (${failure.message})`);
        if (failure.kind === 'expired' && !retried) {
          this.retryNow();
          continue;
        }
        const words = this.#lastWords();
        return toolError(`MCP server '${name}' ended while this call ran. Whether it was carried out is unknown.${words === '' ? '' : ` Its last words: ${words}`} It is being reconnected.`);
      }
    }
  }

  async #comesBack(signal: AbortSignal): Promise<Connection | undefined> {
    this.retryNow();
    const woken = Promise.withResolvers<undefined>();
    const wake = (): void => woken.resolve(undefined);
    this.#waiters.push(wake);
    const cancel = this.#parts.clock.after(CALL_WAIT_MS, wake);
    signal.addEventListener('abort', wake, { once: true });
    await woken.promise;
    cancel();
    signal.removeEventListener('abort', wake);
    return this.#connection;
  }

  #wakeWaiters(): void {
    for (const wake of this.#waiters.splice(0)) wake();
  }
}
