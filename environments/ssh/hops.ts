/** From settings and `~/.ssh/config` to the machines on the way: each jump host, then the server itself. */
import { join } from 'node:path';
import { EnvironmentError } from '../base.ts';
import { fillPath, readHostConfig, type ConfigSource, type HostConfig } from './config.ts';
import { hostName } from './known-hosts.ts';
import { fillProxyCommand } from './proxy-command.ts';
import type { SshSettings } from './settings.ts';

const DEFAULT_PORT = 22;
const DEFAULT_KEYS = ['id_ed25519', 'id_ecdsa', 'id_rsa'] as const;
/** A jump host may have jump hosts; a circle ends here. */
const MOST_HOPS = 8;

/** One machine to log in to. */
export interface Hop {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  /** Name under which its key is known: `host` or `[host]:port`, or the `HostKeyAlias`. */
  readonly known: string;
  readonly knownFiles: readonly string[];
  /** `ask` = a person decides about a key not seen before. */
  readonly newKeys: 'ask' | 'accept' | 'refuse';
  readonly agent: string | undefined;
  /** Named by the person: a file that cannot be used is an error. The usual ones are passed over when they are not there. */
  readonly keys: readonly { readonly file: string; readonly named: boolean }[];
  /** Certificates of the user (`CertificateFile`), which the library cannot show. */
  readonly certificates: readonly string[];
  /** Only the named keys, also out of the agent. */
  readonly onlyNamed: boolean;
  /** Command line whose input and output are the connection, ready for a shell; undefined = straight, or through the hop before. */
  readonly proxyCommand: string | undefined;
  /** Seconds between signs of life, and how many may stay unanswered; undefined = ours. */
  readonly aliveSeconds: number | undefined;
  readonly aliveMisses: number | undefined;
}

export interface HopSource extends ConfigSource {
  /** Socket of the agent (`SSH_AUTH_SOCK`). */
  readonly agent: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

interface Wanted {
  readonly host: string;
  readonly user?: string | undefined;
  readonly port?: number | undefined;
  readonly key?: string | undefined;
  readonly jump?: string | undefined;
  /** Key of the server behind it, tried after its own. */
  readonly alsoKey?: string | undefined;
}

/** In the order in which they are connected; the last is the server. Throws `EnvironmentError`. */
export async function resolveHops(settings: SshSettings, source: HopSource): Promise<readonly Hop[]> {
  const hops: Hop[] = [];
  await addHops(hops, settings, source, 0);
  return hops;
}

async function addHops(hops: Hop[], wanted: Wanted, source: HopSource, depth: number): Promise<void> {
  if (depth > MOST_HOPS) throw new EnvironmentError('failed', `${wanted.host}: more than ${MOST_HOPS} jump hosts, or they lead in a circle`, { hint: 'Look at ProxyJump in ~/.ssh/config.' });
  const config = await readHostConfig(wanted.host, source);
  const jumps = wanted.jump ?? first(config, 'proxyjump');
  refuseUnsupported(config, wanted.host);
  if (jumps !== undefined && jumps.toLowerCase() !== 'none') {
    for (const [index, text] of jumps.split(',').entries()) {
      const jump: Wanted = { ...parseDestination(text), alsoKey: wanted.key ?? wanted.alsoKey };
      // Only the first of a list is reached by its own jump hosts: the others are reached through it.
      await addHops(hops, index === 0 ? jump : { ...jump, jump: 'none' }, source, depth + 1);
    }
  }
  hops.push(toHop(wanted, config, source, jumps === undefined ? first(config, 'proxycommand') : undefined));
}

/** What would be unsafe or of no effect to leave out is refused, not passed over. */
function refuseUnsupported(config: HostConfig, host: string): void {
  if (first(config, 'proxyusefdpass')?.toLowerCase() === 'yes') {
    throw new EnvironmentError('failed', `${host}: ProxyUseFdpass of ~/.ssh/config is not supported`, { hint: 'Use a ProxyCommand that passes the bytes on itself, or ProxyJump.' });
  }
  if ((first(config, 'revokedhostkeys') ?? 'none').toLowerCase() !== 'none') {
    throw new EnvironmentError('failed', `${host}: RevokedHostKeys of ~/.ssh/config is not supported`, { hint: 'Put the revoked keys into ~/.ssh/known_hosts, each in a line that begins with @revoked.' });
  }
}

/** `[user@]host[:port]`, or the same as an `ssh://` address. */
export function parseDestination(text: string): { readonly host: string; readonly user?: string; readonly port?: number } {
  const match = /^(?:ssh:\/\/)?(?:([^@]+)@)?(?:\[([^\]]+)\]|([^:@]+))(?::(\d{1,5}))?\/?$/.exec(text.trim());
  const host = match?.[2] ?? match?.[3];
  if (host === undefined) throw new EnvironmentError('failed', `${JSON.stringify(text)} is no jump host`, { hint: 'Write user@host:port, several with commas between them.' });
  const [, user, , , port] = match ?? [];
  return { host, ...(user === undefined ? {} : { user }), ...(port === undefined ? {} : { port: Number(port) }) };
}

function first(config: HostConfig, keyword: string): string | undefined {
  return config.get(keyword)?.[0];
}

function toHop(wanted: Wanted, config: HostConfig, source: HopSource, command: string | undefined): Hop {
  const { userHome, sshFolder, env, localUser } = source;
  const user = wanted.user ?? first(config, 'user') ?? localUser;
  const host = (first(config, 'hostname') ?? wanted.host).replaceAll('%h', wanted.host).replaceAll('%%', '%');
  const port = wanted.port ?? portOf(first(config, 'port'), wanted.host);
  const tokens = { h: host, n: wanted.host, p: String(port), r: user, u: localUser, d: userHome };
  const path = (text: string) => fillPath(text, tokens, userHome, env);
  const own = wanted.key === undefined ? config.get('identityfile') ?? [] : [wanted.key];
  const named = [...own, ...(wanted.alsoKey === undefined ? [] : [wanted.alsoKey])].filter((file) => file.toLowerCase() !== 'none').map((file) => ({ file: path(file), named: true }));
  const strict = first(config, 'stricthostkeychecking')?.toLowerCase();
  const agent = first(config, 'identityagent');
  const alive = first(config, 'serveraliveinterval');
  const misses = first(config, 'serveralivecountmax');
  const files = config.get('userknownhostsfile') ?? [join(sshFolder, 'known_hosts'), join(sshFolder, 'known_hosts2')];
  return {
    host, port, user, proxyCommand: command === undefined || command.toLowerCase() === 'none' ? undefined : fillProxyCommand(command, { host, name: wanted.host, port, user }), known: first(config, 'hostkeyalias') ?? hostName(host, port), knownFiles: files.filter((file) => file !== 'none').map(path),
    newKeys: strict === 'yes' ? 'refuse' : strict === 'accept-new' || strict === 'no' || strict === 'off' ? 'accept' : 'ask',
    agent: agent === undefined || agent === 'SSH_AUTH_SOCK' ? source.agent : agent.toLowerCase() === 'none' ? undefined : path(agent),
    keys: named.length > 0 ? named : DEFAULT_KEYS.map((name) => ({ file: join(sshFolder, name), named: false })),
    certificates: (config.get('certificatefile') ?? []).filter((file) => file.toLowerCase() !== 'none').map(path),
    onlyNamed: first(config, 'identitiesonly')?.toLowerCase() === 'yes',
    aliveSeconds: alive === undefined ? undefined : Number(alive), aliveMisses: misses === undefined ? undefined : Number(misses),
  };
}

function portOf(text: string | undefined, host: string): number {
  if (text === undefined) return DEFAULT_PORT;
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new EnvironmentError('failed', `${host}: ${JSON.stringify(text)} is no port`, { hint: 'Correct Port in ~/.ssh/config.' });
  return port;
}
