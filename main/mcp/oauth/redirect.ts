/** Waits on loopback for the browser to come back from a sign-in page. */
import { createServer, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { AppError } from '../../../preload/contract/errors.ts';

const PATH = '/callback';

export interface RedirectListener {
  readonly url: string;
  /** Resolves with the parameters of the answer to the sign-in with this state. Rejects when `signal` aborts or the person refused. */
  answer(state: string, signal: AbortSignal): Promise<URLSearchParams>;
  close(): Promise<void>;
}

function page(response: ServerResponse, status: number, title: string, text: string): void {
  response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store', 'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'", connection: 'close' });
  response.end(`<!doctype html><meta charset="utf-8"><title>${title}</title><body style="font:16px system-ui;margin:4rem auto;max-width:32rem"><h1 style="font-size:1.4rem">${title}</h1><p>${text}</p>`);
}

/** Bound to 127.0.0.1. `wantedPort` 0 = any free one; a wanted one that is taken falls back to any. */
export async function listenForRedirect(wantedPort: number, mustHave: boolean): Promise<RedirectListener> {
  let expected: { readonly state: string; readonly done: PromiseWithResolvers<URLSearchParams> } | undefined;
  const server = createServer((request, response) => {
    const address = new URL(request.url ?? '/', 'http://127.0.0.1');
    if (request.method !== 'GET' || address.pathname !== PATH) return page(response, 404, 'Not found', 'There is nothing here.');
    // Anybody on this machine can call this address: only the answer to our own question counts.
    if (expected === undefined || address.searchParams.get('state') !== expected.state) return page(response, 400, 'This sign-in is not open', 'It was ended, or it is not the one that Talaria has started. Nothing was changed.');
    const { done } = expected;
    expected = undefined;
    if (address.searchParams.get('code') === null) {
      page(response, 200, 'Not signed in', 'The sign-in was refused. You can close this page.');
      // The server's own words may be forged by whoever made the link (RFC 9207): only the code of the error is told.
      const code = (address.searchParams.get('error') ?? 'no code').replaceAll(/[^\w ]/g, '').slice(0, 60);
      return done.reject(new AppError('mcp/sign-in-failed', `the sign-in was refused (${code})`, { hint: 'Sign in again, and agree on the page that opens.' }));
    }
    page(response, 200, 'Signed in', 'You can close this page and go back to Talaria.');
    done.resolve(address.searchParams);
  });
  const listen = async (port: number): Promise<void> => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  try {
    await listen(wantedPort);
  } catch (cause) {
    if (wantedPort === 0 || mustHave) throw new AppError('mcp/sign-in-failed', `port ${String(wantedPort)} for the way back from the sign-in page is taken`, { hint: 'End what uses it, or change oauth.redirect_port in config.yaml.', cause });
    await listen(0);
  }
  const address = server.address();
  if (address === null || typeof address === 'string') throw new AppError('mcp/sign-in-failed', 'no port on loopback could be opened');
  return {
    url: `http://127.0.0.1:${String(address.port)}${PATH}`,
    async answer(state, signal) {
      const done = Promise.withResolvers<URLSearchParams>();
      const giveUp = (): void => done.reject(signal.reason);
      signal.addEventListener('abort', giveUp, { once: true });
      expected = { state, done };
      if (signal.aborted) giveUp();
      try {
        return await done.promise;
      } finally {
        signal.removeEventListener('abort', giveUp);
        expected = undefined;
      }
    },
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
