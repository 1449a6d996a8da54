/** One login: connects to one machine, checks who it is, and shows who we are. */
import { existsSync } from 'node:fs';
import type { Duplex } from 'node:stream';
import ssh2, { type ConnectConfig } from 'ssh2';
import { EnvironmentError, type AskCredential } from '../base.ts';
import { askPerson, PatientLimit } from './asking.ts';
import { loginMethods, placeOf } from './authentication.ts';
import type { Hop } from './hops.ts';
import { fingerprint, parseHostKey, type HostKey, type KnownHosts } from './known-hosts.ts';
import type { LoginMemory } from './memory.ts';

/** Time that network and server may take (hermes-runtime 6.4: 10 s to connect); nothing is to hang for longer than 10 s. */
const CONNECT_MS = 8_000;
/** A dead network is noticed within three of these: under 10 s. */
const ALIVE_MS = 2_500;
const ALIVE_MISSES = 2;
/** A key of type ssh-rsa is shown under these names of algorithms. */
const RSA_ALGORITHMS = ['rsa-sha2-512', 'rsa-sha2-256'] as const;

/** Ends the login; the types know only methods. */
const NO_MORE = false as unknown as ssh2.AuthenticationType;

export interface LoginOptions {
  readonly hop: Hop;
  readonly knownHosts: KnownHosts;
  readonly memory: LoginMemory;
  readonly ask: AskCredential;
  /** The way through a jump host; absent = straight. */
  readonly through?: Duplex;
}

/** A client that is ready, its `close` event not yet listened to. Throws `EnvironmentError`. */
export async function login({ hop, knownHosts, memory, ask, through }: LoginOptions): Promise<ssh2.Client> {
  const client = new ssh2.Client();
  let offered: readonly string[] | undefined;
  const result = Promise.withResolvers<undefined>();
  result.promise.catch(() => undefined); // it may fail before it is awaited below
  // The library does not look at a way that was closed before it was given to it.
  through?.once('close', () => result.reject(connectError(new Error('the way to the server was closed'), hop, offered)));
  const limit = new PatientLimit(CONNECT_MS, () => result.reject(connectError(new Error(`no answer within ${CONNECT_MS / 1_000} s`), hop, offered)));
  const patiently: AskCredential = (question) => limit.whileAsking(() => ask(question));
  const refuse = (error: unknown): void => {
    result.reject(error);
    client.destroy();
  };
  const methods = loginMethods({ hop, memory, ask: patiently, offered: () => offered, onRefused: refuse });
  const known = (await knownHosts.types(hop.known, hop.knownFiles)).flatMap((type) => (type === 'ssh-rsa' ? [...RSA_ALGORITHMS] : [type]));
  const config: ConnectConfig = {
    ...(through === undefined ? { host: hop.host, port: hop.port } : { sock: through }),
    username: hop.user, readyTimeout: 0, keepaliveInterval: hop.aliveSeconds === undefined ? ALIVE_MS : hop.aliveSeconds * 1_000, keepaliveCountMax: hop.aliveMisses ?? ALIVE_MISSES,
    ...(known.length === 0 ? {} : { algorithms: { serverHostKey: { prepend: known, append: [], remove: [] } } }) as Pick<ConnectConfig, 'algorithms'>, // the types want names of algorithms; these come from files
    authHandler: (left, _partial, next) => {
      // Before the first answer there is no list; the types do not say so.
      if (Array.isArray(left)) offered = left;
      methods.next().then(({ value, done }) => next(done === true ? NO_MORE : value), refuse);
    },
    hostVerifier: (bytes: Buffer, answer: (valid: boolean) => void) => {
      checkKey(parseHostKey(bytes), hop, knownHosts, patiently).then(() => answer(true), (error: unknown) => {
        result.reject(error);
        answer(false);
      });
    },
  };
  client.once('ready', () => result.resolve(undefined));
  client.on('error', (error: Error & { level?: string }) => {
    // An agent that is gone, or holds no fitting key, is passed over.
    if (error.level !== 'agent') result.reject(connectError(error, hop, offered));
  });
  client.once('close', () => result.reject(connectError(new Error('the server closed the connection'), hop, offered)));
  client.connect(config);
  try {
    await result.promise;
  } catch (error) {
    client.destroy();
    throw error;
  } finally {
    limit.end();
  }
  client.setNoDelay(true);
  return client;
}

/** Those that OpenSSH would show: named ones, and those that lie beside a key. */
function certificatesOf({ certificates, keys }: Hop): string[] {
  return [...new Set([...certificates, ...keys.map(({ file }) => `${file}-cert.pub`)])].filter((file) => certificates.includes(file) || existsSync(file));
}

function connectError(error: Error & { level?: string }, hop: Hop, offered: readonly string[] | undefined): EnvironmentError {
  const where = placeOf(hop);
  if (error.level === 'client-authentication') {
    const unused = certificatesOf(hop);
    if (unused.length > 0) {
      return new EnvironmentError('denied', `${where} refused the login, and the certificate ${unused.join(', ')} could not be shown: logins with certificates of users (CertificateFile of ~/.ssh/config, KEY-cert.pub) are not supported here`, {
        cause: error, hint: 'Have the plain public key of it put into ~/.ssh/authorized_keys there.',
      });
    }
    return new EnvironmentError('denied', `${where} refused the login${offered === undefined ? '' : ` (it takes: ${offered.join(', ')})`}`, {
      cause: error, hint: 'Check the user name, and that the public key stands in ~/.ssh/authorized_keys there. Set TERMINAL_SSH_KEY (terminal.ssh_key), or start an ssh-agent and add the key.',
    });
  }
  return new EnvironmentError('unreachable', `no connection to ${where}: ${error.message}`, { cause: error, hint: 'Check TERMINAL_SSH_HOST and TERMINAL_SSH_PORT, and that the server runs.' });
}

async function checkKey(key: HostKey, hop: Hop, knownHosts: KnownHosts, ask: AskCredential): Promise<void> {
  const name = hop.known;
  let verdict;
  try {
    verdict = await knownHosts.check(name, key, hop.knownFiles);
  } catch (cause) {
    throw new EnvironmentError('failed', `the known keys of servers cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
  const shown = `${key.type} ${fingerprint(key.bytes)}`;
  switch (verdict.kind) {
    case 'known': return;
    case 'changed': case 'revoked': {
      const what = verdict.kind === 'revoked' ? 'THE KEY OF THE SERVER WAS REVOKED' : 'THE KEY OF THE SERVER HAS CHANGED';
      throw new EnvironmentError('denied', `${what}: ${name} shows ${shown}, which is not the key in ${verdict.file}, line ${verdict.line}. Somebody may be listening in; nothing was sent.`, {
        hint: `Ask whoever runs the server. If the new key is right, remove line ${verdict.line} of ${verdict.file} (ssh-keygen -R '${name}' -f '${verdict.file}').`,
      });
    }
    case 'authority': {
      throw new EnvironmentError('denied', `the key of ${name} (${shown}) is not known: ${verdict.file}, line ${verdict.line}, trusts an authority for it (@cert-authority), and certificates of servers cannot be checked here. Nothing was sent.`, {
        hint: `Compare the fingerprint with what whoever runs the server gives (ssh ${name} on a terminal checks the certificate), then add the key itself: ssh-keyscan -p ${hop.port} ${hop.host} >> '${knownHosts.own}'`,
      });
    }
    case 'new': break;
  }
  if (hop.newKeys === 'refuse') {
    throw new EnvironmentError('denied', `the key of ${name} (${shown}) is not known, and StrictHostKeyChecking of ~/.ssh/config refuses new ones`, { hint: `Add it to ${knownHosts.own} after comparing it.` });
  }
  if (hop.newKeys === 'ask') {
    await askPerson(ask, {
      kind: 'confirm', purpose: 'ssh-host-key', host: placeOf(hop), title: `First connection to ${name}: is this its key?`, fingerprint: shown,
      detail: 'Compare the fingerprint with what whoever runs the server gives. Once agreed to, it is remembered, and any other key is refused.',
    }, `Connect once where a person can answer (in the app, or in talaria on a terminal), or add the key by hand after comparing ${shown}: ssh-keyscan -p ${hop.port} ${hop.host} >> '${knownHosts.own}'`);
  }
  try {
    await knownHosts.remember(name, key);
  } catch (cause) {
    throw new EnvironmentError('failed', `the key of ${name} cannot be written to ${knownHosts.own}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}
