/** A loopback service that speaks OpenAI's image and speech paths: it keeps what it was asked and answers what the test says. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Asked { readonly path: string; readonly authorization: string | undefined; readonly contentType: string; readonly body: Buffer }
type MediaAnswer = { readonly json: unknown } | { readonly bytes: Uint8Array } | { readonly status: number; readonly message: string } | 'hang' | 'cut';

export interface MediaServer {
  readonly baseUrl: string;
  readonly asked: Asked[];
  answer: (asked: Asked) => MediaAnswer;
  close(): Promise<void>;
}

export async function startMediaServer(): Promise<MediaServer> {
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const asked: Asked = { path: request.url ?? '', authorization: request.headers.authorization, contentType: request.headers['content-type'] ?? '', body: Buffer.concat(parts) };
      media.asked.push(asked);
      const answer = media.answer(asked);
      if (answer === 'hang') return;
      if (answer === 'cut') return void request.socket.destroy();
      if ('bytes' in answer) return void response.writeHead(200, { 'content-type': 'audio/mpeg' }).end(answer.bytes);
      const failed = 'status' in answer;
      response.writeHead(failed ? answer.status : 200, { 'content-type': 'application/json' }).end(JSON.stringify(failed ? { error: { message: answer.message } } : answer.json));
    });
  });
  const media: MediaServer = {
    baseUrl: '', asked: [], answer: () => ({ status: 500, message: 'the test has not said what to answer' }),
    close: () => { server.closeAllConnections(); return new Promise((resolve) => { server.close(() => resolve()); }); },
  };
  await new Promise<void>((resolve) => { server.listen(0, '127.0.0.1', resolve); });
  return Object.assign(media, { baseUrl: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/v1` });
}
