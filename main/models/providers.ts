/** What config.yaml may say about models, in Hermes' own fields, and what it means here. Pure: no disk, no environment of its own. */
import type { JsonValue } from '../../tools/context.ts';

/** Providers of Hermes that speak OpenAI's protocol at a fixed address, with the variable their key is kept in. */
const KNOWN_PROVIDERS = new Map<string, { readonly baseUrl: string; readonly keyEnv: string | undefined }>([
  ['openrouter', { baseUrl: 'https://openrouter.ai/api/v1', keyEnv: 'OPENROUTER_API_KEY' }],
  ['openai', { baseUrl: 'https://api.openai.com/v1', keyEnv: 'OPENAI_API_KEY' }],
  ['deepseek', { baseUrl: 'https://api.deepseek.com/v1', keyEnv: 'DEEPSEEK_API_KEY' }],
  ['mistral', { baseUrl: 'https://api.mistral.ai/v1', keyEnv: 'MISTRAL_API_KEY' }],
  ['groq', { baseUrl: 'https://api.groq.com/openai/v1', keyEnv: 'GROQ_API_KEY' }],
  ['xai', { baseUrl: 'https://api.x.ai/v1', keyEnv: 'XAI_API_KEY' }],
  ['gemini', { baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai', keyEnv: 'GEMINI_API_KEY' }],
  ['anthropic', { baseUrl: 'https://api.anthropic.com/v1', keyEnv: 'ANTHROPIC_API_KEY' }],
  ['ollama', { baseUrl: 'http://127.0.0.1:11434/v1', keyEnv: undefined }],
  ['lmstudio', { baseUrl: 'http://127.0.0.1:1234/v1', keyEnv: undefined }],
]);

export const OPENROUTER_URL = 'https://openrouter.ai/api/v1';
export const OPENAI_URL = 'https://api.openai.com/v1';

/** What config.yaml settles; absent fields are left to the environment. */
export interface ConfiguredModel {
  readonly name: string;
  readonly baseUrl?: string;
  readonly model?: string;
  readonly key?: string;
  readonly keyEnv?: string;
  readonly contextTokens?: number;
  /** A provider that has no OpenAI-compatible address here and none of its own in the file. */
  readonly unknownProvider?: string;
}

type Fields = ReadonlyMap<string, JsonValue>;

function fields(value: JsonValue | undefined): Fields {
  return new Map(typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : []);
}

function text(from: Fields, ...names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = from.get(name);
    if (typeof value === 'string' && value.trim() !== '') return value.trim();
  }
  return undefined;
}

function count(from: Fields, name: string): number | undefined {
  const value = Number(from.get(name));
  return Number.isInteger(value) && value > 0 ? value : undefined;
}

/** A named provider: `providers: {name: …}` (newer) or an entry of `custom_providers` (older) with that name. */
function namedProvider(name: string, providers: JsonValue | undefined, customProviders: JsonValue | undefined): Fields | undefined {
  const wanted = name.toLowerCase().replace(/^custom:/, '');
  for (const [key, value] of fields(providers)) {
    if (key.toLowerCase() === wanted || text(fields(value), 'name')?.toLowerCase() === wanted) return fields(value);
  }
  const listed = Array.isArray(customProviders) ? customProviders.map((entry: JsonValue) => fields(entry)) : [];
  return listed.find((entry) => text(entry, 'name')?.toLowerCase() === wanted);
}

/**
 * Reads `model`, `providers` and `custom_providers` as Hermes has them: `model` is a name or
 * `{default|model, provider, base_url, api_key, key_env, context_length}`.
 */
export function readConfiguredModel(config: { readonly model: JsonValue | undefined; readonly providers: JsonValue | undefined; readonly customProviders: JsonValue | undefined }): ConfiguredModel | undefined {
  const block = typeof config.model === 'string' ? new Map<string, JsonValue>([['default', config.model]]) : fields(config.model);
  if (block.size === 0) return undefined;
  const providerName = text(block, 'provider') ?? 'auto';
  const plain = ['auto', 'custom', 'main'].includes(providerName.toLowerCase());
  const named = plain ? undefined : namedProvider(providerName, config.providers, config.customProviders);
  const known = plain || named ? undefined : KNOWN_PROVIDERS.get(providerName.toLowerCase());
  const provider = named ?? new Map<string, JsonValue>();

  const baseUrl = text(block, 'base_url') ?? text(provider, 'base_url', 'api', 'url') ?? known?.baseUrl;
  const model = text(block, 'default', 'model', 'name') ?? text(provider, 'default_model', 'model');
  const key = text(block, 'api_key') ?? text(provider, 'api_key');
  const keyEnv = text(block, 'key_env', 'api_key_env') ?? text(provider, 'key_env', 'api_key_env') ?? known?.keyEnv;
  const contextTokens = count(block, 'context_length')
    ?? (model === undefined ? undefined : count(fields(fields(provider.get('models')).get(model)), 'context_length'))
    ?? count(provider, 'context_length');
  return {
    name: plain ? 'default' : providerName,
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(model === undefined ? {} : { model }),
    ...(key === undefined ? {} : { key }),
    ...(keyEnv === undefined ? {} : { keyEnv }),
    ...(contextTokens === undefined ? {} : { contextTokens }),
    ...(plain || baseUrl !== undefined ? {} : { unknownProvider: providerName }),
  };
}
