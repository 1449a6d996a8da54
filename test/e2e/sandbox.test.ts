import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { accessibilityFaults, describeInChromium, startApp, takePictures, type App } from '../support/browser.ts';

describeInChromium('the sandbox of a chat', () => {
  let app: App;
  let page: Page;
  beforeAll(async () => {
    app = await startApp({ model: { script: ({ body }) => (JSON.stringify(body.messages.at(-1)).includes('delete it') ? { text: 'On it.', calls: [{ name: 'terminal', arguments: { command: 'rm -rf old-folder' } }] } : { text: 'Hello.' }) } });
    page = app.page;
  });
  afterAll(() => app.close());

  test('and its folder and backend can be chosen before the first message, and what was typed stays', async () => {
    await page.getByRole('button', { name: 'New chat', exact: true }).click();
    const composer = page.getByRole('textbox', { name: 'Message', exact: true });
    await composer.fill('not sent yet');
    await page.getByRole('button', { name: 'Choose where it runs' }).click();
    const folder = page.getByRole('textbox', { name: 'Folder of this chat' });
    await folder.fill('/var/tmp');
    await folder.press('Enter');
    await page.getByRole('button', { name: 'Folder of this chat: /var/tmp. Change' }).waitFor();
    expect(await composer.inputValue()).toBe('not sent yet');
    await page.getByRole('button', { name: 'Backend of this chat: local. Change' }).click();
    await page.getByRole('menuitem', { name: '✓ local as set for new chats' }).waitFor();
    await page.getByRole('menuitem', { name: /^daytona .*needs DAYTONA_API_KEY/ }).waitFor();
    await takePictures(page, 'backend-menu');
    await page.keyboard.press('Escape');
    await composer.fill('');
  });

  test('is chosen by its shield, said on the approval card and in the settings', async () => {
    await page.getByRole('button', { name: 'New chat', exact: true }).click();
    await page.getByRole('heading', { name: 'New chat', level: 1 }).waitFor();
    const composer = page.getByRole('textbox', { name: 'Message', exact: true });
    await composer.fill('hi');
    await composer.press('Enter');
    await page.getByRole('region', { name: 'Messages' }).getByText('Hello.').waitFor();
    const shield = page.getByRole('button', { name: /^Sandbox of this chat: / });
    await shield.click();
    await page.getByRole('menuitem', { name: 'Writes only in its folder' }).click();
    await page.getByRole('button', { name: 'Sandbox of this chat: Writes only in its folder. Change' }).waitFor();
    await shield.press('Enter');
    await page.getByRole('menuitem', { name: 'Take the network away' }).click();
    await page.getByRole('button', { name: 'Sandbox of this chat: Writes only in its folder, no network. Change' }).waitFor();
    await composer.fill('delete it');
    await composer.press('Enter');
    const where = page.getByRole('region', { name: 'Messages' }).getByText('sandbox: writes only in its folder, no network').first();
    await where.waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await takePictures(page, 'sandbox-card', () => where.scrollIntoViewIfNeeded());
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByRole('link', { name: /Terminals/ }).or(page.getByRole('button', { name: /Terminals/ })).or(page.getByRole('tab', { name: /Terminals/ })).first().click();
    const all = page.getByRole('radio', { name: 'Read only' });
    await all.check();
    await page.getByRole('switch', { name: 'Network in the sandbox' }).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await takePictures(page, 'sandbox-settings', () => all.scrollIntoViewIfNeeded());
    expect(app.errors).toEqual([]);
  });
});
