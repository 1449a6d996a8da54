import { writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createCanvas, loadImage } from '@napi-rs/canvas';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import '../../../tools/vision.ts';
import { registry } from '../../../tools/registry.ts';
import { readPicture } from '../../../tools/shared/pictures/picture.ts';
import type { WebTransport } from '../../../tools/shared/fetch/transport.ts';
import { visionAnalyze } from '../../../tools/vision/analyze.ts';
import { openAuxiliaryModels } from '../../support/auxiliary-models.ts';
import { type ModelServer, startModelServer } from '../../support/model/server.ts';
import { type ToolBench, openToolBench } from '../../support/tool-context.ts';

let server: ModelServer;
let bench: ToolBench;
let site: Server;
let answer: Uint8Array | 'html' | 'hang' = 'html';
const PUBLIC: WebTransport = { resolve: () => Promise.resolve(['93.184.216.34']), dial: () => '127.0.0.1' };
const port = (): string => String((site.address() as AddressInfo).port);

/** Left half red, right half blue. */
async function twoHalves(width: number, height: number, kind: 'png' | 'jpeg' | 'webp' | 'avif' = 'png'): Promise<Buffer> {
  const canvas = createCanvas(width, height);
  const pen = canvas.getContext('2d');
  pen.fillStyle = '#f00';
  pen.fillRect(0, 0, width / 2, height);
  pen.fillStyle = '#00f';
  pen.fillRect(width / 2, 0, width / 2, height);
  return kind === 'png' ? canvas.encode('png') : kind === 'avif' ? canvas.encode('avif') : kind === 'webp' ? canvas.encode('webp') : canvas.encode('jpeg');
}

beforeAll(async () => {
  [server, bench] = await Promise.all([startModelServer({ script: () => ({ text: 'A picture.' }) }), openToolBench()]);
  site = createServer((_request, response) => {
    if (answer === 'hang') return;
    response.writeHead(200, { 'content-type': answer === 'html' ? 'text/html' : 'image/png' }).end(answer === 'html' ? '<html>no picture</html>' : answer);
  });
  await new Promise<void>((resolve) => { site.listen(0, '127.0.0.1', resolve); });
  bench.models = openAuxiliaryModels({ config: { 'auxiliary.vision': { base_url: server.baseUrl, model: 'seeing' } } });
  await writeFile(join(bench.folder, 'halves.png'), await twoHalves(40, 20));
});
afterAll(async () => {
  site.closeAllConnections();
  await Promise.all([server.close(), bench.close(), new Promise((resolve) => { site.close(resolve); })]);
});
afterEach(() => { server.use(() => ({ text: 'A picture.' })); });

const run = async (args: Record<string, unknown>): Promise<Record<string, unknown>> => JSON.parse(await visionAnalyze(args, bench.context(), PUBLIC)) as Record<string, unknown>;
interface Part { readonly type: string; readonly text?: string; readonly image_url?: { readonly url: string } }
async function seen(): Promise<{ text: string | undefined; type: string; width: number; height: number; first: readonly number[] }> {
  const parts = server.requests.at(-1)?.body.messages.at(-1)?.content as readonly Part[]; // the request this test just caused
  const [, type = '', body = ''] = /^data:([^;]+);base64,(.*)$/.exec(parts[1]?.image_url?.url ?? '') ?? [];
  const image = await loadImage(Buffer.from(body, 'base64'));
  const canvas = createCanvas(image.width, image.height);
  canvas.getContext('2d').drawImage(image, 0, 0);
  return { text: parts[0]?.text, type, width: image.width, height: image.height, first: [...canvas.getContext('2d').getImageData(0, 0, 1, 1).data] };
}

describe('what the model sees', () => {
  test('a file of the task, as it is, with the question', async () => {
    expect(await run({ image_url: 'halves.png', question: 'What is it?' })).toEqual({ success: true, analysis: 'A picture.', model: 'seeing' });
    expect(await seen()).toMatchObject({ text: 'What is it?', type: 'image/png', width: 40, height: 20, first: [255, 0, 0, 255] });
    expect(server.requests.at(-1)?.body.model).toBe('seeing');
  });

  test('only the region asked for', async () => {
    await run({ image_url: `file://${bench.folder}/halves.png`, question: 'Right?', region: [20, 0, 20, 10] });
    expect(await seen()).toMatchObject({ width: 20, height: 10, first: [0, 0, 255, 255] });
    await run({ image_url: 'halves.png', question: 'Right?', region: [30, 10, 500, 500] });
    expect(await seen()).toMatchObject({ width: 10, height: 10, first: [0, 0, 255, 255] });
  });

  test('a large picture is made small enough', async () => {
    await writeFile(join(bench.folder, 'large.jpg'), await twoHalves(5_000, 1_000, 'jpeg'));
    await run({ image_url: 'large.jpg', question: '?' });
    expect(await seen()).toMatchObject({ width: 2_048, height: 410 });
  });

  test.each(['webp', 'avif', 'jpeg'] as const)('%s is looked at whatever its name says', async (kind) => {
    await writeFile(join(bench.folder, 'misnamed.txt'), await twoHalves(30, 30, kind));
    expect(await run({ image_url: 'misnamed.txt', question: '?' })).toMatchObject({ success: true });
    expect(await seen()).toMatchObject({ width: 30, height: 30 });
  });

  test('a picture of the web', async () => {
    answer = await twoHalves(10, 10);
    expect(await run({ image_url: `http://pictures.test:${port()}/a.png`, question: '?' })).toMatchObject({ success: true });
    expect(await seen()).toMatchObject({ width: 10 });
  });

  test('a data: address', async () => {
    expect(await run({ image_url: `data:image/png;base64,${(await twoHalves(4, 4)).toString('base64')}`, question: '?' })).toMatchObject({ success: true });
  });
});

describe('refusals', () => {
  test.each<[Record<string, unknown>, RegExp]>([
    [{ question: '?' }, /needs 'image_url'/], [{ image_url: 'halves.png' }, /needs 'question'/], [{ image_url: 'halves.png', question: 'x'.repeat(20_001) }, /shorter one/],
    [{ image_url: 'missing.png', question: '?' }, /File not found.*search_files/], [{ image_url: '.', question: '?' }, /not a regular file/], [{ image_url: '/dev/zero', question: '?' }, /device/],
    [{ image_url: 'ftp://x.test/a.png', question: '?' }, /Only http and https/], [{ image_url: 'data:image/png,xyz', question: '?' }, /no base64/],
    [{ image_url: 'halves.png', question: '?', region: [1, 2, 3] }, /four whole numbers/], [{ image_url: 'halves.png', question: '?', region: [50, 0, 5, 5] }, /outside the picture, which has 40×20/],
    [{ image_url: '~/.env', question: '?' }, /holds credentials/], [{ image_url: 'https://x.test/a.png?api_key=abcdefgh12345', question: '?' }, /Blocked/],
  ])('bad arguments, case %#', async (args, words) => {
    const before = server.requests.length;
    const { success, error } = await run(args);
    expect(success).toBe(false);
    expect(error).toMatch(words);
    expect(server.requests.length).toBe(before);
  });

  test.each(['http://127.0.0.1:8123/a.png', 'http://169.254.169.254/latest', 'http://[::1]/a.png'])('%s is not reached', async (image) => {
    expect(JSON.parse(await visionAnalyze({ image_url: image, question: '?' }, bench.context()))).toMatchObject({ success: false, error: expect.stringContaining('private or internal') as string });
  });

  test.each<[string, Uint8Array, RegExp]>([
    ['empty', new Uint8Array(), /empty/], ['text', Buffer.from('# Notes\nhello'), /This is text/], ['damaged', Buffer.from('89504e470d0a1a0a0000000d49484452000000280000001408060000', 'hex'), /damaged/],
    ['a program', Buffer.from('7f454c460201010000000000', 'hex'), /no picture/], ['more than 20 MB', Buffer.alloc(20 * 1024 * 1024 + 1), /20 MB/], ['svg', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="5" height="5"></svg>'), /svg.*PNG/],
  ])('%s', async (name, bytes, words) => {
    await writeFile(join(bench.folder, `${name}.bin`), bytes);
    expect((await run({ image_url: `${name}.bin`, question: '?', region: [0, 0, 10, 10] }))['error']).toMatch(words);
  });

  test('a decompression bomb is refused by its stated size', () => {
    const header = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
    const size = Buffer.alloc(8);
    size.writeUInt32BE(60_000, 0);
    size.writeUInt32BE(60_000, 4);
    expect(() => readPicture(Buffer.concat([header, size, Buffer.from('0806000000', 'hex'), Buffer.alloc(64)]))).toThrow('60000×60000');
  });

  test('a page instead of a picture', async () => {
    answer = 'html';
    expect((await run({ image_url: `http://pictures.test:${port()}/a.png`, question: '?' }))['error']).toContain('This is text');
  });

  test('a server that hangs is left when the call is stopped', async () => {
    answer = 'hang';
    const stop = new AbortController();
    const running = visionAnalyze({ image_url: `http://pictures.test:${port()}/a.png`, question: '?' }, bench.context({ signal: stop.signal }), PUBLIC);
    stop.abort(new Error('stopped by the person'));
    await expect(running).rejects.toThrow('stopped by the person');
  });

  test('a model that cannot see is told from other faults', async () => {
    server.use(() => ({ status: 400, body: { error: { message: 'image input is not supported - you may need to provide the mmproj' } } }));
    expect((await run({ image_url: 'halves.png', question: '?' }))['error']).toMatch(/cannot look at pictures.*auxiliary\.vision/);
    server.use(() => ({ text: ' ' }));
    expect((await run({ image_url: 'halves.png', question: '?' }))['error']).toContain('empty answer');
  });
});

test('the tool joins the toolset by being loaded', () => {
  expect(registry.getEntry('vision_analyze')?.toolset).toBe('vision');
});
