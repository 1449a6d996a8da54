/** Connections to the server: made when needed, each for several channels, made anew after a loss. */
import type { Duplex } from 'node:stream';
import type ssh2 from 'ssh2';
import type { ClientChannel, ExecOptions, SFTPWrapper } from 'ssh2';
import { EnvironmentError, type AskCredential } from '../base.ts';
import { placeOf } from './authentication.ts';
import type { Hop } from './hops.ts';
import type { KnownHosts } from './known-hosts.ts';
import { login } from './login.ts';
import type { LoginMemory } from './memory.ts';
import { startProxyCommand, type ProxyCommand } from './proxy-command.ts';

/** OpenSSH allows 10 sessions on a connection (MaxSessions); some stay free for ending what runs in the others. */
const CHANNELS_PER_CONNECTION = 8;
/** A channel that the server neither opens nor refuses; dead networks are noticed a little sooner. */
const CHANNEL_MS = 8_000;
/** Whoever waited longer for a channel waited for a dead network, and is not to wait for a second one. */
const TRY_AGAIN_WITHIN_MS = 1_500;
const CLOSE_MS = 500;

export interface ConnectionOptions {
  /** Jump hosts first, the server last. Throws `EnvironmentError`. */
  readonly hops: () => Promise<readonly Hop[]>;
  readonly knownHosts: KnownHosts;
  readonly memory: LoginMemory;
  readonly ask: AskCredential;
  /** For a `ProxyCommand`. */
  readonly programEnvironment: Readonly<Record<string, string>>;
}

export interface Connection {
  readonly client: ssh2.Client;
  channels: number;
  limit: number;
  /** In words, once it is gone. */
  lost: string | undefined;
  readonly onLost: Set<(why: string) => void>;
}

interface Opened<Channel> { readonly channel: Channel; readonly connection: Connection }

type OpenChannel<Channel> = (client: ssh2.Client, done: (error: Error | undefined, channel: Channel) => void) => void;

export class Connections {
  readonly #options: ConnectionOptions;
  #open: Connection[] = [];
  #connecting: Promise<Connection> | undefined;
  #closed = false;

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  /** Runs a command line in the user's shell there. Throws `EnvironmentError`. */
  exec(commandLine: string, options: ExecOptions): Promise<Opened<ClientChannel>> {
    return this.#channel((client, done) => { client.exec(commandLine, options, done); });
  }

  /** A file channel. Throws `EnvironmentError`; `missing` when the server has no such subsystem. */
  async sftp(): Promise<Opened<SFTPWrapper>> {
    let refusal: Error | undefined;
    try {
      return await this.#channel((client, done) => {
        client.sftp((error, channel) => {
          // The channel itself was opened, so another connection would not help.
          if (error !== undefined && /subsystem|SFTP/i.test(error.message)) refusal = error;
          done(error, channel);
        });
      }, () => refusal === undefined);
    } catch (cause) {
      if (refusal === undefined) throw cause;
      throw new EnvironmentError('missing', `the server offers no files by SFTP: ${refusal.message}`, { cause });
    }
  }

  async #channel<Channel extends { once(event: 'close', listener: () => void): unknown }>(open: OpenChannel<Channel>, again: () => boolean = () => true): Promise<Opened<Channel>> {
    const began = performance.now();
    for (let attempt = 0; ; attempt++) {
      const connection = await this.#free();
      connection.channels++;
      try {
        const channel = await openOn(connection, open);
        channel.once('close', () => { connection.channels--; });
        return { channel, connection };
      } catch (cause) {
        connection.channels--;
        if (cause instanceof EnvironmentError || attempt >= 2 || performance.now() - began > TRY_AGAIN_WITHIN_MS || !again()) {
          throw cause instanceof EnvironmentError ? cause : noChannel(cause);
        }
        // The server allows fewer sessions than usual, or the connection broke just now: another one is opened.
        connection.limit = Math.max(1, connection.channels);
      }
    }
  }

  async #free(): Promise<Connection> {
    if (this.#closed) throw new EnvironmentError('closed', 'this connection was closed');
    const free = this.#open.find((connection) => connection.channels < connection.limit);
    if (free !== undefined) return free;
    this.#connecting ??= this.#connect().finally(() => { this.#connecting = undefined; });
    return this.#connecting;
  }

  async #connect(): Promise<Connection> {
    const { knownHosts, memory, ask } = this.#options;
    const hops = await this.#options.hops();
    const target = hops.at(-1);
    if (target === undefined) throw new Error('no host to connect to'); // `resolveHops` always ends with the server
    const clients: ssh2.Client[] = [];
    let proxy: ProxyCommand | undefined;
    try {
      for (const hop of hops) {
        const before = clients.at(-1);
        // A hop that has one is the first: what comes before it would be in its place.
        if (hop.proxyCommand !== undefined) proxy = startProxyCommand(hop.proxyCommand, this.#options.programEnvironment);
        const through = before === undefined ? proxy?.stream : await forward(before, hop);
        clients.push(await login({ hop, knownHosts, memory, ask, ...(through === undefined ? {} : { through }) }));
      }
    } catch (error) {
      for (const client of clients) client.destroy();
      throw await proxyError(error, proxy, clients.length === 0 ? hops[0] : undefined);
    }
    const client = clients.at(-1);
    if (client === undefined) throw new Error('no client was made'); // one per hop
    const connection = this.#follow(client, clients.slice(0, -1), target);
    clients[0]?.once('close', () => { proxy?.end(); });
    if (this.#closed) {
      client.destroy();
      throw new EnvironmentError('closed', 'this connection was closed');
    }
    this.#open.push(connection);
    return connection;
  }

  #follow(client: ssh2.Client, jumps: readonly ssh2.Client[], target: Hop): Connection {
    const connection: Connection = { client, channels: 0, limit: CHANNELS_PER_CONNECTION, lost: undefined, onLost: new Set() };
    let problem: Error | undefined;
    client.on('error', (error) => { problem = error; });
    const lose = (): void => {
      if (connection.lost !== undefined) return;
      connection.lost = `the connection to ${placeOf(target)} was lost${problem === undefined ? '' : ` (${problem.message})`}`;
      this.#open = this.#open.filter((one) => one !== connection);
      client.destroy();
      for (const jump of jumps.toReversed()) jump.end();
      for (const listener of connection.onLost) listener(connection.lost);
    };
    // What hangs on a jump host does not notice by itself that it is gone.
    for (const one of [client, ...jumps]) one.once('close', lose);
    return connection;
  }

  async close(): Promise<void> {
    this.#closed = true;
    const open = this.#open;
    this.#open = [];
    await Promise.all(open.map(({ client }) => new Promise<void>((resolve) => {
      const timer = setTimeout(() => {
        client.destroy();
        resolve();
      }, CLOSE_MS);
      client.once('close', () => {
        clearTimeout(timer);
        resolve();
      });
      client.end();
    })));
  }
}

/** Rejects when the server refuses, the connection is lost meanwhile, or neither happens for too long. */
/** ssh2 says the reason of a server that refused; without one, or with an empty one, there was nobody any more to refuse it. */
function noChannel(cause: unknown): EnvironmentError {
  const refused = typeof cause === 'object' && cause !== null && 'reason' in cause && cause.reason !== '';
  const message = cause instanceof Error ? cause.message : String(cause);
  return new EnvironmentError('unreachable', refused ? `the server opened no channel: ${message}` : `the connection was lost: ${message}`, { cause });
}

function openOn<Channel>(connection: Connection, open: OpenChannel<Channel>): Promise<Channel> {
  return new Promise((resolve, reject) => {
    const settle = (act: () => void): void => {
      clearTimeout(timer);
      connection.onLost.delete(onLost);
      act();
    };
    const onLost = (why: string): void => settle(() => reject(new Error(why)));
    const timer = setTimeout(() => settle(() => reject(new EnvironmentError('unreachable', `the server did not answer within ${CHANNEL_MS / 1_000} s`))), CHANNEL_MS);
    connection.onLost.add(onLost);
    open(connection.client, (error, channel) => settle(() => { if (error === undefined) resolve(channel); else reject(error); }));
  });
}

/** A program that could not make the connection knows better why. */
async function proxyError(error: unknown, proxy: ProxyCommand | undefined, hop: Hop | undefined): Promise<unknown> {
  if (proxy === undefined) return error;
  const why = hop === undefined || !(error instanceof EnvironmentError) || error.code !== 'unreachable' ? undefined : await proxy.failure();
  proxy.end();
  if (why === undefined || hop === undefined) return error;
  return new EnvironmentError('unreachable', `no connection to ${placeOf(hop)}: ${why}`, { cause: error, hint: `Check ProxyCommand in ~/.ssh/config; on a terminal: ssh -v ${hop.host}` });
}

function forward(client: ssh2.Client, { host, port }: Hop): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    client.forwardOut('127.0.0.1', 0, host, port, (error, channel) => {
      // Both halves have to end, or the server behind it counts as there for ever.
      if (error === undefined) resolve(channel.once('end', () => channel.end()));
      else reject(new EnvironmentError('unreachable', `the jump host does not reach ${host}:${port}: ${error.message}`, { cause: error, hint: 'Check the address behind it, and that it allows forwarding (AllowTcpForwarding).' }));
    });
  });
}
