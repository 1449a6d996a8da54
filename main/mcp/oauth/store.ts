/** Who we are to one server's authorization server, and the tokens it gave us: kept with the app's secrets, bound to the server's address. */
import type { OAuthDiscoveryState, StoredOAuthClientInformation, StoredOAuthTokens } from '@modelcontextprotocol/client';
import { z } from 'zod';
import type { Log, SecretStore } from '../../ports.ts';

export interface Credentials {
  /** Address of the MCP server the tokens are for: they are sent nowhere else. */
  readonly serverUrl: string;
  readonly client?: StoredOAuthClientInformation | undefined;
  /** The address the client was registered with. */
  readonly redirectUrl?: string | undefined;
  readonly tokens?: StoredOAuthTokens | undefined;
  readonly discovery?: OAuthDiscoveryState | undefined;
}

const Stored = z.object({
  serverUrl: z.string(), redirectUrl: z.string().optional(), client: z.looseObject({ client_id: z.string() }).optional(),
  tokens: z.looseObject({ access_token: z.string(), token_type: z.string() }).optional(), discovery: z.looseObject({ authorizationServerUrl: z.string() }).optional(),
});

export class CredentialStore {
  readonly #secrets: SecretStore;
  readonly #log: Log;
  readonly #server: string;
  readonly #serverUrl: string;

  constructor(parts: { readonly secrets: SecretStore; readonly log: Log; readonly server: string; readonly serverUrl: string }) {
    this.#secrets = parts.secrets;
    this.#log = parts.log;
    this.#server = parts.server;
    this.#serverUrl = parts.serverUrl;
  }

  get #name(): string {
    return `mcp-oauth:${this.#server}`;
  }

  /** What other processes wrote is seen. Credentials for another address count as none. */
  async read(): Promise<Credentials> {
    const text = await this.#secrets.get(this.#name);
    if (text === undefined) return { serverUrl: this.#serverUrl };
    const parsed = Stored.safeParse(parseOrNull(text));
    if (!parsed.success) {
      this.#log.warn('the stored sign-in of an MCP server cannot be read; sign in again', { server: this.#server });
      return { serverUrl: this.#serverUrl };
    }
    return parsed.data.serverUrl === this.#serverUrl ? parsed.data : { serverUrl: this.#serverUrl };
  }

  async change(change: Partial<Omit<Credentials, 'serverUrl'>>): Promise<void> {
    await this.#secrets.set(this.#name, JSON.stringify({ ...await this.read(), ...change }));
  }

  async forget(): Promise<void> {
    await this.#secrets.set(this.#name, undefined);
  }
}

function parseOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The caller says that it cannot be read, without quoting a secret.
    return null;
  }
}
