/** The line to one server: connected in the background, kept alive, reconnected, and honest about why it is down. */
import type { Clock, Log } from '../ports.ts';
import type { ServerConfig } from './config.ts';
import { connect, type Connection, type ConnectionEvents, type ConnectionPlace } from './connection.ts';
import { describeConnectFailure, failureOf, needsSignIn } from './failures.ts';
import type { Gate } from './gate.ts';
import type { Tokens } from './oauth/tokens.ts';
import { listTools, type Listing } from './listing.ts';
import { CALL_WAIT_MS, FIRST_TRIES, LATER_TRIES, LONGEST_DELAY_MS, PARKED_MS, PING_LIMIT_MS, START_DELAY_MS } from './timing.ts';

export type LinkState = 'connecting' | 'connected' | 'idle' | 'failed' | 'parked' | 'needs-sign-in';

export interface LinkParts {
  readonly name: string;
  readonly config: ServerConfig;
  readonly clock: Clock;
  readonly log: Log;
  readonly place: ConnectionPlace;
  /** So many servers at most are being connected at once. */
  readonly gate: Gate;
  readonly auth: Tokens | undefined;
  /** Rejects when the program must not be started. */
  readonly beforeStart: () => Promise<void>;
  readonly asked: Pick<ConnectionEvents, 'onElicit' | 'onElicitationDone' | 'onSample'>;
  /** A call is on its way. */
  readonly isBusy: () => boolean;
  /** It is up with these tools, or has others now. */
  readonly onTools: (listing: Listing, connection: Connection) => void;
  /** It is down: why, for people. */
  readonly onDown: (why: string, state: LinkState) => void;
  /** It is put down for now, its tools stay. */
  readonly onIdle: () => void;
  readonly lastWords: () => string;
  readonly onStderr: (tail: string) => void;
}

export class Link {
  readonly #parts: LinkParts;
  readonly #closing = new AbortController();
  readonly #settled = Promise.withResolvers<undefined>();
  #connection: Connection | undefined;
  /** Grows with every connection: what an older one still reports is not listened to. */
  #epoch = 0;
  #connecting: Promise<void> | undefined;
  #everConnected = false;
  #failures = 0;
  #state: LinkState = 'connecting';
  #why = '';
  #cancelTimer: () => void = () => undefined;
  #cancelIdle: () => void = () => undefined;
  #cancelRenewal: () => void = () => undefined;
  #waiters: (() => void)[] = [];

  constructor(parts: LinkParts) {
    this.#parts = parts;
  }

  get state(): LinkState {
    return this.#connection === undefined ? this.#state : 'connected';
  }

  get why(): string {
    return this.#why;
  }

  get pid(): number | null {
    return this.#connection?.pid ?? null;
  }

  get current(): Connection | undefined {
    return this.#connection;
  }

  /** Resolves when the first connection stands or has failed; `isSettled` says whether it has. */
  get settled(): Promise<unknown> {
    return this.#settled.promise;
  }

  get isSettled(): boolean {
    return this.#connection !== undefined || this.#everConnected || this.#failures > 0;
  }

  /** True when the last try to connect has failed and the next one is still to come. */
  get hasFailed(): boolean {
    return this.#failures > 0 && this.#connecting === undefined;
  }

  start(): void {
    this.#tryIn(START_DELAY_MS);
  }

  /** Tries at once instead of at the next time. Nothing happens while it is connected. */
  retryNow(): void {
    if (this.#connection !== undefined || this.#connecting !== undefined || this.#closing.signal.aborted) return;
    this.#cancelTimer();
    this.#state = 'connecting';
    this.#connecting = this.#parts.gate(() => this.#connect()).finally(() => { this.#connecting = undefined; });
  }

  /** The connection for one call: waits 15 s for a line that is down. Undefined = it did not come. */
  async take(signal: AbortSignal): Promise<Connection | undefined> {
    const connection = this.#connection ?? await this.#comesBack(signal);
    this.#watchIdle();
    return connection;
  }

  async #comesBack(signal: AbortSignal): Promise<Connection | undefined> {
    if (signal.aborted) return undefined;
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

  /** For a connection that is not closed but of no use any more. */
  drop(connection: Connection, why: string, state: 'failed' | 'needs-sign-in' = 'failed'): void {
    if (this.#connection !== connection) return;
    this.#lost(why, state);
    this.#discard(connection);
  }

  /** Ends what is there and connects anew. Resolves when that has worked or failed. */
  async restart(): Promise<void> {
    await this.#connecting;
    const connection = this.#connection;
    this.#connection = undefined;
    this.#epoch += 1;
    this.#failures = 0;
    this.#stopTimers();
    await connection?.close();
    this.retryNow();
    await this.#connecting;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#stopTimers();
    this.#wakeWaiters();
    this.#settled.resolve(undefined);
    this.#epoch += 1;
    const connection = this.#connection;
    this.#connection = undefined;
    await Promise.all([connection?.close(), this.#connecting]);
  }

  async #connect(): Promise<void> {
    const { name, config, log, place, auth, asked, onTools, onStderr } = this.#parts;
    const { signal } = this.#closing;
    if (signal.aborted) return;
    const epoch = this.#epoch += 1;
    const isCurrent = (): boolean => this.#epoch === epoch;
    let opened: Connection | undefined;
    let early: Listing | undefined;
    try {
      await this.#parts.beforeStart();
      opened = await connect(config, { place, signal, auth }, {
        ...asked, onStderr,
        onTools: (listing) => {
          if (!isCurrent()) return;
          if (this.#connection === undefined) early = listing;
          else onTools(listing, this.#connection);
        },
        onListFailed: (error) => log.warn('an MCP server changed its tools and could not list them; the old ones stay', { server: name, error }),
        onClose: () => { if (isCurrent()) this.#lost(`MCP server '${name}' has ended`, 'failed'); },
      });
      const { client } = opened;
      const listed = client.getServerCapabilities()?.tools === undefined ? { tools: [], problems: [] } : await listTools(client, { timeout: config.connect_timeout * 1_000, signal });
      if (!isCurrent()) throw new Error('it ended right after it had started');
      this.#up(opened, epoch, early ?? listed);
    } catch (error) {
      this.#epoch += 1;
      // Its tools could not be taken in: it is of no use, and must not look as if it were.
      if (this.#connection === opened) this.#connection = undefined;
      await opened?.close();
      if (!this.#closing.signal.aborted) this.#failed(error);
    }
  }

  #up(connection: Connection, epoch: number, listing: Listing): void {
    this.#connection = connection;
    this.#everConnected = true;
    this.#failures = 0;
    this.#why = '';
    this.#parts.onTools(listing, connection);
    this.#parts.log.info('an MCP server is connected', { server: this.#parts.name, tools: listing.tools.length });
    this.#settled.resolve(undefined);
    this.#wakeWaiters();
    this.#keepAlive(connection, epoch);
    this.#watchIdle();
    const { max_lifetime_seconds: lifetime } = this.#parts.config;
    if (lifetime !== undefined) this.#renewIn(lifetime * 1_000, connection);
  }

  #failed(error: unknown): void {
    const { name, config, log, auth, lastWords } = this.#parts;
    this.#failures += 1;
    const tries = this.#everConnected ? LATER_TRIES : FIRST_TRIES;
    const signIn = auth !== undefined && needsSignIn(error);
    const parked = signIn || this.#failures >= tries;
    const delayMs = parked ? PARKED_MS : Math.min(LONGEST_DELAY_MS, 1_000 * 2 ** (this.#failures - 1));
    const why = signIn ? 'it asks for a sign-in' : describeConnectFailure(error, config.kind === 'stdio' ? config.command : undefined);
    log.warn('an MCP server cannot be connected', { server: name, why, nextTryInSeconds: delayMs / 1_000, stderr: lastWords() });
    this.#down(signIn ? `MCP server '${name}' needs a sign-in` : `MCP server '${name}' cannot be connected: ${why}`, signIn ? 'needs-sign-in' : parked ? 'parked' : 'failed');
    this.#settled.resolve(undefined);
    this.#wakeWaiters();
    this.#tryIn(delayMs);
  }

  #lost(why: string, state: 'failed' | 'needs-sign-in'): void {
    this.#connection = undefined;
    this.#epoch += 1;
    this.#stopTimers();
    this.#parts.log.warn('the connection to an MCP server was lost', { server: this.#parts.name, why, stderr: this.#parts.lastWords() });
    this.#down(why, state);
    this.#tryIn(state === 'needs-sign-in' ? PARKED_MS : 1_000);
  }

  #down(why: string, state: LinkState): void {
    this.#why = why;
    this.#state = state;
    this.#parts.onDown(why, state);
  }

  #discard(connection: Connection): void {
    void connection.close().catch((error: unknown) => this.#parts.log.debug('closing a lost MCP connection failed', { server: this.#parts.name, error }));
  }

  // --- timers ------------------------------------------------------------------------------------------------------

  #tryIn(ms: number): void {
    this.#cancelTimer();
    this.#cancelTimer = this.#parts.clock.after(ms, () => this.retryNow());
  }

  #stopTimers(): void {
    this.#cancelTimer();
    this.#cancelIdle();
    this.#cancelRenewal();
  }

  #keepAlive(connection: Connection, epoch: number): void {
    this.#cancelTimer = this.#parts.clock.after(this.#parts.config.keepalive_interval * 1_000, () => {
      connection.client.ping({ timeout: PING_LIMIT_MS }).then(
        () => { if (this.#epoch === epoch) this.#keepAlive(connection, epoch); },
        (error: unknown) => this.drop(connection, `MCP server '${this.#parts.name}' does not answer any more (${failureOf(error).message})`),
      );
    });
  }

  /** Its tools stay offered: the next call opens it again. */
  #watchIdle(): void {
    this.#cancelIdle();
    const { config: { idle_timeout_seconds: idle }, isBusy } = this.#parts;
    if (idle === undefined) return;
    this.#cancelIdle = this.#parts.clock.after(idle * 1_000, () => {
      if (isBusy()) return this.#watchIdle();
      this.#putDown();
    });
  }

  #putDown(): void {
    const connection = this.#connection;
    if (connection === undefined) return;
    this.#connection = undefined;
    this.#epoch += 1;
    this.#stopTimers();
    this.#state = 'idle';
    this.#discard(connection);
    this.#parts.onIdle();
  }

  #renewIn(ms: number, connection: Connection): void {
    this.#cancelRenewal = this.#parts.clock.after(ms, () => {
      if (this.#connection !== connection) return;
      if (this.#parts.isBusy()) return this.#renewIn(1_000, connection);
      this.#putDown();
      this.retryNow();
    });
  }

  #wakeWaiters(): void {
    for (const wake of this.#waiters.splice(0)) wake();
  }
}
