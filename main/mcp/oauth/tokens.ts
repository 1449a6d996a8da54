/** Tokens for each request to a server, refreshed in the background; a person is never asked from here. */
import type { AuthProvider, FetchLike } from '@modelcontextprotocol/client';
import type { Log } from '../../ports.ts';
import { SignInNeeded, SignInProvider, type OAuthSettings } from './provider.ts';
import type { CredentialStore } from './store.ts';

/** What the server said when it refused us: where its authorization server is described, and what it wants us to have. */
export interface Challenge { readonly resourceMetadataUrl?: URL | undefined; readonly scope?: string | undefined }

export interface TokenParts {
  readonly store: CredentialStore;
  readonly settings: OAuthSettings;
  readonly log: Log;
  readonly onChallenge: (challenge: Challenge) => void;
}

export interface Tokens {
  /** `onUnauthorized` throws `SignInNeeded` when only a person can help. */
  readonly provider: AuthProvider;
  /** Has to carry the requests that `provider` is for: it notes which token each of them had. */
  watch(fetch: FetchLike): FetchLike;
}

export function createTokens({ store, settings, log, onChallenge }: TokenParts): Tokens {
  const carried = new WeakMap<Response, string>();
  let refreshing: Promise<void> | undefined;
  const provider: AuthProvider = {
    token: async () => (await store.read()).tokens?.access_token,
    async onUnauthorized({ response, serverUrl, fetchFn }) {
      const { auth, extractWWWAuthenticateParams } = await import('@modelcontextprotocol/client');
      const challenge = extractWWWAuthenticateParams(response);
      onChallenge(challenge);
      const refused = carried.get(response);
      const { tokens } = await store.read();
      // Another request, or another process, has refreshed meanwhile.
      if (tokens !== undefined && tokens.access_token !== refused) return;
      if (tokens?.refresh_token === undefined) throw new SignInNeeded();
      refreshing ??= refresh().finally(() => { refreshing = undefined; });
      await refreshing;

      async function refresh(): Promise<void> {
        const provider = new SignInProvider({ store, settings, newState: () => '' });
        try {
          await auth(provider, { serverUrl, fetchFn, ...(challenge.resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl: challenge.resourceMetadataUrl }) });
        } catch (error) {
          // Two processes with one refresh token: the one that came second finds what the first has got.
          const now = (await store.read()).tokens;
          if (now !== undefined && now.access_token !== refused) return;
          if (error instanceof SignInNeeded) throw error;
          log.warn('the token of an MCP server could not be refreshed', { server: serverUrl.host, error });
          throw error;
        }
      }
    },
  };
  return {
    provider,
    watch: (fetch) => async (url, init) => {
      const response = await fetch(url, init);
      const bearer = new Headers(init?.headers).get('authorization')?.replace(/^Bearer /i, '');
      if (bearer !== undefined) carried.set(response, bearer);
      return response;
    },
  };
}
