import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { accessibilityFaults, describeInChromium, startApp, takePictures, type App } from '../support/browser.ts';
import { openSettings } from '../support/deeds.ts';

describeInChromium('the memory editor', () => {
  let app: App;
  beforeAll(async () => { app = await startApp(); });
  afterAll(() => app.close());
  afterEach(() => { expect(app.errors.splice(0)).toEqual([]); });

  test('saves what is typed, and keeps it when somebody else has written meanwhile', async () => {
    const { page } = app;
    const path = join(app.host.home, 'memories', 'USER.md');
    await openSettings(page, 'Memory');
    const field = page.getByLabel('About you (USER.md)');
    await field.fill('Likes short answers.');
    await page.getByRole('button', { name: 'Save' }).first().click();
    await expect.poll(() => readFile(path, 'utf8').catch(() => '')).toBe('Likes short answers.\n');
    expect(await accessibilityFaults(page)).toEqual([]);
    await takePictures(page, 'memory');
    await field.fill('Likes long answers.');
    await openSettings(page, 'General');
    await openSettings(page, 'Memory');
    expect(await field.inputValue()).toBe('Likes long answers.');
    await writeFile(path, 'Written elsewhere.\n');
    await page.getByRole('button', { name: 'Save' }).first().click();
    await page.getByRole('alert').getByText('changed meanwhile').waitFor();
    expect(await field.inputValue()).toBe('Likes long answers.');
    await page.getByRole('button', { name: 'Load again' }).first().click();
    await expect.poll(() => field.inputValue()).toBe('Written elsewhere.\n');
    await page.getByRole('button', { name: 'Bring back what I typed' }).click();
    await page.getByRole('button', { name: 'Save' }).first().click();
    await expect.poll(() => readFile(path, 'utf8')).toBe('Likes long answers.\n');
    await field.fill('x'.repeat(1_376));
    await page.getByText('1,376 of 1,375 characters: shorten or merge entries.').waitFor();
    expect(await page.getByRole('button', { name: 'Save' }).first().isDisabled()).toBe(true);
    expect(await accessibilityFaults(page)).toEqual([]);
  });
});
