/** The renderer bundle and the contract over HTTP and one WebSocket per window, on loopback. */
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer, STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import { AppError } from '../../../preload/contract/errors.ts';
import { Bundle } from '../../bridge/bundle.ts';
import { securityHeaders } from '../../bridge/content-policy.ts';
import { LARGEST_FRAME_BYTES } from '../../bridge/frames.ts';
import type { BridgeHost } from '../../bridge/host.ts';
import { serveContract } from '../../bridge/serve.ts';
import { Access } from './access.ts';
import { enterPage, messagePage, withPreload } from './pages.ts';
import { socketChannel } from './socket-channel.ts';

/** Windows of one person; more is a page that opens sockets in a loop. */
const MAX_WINDOWS = 50;
const CHANNEL_PATH = '/channel';
const PRELOAD_PATH = '/preload.js';

export interface BrowserServerOptions {
  readonly host: BridgeHost;
  /** `dist/renderer` */
  readonly bundleFolder: string;
  /** `dist/preload/browser.js` */
  readonly preloadFile: string;
  /** 0 = any free port. */
  readonly port: number;
  /** Cookie of the last run, see `last-run.ts`. */
  readonly cookie?: string | undefined;
  /** True only when the person said so in so many words. */
  readonly beyondLoopback: boolean;
}

export interface BrowserServer {
  readonly port: number;
  /** What lets a window in; kept for the next run. */
  readonly cookie: string;
  /** A link with a fresh one-time token. */
  link(): string;
  windows(): number;
  /** Closes every window's connection, then the port. */
  close(): Promise<void>;
}

/** Throws `not-found` when the bundle is not built, `environment/failed` when the port cannot be had. */
export async function startBrowserServer(options: BrowserServerOptions): Promise<BrowserServer> {
  const { host } = options;
  const bundle = await Bundle.open(options.bundleFolder);
  const preload = await readFile(options.preloadFile).catch((cause: unknown) => {
    throw new AppError('not-found', `${options.preloadFile} is not built`, { hint: 'Run `npm run build` first.', cause });
  });
  const access = new Access(options);
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: LARGEST_FRAME_BYTES });

  const onRequest = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname, token } = addressOf(request);
    const isPage = pathname === '/';
    const refusal = access.refusal(request.headers, isPage ? 'page' : 'resource');
    if (refusal !== undefined) {
      host.log.warn('a request to the browser shell was refused', { refusal });
      return text(response, 403, `Refused: ${refusal}.\n`);
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') return text(response, 405, 'Only GET is answered here.\n', { allow: 'GET, HEAD' });
    if (isPage && token !== null) return enter(request, response, token);
    /** Browsers ask for it on the pages that this server makes itself; those name no icon. */
    if (pathname === '/favicon.ico') return void response.writeHead(204).end();
    if (!access.hasCookie(request.headers)) {
      return page(response, 401, messagePage('Open the printed link', 'This page opens with the link that <code>npm start</code> or <code>talaria serve</code> printed. Each link works once; press Enter there for a fresh one.'));
    }
    if (pathname === PRELOAD_PATH) return reply(response, 200, preload, { 'content-type': 'text/javascript; charset=utf-8', 'cache-control': 'no-cache' });
    const file = await bundle.read(pathname);
    if (!file) return text(response, 404, 'There is nothing here.\n');
    if (isPage) return page(response, 200, withPreload(file.bytes.toString('utf8'), `.${PRELOAD_PATH}`), connectSources(request));
    reply(response, 200, file.bytes, { 'content-type': file.type, 'cache-control': file.immutable ? 'private, max-age=31536000, immutable' : 'no-cache' });
  };

  const enter = (request: IncomingMessage, response: ServerResponse, token: string): void => {
    const known = access.hasCookie(request.headers);
    if (!access.redeem(token) && !known) {
      page(response, 403, messagePage('This link was used already', 'Each link opens the app once. Press Enter where <code>talaria serve</code> runs to get a fresh one.'));
      return;
    }
    page(response, 200, enterPage, [], known ? {} : { 'set-cookie': access.cookieFor(request.headers) });
  };

  const onUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    const refusal = access.refusal(request.headers, 'upgrade') ?? (access.hasCookie(request.headers) ? undefined : 'the cookie is missing');
    if (refusal !== undefined) {
      host.log.warn('a connection to the browser shell was refused', { refusal });
      return endUpgrade(socket, 403);
    }
    if (addressOf(request).pathname !== CHANNEL_PATH) return endUpgrade(socket, 404);
    if (sockets.clients.size >= MAX_WINDOWS) return endUpgrade(socket, 503);
    sockets.handleUpgrade(request, socket, head, (opened: WebSocket) => {
      serveContract(host, socketChannel(opened), { via: 'browser', client: randomUUID() });
    });
  };

  const server = createServer((request, response) => {
    onRequest(request, response).catch((error: unknown) => {
      host.log.error('a request to the browser shell failed', { path: request.url, error });
      if (response.headersSent) response.destroy();
      else text(response, 500, 'The request failed inside the host; its log has the details.\n');
    });
  });
  server.on('upgrade', onUpgrade);
  await listen(server, options.port, options.beyondLoopback ? '0.0.0.0' : '127.0.0.1');
  const { port } = server.address() as AddressInfo; // a TCP server that listens has one

  return {
    port,
    cookie: access.cookie,
    link: () => `http://${options.beyondLoopback ? hostname().toLowerCase() : '127.0.0.1'}:${port}/?token=${access.mintToken()}`,
    windows: () => sockets.clients.size,
    async close() {
      const gone = [...sockets.clients].map((socket) => new Promise<void>((resolve) => { socket.once('close', () => { resolve(); }); }));
      for (const socket of sockets.clients) socket.close(1001, 'the host closes');
      const closed = new Promise<void>((resolve) => { server.close(() => { resolve(); }); });
      server.closeIdleConnections();
      /** A window that does not answer the closing handshake is not waited for. */
      const force = setTimeout(() => {
        for (const socket of sockets.clients) socket.terminate();
        server.closeAllConnections();
      }, CLOSE_GRACE_MS);
      await Promise.all([closed, ...gone]);
      clearTimeout(force);
      sockets.close();
    },
  };
}

const CLOSE_GRACE_MS = 500;

function listen(server: Server, port: number, address: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const why = cause.code === 'EADDRINUSE' ? 'another program uses it' : cause.code === 'EACCES' ? 'this user may not open it' : cause.message;
      reject(new AppError('environment/failed', `port ${port} cannot be opened: ${why}`, { hint: 'Leave out --port to take any free one.', cause }));
    });
    server.listen(port, address, resolve);
  });
}

/** Taken apart as it was sent: a URL parser would take `//name` for a host and tidy `..` away. The names of our files need no decoding. */
function addressOf(request: IncomingMessage): { readonly pathname: string; readonly token: string | null } {
  const [pathname = '/', query = ''] = (request.url ?? '/').split('?', 2);
  return { pathname, token: new URLSearchParams(query).get('token') };
}

/** Older browsers do not count a WebSocket to the page's own host as 'self'. */
function connectSources(request: IncomingMessage): string[] {
  return [`ws://${request.headers.host ?? ''}`]; // checked before: one of our own addresses
}

function reply(response: ServerResponse, status: number, body: Buffer | string, headers: Readonly<Record<string, string>>, connect: readonly string[] = []): void {
  response.writeHead(status, { ...securityHeaders(connect), ...headers, 'content-length': Buffer.byteLength(body) });
  response.end(response.req.method === 'HEAD' ? undefined : body);
}

function page(response: ServerResponse, status: number, html: string, connect: readonly string[] = [], headers: Readonly<Record<string, string>> = {}): void {
  reply(response, status, html, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store', ...headers }, connect);
}

function text(response: ServerResponse, status: number, body: string, headers: Readonly<Record<string, string>> = {}): void {
  reply(response, status, body, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store', ...headers });
}

function endUpgrade(socket: Duplex, status: number): void {
  socket.on('error', () => socket.destroy());
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}
