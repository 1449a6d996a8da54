/** How a remote server is reached when config.yaml says something about certificates. */
import { readFile } from 'node:fs/promises';
import type { FetchLike } from '@modelcontextprotocol/client';
import type { RemoteServer } from './config.ts';

export interface Reach { /** Absent = the platform's own. */ readonly fetch?: FetchLike; close(): Promise<void> }

/** Rejects when a file that is named cannot be read: nothing is sent then. */
export async function reachOf(config: Pick<RemoteServer, 'ssl_verify' | 'client_cert'>): Promise<Reach> {
  const { ssl_verify: verify, client_cert: certificate } = config;
  if (verify === true && certificate === undefined) return { close: () => Promise.resolve() };
  const { Agent, fetch } = await import('undici');
  const agent = new Agent({
    connect: {
      rejectUnauthorized: verify !== false,
      ...(typeof verify === 'string' ? { ca: await readFile(verify) } : {}),
      ...(certificate === undefined ? {} : {
        cert: await readFile(certificate.cert), key: await readFile(certificate.key),
        ...('password' in certificate && certificate.password !== undefined ? { passphrase: certificate.password } : {}),
      }),
    },
  });
  return {
    // cast: undici's own types name the same shapes as the platform's, which Node takes from it
    fetch: (async (url: string | URL, init?: RequestInit) => fetch(url, { ...init as Parameters<typeof fetch>[1], dispatcher: agent })) as unknown as FetchLike,
    close: () => agent.destroy(),
  };
}
