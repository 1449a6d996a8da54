/** Connections of `web_extract`: each one, redirects included, is made only to an address that was judged first. */
import { lookup as systemLookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { Agent, buildConnector } from 'undici';
import { judgeAddress } from './addresses.ts';

const CONNECT_MS = 10_000;
const ANSWER_MS = 20_000;
/** Between two pieces of a body. */
const IDLE_MS = 15_000;

/** The words of hermes-runtime 7.9. */
export class BlockedAddressError extends Error {
  constructor(address: string) {
    super(`Blocked: URL targets a private or internal network address (${address}).`);
    this.name = 'BlockedAddressError';
  }
}

/** How names become addresses and addresses connections. */
export interface WebTransport {
  /** Every address of a name. Rejects when there is none. */
  resolve(hostname: string): Promise<readonly string[]>;
  /** Where the connection to a judged address really goes: the same one, unless a network maps its addresses. */
  dial(address: string): string;
}

export const systemTransport: WebTransport = {
  resolve: async (hostname) => (await systemLookup(hostname, { all: true })).map(({ address }) => address),
  dial: (address) => address,
};

export interface GuardOptions {
  /** `security.allow_private_urls`: private ranges open, metadata services never. */
  readonly allowPrivate: boolean;
  /** Bytes as they come over the wire; a longer body ends in an error. */
  readonly maxBytes: number;
}

/**
 * An agent that refuses unsuitable addresses with BlockedAddressError as the cause of the failed request. A name is resolved once for
 * a connection and the judged addresses are the ones connected to, so a resolver that changes its answer gains nothing. Literal
 * addresses never reach `lookup`: the connector judges them itself.
 */
export function makeGuardedAgent(transport: WebTransport, { allowPrivate, maxBytes }: GuardOptions): Agent {
  const judge = (address: string): void => {
    const verdict = judgeAddress(address);
    if (verdict === 'forbidden' || (verdict === 'private' && !allowPrivate)) throw new BlockedAddressError(address);
  };

  async function judgedAddresses(hostname: string): Promise<{ address: string; family: number }[]> {
    const addresses = await transport.resolve(hostname);
    for (const address of addresses) judge(address);
    return addresses.map((address) => transport.dial(address)).map((address) => ({ address, family: isIP(address) }));
  }

  const lookup: LookupFunction = (hostname, options, callback) => {
    judgedAddresses(hostname).then((addresses) => {
      const [first] = addresses;
      if (first === undefined) callback(new Error(`No address found for ${hostname}`), '', 0);
      else if (options.all === true) callback(null, addresses);
      else callback(null, first.address, first.family);
    }, (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), '', 0));
  };

  const open = buildConnector({ timeout: CONNECT_MS, lookup, autoSelectFamily: true });
  const connect: buildConnector.connector = (options, callback) => {
    const hostname = options.hostname.replace(/^\[(.*)\]$/, '$1');
    if (isIP(hostname) === 0) return open(options, callback);
    try {
      judge(hostname);
    } catch (error) {
      return callback(error instanceof Error ? error : new Error(String(error)), null);
    }
    return open({ ...options, hostname: transport.dial(hostname) }, callback);
  };
  return new Agent({ connect, maxResponseSize: maxBytes, headersTimeout: ANSWER_MS, bodyTimeout: IDLE_MS, pipelining: 0 });
}
