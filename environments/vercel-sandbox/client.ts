/** Vercel's SDK, loaded when it is first used; its credentials, and what its errors mean. */
import type * as Vercel from '@vercel/sandbox';
import { EnvironmentError } from '../base.ts';
import { isNetworkError, kindOfStatus, type ProblemKind, type Service } from '../hosted.ts';

export type VercelSdk = typeof Vercel;

/** What every call of the SDK is given. */
export interface VercelAccess {
  readonly token: string;
  readonly teamId: string;
  readonly projectId: string;
  readonly fetch: typeof globalThis.fetch;
}

/** hermes-runtime 6.8: the SDK itself tries again on 429 and 5xx. */
const AGAIN: ReadonlySet<number> = new Set([408, 425]);
const ATTEMPTS = 3;
const FIRST_WAIT_MS = 400;
const STOPPING = /sandbox_(?:stopp|snapshott)|snapshot_not_found/;

export async function loadVercel(): Promise<VercelSdk> {
  try {
    return await import('@vercel/sandbox');
  } catch (cause) {
    throw new EnvironmentError('missing', 'the Vercel sandbox SDK is not installed', { cause, hint: 'Install Talaria with its optional dependencies: npm install @vercel/sandbox@3.5.0' });
  }
}

/** Team and project that a token of Vercel's OpenID Connect names in its middle part. */
function fromOidc(token: string): { readonly teamId: string; readonly projectId: string } | undefined {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    if (typeof claims !== 'object' || claims === null) return undefined;
    const teamId: unknown = Reflect.get(claims, 'owner_id');
    const projectId: unknown = Reflect.get(claims, 'project_id');
    return typeof teamId === 'string' && typeof projectId === 'string' ? { teamId, projectId } : undefined;
  } catch {
    return undefined; // no such token
  }
}

/** Throws `EnvironmentError` that names what is missing. */
export async function vercelCredentials(credential: (variable: string) => Promise<string | undefined>): Promise<Omit<VercelAccess, 'fetch'>> {
  const names = ['VERCEL_TOKEN', 'VERCEL_TEAM_ID', 'VERCEL_PROJECT_ID'] as const;
  const [token, teamId, projectId] = await Promise.all(names.map((name) => credential(name)));
  if (token !== undefined && teamId !== undefined && projectId !== undefined) return { token, teamId, projectId };
  const oidc = await credential('VERCEL_OIDC_TOKEN');
  const claims = oidc === undefined ? undefined : fromOidc(oidc);
  if (oidc !== undefined && claims !== undefined) return { token: oidc, ...claims };
  if (oidc !== undefined && token === undefined) throw new EnvironmentError('denied', 'VERCEL_OIDC_TOKEN is not a token of Vercel', { hint: 'Get a new one with: vercel env pull' });
  const missing = names.filter((_, index) => [token, teamId, projectId][index] === undefined);
  throw new EnvironmentError('missing', `Vercel needs ${missing.join(', ')}`, {
    hint: 'Make a token at vercel.com/account/tokens; team and project are in the settings of each. Set them in the environment, in .env, or in Settings › Terminals. VERCEL_OIDC_TOKEN alone will do, too.',
  });
}

/** Answers that ask to come again, come again. */
export function patientFetch(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    for (let attempt = 1; ; attempt++) {
      const response = await fetch(input, init);
      if (!AGAIN.has(response.status) || attempt === ATTEMPTS) return response;
      await response.body?.cancel();
      await new Promise((resolve) => { setTimeout(resolve, FIRST_WAIT_MS * 2 ** (attempt - 1)); });
    }
  };
}

function classify(error: unknown): ProblemKind {
  if (!(error instanceof Error)) return 'refused';
  const response: unknown = Reflect.get(error, 'response');
  const code = 'code' in error ? error.code : undefined;
  if (STOPPING.test(JSON.stringify(Reflect.get(error, 'json') ?? '')) || (error.name === 'StreamError' && typeof code === 'string' && /stopped|stopping|snapshot/.test(code))) return 'gone';
  if (response instanceof Response) return kindOfStatus(response.status);
  return error.name === 'StreamError' || isNetworkError(error) ? 'unreachable' : 'refused';
}

export const VERCEL: Service = { name: 'Vercel', credentials: 'VERCEL_TOKEN, VERCEL_TEAM_ID and VERCEL_PROJECT_ID, or VERCEL_OIDC_TOKEN', classify };
