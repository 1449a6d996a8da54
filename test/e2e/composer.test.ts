/** The composer: naming files with `@`; and in the title row, how full the window is. */
import { createCanvas } from '@napi-rs/canvas';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { accessibilityFaults, describeInChromium, startApp, takePictures, type App } from '../support/browser.ts';

const composer = (page: Page) => page.getByRole('textbox', { name: 'Message', exact: true });
const options = (page: Page) => page.getByRole('listbox', { name: 'Suggestions' }).getByRole('option');

const canvas = createCanvas(320, 200);
const brush = canvas.getContext('2d');
brush.fillStyle = '#2456d6';
brush.fillRect(40, 60, 240, 100);
const PICTURE = canvas.toBuffer('image/png');

describeInChromium('the composer', () => {
  let app: App;
  let page: Page;
  beforeAll(async () => {
    app = await startApp({ model: { script: ({ body }) => ({ text: `You said: ${String(body.messages.findLast(({ role }) => role === 'user')?.content)}`, usage: { prompt: 12_000, completion: 500 } }) } });
    page = app.page;
    for (const path of ['src/composer.tsx', 'src/composer-model.ts', 'docs/my notes.md', 'README.md']) {
      await mkdir(join(app.host.workFolder, path, '..'), { recursive: true });
      await writeFile(join(app.host.workFolder, path), 'words');
    }
  });
  afterAll(() => app.close());
  beforeEach(async () => {
    await page.getByRole('button', { name: 'New chat', exact: true }).click();
    await page.getByRole('heading', { name: 'New chat', level: 1 }).waitFor();
    await composer(page).fill('');
  });

  test('@ offers the files of the folder; arrows and Enter put a path into the text, and the message is not sent by it', async () => {
    await composer(page).pressSequentially('look at @comp');
    await options(page).filter({ hasText: 'composer-model.ts' }).waitFor();
    expect(await options(page).first().getAttribute('aria-selected')).toBe('true');
    const first = await options(page).first().innerText();
    await composer(page).press('ArrowDown');
    await composer(page).press('ArrowUp');
    await composer(page).press('Enter');
    await expect.poll(() => composer(page).inputValue()).toBe(`look at @src/${first.split(/\s/)[0] ?? ''} `);
    expect(await options(page).count()).toBe(0);
    await composer(page).pressSequentially('now');
    await composer(page).press('Enter');
    await page.getByRole('article', { name: /^Reply/ }).getByText('You said: look at @src/').waitFor();
  });

  test('the mouse chooses too, in the middle of a text, and a name with blanks is quoted', async () => {
    await composer(page).fill('see  please');
    await composer(page).press('Home');
    for (let step = 0; step < 4; step += 1) await composer(page).press('ArrowRight');
    await composer(page).pressSequentially('@notes');
    await options(page).filter({ hasText: 'my notes.md' }).click();
    await expect.poll(() => composer(page).inputValue()).toBe('see @"docs/my notes.md" please');
    expect(await composer(page).evaluate((field) => field === document.activeElement)).toBe(true);
  });

  test('Escape closes the list and keeps the text; a folder is opened on', async () => {
    await composer(page).pressSequentially('@src');
    await options(page).first().waitFor();
    await composer(page).press('Escape');
    await expect.poll(() => options(page).count()).toBe(0);
    expect(await composer(page).inputValue()).toBe('@src');
    await composer(page).fill('');
    await composer(page).pressSequentially('@doc');
    await options(page).filter({ hasText: /^docs\// }).first().waitFor();
    await composer(page).press('Tab');
    await expect.poll(() => composer(page).inputValue()).toBe('@docs/');
    await options(page).filter({ hasText: 'my notes.md' }).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await takePictures(page, 'composer-mention');
  });

  test('a file that is chosen, pasted or dropped goes with the message, and is kept with the draft over a reload', async () => {
    await page.getByLabel('Files to attach').setInputFiles([{ name: 'chart.png', mimeType: 'image/png', buffer: PICTURE }, { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('words') }]);
    const attached = page.getByRole('region', { name: 'Attached files' });
    await attached.getByText('notes.txt').waitFor();
    await attached.locator('img').waitFor();
    await composer(page).fill('What do these say?');
    await page.reload();
    await attached.locator('img').waitFor();
    expect(await composer(page).inputValue()).toBe('What do these say?');
    await page.evaluate(({ bytes }) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([new Uint8Array(bytes)], 'dropped.png', { type: 'image/png' }));
      document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true }));
      const pasted = new DataTransfer();
      pasted.items.add(new File(['pasted'], 'pasted.txt', { type: 'text/plain' }));
      document.querySelector('textarea')?.dispatchEvent(new ClipboardEvent('paste', { clipboardData: pasted, bubbles: true, cancelable: true }));
    }, { bytes: [...PICTURE] });
    await attached.getByText('dropped.png').waitFor();
    await attached.getByText('pasted.txt').waitFor();
    await attached.getByRole('button', { name: 'Take off pasted.txt' }).click();
    await attached.getByText('pasted.txt').waitFor({ state: 'detached' });
    await expect.poll(() => attached.locator('img').count()).toBe(2);
    expect(await accessibilityFaults(page)).toEqual([]);
    await takePictures(page, 'composer-attached');
    await composer(page).press('Enter');
    const said = page.getByRole('article', { name: /^You/ });
    await said.getByRole('img', { name: 'chart.png' }).waitFor();
    await said.getByRole('group', { name: 'File: notes.txt' }).waitFor();
    await attached.waitFor({ state: 'detached' });
    await page.getByRole('article', { name: /^Reply/ }).waitFor();
    const content = app.host.model?.requests.at(-1)?.body.messages.findLast(({ role }) => role === 'user')?.content;
    expect(Array.isArray(content) ? content.map((part: { readonly type: string }) => part.type) : content).toEqual(['text', 'image_url', 'image_url']);
    expect(await accessibilityFaults(page)).toEqual([]);
    await takePictures(page, 'composer-sent-files');
  });

  test('whether pictures are sent is a switch beside the model', async () => {
    await page.getByRole('button', { name: 'Settings', exact: true }).click();
    const pictures = page.getByLabel('Pictures', { exact: true });
    await pictures.selectOption('Never');
    await expect.poll(() => readFile(join(app.host.home, 'config.yaml'), 'utf8').catch(() => '')).toMatch(/model:\s+vision: '?off'?/);
    await pictures.scrollIntoViewIfNeeded();
    expect(await accessibilityFaults(page)).toEqual([]);
    await takePictures(page, 'settings-pictures', () => pictures.scrollIntoViewIfNeeded());
    await pictures.selectOption('Where the model takes them');
    await expect.poll(() => readFile(join(app.host.home, 'config.yaml'), 'utf8')).toMatch(/vision: auto/);
    await page.keyboard.press('Escape');
  });

  test('a file that is too large is refused in words, and the text stays', async () => {
    await composer(page).fill('with this');
    await page.getByLabel('Files to attach').setInputFiles([{ name: 'film.mp4', mimeType: 'video/mp4', buffer: Buffer.alloc(21_000_000) }]);
    await page.getByRole('alert').filter({ hasText: 'film.mp4 has 21 MB; a message takes files of up to 20 MB.' }).waitFor();
    expect(await composer(page).inputValue()).toBe('with this');
  });

  test('the title row tells how full the window is, and opens by what', async () => {
    await composer(page).pressSequentially('hello');
    await composer(page).press('Enter');
    await page.getByRole('article', { name: /^Reply/ }).getByText('You said: hello').waitFor();
    const meter = page.getByRole('button', { name: /% of window used/ });
    await expect.poll(() => meter.innerText()).toBe('9 % of window');
    await meter.press('Enter');
    const panel = page.getByRole('region', { name: 'What fills the window' });
    for (const kind of ['System prompt', 'Tools', 'Messages', 'Tool results', 'Free']) await panel.getByText(kind, { exact: true }).waitFor();
    await panel.getByText('12,000 tokens were read and 500 written in 1 request').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await takePictures(page, 'composer-meter');
    await meter.press('Enter');
    await panel.waitFor({ state: 'detached' });
    expect(app.errors).toEqual([]);
  });
});
