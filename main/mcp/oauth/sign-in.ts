/** One sign-in from the click to the stored tokens: authorization code with PKCE, the browser comes back over loopback. */
import type { FetchLike } from '@modelcontextprotocol/client';
import { AppError } from '../../../preload/contract/errors.ts';
import type { Clock } from '../../ports.ts';
import { SignInProvider, type OAuthSettings } from './provider.ts';
import { listenForRedirect } from './redirect.ts';
import type { CredentialStore } from './store.ts';
import type { Challenge } from './tokens.ts';

/** A person who has to find a password is given this long. */
const LIMIT_MS = 5 * 60_000;

export interface SignInParts {
  readonly store: CredentialStore;
  readonly settings: OAuthSettings & { readonly redirect_port?: number | undefined };
  readonly serverUrl: string;
  readonly challenge: Challenge;
  readonly fetch: FetchLike | undefined;
  readonly clock: Pick<Clock, 'after'>;
  readonly newState: () => string;
  readonly openPage: (page: string) => Promise<void>;
}

/** A page is opened only over https, or on this machine. */
function checkPage(page: URL): void {
  const loopback = page.protocol === 'http:' && ['127.0.0.1', 'localhost', '[::1]'].includes(page.hostname);
  if (page.protocol !== 'https:' && !loopback) {
    throw new AppError('mcp/sign-in-failed', `the sign-in page ${page.origin} is not reached over https`, { hint: 'Ask whoever runs the server; nothing was sent.' });
  }
}

/** Resolves when the tokens are stored. Rejects with `mcp/sign-in-failed` and the cause; an abort rejects with its reason. */
export async function signIn(parts: SignInParts, signal: AbortSignal): Promise<void> {
  const { store, settings, serverUrl, challenge } = parts;
  const limit = new AbortController();
  const cancelLimit = parts.clock.after(LIMIT_MS, () => {
    limit.abort(new AppError('mcp/sign-in-failed', 'nobody came back from the sign-in page within 5 minutes', { hint: 'Start the sign-in again.' }));
  });
  const { redirectUrl: before } = await store.read();
  const listener = await listenForRedirect(settings.redirect_port ?? Number(before === undefined ? 0 : new URL(before).port), settings.redirect_port !== undefined);
  try {
    const { auth } = await import('@modelcontextprotocol/client');
    const opened = Promise.withResolvers<{ readonly page: URL; readonly state: string }>();
    const provider = new SignInProvider({ store, settings, redirectUrl: listener.url, newState: parts.newState, onPage: (page, state) => opened.resolve({ page, state }) });
    const about = {
      serverUrl, ...(parts.fetch === undefined ? {} : { fetchFn: parts.fetch }),
      ...(challenge.resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl: challenge.resourceMetadataUrl }),
    };
    const scope = settings.scope ?? challenge.scope;
    // A stale answer to "who signs you in" would send the person to the wrong place.
    await store.change({ discovery: undefined });
    await auth(provider, { ...about, forceReauthorization: true, ...(scope === undefined ? {} : { scope }) });
    const { page, state } = await opened.promise;
    checkPage(page);
    const answered = listener.answer(state, AbortSignal.any([signal, limit.signal]));
    // The answer may fail before it is waited for, while the browser is still being opened.
    answered.catch(() => undefined);
    await parts.openPage(page.href);
    const answer = await answered;
    const issuer = answer.get('iss');
    await auth(provider, { ...about, authorizationCode: answer.get('code') ?? '', ...(issuer === null ? {} : { iss: issuer }) });
  } catch (cause) {
    signal.throwIfAborted();
    if (cause instanceof AppError) throw cause;
    throw new AppError('mcp/sign-in-failed', cause instanceof Error ? cause.message : String(cause), { hint: 'Look at the address of the server in config.yaml; a server without automatic registration needs oauth.client_id.', cause });
  } finally {
    cancelLimit();
    await listener.close();
  }
}
