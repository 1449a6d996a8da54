import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createCanvas } from '@napi-rs/canvas';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { accessibilityFaults, describeInChromium, startApp, takePictures, type App } from '../support/browser.ts';
import { newChat, say } from '../support/deeds.ts';
import { startMediaServer, type MediaServer } from '../support/media-server.ts';

/** One second of a tone, 8,000 samples of 8 bits. */
function wave(): Buffer {
  const head = Buffer.alloc(44);
  head.write('RIFF', 0, 'latin1');
  head.writeUInt32LE(36 + 8_000, 4);
  head.write('WAVEfmt ', 8, 'latin1');
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(8_000, 24);
  head.writeUInt32LE(8_000, 28);
  head.writeUInt16LE(1, 32);
  head.writeUInt16LE(8, 34);
  head.write('data', 36, 'latin1');
  head.writeUInt32LE(8_000, 40);
  return Buffer.concat([head, Buffer.from(Array.from({ length: 8_000 }, (_none, at) => 128 + Math.round(60 * Math.sin(at / 4))))]);
}

describeInChromium('pictures and sound in the chat', () => {
  let app: App;
  let service: MediaServer;
  beforeAll(async () => {
    service = await startMediaServer();
    const canvas = createCanvas(600, 400);
    const pen = canvas.getContext('2d');
    pen.fillStyle = '#c2410c';
    pen.fillRect(0, 0, 600, 400);
    const png = await canvas.encode('png');
    service.answer = ({ path }) => (path.includes('images') ? { json: { created: 1, data: [{ b64_json: png.toString('base64') }] } } : { bytes: wave() });
    const calls = [{ name: 'image_generate', arguments: { prompt: 'a red field' } }, { name: 'text_to_speech', arguments: { text: 'hello' } }];
    app = await startApp({
      model: {
        script: ({ index }) => (index === 0 ? { calls } : index === 1 ? { text: 'There they are.' }
          : { text: `The chart of today:\n\nMEDIA:${app.host.workFolder}/chart.png\n\nand how it sounds:\nMEDIA:${app.host.workFolder}/tone.wav\n\nThe numbers are in this document:\nMEDIA:/etc/hostname\n\nThat is all. MEDIA: in a sentence stays.` }),
      },
      config: `auxiliary:\n  image_gen:\n    base_url: ${service.baseUrl}\n    api_key: k\n  speech:\n    base_url: ${service.baseUrl}\n    api_key: k\ntts:\n  provider: openai\n`,
    });
  });
  afterAll(async () => {
    await app.close();
    await service.close();
  });
  afterEach(() => { expect(app.errors.splice(0)).toEqual([]); });

  test('a picture that a tool made stands in the chat and gets larger, a sound can be played', async () => {
    await newChat(app.page);
    await say(app.page, 'make both');
    await app.page.getByTestId('centre').getByText('There they are.').waitFor();
    const larger = app.page.getByRole('button', { name: /^Larger: picture/ });
    await larger.waitFor();
    const image = app.page.locator('[data-call] img');
    await expect.poll(() => image.evaluate((element: HTMLImageElement) => element.naturalWidth)).toBe(600);
    const sound = app.page.locator('[data-call] audio');
    await expect.poll(() => sound.evaluate((element: HTMLAudioElement) => element.duration)).toBe(1);
    expect(await sound.evaluate((element: HTMLAudioElement) => element.play().then(() => 'plays', String))).toBe('plays');
    expect(await accessibilityFaults(app.page)).toEqual([]);
    await takePictures(app.page, 'media');
    await larger.press('Enter');
    const smaller = app.page.getByRole('button', { name: /^Smaller: picture/ });
    await expect.poll(async () => (await image.boundingBox())?.height ?? 0).toBeGreaterThan(200);
    await takePictures(app.page, 'media-large');
    await smaller.press('Escape');
    await larger.waitFor();
  });

  test('files that a reply names stand in their place; what is not to be shown is named with its path', async () => {
    const { page } = app;
    const canvas = createCanvas(400, 200);
    const pen = canvas.getContext('2d');
    pen.fillStyle = '#0f766e';
    for (const [at, height] of [60, 110, 90, 150].entries()) pen.fillRect(30 + at * 90, 180 - height, 60, height);
    await writeFile(join(app.host.workFolder, 'chart.png'), await canvas.encode('png'));
    await writeFile(join(app.host.workFolder, 'tone.wav'), wave());
    await newChat(page);
    await say(page, 'show me');
    const reply = page.getByRole('article', { name: /^Reply/ });
    await reply.getByText('That is all. MEDIA: in a sentence stays.').waitFor();
    await expect.poll(() => reply.locator('img').evaluate((element: HTMLImageElement) => element.naturalWidth)).toBe(400);
    await expect.poll(() => reply.locator('audio').evaluate((element: HTMLAudioElement) => element.duration)).toBe(1);
    await reply.getByRole('group', { name: 'File: hostname' }).getByText('/etc/hostname').waitFor();
    expect(await reply.getByText('MEDIA:/').count()).toBe(0);
    expect(await accessibilityFaults(page)).toEqual([]);
    await takePictures(page, 'media-reply');
    expect(app.errors.splice(0).filter((line) => !line.includes('not one of the files'))).toEqual([]);
  });

  test('a picture that is gone says so in its place', async () => {
    await rm(`${app.host.home}/cache/images`, { recursive: true });
    await app.page.getByRole('navigation', { name: 'Chats' }).locator('[data-session-row]').filter({ hasText: 'make both' }).click();
    await app.page.reload();
    await app.page.getByText(/There is no file .*\.png any more/).waitFor();
    expect(app.errors.splice(0).filter((line) => !line.includes('no file'))).toEqual([]);
  });
});
