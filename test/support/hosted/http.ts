/** What the REST servers of hosted backends share: bodies, answers, and faults by route. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Request {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
  json(): Record<string, unknown>;
}

/** Status and JSON, or `stream` to write itself. */
export interface Answer { readonly status: number; readonly body?: unknown; readonly stream?: (response: ServerResponse) => Promise<void> }

export async function startHttp(answer: (request: Request, signal: AbortSignal) => Promise<Answer>): Promise<{ readonly server: Server; readonly port: number }> {
  const server = createServer({ maxHeaderSize: 64 * 1024 }, (incoming, response) => {
    void (async () => {
      const parts: Buffer[] = [];
      for await (const part of incoming) parts.push(part as Buffer); // cast: no encoding is set
      const body = Buffer.concat(parts);
      const gone = new AbortController();
      response.once('close', () => gone.abort());
      const request: Request = {
        method: incoming.method ?? 'GET', url: new URL(incoming.url ?? '/', 'http://test'), headers: incoming.headers, body,
        json: () => (body.length === 0 ? {} : JSON.parse(body.toString()) as Record<string, unknown>), // cast: the SDKs send objects
      };
      const { status, body: text, stream } = await answer(request, gone.signal);
      if (response.destroyed) return;
      if (stream === undefined) response.writeHead(status, { 'content-type': 'application/json' }).end(text === undefined ? '' : JSON.stringify(text));
      else await stream(response);
    })().catch((error: unknown) => {
      response.destroy(error instanceof Error ? error : new Error(String(error)));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port }; // cast: a TCP server has one
}

/** Resolves only when the caller has given up. */
export function never(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
