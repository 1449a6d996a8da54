/** Loopback servers that count who comes. */
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';

export interface CountingServer { readonly port: number; readonly origin: string; connections: number; readonly requests: { readonly url: string; readonly method: string; readonly headers: IncomingMessage['headers']; readonly body: string }[]; close(): Promise<void> }

export async function serve(answer: RequestListener, host = '127.0.0.1'): Promise<CountingServer> {
  const server: Server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => { body += text; }).on('end', () => {
      counting.requests.push({ url: request.url ?? '', method: request.method ?? '', headers: request.headers, body });
      answer(request, response);
    });
  });
  server.on('connection', () => { counting.connections += 1; });
  await new Promise<void>((resolve) => { server.listen(0, host, resolve); });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('a TCP server has a port');
  const counting: CountingServer = {
    port: address.port, origin: `http://${host.includes(':') ? `[${host}]` : host}:${String(address.port)}`, connections: 0, requests: [],
    close: () => new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    }),
  };
  return counting;
}
