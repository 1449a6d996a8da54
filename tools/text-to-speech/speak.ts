/** `text_to_speech` (hermes-runtime 7.11). */
import type { ToolContext } from '../context.ts';
import { toolError, toolResult } from '../result.ts';
import { failureWords, withoutKey } from '../shared/failure.ts';
import { keepMedia, mediaFailure } from '../shared/media.ts';
import { checkWritePath, resolvePath, reviewEffect } from '../shared/paths.ts';
import { findEspeak, sayWithEspeak } from './espeak.ts';
import { pieces } from './pieces.ts';

const DEFAULT_MODEL = 'gpt-4o-mini-tts';
const DEFAULT_VOICE = 'alloy';
/** Of OpenAI for one request. */
const MAX_PIECE_CHARS = 4_096;
/** About an hour and a half of speech. */
const MAX_TEXT_CHARS = 80_000;
const LIMIT_MS = 120_000;
const MAX_AUDIO_BYTES = 200 * 1024 * 1024;

type Format = 'mp3' | 'opus' | 'wav';
interface Speech { readonly bytes: Uint8Array; readonly format: Format; readonly provider: 'openai' | 'espeak-ng'; readonly voice: string }
interface Wish { readonly text: string; readonly speed: number; readonly instructions: string | undefined }

/** `message` is for the model: cause and next step. */
class SpeechError extends Error {}

export async function textToSpeech(args: Record<string, unknown>, context: ToolContext): Promise<string> {
  const { redact } = context.services;
  try {
    const wish = read(args, redact);
    const target = typeof args['output_path'] === 'string' && args['output_path'].trim() !== '' ? await outputPath(args['output_path'], context) : undefined;
    const speech = await say(wish, context);
    const { path, tag } = await keepMedia(speech.bytes, 'audio', speech.format === 'opus' ? 'ogg' : speech.format, context);
    if (target !== undefined) await (await context.services.files.environment(context.taskId)).writeFile(target, speech.bytes);
    return toolResult({
      success: true, file_path: target ?? path, media_tag: tag, provider: speech.provider, voice: speech.voice, format: speech.format, bytes: speech.bytes.length,
      voice_compatible: speech.format === 'opus',
    });
  } catch (error) {
    context.signal.throwIfAborted();
    return toolError(redact(failureWords(error)), { success: false });
  }
}

function read({ text, speed, instructions }: Record<string, unknown>, redact: ToolContext['services']['redact']): Wish {
  if (typeof text !== 'string' || text.trim() === '') throw new SpeechError("text_to_speech needs 'text': what is said.");
  if (text.length > MAX_TEXT_CHARS) throw new SpeechError(`The text has more than ${MAX_TEXT_CHARS.toLocaleString('en-US')} characters. Have it read in parts.`);
  if (redact(text) !== text) throw new SpeechError('Blocked: the text carries what looks like a key, token or password. Leave it out.');
  const rate = typeof speed === 'number' && Number.isFinite(speed) ? Math.min(4, Math.max(0.25, speed)) : 1;
  return { text: text.trim(), speed: rate, instructions: typeof instructions === 'string' && instructions.trim() !== '' ? instructions.trim() : undefined };
}

/** The real path in the task's backend, once everything that forbids it was asked. */
async function outputPath(given: string, context: ToolContext): Promise<string> {
  if (given.split(/[\\/]/).includes('..')) throw new SpeechError(`'${given}' leads out of its folder ('..'). Name the file directly.`);
  const environment = await context.services.files.environment(context.taskId);
  const path = resolvePath(given, context.cwd, environment.describe().homeDirectory);
  const { realPath, refused } = await checkWritePath(environment, context, path);
  const denied = refused ?? await reviewEffect(context, 'text_to_speech', 'write', realPath);
  if (denied !== undefined) throw new SpeechError(denied);
  return realPath;
}

/** The provider `tts.provider` names; else a service that has a key, else espeak-ng. */
async function say(wish: Wish, context: ToolContext): Promise<Speech> {
  const { config } = context.services;
  const wanted = config.get('tts.provider');
  const espeak = wanted === 'openai' ? undefined : await findEspeak(config.env('PATH'));
  const hasService = (config.env('OPENAI_API_KEY') ?? '').trim() !== '' || typeof config.get('auxiliary.speech.base_url') === 'string';
  if (wanted === 'openai' || (hasService && wanted !== 'espeak-ng')) return sayByService(wish, context);
  if (espeak === undefined) {
    throw new SpeechError('Nothing can read aloud here: espeak-ng is not installed and OPENAI_API_KEY is missing. Install espeak-ng, or put a key into the .env of the home.');
  }
  const voice = config.get('tts.espeak.voice');
  const named = typeof voice === 'string' && /^[\w+-]{1,40}$/.test(voice) ? voice : undefined;
  const result = await sayWithEspeak(espeak, { text: wish.text, speed: wish.speed, voice: named }, context.signal);
  if ('error' in result) throw new SpeechError(result.error);
  return { bytes: result.bytes, format: 'wav', provider: 'espeak-ng', voice: named ?? 'default' };
}

async function sayByService({ text, speed, instructions }: Wish, context: ToolContext): Promise<Speech> {
  const { config, models } = context.services;
  if (models === undefined) throw new SpeechError('No speech service can be reached in this execution context.');
  const endpoint = await models.endpoint('speech');
  const voice = config.get('tts.openai.voice') ?? config.get('tts.voice');
  const chosen = typeof voice === 'string' && voice.trim() !== '' ? voice.trim() : DEFAULT_VOICE;
  const parts = pieces(text, MAX_PIECE_CHARS);
  // Pieces of mp3 can be put one behind the other; Ogg files cannot.
  const format: Format = config.get('tts.format') === 'opus' && parts.length === 1 ? 'opus' : 'mp3';
  const { OpenAI } = await import('openai');
  const client = new OpenAI({ baseURL: endpoint.baseUrl, apiKey: endpoint.key ?? 'none', organization: null, project: null, maxRetries: 1, timeout: LIMIT_MS, logLevel: 'off' });
  const sound: Uint8Array[] = [];
  try {
    for (const [index, input] of parts.entries()) {
      if (parts.length > 1) context.emit({ kind: 'output', tail: `Reading part ${String(index + 1)} of ${String(parts.length)}…` });
      const answer = await client.audio.speech.create({
        model: endpoint.model === '' ? DEFAULT_MODEL : endpoint.model, voice: chosen, input, response_format: format, speed, ...(instructions !== undefined && { instructions }),
      }, { signal: context.signal });
      const bytes = new Uint8Array(await answer.arrayBuffer());
      if (bytes.length === 0) throw new SpeechError(`${endpoint.baseUrl} answered without sound. Try again, or name another model in auxiliary.speech of config.yaml.`);
      sound.push(bytes);
      if (sound.reduce((sum, { length }) => sum + length, 0) > MAX_AUDIO_BYTES) throw new SpeechError('The sound has more than 200 MB. Have the text read in parts.');
    }
  } catch (error) {
    if (context.signal.aborted || error instanceof SpeechError) throw error;
    throw new SpeechError(withoutKey(await mediaFailure(error, endpoint.baseUrl, 'speech'), endpoint.key));
  }
  return { bytes: Buffer.concat(sound), format, provider: 'openai', voice: chosen };
}
