/** `image_generate` through an OpenAI-compatible endpoint (hermes-runtime 7.11). */
import type { ImageEditParamsNonStreaming, ImageGenerateParamsNonStreaming, ImagesResponse } from 'openai/resources/images';
import type { ToolContext } from '../context.ts';
import { toolError, toolResult } from '../result.ts';
import { withoutKey } from '../shared/failure.ts';
import type { WebTransport } from '../shared/fetch/transport.ts';
import { keepMedia, mediaFailure } from '../shared/media.ts';
import { forModel, PictureError, readPicture, type Picture } from '../shared/pictures/picture.ts';
import { loadPicture } from '../shared/pictures/source.ts';

const DEFAULT_MODEL = 'gpt-image-1';
/** Detailed pictures take OpenAI about two minutes. */
const LIMIT_MS = 280_000;
const MAX_PROMPT_CHARS = 32_000;
const MAX_SOURCES = 9;
type Ratio = 'landscape' | 'square' | 'portrait';
const SIZES: Readonly<Record<Ratio, string>> = { landscape: '1536x1024', square: '1024x1024', portrait: '1024x1536' };
const DALL_E_3_SIZES: Readonly<Record<Ratio, string>> = { landscape: '1792x1024', square: '1024x1024', portrait: '1024x1792' };

type Size = NonNullable<ImageEditParamsNonStreaming['size']>;

class Refusal extends Error {
  readonly kind: string;
  constructor(message: string, kind: string) {
    super(message);
    this.kind = kind;
  }
}

export async function imageGenerate(args: Record<string, unknown>, context: ToolContext, transport?: WebTransport): Promise<string> {
  const { models, redact } = context.services;
  const refuse = (message: string, kind: string): string => toolError(redact(message), { success: false, image: null, error_type: kind });
  if (models === undefined) return refuse('No service that makes pictures can be reached in this execution context.', 'not_configured');
  let where = 'The service';
  let secret: string | undefined;
  try {
    const wish = read(args);
    const sources = await Promise.all(wish.sources.map(async (source) => forModel(await loadPicture(source, context, transport))));
    const endpoint = await models.endpoint('image_gen');
    where = endpoint.baseUrl;
    secret = endpoint.key;
    const model = endpoint.model === '' ? DEFAULT_MODEL : endpoint.model;
    context.emit({ kind: 'output', tail: `${model} makes the picture…` });
    const { OpenAI } = await import('openai');
    const client = new OpenAI({ baseURL: endpoint.baseUrl, apiKey: endpoint.key ?? 'none', organization: null, project: null, maxRetries: 1, timeout: LIMIT_MS, logLevel: 'off' });
    const answer = await request(client.images, { model, prompt: wish.prompt, size: (model.startsWith('dall-e-3') ? DALL_E_3_SIZES : SIZES)[wish.ratio] }, sources, context.signal); // cast: two of the sizes the SDK lists; servers of other makers take others too
    const picture = await picked(answer, context, transport);
    const { path, tag } = await keepMedia(picture.bytes, 'images', picture.type.slice('image/'.length).replace('jpeg', 'jpg'), context);
    return toolResult({ success: true, image: path, modality: sources.length > 0 ? 'image-to-image' : 'text-to-image', media_tag: tag, model, width: picture.width, height: picture.height });
  } catch (error) {
    context.signal.throwIfAborted();
    if (error instanceof Refusal) return refuse(error.message, error.kind);
    if (error instanceof PictureError) return refuse(error.message, 'invalid_image');
    return refuse(withoutKey(await mediaFailure(error, where, 'image_gen'), secret), 'api_error');
  }
}

function read({ prompt, aspect_ratio: ratio, image_url: source, reference_image_urls: references }: Record<string, unknown>): { prompt: string; ratio: Ratio; sources: string[] } {
  if (typeof prompt !== 'string' || prompt.trim() === '') throw new Refusal("image_generate needs 'prompt': what the picture shows.", 'invalid_input');
  if (prompt.length > MAX_PROMPT_CHARS) throw new Refusal(`The prompt has more than ${MAX_PROMPT_CHARS.toLocaleString('en-US')} characters. Describe the picture in fewer words.`, 'invalid_input');
  const listed: readonly unknown[] = Array.isArray(references) ? references : [];
  const sources = [source, ...listed].filter((entry): entry is string => typeof entry === 'string' && entry.trim() !== '');
  if (sources.length > MAX_SOURCES) throw new Refusal(`At most ${String(MAX_SOURCES)} pictures can be given; there are ${String(sources.length)}.`, 'invalid_input');
  // An unknown form is no reason to make nothing: Hermes takes the usual one.
  return { prompt, sources, ratio: ratio === 'square' || ratio === 'portrait' ? ratio : 'landscape' };
}

interface ImagesApi {
  generate(params: ImageGenerateParamsNonStreaming, options: { signal: AbortSignal }): PromiseLike<ImagesResponse>;
  edit(params: ImageEditParamsNonStreaming, options: { signal: AbortSignal }): PromiseLike<ImagesResponse>;
}

async function request(images: ImagesApi, wish: { model: string; prompt: string; size: Size }, sources: readonly Picture[], signal: AbortSignal): Promise<ImagesResponse> {
  if (sources.length === 0) return images.generate({ ...wish, n: 1 }, { signal });
  const { toFile } = await import('openai');
  const files = await Promise.all(sources.map(({ bytes, type }, index) => toFile(bytes, `image-${String(index + 1)}.${type.slice('image/'.length)}`, { type })));
  return images.edit({ ...wish, image: files, n: 1 }, { signal });
}

async function picked({ data }: ImagesResponse, context: ToolContext, transport: WebTransport | undefined): Promise<Picture> {
  const first = Array.isArray(data) ? data[0] : undefined;
  if (typeof first?.b64_json === 'string' && first.b64_json !== '') return readPicture(Buffer.from(first.b64_json, 'base64'));
  if (typeof first?.url === 'string' && first.url !== '') return loadPicture(first.url, context, transport);
  throw new Refusal('The service answered without a picture. Try other words, or name another model in auxiliary.image_gen of config.yaml.', 'empty_response');
}
