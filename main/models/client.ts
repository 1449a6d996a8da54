/** One OpenAI-compatible endpoint: streams a reply as typed deltas and hands back the whole. */
import type { OpenAI } from 'openai';
import type { Clock, Ids } from '../ports.ts';
import { createAssembler, type ChunkLike } from './assemble.ts';
import { OPENROUTER_URL } from './providers.ts';
import { abortedError, badReply, httpError, ModelError, networkError, pictureError } from './errors.ts';
import { withRetries, type RetryPolicy } from './retry.ts';
import { hasPictures } from './pictures.ts';
import type { ModelClient, ModelReply, ModelRequest, StreamHandlers } from './types.ts';

export interface Endpoint {
  readonly baseUrl: string;
  readonly model: string;
  /** Undefined for local servers that want none. */
  readonly key: string | undefined;
  readonly contextTokens: number;
}

export interface ClientParts {
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'hex'>;
  readonly retry?: RetryPolicy;
}

/** The SDK refuses an empty key; local servers ignore what is sent. */
const NO_KEY = 'none';
/** A local server may load a model from disk before its first byte. Inactivity after that is undici's own limit (5 min). */
const TIMEOUT_MS = 600_000;

/** The SDK costs some 100 ms to load, so it is loaded by the first request, not by the start of the host. */
export async function openAi(endpoint: Pick<Endpoint, 'baseUrl' | 'key'>, timeoutMs: number = TIMEOUT_MS): Promise<OpenAI> {
  const { OpenAI } = await import('openai');
  return new OpenAI({
    baseURL: endpoint.baseUrl, apiKey: endpoint.key === undefined || endpoint.key === '' ? NO_KEY : endpoint.key,
    organization: null, project: null, maxRetries: 0, timeout: timeoutMs, logLevel: 'off',
  });
}

/** Turns whatever the SDK or fetch threw into a `ModelError`. */
export async function classify(error: unknown, endpoint: Pick<Endpoint, 'baseUrl' | 'model'>, signal: AbortSignal, now: number): Promise<ModelError> {
  if (error instanceof ModelError) return error;
  if (signal.aborted) return abortedError();
  const { APIConnectionError, APIError, APIUserAbortError } = await import('openai');
  if (error instanceof APIUserAbortError) return abortedError();
  if (error instanceof SyntaxError) return badReply('broken JSON in the stream', endpoint.baseUrl, error);
  if (error instanceof APIError && !(error instanceof APIConnectionError)) {
    return httpError(httpFacts(error), endpoint.baseUrl, endpoint.model, now);
  }
  return networkError(error, endpoint.baseUrl);
}

/** The SDK types these three as `any`; looked at here before they are believed. */
function httpFacts(error: { readonly message: string; readonly code?: string | null | undefined; readonly status?: unknown; readonly error?: unknown; readonly headers?: unknown }): Parameters<typeof httpError>[0] {
  const { status, headers } = error;
  return {
    status: typeof status === 'number' ? status : undefined, message: serverWords(error.error, error.message), code: error.code ?? '',
    headers: headers instanceof Headers ? headers : undefined,
  };
}

/** The server's own sentence: OpenAI nests it, llama.cpp and Ollama sometimes send a bare string. */
function serverWords(body: unknown, fallback: string): string {
  if (typeof body === 'string') return body;
  if (typeof body === 'object' && body !== null) {
    if ('message' in body && typeof body.message === 'string') return body.message;
    if ('error' in body && typeof body.error === 'string') return body.error;
  }
  return fallback;
}

/** One body instead of a stream (the server ignored `stream: true`), in the shape of a single chunk; undefined when it is none. */
function asChunk(body: unknown): ChunkLike | undefined {
  if (typeof body !== 'object' || body === null || !('choices' in body) || !Array.isArray(body.choices)) return undefined;
  const { choices, ...rest } = body as { choices: { message?: { tool_calls?: unknown }; finish_reason?: unknown }[] }; // foreign JSON; the assembler checks each field
  const [first] = choices;
  if (!first) return undefined;
  const calls = Array.isArray(first.message?.tool_calls) ? first.message.tool_calls : [];
  const indexed = calls.map((call: unknown, index) => ({ ...(typeof call === 'object' ? call : {}), index }));
  return { ...rest, choices: [{ delta: { ...first.message, tool_calls: indexed }, finish_reason: first.finish_reason ?? 'stop' }] };
}

/** Chunks of the answer to a streaming request, whether the server streams or sends one body. */
export async function* receive(client: OpenAI, body: OpenAI.ChatCompletionCreateParamsStreaming, where: string, signal: AbortSignal): AsyncGenerator<ChunkLike> {
  const { data, response } = await client.chat.completions.create(body, { signal }).withResponse();
  if (!(response.headers.get('content-type') ?? '').includes('json')) {
    yield* data as AsyncIterable<ChunkLike>; // the SDK checks no field, so its type promises too much: the assembler looks
    return;
  }
  const whole = asChunk(await response.json());
  if (!whole) throw badReply('neither a stream nor a completion', where);
  yield whole;
}

/** OpenAI's newer models refuse the old field; local servers know only that one. */
function tokenLimit(baseUrl: string, tokens: number): object {
  return new URL(baseUrl).hostname === 'api.openai.com' ? { max_completion_tokens: tokens } : { max_tokens: tokens };
}

/** Asked anew after an await: the answer of before does not count. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}

/** Builds the client. It keeps nothing between requests. */
export function createModelClient(endpoint: Endpoint, parts: ClientParts): ModelClient {
  async function once(request: ModelRequest, handlers: StreamHandlers): Promise<ModelReply> {
    const { signal } = handlers;
    const model = request.model ?? endpoint.model;
    const assembler = createAssembler();
    try {
      if (signal.aborted) throw abortedError();
      const client = await openAi(endpoint);
      const body = {
        model, messages: request.messages, stream: true, stream_options: { include_usage: true },
        ...(request.tools.length > 0 ? { tools: request.tools } : {}),
        ...(request.maxTokens === undefined ? {} : tokenLimit(endpoint.baseUrl, request.maxTokens)),
        // OpenRouter tells what a request cost only when asked.
        ...(endpoint.baseUrl.startsWith(OPENROUTER_URL) && { usage: { include: true } }),
        ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
      } as OpenAI.ChatCompletionCreateParamsStreaming; // our shapes are the SDK's, but readonly
      for await (const chunk of receive(client, body, endpoint.baseUrl, signal)) {
        for (const delta of assembler.add(chunk)) handlers.onDelta(delta);
      }
    } catch (error) {
      const failure = await classify(error, { baseUrl: endpoint.baseUrl, model }, signal, parts.clock.now());
      throw hasPictures(request.messages) ? pictureError(failure, model) : failure;
    }
    // After an abort the SDK ends its loop without an error.
    if (isAborted(signal)) throw abortedError();
    if (!assembler.finished) throw new ModelError('model/network', `${endpoint.baseUrl} ended the reply before it was complete.`, { hint: 'Retry; if it stays, look at the server\'s log.', retryable: true });
    const { reply, deltas } = assembler.end(() => `call_${parts.ids.hex(8)}`, model);
    for (const delta of deltas) handlers.onDelta(delta);
    return reply;
  }

  return {
    model: endpoint.model,
    baseUrl: endpoint.baseUrl,
    contextTokens: endpoint.contextTokens,
    stream: (request, handlers) => withRetries(() => once(request, handlers), {
      clock: parts.clock, signal: handlers.signal, ...(parts.retry !== undefined && { policy: parts.retry }), random: () => Number.parseInt(parts.ids.hex(4), 16) / 0x1_0000_0000,
      ...(handlers.onRetry === undefined ? {} : { onRetry: (failure) => handlers.onRetry?.(failure) }),
    }),
  };
}
