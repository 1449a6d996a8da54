import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { accessibilityFaults, describeInChromium, startApp, takePictures, type App } from '../support/browser.ts';

const CHANGED = '# Notes\n\n- rewritten by the agent\n- all of it\n';

describeInChromium('files kept before a call', () => {
  let app: App;
  let page: Page;
  let path: string;
  beforeAll(async () => {
    app = await startApp({ model: { script: ({ body }) => (body.messages.some((message) => message.role === 'tool') ? { text: 'Finished.' } : { text: 'On it.', calls: [{ name: 'write_file', arguments: { path: 'notes.md', content: CHANGED } }] }) } });
    page = app.page;
    path = join(app.host.workFolder, 'notes.md');
    await writeFile(path, '# Notes\n\n- as I left them\n');
  });
  afterAll(() => app.close());

  test('are shown as a difference in the card of the call, put back by a press, and back again by another', async () => {
    await page.getByRole('button', { name: 'New chat', exact: true }).click();
    const composer = page.getByRole('textbox', { name: 'Message', exact: true });
    await composer.fill('rewrite my notes');
    await composer.press('Enter');
    const messages = page.getByRole('region', { name: 'Messages' });
    await messages.getByText('Finished.').waitFor();
    const card = messages.locator('[data-call]').last();
    const toggle = card.locator('button[aria-expanded]').first();
    if (await toggle.getAttribute('aria-expanded') === 'false') await toggle.click();
    const kept = card.getByRole('region', { name: 'Kept before this call' });
    await kept.getByRole('button', { name: 'Show what changed' }).click();
    await kept.getByText('-- as I left them').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await takePictures(page, 'checkpoint-diff', () => kept.scrollIntoViewIfNeeded());
    await kept.getByRole('button', { name: 'Put back…' }).click();
    const question = kept.getByRole('alertdialog', { name: 'Put files back' });
    await takePictures(page, 'checkpoint-question', () => question.scrollIntoViewIfNeeded());
    await question.getByRole('button', { name: 'Put back', exact: true }).click();
    await page.getByText('1 file put back.').waitFor();
    expect(await readFile(path, 'utf8')).toBe('# Notes\n\n- as I left them\n');
    await kept.getByText('Nothing is different from then.').waitFor();
    await page.getByRole('region', { name: 'Notifications' }).getByRole('button', { name: 'Undo' }).click();
    await kept.getByText('-- as I left them').waitFor();
    expect(await readFile(path, 'utf8')).toBe(CHANGED);
    expect(app.errors).toEqual([]);
  });
});
