/** Models that work beside the chat (vision, summaries, review): `auxiliary.<purpose>` of config.yaml, else the chat's own model. */
import { AppError } from '../../preload/contract/errors.ts';
import type { ModelService } from '../../tools/shared/model-service.ts';
import type { ConfigStore } from '../ports.ts';
import { createModelClient, type ClientParts, type Endpoint } from './client.ts';
import { normaliseBaseUrl, type Connections } from './connection.ts';
import { ModelError } from './errors.ts';
import { OPENAI_URL, OPENROUTER_URL, readConfiguredModel } from './providers.ts';

/** Hermes' limit for one auxiliary request. */
const DEFAULT_TIMEOUT_MS = 120_000;
interface Usual { readonly keyEnv: string; readonly urlEnv?: string; readonly baseUrl: string }
/** Purposes that the chat's own endpoint can seldom serve, and where they go as soon as that key is there: models of many makers, pictures, speech. */
const USUAL: ReadonlyMap<string, Usual> = new Map([
  ['mixture_of_agents', { keyEnv: 'OPENROUTER_API_KEY', baseUrl: OPENROUTER_URL }],
  ['image_gen', { keyEnv: 'OPENAI_API_KEY', urlEnv: 'OPENAI_BASE_URL', baseUrl: OPENAI_URL }],
  ['speech', { keyEnv: 'OPENAI_API_KEY', urlEnv: 'OPENAI_BASE_URL', baseUrl: OPENAI_URL }],
]);
/** What today's hosted models read at least; nothing is trimmed by it here. */
const ASSUMED_CONTEXT_TOKENS = 128_000;
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
      const ownKey = own.key ?? (own.keyEnv === undefined ? undefined : config.env(own.keyEnv)) ?? await connections.keyFor(baseUrl);
      const model = own.model ?? (USUAL.has(purpose) ? NO_MODEL : (await connections.resolve({ baseUrl })).endpoint.model);
      return { baseUrl, key: ownKey, model, contextTokens: own.contextTokens ?? ASSUMED_CONTEXT_TOKENS };
    }
    const usual = USUAL.get(purpose);
    const key = usual && (config.env(usual.keyEnv)?.trim() ?? '');
    if (usual !== undefined && key !== undefined && key !== '') {
      const baseUrl = (usual.urlEnv === undefined ? undefined : config.env(usual.urlEnv)?.trim()) || usual.baseUrl;
      return { baseUrl: normaliseBaseUrl(baseUrl), key, model: own?.model ?? NO_MODEL, contextTokens: ASSUMED_CONTEXT_TOKENS };
    }
    const chat = (await connections.resolve()).endpoint;
    return own?.model === undefined ? chat : { ...chat, model: own.model };
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
