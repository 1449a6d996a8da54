/** Keys of servers: the file Talaria keeps (what a person agreed to is stored), and the user's own, which are only read. */
import { createHmac, createHash } from 'node:crypto';
import { appendFile, mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { matchesPattern } from './patterns.ts';

export interface HostKey {
  /** Kind of key as the wire names it: `ssh-ed25519`, `ssh-rsa`, … */
  readonly type: string;
  readonly bytes: Buffer;
}

interface Known extends HostKey { readonly file: string; readonly line: number; readonly kind: 'host' | 'revoked' | 'authority' }

export type Verdict =
  | { readonly kind: 'known' }
  | { readonly kind: 'new' }
  | { readonly kind: 'changed' | 'revoked' | 'authority'; readonly file: string; readonly line: number };

/** `host` for port 22, else `[host]:port`, as OpenSSH writes it. */
export function hostName(host: string, port: number): string {
  return port === 22 ? host : `[${host}]:${port}`;
}

/** `SHA256:…`, as `ssh-keygen -l` shows it. */
export function fingerprint(bytes: Buffer): string {
  return `SHA256:${createHash('sha256').update(bytes).digest('base64').replace(/=+$/, '')}`;
}

/** The kind stands in front of every public key, as a string with its length. */
export function parseHostKey(bytes: Buffer): HostKey {
  const length = bytes.length >= 4 ? bytes.readUInt32BE(0) : 0;
  return { type: bytes.toString('latin1', 4, 4 + length), bytes };
}

function matches(pattern: string, name: string): boolean {
  const hashed = /^\|1\|([^|]+)\|([^|]+)$/.exec(pattern);
  if (hashed !== null) return createHmac('sha1', Buffer.from(hashed[1] ?? '', 'base64')).update(name).digest('base64') === hashed[2];
  return matchesPattern(pattern, name);
}

const KINDS = new Map([[undefined, 'host'], ['@revoked', 'revoked'], ['@cert-authority', 'authority']] as const);

/** Lines that speak of that host. A line that cannot be understood says nothing. */
export function parseKnownHosts(text: string, file: string, name: string): Known[] {
  return text.split('\n').flatMap((line, index) => {
    const fields = line.trim().split(/\s+/);
    const marker = fields[0]?.startsWith('@') === true ? fields.shift() : undefined;
    const kind = [...KINDS].find(([name]) => name === marker)?.[1];
    const [hosts, type, key] = fields;
    if (kind === undefined || hosts === undefined || type === undefined || key === undefined || hosts.startsWith('#')) return [];
    const patterns = hosts.split(',');
    if (patterns.some((pattern) => pattern.startsWith('!') && matches(pattern.slice(1), name)) || !patterns.some((pattern) => matches(pattern, name))) return [];
    return [{ type, bytes: Buffer.from(key, 'base64'), file, line: index + 1, kind }];
  });
}

async function readIfThere(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw error; // unreadable is not the same as empty: an unknown key must not pass for a new one
  }
}

export class KnownHosts {
  readonly own: string;

  /** `own` is written to. The methods also read `others`, the user's own files. */
  constructor(own: string) {
    this.own = own;
  }

  async #known(name: string, others: readonly string[]): Promise<Known[]> {
    const files = await Promise.all([this.own, ...others].map(async (file) => parseKnownHosts(await readIfThere(file), file, name)));
    return files.flat();
  }

  /** Kinds of key known for the host, so that the server is asked for one of these first. */
  async types(name: string, others: readonly string[]): Promise<string[]> {
    return [...new Set((await this.#known(name, others)).filter(({ kind }) => kind === 'host').map((known) => known.type))];
  }

  async check(name: string, key: HostKey, others: readonly string[]): Promise<Verdict> {
    const known = await this.#known(name, others);
    const of = (kind: Known['kind']) => known.filter((one) => one.kind === kind);
    const same = (one: Known) => one.bytes.equals(key.bytes);
    const revoked = of('revoked').find(same);
    if (revoked !== undefined) return { kind: 'revoked', file: revoked.file, line: revoked.line };
    if (of('host').some(same)) return { kind: 'known' };
    const other = of('host')[0];
    if (other !== undefined) return { kind: 'changed', file: other.file, line: other.line };
    // Whose word is to be trusted for this host is said; its word, a certificate, cannot be read by the library.
    const authority = of('authority')[0];
    return authority === undefined ? { kind: 'new' } : { kind: 'authority', file: authority.file, line: authority.line };
  }

  async remember(name: string, key: HostKey): Promise<void> {
    await mkdir(dirname(this.own), { recursive: true, mode: 0o700 });
    await appendFile(this.own, `${name} ${key.type} ${key.bytes.toString('base64')}\n`, { mode: 0o600 });
  }
}
