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

interface Known extends HostKey { readonly file: string; readonly line: number; readonly revoked: boolean }

export type Verdict =
  | { readonly kind: 'known' }
  | { readonly kind: 'new' }
  | { readonly kind: 'changed' | 'revoked'; readonly file: string; readonly line: number };

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

/** Lines that speak of that host. A line that cannot be understood says nothing. Certificates of authorities are not used. */
export function parseKnownHosts(text: string, file: string, name: string): Known[] {
  return text.split('\n').flatMap((line, index) => {
    const fields = line.trim().split(/\s+/);
    const marker = fields[0]?.startsWith('@') === true ? fields.shift() : undefined;
    const [hosts, type, key] = fields;
    if (hosts === undefined || type === undefined || key === undefined || hosts.startsWith('#') || marker === '@cert-authority') return [];
    const patterns = hosts.split(',');
    if (patterns.some((pattern) => pattern.startsWith('!') && matches(pattern.slice(1), name)) || !patterns.some((pattern) => matches(pattern, name))) return [];
    return [{ type, bytes: Buffer.from(key, 'base64'), file, line: index + 1, revoked: marker === '@revoked' }];
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
    return [...new Set((await this.#known(name, others)).filter((known) => !known.revoked).map((known) => known.type))];
  }

  async check(name: string, key: HostKey, others: readonly string[]): Promise<Verdict> {
    const known = await this.#known(name, others);
    const same = known.filter((one) => one.bytes.equals(key.bytes));
    const revoked = same.find((one) => one.revoked);
    if (revoked !== undefined) return { kind: 'revoked', file: revoked.file, line: revoked.line };
    if (same.length > 0) return { kind: 'known' };
    const other = known.find((one) => !one.revoked);
    return other === undefined ? { kind: 'new' } : { kind: 'changed', file: other.file, line: other.line };
  }

  async remember(name: string, key: HostKey): Promise<void> {
    await mkdir(dirname(this.own), { recursive: true, mode: 0o700 });
    await appendFile(this.own, `${name} ${key.type} ${key.bytes.toString('base64')}\n`, { mode: 0o600 });
  }
}
