/** Every way a model request fails, told apart once, here, and given a code, a cause in words and a next step. */
import { AppError, type ErrorCode } from '../../preload/contract/errors.ts';

export type ModelErrorCode = Extract<ErrorCode, `model/${string}`>;

export class ModelError extends AppError {
  /** True when the same request may succeed later without anybody changing anything. */
  readonly retryable: boolean;
  /** How long the server asked us to wait, in ms. */
  readonly retryAfterMs: number | undefined;
  /** True when the request was given up because its signal aborted. */
  readonly aborted: boolean;

  constructor(code: ModelErrorCode, message: string, options: { hint?: string; cause?: unknown; retryable?: boolean; retryAfterMs?: number | undefined; aborted?: boolean } = {}) {
    super(code, message, options);
    this.name = 'ModelError';
    this.retryable = options.retryable ?? false;
    this.retryAfterMs = options.retryAfterMs;
    this.aborted = options.aborted ?? false;
  }
}

interface HttpFailure { readonly status: number | undefined; readonly message: string; readonly code: string; readonly headers: Headers | undefined }

/** Servers say "too long" in their own words; only OpenAI's code is a code (llama.cpp, Ollama, vLLM, Anthropic: text). */
const CONTEXT_TEXT = /context[ _](?:length|window|size)|maximum context|too many (?:input )?tokens|prompt is too long|exceeds? the (?:available )?context/i;
/** Ollama: "… does not support tools"; vLLM: "tool choice requires --enable-auto-tool-choice"; OpenRouter: "support tool use". */
const TOOLS_TEXT = /(?:not|n't) support (?:tools?|function)|support tool use|enable-auto-tool-choice|tools? (?:is|are) not supported/i;
const STREAM_TEXT = /stream(?:ing)? (?:is )?not (?:supported|available|enabled)|does not support stream/i;

/** Walks to the innermost `code` of a chain of causes: undici hides the system's error two levels down. */
function systemCode(error: unknown): string | undefined {
  let found: string | undefined;
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 6; at = at.cause, depth += 1) {
    if ('code' in at && typeof at.code === 'string') found = at.code;
    if (at instanceof AggregateError) return systemCode(at.errors[0]) ?? found;
  }
  return found;
}

const TLS_CODE = /CERT|SELF_SIGNED|^ERR_TLS|^ERR_SSL|UNABLE_TO_VERIFY|^EPROTO$/;

/** Failures below HTTP. `where` is the base URL, for the person. */
export function networkError(error: unknown, where: string): ModelError {
  const code = systemCode(error) ?? '';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return new ModelError('model/dns', `No address is known for ${hostOf(where)}.`, { hint: 'Check the spelling of the base URL and the network.', cause: error, retryable: code === 'EAI_AGAIN' });
  }
  if (code === 'ECONNREFUSED') {
    return new ModelError('model/refused', `Nothing answers at ${where}: the connection was refused.`, { hint: 'Start the model server, or correct the port.', cause: error, retryable: true });
  }
  if (TLS_CODE.test(code)) {
    return new ModelError('model/tls', `The secure connection to ${hostOf(where)} failed (${code}).`, { hint: 'Check the certificate, or use http:// if the server speaks plain HTTP.', cause: error });
  }
  if (/TIMEOUT|ETIMEDOUT/.test(code) || (error instanceof Error && /timed? ?out/i.test(error.name + error.message))) {
    return new ModelError('model/timeout', `${where} did not answer in time.`, { hint: 'Is the server busy loading the model? Try again, or choose a smaller model.', cause: error, retryable: true });
  }
  return new ModelError('model/network', `The connection to ${where} broke${code === '' ? '' : ` (${code})`}.`, { hint: 'Check that the server is still running.', cause: error, retryable: true });
}

function hostOf(where: string): string {
  return URL.canParse(where) ? new URL(where).host : where;
}

/** Epoch-free delay in ms from `retry-after-ms` or `Retry-After` (seconds or an HTTP date). */
export function retryAfter(headers: Headers | undefined, now: number): number | undefined {
  const precise = Number(headers?.get('retry-after-ms') ?? NaN);
  if (Number.isFinite(precise) && precise >= 0) return precise;
  const value = headers?.get('retry-after');
  if (value === null || value === undefined || value.trim() === '') return undefined;
  const seconds = Number(value);
  if (Number.isFinite(seconds)) return seconds >= 0 ? seconds * 1_000 : undefined;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** Failures that came as an HTTP status or as an error event inside a stream (`status` undefined). `asked`: the model, or the list of them. */
export function httpError(failure: HttpFailure, where: string, asked: string | { readonly list: true }, now: number): ModelError {
  const { status, message, code } = failure;
  const model = typeof asked === 'string' ? asked : 'this model';
  const said = message === '' ? `status ${status ?? 'unknown'}` : message.slice(0, 600);
  if (code === 'context_length_exceeded' || status === 413 || CONTEXT_TEXT.test(message)) {
    return new ModelError('model/context', `The chat is longer than ${model} can read: ${said}`, { hint: 'Start a new chat, or choose a model with a larger context.' });
  }
  if (status === 401 || status === 403) {
    return new ModelError('model/unauthorised', `${hostOf(where)} refused the key: ${said}`, { hint: 'Check the API key and that it may use this model.' });
  }
  if (code === 'insufficient_quota' || status === 402) {
    return new ModelError('model/rate-limited', `${hostOf(where)} says the account is used up: ${said}`, { hint: 'Add credit there, or choose another model.' });
  }
  if (status === 429) {
    return new ModelError('model/rate-limited', `${hostOf(where)} asks to slow down: ${said}`, { hint: 'Wait a moment and retry.', retryable: true, retryAfterMs: retryAfter(failure.headers, now) });
  }
  if (TOOLS_TEXT.test(message)) {
    return new ModelError('model/no-tools', `${model} cannot call tools: ${said}`, { hint: 'Choose a model with tool calling.' });
  }
  if (STREAM_TEXT.test(message)) {
    return new ModelError('model/no-streaming', `${hostOf(where)} does not stream: ${said}`, { hint: 'Turn streaming on in the server, or use another one.' });
  }
  if (status === 404 && typeof asked !== 'string') {
    return new ModelError('model/not-found', `${where} has no list of models.`, { hint: 'The base URL usually ends in /v1. Some servers have no list: then enter the name of the model.' });
  }
  if (status === 404 && code !== 'model_not_found' && !/model/i.test(message)) {
    return new ModelError('model/not-found', `Nothing at ${where} takes chats: ${said}`, { hint: 'The base URL usually ends in /v1. Check the name of the model, too.' });
  }
  if (status === 404 || code === 'model_not_found') {
    return new ModelError('model/not-found', `${where} does not know the model ${model}: ${said}`, { hint: 'Pick one of the models it lists; the base URL usually ends in /v1.' });
  }
  if (status !== undefined && status < 500 && status !== 408 && status !== 409) {
    return new ModelError('model/bad-reply', `${hostOf(where)} refused the request (${status}): ${said}`, { hint: 'Check that the server speaks the OpenAI chat completions protocol.' });
  }
  return new ModelError('model/server', `${hostOf(where)} failed${status === undefined ? '' : ` (${status})`}: ${said}`, {
    hint: 'Retry; if it stays, look at the server\'s log.', retryable: true, retryAfterMs: retryAfter(failure.headers, now),
  });
}

/** What endpoints say of pictures: OpenAI ("image_url"), llama.cpp ("mmproj"), OpenRouter, Ollama, vLLM ("multimodal"), and those that read content as text only. */
const PICTURE_TEXT = /\bimages?\b|image_url|\bpictures?\b|\bvision\b|multi-?modal|mmproj|content[^.]{0,40}(?:must be|should be|expected)[^.]{0,20}string|content part|unknown variant/i;
/** The model sees; it is this picture that was not liked. */
const ONE_PICTURE_TEXT = /too (?:large|big|small|many)|exceed|maximum|dimension|resolution|corrupt|decod|(?:could|can)(?:n't| ?not) (?:process|parse|load|identify)|invalid (?:image data|base64)|unsupported (?:image )?format/i;
const MAY_BE_PICTURES: ReadonlySet<ErrorCode> = new Set(['model/bad-reply', 'model/not-found', 'model/server']);

/** The failure of a request that held pictures, told apart when it is about them. `cause` is the failure as it came. */
export function pictureError(failure: ModelError, model: string): ModelError {
  if (failure.aborted || !MAY_BE_PICTURES.has(failure.code) || !PICTURE_TEXT.test(failure.message)) return failure;
  return new ModelError('model/no-pictures', `${model} took no pictures: ${failure.message}`, { hint: 'Choose a model that sees, or set Pictures to Never in the model settings.', cause: failure });
}

/** True when it is the model that does not see, and not one picture that was wrong. */
export function isBlind(failure: ModelError): boolean {
  return failure.code === 'model/no-pictures' && !ONE_PICTURE_TEXT.test(failure.message);
}

/** A reply that is not what the protocol says: broken JSON, no choices. */
export function badReply(detail: string, where: string, cause?: unknown): ModelError {
  return new ModelError('model/bad-reply', `${where} sent something that is no chat completion: ${detail}`, { hint: 'Check that the base URL points at an OpenAI-compatible API.', cause, retryable: true });
}

export function abortedError(): ModelError {
  return new ModelError('model/network', 'The request was stopped.', { aborted: true });
}
