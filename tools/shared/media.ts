/** Pictures and sound that tools make: kept in a folder of the home, named by what they hold, told to screens and messengers as `MEDIA:<path>`. */
import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ToolContext } from '../context.ts';
import { failureWords } from './failure.ts';

interface Settings { config(path: string): unknown; env(name: string): string | undefined }
/** A reason in the shape a check of the registry answers with. */
interface Missing { readonly step: 'missing-variable'; readonly message: string; readonly fix: string }

export interface KeptMedia { readonly path: string; readonly tag: string }

/** Writes `bytes` below the cache folder of the home, readable by its owner only. The same bytes get the same name. */
export async function keepMedia(bytes: Uint8Array, kind: 'images' | 'audio', extension: string, { services }: Pick<ToolContext, 'services'>): Promise<KeptMedia> {
  const folder = join(services.paths.cache, kind);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `${createHash('sha256').update(bytes).digest('hex').slice(0, 20)}.${extension}`);
  await writeFile(path, bytes, { mode: 0o600 });
  return { path, tag: `MEDIA:${path}` };
}

/** Whether a purpose has an OpenAI-compatible endpoint: a block of its own in config.yaml, or OpenAI's key. */
export function hasEndpoint({ config, env }: Settings, purpose: string, what: string): true | Missing {
  const own = config(`auxiliary.${purpose}.base_url`) ?? config(`auxiliary.${purpose}.provider`);
  if ((typeof own === 'string' && own.trim() !== '') || (env('OPENAI_API_KEY') ?? '').trim() !== '') return true;
  return {
    step: 'missing-variable', message: `No service that makes ${what} is set up: OPENAI_API_KEY is missing.`,
    fix: `Put OPENAI_API_KEY=… into the .env of the home, or name an OpenAI-compatible service in auxiliary.${purpose} (base_url, model, api_key) of config.yaml.`,
  };
}

/** What the SDK threw, in words with a next step. `where` is the endpoint's address. */
export async function mediaFailure(error: unknown, where: string, purpose: string): Promise<string> {
  const { APIConnectionError, APIConnectionTimeoutError, APIError } = await import('openai');
  const settings = `auxiliary.${purpose} of config.yaml`;
  if (error instanceof APIConnectionTimeoutError) return `${where} did not answer in time. Try again, or name another service in ${settings}.`;
  if (error instanceof APIConnectionError) return `${where} could not be reached${error.cause instanceof Error ? `: ${error.cause.message}` : ''}. Check the address in ${settings}.`;
  if (!(error instanceof APIError)) return failureWords(error);
  const status: unknown = error.status;
  if (status === 401 || status === 403) return `${where} does not accept the key. Ask the person to check OPENAI_API_KEY, or api_key in ${settings}.`;
  if (status === 404) return `${where} has no such service or model: ${error.message} Name a model it has in ${settings}.`;
  if (status === 429) return `${where} asks for fewer requests, or the quota is used up: ${error.message} Try again later.`;
  return `${where} refused: ${error.message}`;
}
