/** How full the model's window is in a chat: the trimmer's own estimate of the next request, corrected by what the endpoint counted last. */
import { z } from 'zod';
import type { ContextUse } from '../../preload/contract/composer.ts';
import type { SessionId } from '../../preload/contract/ids.ts';
import { estimateRequestTokens, requestTokensByKind } from '../models/tokens.ts';
import type { ModelMessage, ModelTool } from '../models/types.ts';
import type { Storage } from '../ports.ts';
import type { AgentParts } from './parts.ts';
import { offeredTools, systemPrompt } from './request-parts.ts';
import { buildTranscript } from './transcript.ts';
import { loadTrim } from './trimmer.ts';

/** An endpoint that counts outside of this is believed to count something else, such as only what its cache did not hold. */
const LEAST_FACTOR = 0.4;
const MOST_FACTOR = 2.5;

const Counted = z.object({ model: z.string(), believed: z.number(), contextTokens: z.number(), factor: z.number().nullable() });

const keyOf = (sessionId: SessionId): string => `context:${sessionId}`;

export interface CountedRequest {
  readonly model: string;
  /** Window as the connection says, and as it is known after refusals. */
  readonly believed: number;
  readonly contextTokens: number;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ModelTool[];
  /** Prompt tokens as the endpoint counted; 0 = it did not say. */
  readonly counted: number;
}

/** Keeps how far the estimate of a request was off, for the meter. */
export function rememberCount(sessionId: SessionId, values: Storage['values'], { model, believed, contextTokens, messages, tools, counted }: CountedRequest): void {
  const factor = counted === 0 ? null : counted / estimateRequestTokens(messages, tools);
  values.set(keyOf(sessionId), JSON.stringify({ model, believed, contextTokens, factor }));
}

function lastCount(sessionId: SessionId, values: Storage['values']): z.infer<typeof Counted> | undefined {
  const stored = values.get(keyOf(sessionId));
  const parsed = stored === undefined ? undefined : Counted.safeParse(JSON.parse(stored));
  return parsed?.success === true ? parsed.data : undefined;
}

/** The next request as it would go out now, without the new message. Throws `model/none` where no model is connected. Nothing is kept and nothing sent. */
export async function contextUse(sessionId: SessionId, parts: AgentParts): Promise<Omit<ContextUse, 'cost'>> {
  const { storage } = parts;
  const session = storage.sessions.get(sessionId);
  const client = session === undefined ? undefined : await parts.connect(session);
  if (session === undefined || client === undefined) throw new Error(`there is no chat ${sessionId}`);
  const model = session.model ?? client.model;
  const last = lastCount(sessionId, storage.values);
  const isSame = last !== undefined && last.model === model && last.believed === client.contextTokens;
  const tools = await offeredTools(sessionId, parts, client);
  const looking = { get: (key: string) => storage.values.get(key), set: () => undefined };
  const system: ModelMessage = { role: 'system', content: await systemPrompt(sessionId, parts, tools, looking) };
  const estimated = requestTokensByKind([system, ...buildTranscript(storage.messages.transcript(sessionId), loadTrim(storage.values, sessionId), { sees: parts.vision?.sees(model, client.baseUrl) ?? false, places: new Map() })], tools);
  const known = isSame && last.factor !== null && last.factor >= LEAST_FACTOR && last.factor <= MOST_FACTOR ? last.factor : undefined;
  const corrected = (tokens: number): number => Math.round(tokens * (known ?? 1));
  return {
    model, contextTokens: isSame ? last.contextTokens : client.contextTokens, corrected: known !== undefined,
    system: corrected(estimated.system), tools: corrected(estimated.tools), messages: corrected(estimated.messages), results: corrected(estimated.results),
  };
}
