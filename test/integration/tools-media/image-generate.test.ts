import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createCanvas } from '@napi-rs/canvas';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import '../../../tools/image-generate.ts';
import { imageGenerate } from '../../../tools/image-generate/generate.ts';
import { registry } from '../../../tools/registry.ts';
import { hasEndpoint } from '../../../tools/shared/media.ts';
import type { WebTransport } from '../../../tools/shared/fetch/transport.ts';
import { openAuxiliaryModels } from '../../support/auxiliary-models.ts';
import { type MediaServer, startMediaServer } from '../../support/media-server.ts';
import { type ToolBench, openToolBench } from '../../support/tool-context.ts';

let server: MediaServer;
let bench: ToolBench;
let png: Buffer;
const KEY = 'image-key-value';
const use = (block: Record<string, string>, env: Record<string, string> = {}): void => { bench.models = openAuxiliaryModels({ config: { 'auxiliary.image_gen': block }, env }); };
const PUBLIC: WebTransport = { resolve: () => Promise.resolve(['93.184.216.34']), dial: () => '127.0.0.1' };

beforeAll(async () => {
  [server, bench] = await Promise.all([startMediaServer(), openToolBench()]);
  png = await createCanvas(30, 20).encode('png');
  await writeFile(join(bench.folder, 'given.png'), png);
});
afterAll(() => Promise.all([server.close(), bench.close()]));
afterEach(() => { server.asked.length = 0; });

const run = async (args: Record<string, unknown>): Promise<Record<string, unknown>> => JSON.parse(await imageGenerate(args, bench.context(), PUBLIC)) as Record<string, unknown>;
const body = (): Record<string, unknown> => JSON.parse(server.asked.at(-1)?.body.toString() ?? '{}') as Record<string, unknown>;

describe('a picture is made', () => {
  test.each([['landscape', '1536x1024'], ['square', '1024x1024'], ['portrait', '1024x1536'], [undefined, '1536x1024'], ['wide', '1536x1024']])('%s asks for %s, and the file is kept for its owner only', async (ratio, size) => {
    use({ base_url: server.baseUrl, api_key: KEY });
    server.answer = () => ({ json: { created: 1, data: [{ b64_json: png.toString('base64') }] } });
    const result = await run({ prompt: 'a red fox', aspect_ratio: ratio });
    expect(result).toMatchObject({ success: true, modality: 'text-to-image', width: 30, height: 20, media_tag: `MEDIA:${String(result['image'])}` });
    expect(await readFile(String(result['image']))).toEqual(png);
    expect((await stat(String(result['image']))).mode & 0o777).toBe(0o600);
    expect(body()).toMatchObject({ prompt: 'a red fox', model: 'gpt-image-1', size, n: 1 });
    expect(server.asked.at(-1)).toMatchObject({ path: '/v1/images/generations', authorization: `Bearer ${KEY}` });
  });

  test('with the sizes of dall-e-3, when that is the model', async () => {
    use({ base_url: server.baseUrl, model: 'dall-e-3' });
    await run({ prompt: 'x', aspect_ratio: 'portrait' });
    expect(body()).toMatchObject({ model: 'dall-e-3', size: '1024x1792' });
  });

  test('OpenAI\'s variables are enough', async () => {
    use({}, { OPENAI_API_KEY: KEY, OPENAI_BASE_URL: server.baseUrl });
    expect(await run({ prompt: 'x' })).toMatchObject({ success: true });
  });

  test('a service that answers with an address: the picture is fetched and kept', async () => {
    use({ base_url: server.baseUrl });
    server.answer = ({ path }) => (path.startsWith('/v1') ? { json: { data: [{ url: `http://made.test:${new URL(server.baseUrl).port}/made.png` }] } } : { bytes: png });
    const result = await run({ prompt: 'x' });
    expect(await readFile(String(result['image']))).toEqual(png);
  });

  test('given pictures are sent along to be changed', async () => {
    use({ base_url: server.baseUrl });
    server.answer = () => ({ json: { data: [{ b64_json: png.toString('base64') }] } });
    expect(await run({ prompt: 'make it blue', image_url: 'given.png', reference_image_urls: ['given.png'] })).toMatchObject({ success: true, modality: 'image-to-image' });
    const { path, contentType, body: sent } = server.asked.at(-1)!;
    expect([path, contentType]).toEqual(['/v1/images/edits', expect.stringContaining('multipart/form-data')]);
    expect(sent.toString('latin1').split(png.toString('latin1'))).toHaveLength(3);
  });
});

describe('trouble', () => {
  test.each<[MediaServer['answer'], string, RegExp]>([
    [() => ({ status: 401, message: `bad key ${KEY}` }), 'api_error', /does not accept the key/], [() => ({ status: 404, message: 'no such model' }), 'api_error', /no such model.*Name a model/],
    [() => ({ status: 400, message: `refused for safety ${KEY}` }), 'api_error', /refused for safety \[key\]/], [() => 'cut', 'api_error', /could not be reached/],
    [() => ({ json: { data: [] } }), 'empty_response', /without a picture/], [() => ({ json: { oops: 1 } }), 'empty_response', /without a picture/], [() => ({ json: { data: [{ b64_json: 'aGVsbG8gd29ybGQ=' }] } }), 'invalid_image', /text, not a picture/],
    [() => ({ json: { data: [{ url: 'http://127.0.0.1:8123/x.png' }] } }), 'invalid_image', /./],
  ])('case %#', async (answer, kind, words) => {
    use({ base_url: server.baseUrl, api_key: KEY });
    server.answer = answer;
    const result = JSON.parse(await imageGenerate({ prompt: 'x' }, bench.context())) as Record<string, unknown>;
    expect(result).toMatchObject({ success: false, image: null, error_type: kind, error: expect.stringMatching(words) as string });
    expect(JSON.stringify(result)).not.toContain(KEY);
  });

  test.each<[Record<string, unknown>, RegExp]>([
    [{}, /needs 'prompt'/], [{ prompt: ' ' }, /needs 'prompt'/], [{ prompt: 'x'.repeat(32_001) }, /fewer words/], [{ prompt: 'x', image_url: 'missing.png' }, /File not found/],
    [{ prompt: 'x', reference_image_urls: Array(10).fill('given.png') }, /At most 9/],
  ])('bad arguments, case %#: nothing is asked', async (args, words) => {
    use({ base_url: server.baseUrl });
    expect((await run(args))['error']).toMatch(words);
    expect(server.asked).toEqual([]);
  });

  test('stopping the call ends a request that hangs', async () => {
    use({ base_url: server.baseUrl });
    const reached = new Promise<void>((resolve) => { server.answer = () => { resolve(); return 'hang'; }; });
    const stop = new AbortController();
    const running = imageGenerate({ prompt: 'x' }, bench.context({ signal: stop.signal }));
    await reached;
    stop.abort(new Error('stopped by the person'));
    await expect(running).rejects.toThrow('stopped by the person');
  });
});

test('the tool says what is missing', () => {
  expect(registry.getEntry('image_generate')?.toolset).toBe('image_gen');
  expect(hasEndpoint({ config: () => undefined, env: () => undefined }, 'image_gen', 'pictures')).toMatchObject({ step: 'missing-variable', fix: expect.stringContaining('auxiliary.image_gen') as string });
  expect(hasEndpoint({ config: (path) => (path === 'auxiliary.image_gen.base_url' ? 'http://x' : undefined), env: () => undefined }, 'image_gen', 'pictures')).toBe(true);
});
