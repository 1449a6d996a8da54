/** Everything about signing in to one remote server. */
import { AppError } from '../../../preload/contract/errors.ts';
import type { Clock, Log, SecretStore } from '../../ports.ts';
import type { RemoteServer } from '../config.ts';
import { reachOf } from '../tls.ts';
import { signIn } from './sign-in.ts';
import { CredentialStore } from './store.ts';
import { createTokens, type Challenge, type Tokens } from './tokens.ts';

export interface SignInDeskParts {
  readonly name: string;
  readonly config: RemoteServer;
  readonly clock: Pick<Clock, 'after'>;
  readonly log: Log;
  readonly secrets: SecretStore;
  readonly newState: () => string;
  readonly openPage: (page: string) => Promise<void>;
  readonly onChange: () => void;
}

export class SignInDesk {
  readonly #parts: SignInDeskParts;
  readonly #store: CredentialStore;
  #challenge: Challenge = {};
  #running: AbortController | undefined;
  #page: string | undefined;
  /** Tokens for the requests to the server. */
  readonly tokens: Tokens;

  constructor(parts: SignInDeskParts) {
    const { name, config, log, secrets } = parts;
    this.#parts = parts;
    this.#store = new CredentialStore({ secrets, log, server: name, serverUrl: config.url });
    this.tokens = createTokens({ store: this.#store, settings: config.oauth, log, onChallenge: (challenge) => { this.#challenge = challenge; } });
  }

  /** Ends one that is still open: the person has clicked again. Rejects with `mcp/sign-in-failed`. */
  async signIn(): Promise<void> {
    const { config, clock, newState, openPage, onChange } = this.#parts;
    const ended = (): AppError => new AppError('mcp/sign-in-failed', 'this sign-in was ended by another one, or by the end of the app', { hint: 'Go on with the newer page.' });
    this.#running?.abort(ended());
    const mine = new AbortController();
    this.#running = mine;
    const show = (page: string | undefined): void => {
      this.#page = page;
      onChange();
    };
    const reach = await reachOf(config);
    try {
      await signIn({ store: this.#store, settings: config.oauth, serverUrl: config.url, challenge: this.#challenge, fetch: reach.fetch, clock, newState, openPage: (page) => { show(page); return openPage(page); } }, mine.signal);
    } finally {
      if (this.#running === mine) {
        this.#running = undefined;
        show(undefined);
      }
      await reach.close();
    }
  }

  /** Address of the page that the person has to visit now. Where no browser could be opened it is the only way there. */
  get page(): string | undefined {
    return this.#page;
  }

  signOut(): Promise<void> {
    return this.#store.forget();
  }

  async isSignedIn(): Promise<boolean> {
    return (await this.#store.read()).tokens !== undefined;
  }

  close(): void {
    this.#running?.abort(new AppError('mcp/sign-in-failed', 'the server was taken out of config.yaml, or the app ends'));
  }
}
