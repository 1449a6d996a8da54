/** Connections to the server: made when needed, each for several channels, made anew after a loss. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import ssh2, { type AnyAuthMethod, type ClientChannel, type ConnectConfig, type SFTPWrapper } from 'ssh2';
import { EnvironmentError } from '../base.ts';
import { fingerprint, hostName, parseHostKey, type KnownHosts } from './known-hosts.ts';
import type { SshSettings } from './settings.ts';

/** hermes-runtime 6.4. */
const CONNECT_MS = 15_000;
const KEEPALIVE_MS = 15_000;
const KEEPALIVE_MISSES = 3;
/** OpenSSH allows 10 sessions on a connection (MaxSessions); some stay free for ending what runs in the others. */
const CHANNELS_PER_CONNECTION = 8;
const DEFAULT_KEYS = ['id_ed25519', 'id_ecdsa', 'id_rsa'] as const;
/** A key of type ssh-rsa is shown under these names of algorithms. */
const RSA_ALGORITHMS = ['rsa-sha2-512', 'rsa-sha2-256'] as const;

export interface ConnectionOptions {
  readonly settings: SshSettings;
  readonly knownHosts: KnownHosts;
  /** The user's home on this machine: `~` in the path of the key, and the usual keys. */
  readonly userHome: string;
  /** Socket of the agent (`SSH_AUTH_SOCK`). */
  readonly agent?: string | undefined;
}

export interface Connection {
  readonly client: ssh2.Client;
  channels: number;
  limit: number;
  /** In words, once it is gone. */
  lost: string | undefined;
  readonly onLost: Set<(why: string) => void>;
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

/** Methods to log in with, in order: the key that was named, or agent and usual keys. Throws when a named key cannot be used. */
async function authentication({ settings, userHome, agent }: ConnectionOptions): Promise<AnyAuthMethod[]> {
  const username = settings.user;
  const methods: AnyAuthMethod[] = [];
  const named = settings.key?.replace(/^~(?=$|\/)/, userHome);
  const files = named === undefined ? DEFAULT_KEYS.map((name) => join(userHome, '.ssh', name)) : [named];
  if (agent !== undefined && agent !== '') methods.push({ type: 'agent', username, agent });
  for (const file of files) {
    let text: Buffer;
    try {
      text = await readFile(file);
    } catch (cause) {
      if (named === undefined && isMissing(cause)) continue;
      throw new EnvironmentError('denied', `the private key ${file} cannot be read`, { cause, hint: 'Correct TERMINAL_SSH_KEY (terminal.ssh_key), or take it away to use the agent.' });
    }
    const parsed = ssh2.utils.parseKey(text);
    if (!(parsed instanceof Error)) methods.push({ type: 'publickey', username, key: text });
    else if (named !== undefined && methods.length === 0) {
      throw new EnvironmentError('denied', `the private key ${file} cannot be used: ${parsed.message}`, { hint: 'A key with a passphrase has to be loaded into the agent: ssh-add PATH.' });
    }
  }
  if (methods.length === 0) {
    throw new EnvironmentError('denied', 'there is no key to log in with', { hint: 'Set TERMINAL_SSH_KEY (terminal.ssh_key) to a private key, or start an ssh-agent and add one.' });
  }
  return methods;
}

function connectError(error: Error & { level?: string; code?: string }, { host, port, user }: SshSettings): EnvironmentError {
  const where = `${user}@${hostName(host, port)}`;
  if (error.level === 'client-authentication') {
    return new EnvironmentError('denied', `${where} refused the login`, { cause: error, hint: 'Check the user name and that the public key stands in ~/.ssh/authorized_keys there.' });
  }
  const reason = error.level === 'client-timeout' ? `no answer within ${CONNECT_MS / 1_000} s` : error.message;
  return new EnvironmentError('unreachable', `no connection to ${where}: ${reason}`, { cause: error, hint: 'Check TERMINAL_SSH_HOST and TERMINAL_SSH_PORT, and that the server runs.' });
}

export class Connections {
  readonly #options: ConnectionOptions;
  #open: Connection[] = [];
  #connecting: Promise<Connection> | undefined;
  #closed = false;

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  /** Runs a command line in the user's shell there. Throws `EnvironmentError`. */
  async exec(commandLine: string, options: ssh2.ExecOptions): Promise<{ readonly stream: ClientChannel; readonly connection: Connection }> {
    for (let attempt = 0; ; attempt++) {
      const connection = await this.#free();
      connection.channels++;
      try {
        const stream = await new Promise<ClientChannel>((resolve, reject) => {
          connection.client.exec(commandLine, options, (error, channel) => { if (error === undefined) resolve(channel); else reject(error); });
          connection.onLost.add((why) => reject(new Error(why)));
        });
        stream.once('close', () => { connection.channels--; });
        return { stream, connection };
      } catch (cause) {
        connection.channels--;
        // The server allows fewer sessions than usual, or the connection broke just now: another one is opened.
        connection.limit = Math.max(1, connection.channels);
        if (attempt >= 2) throw new EnvironmentError('unreachable', `the server opened no channel: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
      }
    }
  }

  async sftp(): Promise<{ readonly sftp: SFTPWrapper; readonly connection: Connection }> {
    const connection = await this.#free();
    connection.channels++;
    const sftp = await new Promise<SFTPWrapper>((resolve, reject) => {
      connection.client.sftp((error, opened) => { if (error === undefined) resolve(opened); else reject(error); });
      connection.onLost.add((why) => reject(new Error(why)));
    }).catch((error: unknown) => {
      connection.channels--;
      throw error;
    });
    sftp.once('close', () => { connection.channels--; });
    return { sftp, connection };
  }

  async #free(): Promise<Connection> {
    if (this.#closed) throw new EnvironmentError('closed', 'this connection was closed');
    const free = this.#open.find((connection) => connection.channels < connection.limit);
    if (free !== undefined) return free;
    this.#connecting ??= this.#connect().finally(() => { this.#connecting = undefined; });
    return this.#connecting;
  }

  async #connect(): Promise<Connection> {
    const { settings, knownHosts } = this.#options;
    const name = hostName(settings.host, settings.port);
    const methods = await authentication(this.#options);
    const known = (await knownHosts.types(name)).flatMap((type) => (type === 'ssh-rsa' ? [...RSA_ALGORITHMS] : [type]));
    const client = new ssh2.Client();
    let refused: EnvironmentError | undefined;
    const verify = async (bytes: Buffer): Promise<boolean> => {
      const key = parseHostKey(bytes);
      const verdict = await knownHosts.check(name, key);
      if (verdict.kind === 'new') await knownHosts.remember(name, key);
      if (verdict.kind === 'new' || verdict.kind === 'known') return true;
      const what = verdict.kind === 'revoked' ? 'THE KEY OF THE SERVER WAS REVOKED' : 'THE KEY OF THE SERVER HAS CHANGED';
      refused = new EnvironmentError('denied', `${what}: ${name} shows ${key.type} ${fingerprint(bytes)}, which is not the key in ${verdict.file}, line ${verdict.line}. Somebody may be listening in; nothing was sent.`, {
        hint: `Ask whoever runs the server. If the new key is right, remove line ${verdict.line} of ${verdict.file}.`,
      });
      return false;
    };
    const config: ConnectConfig = {
      host: settings.host, port: settings.port, username: settings.user, readyTimeout: CONNECT_MS, keepaliveInterval: KEEPALIVE_MS, keepaliveCountMax: KEEPALIVE_MISSES,
      authHandler: methods, ...(known.length === 0 ? {} : { algorithms: { serverHostKey: { prepend: known, append: [], remove: [] } } }) as Pick<ConnectConfig, 'algorithms'>,
      hostVerifier: (bytes: Buffer, answer: (valid: boolean) => void) => {
        verify(bytes).then(answer, (cause: unknown) => {
          refused = new EnvironmentError('failed', `the known keys of servers cannot be read or written: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
          answer(false);
        });
      },
    };
    const connection: Connection = { client, channels: 0, limit: CHANNELS_PER_CONNECTION, lost: undefined, onLost: new Set() };
    let problem: Error | undefined;
    const lose = () => {
      if (connection.lost !== undefined) return;
      connection.lost = `the connection to ${name} was lost${problem === undefined ? '' : ` (${problem.message})`}`;
      this.#open = this.#open.filter((one) => one !== connection);
      for (const listener of connection.onLost) listener(connection.lost);
    };
    await new Promise<void>((resolve, reject) => {
      client.once('ready', () => resolve());
      client.on('error', (error) => { problem = error; reject(refused ?? connectError(error, settings)); });
      client.once('close', () => { lose(); reject(refused ?? connectError(new Error(problem?.message ?? 'the server closed the connection'), settings)); });
      client.connect(config);
    }).catch((error: unknown) => {
      client.destroy();
      throw error;
    });
    client.setNoDelay(true);
    this.#open.push(connection);
    return connection;
  }

  async close(): Promise<void> {
    this.#closed = true;
    const open = this.#open;
    this.#open = [];
    await Promise.all(open.map(({ client }) => new Promise<void>((resolve) => {
      client.once('close', () => resolve());
      client.end();
      setTimeout(() => client.destroy(), 1_000).unref();
    })));
  }
}
