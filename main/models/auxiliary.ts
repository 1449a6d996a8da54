/** Models that work beside the chat (vision, summaries, review): `auxiliary.<purpose>` of config.yaml, else the chat's own model. */
import { AppError } from '../../preload/contract/errors.ts';
import type { ModelService } from '../../tools/context.ts';
import type { ConfigStore } from '../ports.ts';
import { createModelClient, type ClientParts, type Endpoint } from './client.ts';
import { normaliseBaseUrl, type Connections } from './connection.ts';
import { ModelError } from './errors.ts';
import { OPENROUTER_URL, readConfiguredModel } from './providers.ts';

/** Hermes' limit for one auxiliary request. */
const DEFAULT_TIMEOUT_MS = 120_000;
/** Purposes that are asked of OpenRouter as soon as its key is there (hermes-runtime 7.11): they need models of many makers. */
const AT_OPENROUTER: ReadonlySet<string> = new Set(['mixture_of_agents']);
/** Where no purpose names a model, the caller of that purpose does. */
const NO_MODEL = '';

export interface AuxiliaryParts extends ClientParts {
  readonly config: Pick<ConfigStore, 'get' | 'env'>;
  readonly connections: Pick<Connections, 'resolve' | 'keyFor'>;
}

export interface AuxiliaryModels extends ModelService {
  endpoint(purpose: string): Promise<Endpoint>;
}

export function createAuxiliaryModels(parts: AuxiliaryParts): AuxiliaryModels {
  const { config, connections } = parts;

  async function endpoint(purpose: string): Promise<Endpoint> {
    const own = readConfiguredModel({ model: config.get(`auxiliary.${purpose}`), providers: config.get('providers'), customProviders: config.get('custom_providers') });
    if (own?.unknownProvider !== undefined) {
      throw new ModelError('model/none', `auxiliary.${purpose} in config.yaml names the provider "${own.unknownProvider}", whose address is not known here.`, { hint: `Set auxiliary.${purpose}.base_url to its OpenAI-compatible address.` });
    }
    if (own?.baseUrl !== undefined) {
      const baseUrl = normaliseBaseUrl(own.baseUrl);
      const key = own.key ?? (own.keyEnv === undefined ? undefined : config.env(own.keyEnv)) ?? await connections.keyFor(baseUrl);
      const model = own.model ?? (await connections.resolve({ baseUrl })).endpoint.model;
      return { baseUrl, key, model, contextTokens: own.contextTokens ?? (await defaultContext()) };
    }
    const openRouterKey = config.env('OPENROUTER_API_KEY')?.trim();
    if (AT_OPENROUTER.has(purpose) && openRouterKey !== undefined && openRouterKey !== '') {
      return { baseUrl: OPENROUTER_URL, key: openRouterKey, model: own?.model ?? NO_MODEL, contextTokens: await defaultContext() };
    }
    const chat = (await connections.resolve()).endpoint;
    return own?.model === undefined ? chat : { ...chat, model: own.model };
  }

  async function defaultContext(): Promise<number> {
    try {
      return (await connections.resolve()).endpoint.contextTokens;
    } catch {
      // Only this purpose has a model: what most hosted ones read is assumed.
      return 128_000;
    }
  }

  function limitOf(purpose: string, asked: number | undefined): number {
    const seconds = Number(config.get(`auxiliary.${purpose}.timeout`));
    return Number.isFinite(seconds) && seconds > 0 ? seconds * 1_000 : asked ?? DEFAULT_TIMEOUT_MS;
  }

  return {
    endpoint,
    async ask({ purpose, system, user, ...question }, signal) {
      const limit = limitOf(purpose, question.timeoutMs);
      const timer = AbortSignal.timeout(limit);
      try {
        const client = createModelClient(await endpoint(purpose), question.retry === undefined ? parts : { ...parts, retry: question.retry });
        const { text, model, usage } = await client.stream({
          ...(question.model !== undefined && { model: question.model }), tools: [],
          messages: [...(system === undefined ? [] : [{ role: 'system', content: system } as const]), { role: 'user', content: user }],
          ...(question.temperature !== undefined && { temperature: question.temperature }), ...(question.maxTokens !== undefined && { maxTokens: question.maxTokens }),
        }, { signal: AbortSignal.any([signal, timer]), onDelta: () => undefined });
        return { text, model, ...(usage !== undefined && { usage }) };
      } catch (error) {
        signal.throwIfAborted();
        if (timer.aborted) throw new ModelError('model/timeout', `The model did not answer within ${String(limit / 1_000)} s.`, { hint: `Raise auxiliary.${purpose}.timeout in config.yaml, or name a quicker model there.`, cause: error });
        throw error instanceof AppError && error.hint !== undefined ? new AppError(error.code, `${error.message} ${error.hint}`, { cause: error }) : error;
      }
    },
  };
}
