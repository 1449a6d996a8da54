/** Who may talk to the browser shell: a one-time link, a cookie, and addresses that cannot be another site in disguise. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { hostname } from 'node:os';

/** 256 bits: nobody guesses it. */
const SECRET_BYTES = 32;
const LOOPBACK_NAMES = new Set(['127.0.0.1', 'localhost', '[::1]']);

const secret = (): string => randomBytes(SECRET_BYTES).toString('hex');
const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
/** Compares in constant time whatever the lengths. */
const same = (left: string, right: string): boolean => timingSafeEqual(digest(left), digest(right));

export class Access {
  readonly #beyondLoopback: boolean;
  /** 64 hexadecimal digits; what a window shows to be let in. */
  readonly cookie: string;
  /** Links that were printed and not used yet. */
  readonly #tokens = new Set<string>();

  /** `cookie`: that of the last run, so that its windows are still let in. */
  constructor(options: { readonly beyondLoopback: boolean; readonly cookie?: string | undefined }) {
    this.#beyondLoopback = options.beyondLoopback;
    this.cookie = options.cookie ?? secret();
  }

  /** A token for one link. It can be exchanged for the cookie once. */
  mintToken(): string {
    const token = secret();
    this.#tokens.add(token);
    return token;
  }

  /** True once per token. */
  redeem(token: string): boolean {
    const known = [...this.#tokens].find((candidate) => same(candidate, token));
    return known !== undefined && this.#tokens.delete(known);
  }

  /** Cookies are shared by all ports of a host, so the name carries the port that the browser sees. */
  cookieFor(headers: IncomingHttpHeaders): string {
    return `${cookieName(headers.host)}=${this.cookie}; Path=/; HttpOnly; SameSite=Strict`;
  }

  hasCookie(headers: IncomingHttpHeaders): boolean {
    const prefix = `${cookieName(headers.host)}=`;
    const values = (headers.cookie ?? '').split(';').map((part) => part.trim()).filter((part) => part.startsWith(prefix)).map((part) => part.slice(prefix.length));
    return values.some((value) => same(value, this.cookie));
  }

  /**
   * Why a request is refused whatever else it carries; undefined when it may go on. A foreign name that resolves to loopback (DNS
   * rebinding) shows in `Host`, a page of another site in `Origin` or `Sec-Fetch-Site`. The port in `Host` is free: ssh tunnels change it.
   */
  refusal(headers: IncomingHttpHeaders, kind: 'page' | 'resource' | 'upgrade'): string | undefined {
    const { host, origin } = headers;
    if (host === undefined || !this.#knowsHost(host)) return 'the Host header names another machine';
    if (kind === 'upgrade' && origin === undefined) return 'the Origin header is missing';
    if (origin !== undefined && origin !== `http://${host}`) return 'the Origin header names another site';
    const site = headers['sec-fetch-site'];
    if (kind !== 'page' && site !== undefined && site !== 'same-origin' && site !== 'none') return 'the request comes from a page of another site';
    return undefined;
  }

  #knowsHost(host: string): boolean {
    const name = /^(\[[0-9a-f:.]+\]|[^:[\]]+)(?::\d{1,5})?$/i.exec(host)?.[1]?.toLowerCase();
    if (name === undefined) return false;
    if (LOOPBACK_NAMES.has(name)) return true;
    /** An address needs no name service and so cannot be rebound; a name must be the machine's own. */
    return this.#beyondLoopback && (isIP(name.replace(/^\[|\]$/g, '')) !== 0 || name === hostname().toLowerCase());
  }
}

function cookieName(host: string | undefined): string {
  return `talaria-${/:(\d{1,5})$/.exec(host ?? '')?.[1] ?? '80'}`;
}
