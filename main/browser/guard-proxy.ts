/**
 * The only road from the agent's browser to any network: a proxy on loopback that resolves each name once, judges the addresses and
 * connects to exactly those. So redirects, frames, scripts and WebSockets are all judged, and a resolver that changes its answer gains nothing.
 */
import { lookup } from 'node:dns/promises';
import { createServer, request as send, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect, isIP, type AddressInfo, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { judgeAddress } from '../../tools/shared/fetch/addresses.ts';

const CONNECT_MS = 15_000;

export interface GuardProxy {
  readonly url: string;
  close(): Promise<void>;
}

export interface GuardOptions {
  /** A host the person's website policy forbids. */
  isBlocked(hostname: string): Promise<boolean>;
  /** Private ranges are open; metadata services never are. */
  readonly allowPrivate: () => boolean;
  /** Every address of a name. */
  readonly resolve?: (hostname: string) => Promise<readonly string[]>;
}

class Refused extends Error {}

const systemResolve = async (hostname: string): Promise<readonly string[]> => (await lookup(hostname, { all: true })).map(({ address }) => address);

export async function startGuardProxy({ isBlocked, allowPrivate, resolve = systemResolve }: GuardOptions): Promise<GuardProxy> {
  const sockets = new Set<Duplex>();

  async function addressOf(host: string): Promise<string> {
    const hostname = host.replace(/^\[(.*)\]$/, '$1');
    if (await isBlocked(hostname)) throw new Refused(`Blocked: the website policy forbids ${hostname}.`);
    const addresses = isIP(hostname) === 0 ? await resolve(hostname) : [hostname];
    for (const address of addresses) {
      const verdict = judgeAddress(address);
      if (verdict === 'forbidden' || (verdict === 'private' && !allowPrivate())) throw new Refused(`Blocked: URL targets a private or internal network address (${address}).`);
    }
    const [first] = addresses;
    if (first === undefined) throw new Error(`no address is known for ${hostname}`);
    return first;
  }

  function plain(request: IncomingMessage, response: ServerResponse): void {
    const url = URL.canParse(request.url ?? '') ? new URL(request.url ?? '') : undefined;
    if (url?.protocol !== 'http:') return refuse(response, 400, 'Not a request for a proxy.');
    void addressOf(url.hostname).then((address) => {
      const { 'proxy-connection': _hop, ...headers } = request.headers;
      const onward = send({ host: address, port: url.port === '' ? 80 : Number(url.port), method: request.method, path: url.pathname + url.search, headers, timeout: CONNECT_MS, setHost: false });
      onward.on('response', (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      });
      onward.on('error', (error) => { refuse(response, 502, `${url.hostname} could not be reached: ${error.message}`); });
      response.on('close', () => onward.destroy());
      request.pipe(onward);
    }, (error: unknown) => { refuse(response, error instanceof Refused ? 403 : 502, error instanceof Error ? error.message : String(error)); });
  }

  function refuse(response: ServerResponse, status: number, words: string): void {
    if (response.headersSent) response.destroy();
    else response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(words);
  }

  function tunnel(request: IncomingMessage, client: Duplex, head: Buffer): void {
    const [, host = '', port = ''] = /^(.+):(\d+)$/.exec(request.url ?? '') ?? [];
    const end = (status: string): void => { client.end(`HTTP/1.1 ${status}\r\ncontent-length: 0\r\n\r\n`); };
    client.on('error', () => client.destroy());
    void addressOf(host).then((address) => {
      const onward: Socket = connect({ host: address, port: Number(port), timeout: CONNECT_MS }, () => {
        onward.setTimeout(0);
        client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
        onward.write(head);
        onward.pipe(client);
        client.pipe(onward);
      });
      sockets.add(onward);
      onward.on('close', () => { sockets.delete(onward); client.destroy(); });
      onward.on('timeout', () => onward.destroy());
      onward.on('error', () => { end('502 Bad Gateway'); });
      client.on('close', () => onward.destroy());
    }, (error: unknown) => { end(error instanceof Refused ? '403 Forbidden' : '502 Bad Gateway'); });
  }

  const server: Server = createServer(plain);
  server.on('connect', tunnel);
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((done) => { server.listen(0, '127.0.0.1', done); });
  const { port } = server.address() as AddressInfo; // a TCP server's address is never a string
  return {
    url: `http://127.0.0.1:${String(port)}`,
    close: () => new Promise((done) => {
      for (const socket of sockets) socket.destroy();
      server.close(() => { done(); });
    }),
  };
}
