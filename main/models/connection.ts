/**
 * Which model answers: worked out from what the caller said, config.yaml, the environment (with the home's `.env`) and, when
 * none of them says anything, from a server found on loopback. Keys stay in here: out comes only whether there is one.
 */
import { AppError } from '../../preload/contract/errors.ts';
import type { FoundServer, ModelConnection } from '../../preload/contract/settings.ts';
import type { JsonValue } from '../../tools/context.ts';
import type { ConfigStore, SecretStore } from '../ports.ts';
import { fetchModels } from './discover.ts';
import type { Endpoint } from './client.ts';
import { OPENAI_URL, OPENROUTER_URL, readConfiguredModel, type ConfiguredModel } from './providers.ts';

/** Taken when nobody says otherwise: what today's hosted models read at least. A server that says less is believed (see `trim.ts`). */
const DEFAULT_CONTEXT_TOKENS = 128_000;
/** Asking a server for its list of models while a person waits for the first answer. */
const LIST_TIMEOUT_MS = 5_000;

export interface ConnectionOverrides { readonly baseUrl?: string; readonly model?: string; readonly key?: string }

export interface Resolved { readonly endpoint: Endpoint; readonly name: string; readonly source: string }

export interface Connections {
  /** The connection of the next request. Throws `model/none` with the reason when there is none. */
  resolve(overrides?: ConnectionOverrides): Promise<Resolved>;
  /** The same for screens, without the key; undefined when there is none. Never throws for a missing one. */
  current(): Promise<ModelConnection | undefined>;
  /** Writes `model` of config.yaml and the key into the secret store. Throws `config/malformed`. */
  save(input: { readonly baseUrl: string; readonly model: string; readonly key?: string | undefined }): Promise<ModelConnection>;
  /** The stored or configured key for a base URL; undefined when there is none. */
  keyFor(baseUrl: string): Promise<string | undefined>;
}

export interface ConnectionParts {
  readonly config: Pick<ConfigStore, 'get' | 'update' | 'env'>;
  readonly secrets: SecretStore;
  readonly discover: () => Promise<readonly FoundServer[]>;
  /** What the command line said, for every request of this host. */
  readonly overrides?: ConnectionOverrides;
}

interface Draft { readonly baseUrl: string; readonly model: string | undefined; readonly source: string; readonly name: string; readonly contextTokens: number | undefined }

export function normaliseBaseUrl(baseUrl: string): string {
  return baseUrl.trim().replace(/\/+$/, '');
}

function isLoopback(baseUrl: string): boolean {
  return URL.canParse(baseUrl) && /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(new URL(baseUrl).hostname);
}

/** Name of the secret that holds the key of a base URL. */
export function secretName(baseUrl: string): string {
  return `model-key:${normaliseBaseUrl(baseUrl)}`;
}

function sameOrigin(one: string, other: string): boolean {
  return URL.canParse(one) && URL.canParse(other) && new URL(one).origin === new URL(other).origin;
}

/** Keeps what the person wrote besides; the key and the window of another address must not follow to the new one. */
function keptFields(current: JsonValue | undefined, address: string): Record<string, JsonValue> {
  const kept = new Map(typeof current === 'object' && current !== null && !Array.isArray(current) ? Object.entries(current) : []);
  const before = kept.get('base_url');
  if (typeof before !== 'string' || normaliseBaseUrl(before) !== address) {
    for (const name of ['api_key', 'key_env', 'api_key_env', 'context_length', 'api_mode', 'vision', 'price_in', 'price_out']) kept.delete(name);
  }
  return Object.fromEntries(kept);
}

export function createConnections(parts: ConnectionParts): Connections {
  const { config, secrets } = parts;
  const env = (name: string): string | undefined => config.env(name)?.trim() || undefined;

  function configured(): ConfiguredModel | undefined {
    return readConfiguredModel({ model: config.get('model'), providers: config.get('providers'), customProviders: config.get('custom_providers') });
  }

  function environmentUrl(): { baseUrl: string; source: string } | undefined {
    const given = env('OPENAI_BASE_URL');
    if (given !== undefined) return { baseUrl: given, source: 'OPENAI_BASE_URL' };
    if (env('OPENROUTER_API_KEY') !== undefined) return { baseUrl: OPENROUTER_URL, source: 'OPENROUTER_API_KEY' };
    if (env('OPENAI_API_KEY') !== undefined) return { baseUrl: OPENAI_URL, source: 'OPENAI_API_KEY' };
    return undefined;
  }

  /** Explicit words first, then config.yaml, then the environment; each field on its own. */
  function draft(overrides: ConnectionOverrides): Draft | undefined {
    const file = configured();
    const model = overrides.model ?? file?.model ?? env('HERMES_MODEL');
    const named = { name: file?.name ?? 'default', contextTokens: file?.contextTokens, model };
    if (overrides.baseUrl !== undefined) return { ...named, name: 'default', baseUrl: overrides.baseUrl, source: 'command line' };
    if (file?.baseUrl !== undefined) return { ...named, baseUrl: file.baseUrl, source: 'config.yaml' };
    if (file?.unknownProvider !== undefined) {
      throw new AppError('model/none', `config.yaml chooses the provider "${file.unknownProvider}", whose address is not known here.`, { hint: 'Set model.base_url in config.yaml to its OpenAI-compatible address.' });
    }
    const fromEnvironment = environmentUrl();
    return fromEnvironment && { ...named, ...fromEnvironment };
  }

  /** A key goes only where it belongs: the stored one of that address, the file's, then the variable that names that address. */
  async function keyOf(baseUrl: string): Promise<string | undefined> {
    const stored = await secrets.get(secretName(baseUrl));
    if (stored !== undefined) return stored === '' ? undefined : stored;
    const file = configured();
    if (file?.baseUrl !== undefined && sameOrigin(file.baseUrl, baseUrl)) {
      const own = file.key ?? (file.keyEnv === undefined ? undefined : env(file.keyEnv));
      if (own !== undefined) return own;
    }
    if (sameOrigin(baseUrl, OPENROUTER_URL)) return env('OPENROUTER_API_KEY');
    const named = env('OPENAI_BASE_URL') ?? OPENAI_URL;
    return sameOrigin(baseUrl, named) ? env('OPENAI_API_KEY') : undefined;
  }

  /** The model to use when only an address is known: the one it lists, when it lists one or runs on this machine. */
  async function onlyModel(baseUrl: string, key: string | undefined): Promise<string | undefined> {
    try {
      const { models } = await fetchModels(baseUrl, key, AbortSignal.timeout(LIST_TIMEOUT_MS));
      return models.length === 1 || isLoopback(baseUrl) ? models[0] : undefined;
    } catch {
      // Unreachable or silent: the caller says that no model is chosen, and the request would say the rest.
      return undefined;
    }
  }

  async function found(overrides: ConnectionOverrides): Promise<Draft | undefined> {
    const server = (await parts.discover()).find(({ models }) => models.length > 0);
    return server && { name: server.name, baseUrl: server.baseUrl, model: overrides.model ?? env('HERMES_MODEL') ?? server.models[0], source: 'found on loopback', contextTokens: undefined };
  }

  async function resolve(given: ConnectionOverrides = {}): Promise<Resolved> {
    const overrides = { ...parts.overrides, ...given };
    const chosen = draft(overrides) ?? await found(overrides);
    if (!chosen) {
      throw new AppError('model/none', 'No model is connected.', { hint: 'Connect one in the settings, set OPENAI_BASE_URL and OPENAI_API_KEY, or start a local server such as Ollama.' });
    }
    const baseUrl = normaliseBaseUrl(chosen.baseUrl);
    const key = overrides.key ?? await keyOf(baseUrl) ?? (chosen.source === 'command line' ? env('OPENAI_API_KEY') : undefined);
    const model = chosen.model ?? await onlyModel(baseUrl, key);
    if (model === undefined) {
      throw new AppError('model/none', `No model is chosen for ${baseUrl}.`, { hint: 'Choose one in the settings, or set HERMES_MODEL or model.default in config.yaml.' });
    }
    return { name: chosen.name, source: chosen.source, endpoint: { baseUrl, model, key, contextTokens: chosen.contextTokens ?? DEFAULT_CONTEXT_TOKENS } };
  }

  function shown({ endpoint, name, source }: Resolved): ModelConnection {
    return { name, baseUrl: endpoint.baseUrl, model: endpoint.model, hasKey: endpoint.key !== undefined, source, contextTokens: endpoint.contextTokens };
  }

  return {
    resolve,
    async current() {
      try {
        return shown(await resolve());
      } catch (error) {
        if (error instanceof AppError && error.code === 'model/none') return undefined;
        throw error;
      }
    },
    async save({ baseUrl, model, key }) {
      const address = normaliseBaseUrl(baseUrl);
      await config.update('model', (current) => ({ ...keptFields(current, address), default: model, provider: 'custom', base_url: address }));
      if (key !== undefined) await secrets.set(secretName(address), key === '' ? undefined : key);
      return shown(await resolve());
    },
    keyFor: (baseUrl) => keyOf(normaliseBaseUrl(baseUrl)),
  };
}
