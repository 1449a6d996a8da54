/** Serves the renderer bundle under `app://talaria/` and nothing else. */
import { protocol } from 'electron';
import type { Bundle } from '../../bridge/bundle.ts';
import { securityHeaders } from '../../bridge/content-policy.ts';
import type { Log } from '../../ports.ts';
import { isOwnPage, SCHEME } from './origin.ts';

/** Must run before the app is ready: pages of the scheme count as a secure origin with fetch and module scripts. */
export function registerScheme(): void {
  protocol.registerSchemesAsPrivileged([{ scheme: SCHEME, privileges: { standard: true, secure: true, supportFetchAPI: true } }]);
}

export function serveBundle(bundle: Bundle, log: Log): void {
  protocol.handle(SCHEME, async (request) => {
    if (!isOwnPage(request.url)) return refusal(404);
    if (request.method !== 'GET') return refusal(405);
    try {
      const file = await bundle.read(new URL(request.url).pathname);
      if (!file) return refusal(404);
      return new Response(Uint8Array.from(file.bytes), { headers: { ...securityHeaders(), 'content-type': file.type } });
    } catch (error) {
      log.error('a file of the screens could not be read', { url: request.url, error });
      return refusal(500);
    }
  });
}

function refusal(status: number): Response {
  return new Response('', { status, headers: securityHeaders() });
}
