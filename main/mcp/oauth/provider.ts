/** The official client's view of our sign-in: where it keeps what it learns, and what happens when a person has to act. */
import type { OAuthClientInformationContext, OAuthClientMetadata, OAuthClientProvider, OAuthDiscoveryState, StoredOAuthClientInformation, StoredOAuthTokens } from '@modelcontextprotocol/client';
import type { CredentialStore } from './store.ts';

export interface OAuthSettings {
  readonly client_id?: string | undefined;
  readonly client_secret?: string | undefined;
  readonly scope?: string | undefined;
}

/** Nothing but a person can go on: the sign-in page has to be opened. */
export class SignInNeeded extends Error {
  override readonly name = 'SignInNeeded';

  constructor() {
    super('it asks for a sign-in');
  }
}

export interface ProviderParts {
  readonly store: CredentialStore;
  readonly settings: OAuthSettings;
  /** Where the authorization server sends the person back to; absent while nobody is asked. */
  readonly redirectUrl?: string;
  /** Told the page to open. Absent: whoever gets there is told that a sign-in is needed. */
  readonly onPage?: (page: URL, state: string) => void | Promise<void>;
  readonly newState: () => string;
}

const NOWHERE = 'http://127.0.0.1/callback';

/** Public client with PKCE, registered dynamically unless config.yaml names a client. */
export class SignInProvider implements OAuthClientProvider {
  readonly #parts: ProviderParts;
  #state = '';
  #verifier = '';

  constructor(parts: ProviderParts) {
    this.#parts = parts;
  }

  get redirectUrl(): string {
    return this.#parts.redirectUrl ?? NOWHERE;
  }

  get clientMetadata(): OAuthClientMetadata {
    const { scope, client_secret: secret } = this.#parts.settings;
    return {
      client_name: 'Talaria', redirect_uris: [this.redirectUrl], grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'],
      token_endpoint_auth_method: secret === undefined ? 'none' : 'client_secret_post', ...(scope === undefined ? {} : { scope }),
    };
  }

  state(): string {
    this.#state = this.#parts.newState();
    return this.#state;
  }

  async clientInformation(): Promise<StoredOAuthClientInformation | undefined> {
    const { client_id: id, client_secret: secret } = this.#parts.settings;
    if (id !== undefined) return { client_id: id, ...(secret === undefined ? {} : { client_secret: secret }) };
    const { client, redirectUrl } = await this.#parts.store.read();
    // Registered for another port: servers compare the whole address.
    return this.#parts.redirectUrl === undefined || redirectUrl === this.#parts.redirectUrl ? client : undefined;
  }

  async saveClientInformation(client: StoredOAuthClientInformation): Promise<void> {
    await this.#parts.store.change({ client, redirectUrl: this.redirectUrl });
  }

  async tokens(context?: OAuthClientInformationContext): Promise<StoredOAuthTokens | undefined> {
    const { tokens } = await this.#parts.store.read();
    if (context?.issuer !== undefined && tokens?.issuer !== undefined && tokens.issuer !== context.issuer) return undefined;
    return tokens;
  }

  async saveTokens(tokens: StoredOAuthTokens): Promise<void> {
    // A refresh that brings no new refresh token keeps the old one (RFC 6749, 6).
    const { tokens: before } = await this.#parts.store.read();
    const refresh = tokens.refresh_token ?? before?.refresh_token;
    await this.#parts.store.change({ tokens: { ...tokens, ...(refresh === undefined ? {} : { refresh_token: refresh }) } });
  }

  async redirectToAuthorization(page: URL): Promise<void> {
    if (this.#parts.onPage === undefined) throw new SignInNeeded();
    await this.#parts.onPage(page, this.#state);
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier;
  }

  async saveDiscoveryState(discovery: OAuthDiscoveryState): Promise<void> {
    await this.#parts.store.change({ discovery });
  }

  async discoveryState(): Promise<OAuthDiscoveryState | undefined> {
    return (await this.#parts.store.read()).discovery;
  }

  async invalidateCredentials(scope: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery'): Promise<void> {
    if (scope === 'all') await this.#parts.store.forget();
    else if (scope === 'verifier') this.#verifier = '';
    else await this.#parts.store.change({ [scope]: undefined });
  }
}
