import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { accessibilityFaults, describeInChromium, startApp, takePictures, type App } from '../support/browser.ts';

const composer = (page: Page) => page.getByRole('textbox', { name: 'Message', exact: true });
const list = (page: Page) => page.getByRole('navigation', { name: 'Chats' });
/** The row itself, not its menu. */
const row = (page: Page, title: string) => list(page).locator('[data-session-row]').filter({ hasText: title });
const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 });

/** A chat that is opened takes the keyboard to its composer. */
async function composerFocused(page: Page): Promise<void> {
  await page.waitForFunction(() => document.activeElement?.matches('textarea[aria-label="Message"]') === true);
}

async function chatAbout(page: Page, text: string): Promise<void> {
  await page.getByRole('button', { name: 'New chat', exact: true }).click();
  await heading(page, 'New chat').waitFor();
  await composer(page).fill(text);
  await composer(page).press('Enter');
  await page.getByRole('article', { name: /^Reply/ }).getByText(`You said: ${text}`).waitFor();
  await row(page, text).waitFor();
}

describeInChromium('the list of chats', () => {
  let app: App;
  let page: Page;
  beforeAll(async () => {
    app = await startApp({ model: true });
    page = app.page;
    for (const topic of ['apples', 'bread', 'cheese']) await chatAbout(page, topic);
  });
  afterAll(() => app.close());

  test('has the latest first and opens what is clicked', async () => {
    expect(await list(page).locator('[data-session-row]').allInnerTexts()).toEqual(['cheese', 'bread', 'apples'].map((title) => expect.stringContaining(title)));
    await row(page, 'apples').click();
    await heading(page, 'apples').waitFor();
    await page.getByRole('article').getByText('You said: apples').waitFor();
  });

  test('renames in place, by menu and by key', async () => {
    await row(page, 'bread').hover();
    await list(page).getByRole('button', { name: 'More for bread' }).click();
    await page.getByRole('menuitem', { name: /^Rename/ }).click();
    await page.getByRole('textbox', { name: 'Title of this chat' }).fill('rye bread');
    await page.keyboard.press('Enter');
    await row(page, 'rye bread').waitFor();
    await row(page, 'rye bread').focus();
    await page.keyboard.press('F2');
    await page.getByRole('textbox', { name: 'Title of this chat' }).fill('thrown away');
    await page.keyboard.press('Escape');
    await row(page, 'rye bread').waitFor();
  });

  test('deletes with a way back', async () => {
    await row(page, 'cheese').click();
    await heading(page, 'cheese').waitFor();
    await row(page, 'cheese').focus();
    await page.keyboard.press('Delete');
    await row(page, 'cheese').waitFor({ state: 'detached' });
    await heading(page, 'cheese').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await row(page, 'cheese').waitFor();
    await heading(page, 'cheese').waitFor();
  });

  test('finds words in all chats and jumps to the message', async () => {
    await list(page).getByRole('searchbox', { name: 'Search all messages' }).fill('apples');
    const hits = list(page).getByRole('list', { name: 'Messages found' });
    await hits.getByRole('button').first().click();
    await heading(page, 'apples').waitFor();
    await list(page).getByRole('button', { name: 'Clear search' }).click();
    await row(page, 'cheese').waitFor();
  });

  test('narrows a search by whose words, when and where', async () => {
    const search = page.getByRole('searchbox', { name: 'Search all messages' });
    await search.fill('apples');
    const found = page.getByRole('list', { name: 'Messages found' }).getByRole('listitem');
    await expect.poll(() => found.count()).toBe(2);
    await page.getByRole('button', { name: 'Narrow the search' }).press('Enter');
    await page.getByLabel('Who', { exact: true }).selectOption('you');
    await expect.poll(() => found.count()).toBe(1);
    await page.getByLabel('When', { exact: true }).selectOption('between days…');
    await page.getByLabel('To', { exact: true }).fill('2020-01-01');
    await page.getByText('No message contains “apples” in what is searched.').waitFor();
    await page.getByLabel('To', { exact: true }).fill('');
    await expect.poll(() => found.count()).toBe(1);
    expect(await accessibilityFaults(page)).toEqual([]);
    await takePictures(page, 'search-narrowed', async () => { if (!await search.isVisible()) await page.keyboard.press('Control+b'); });
    await page.getByLabel('Tool', { exact: true }).fill('terminal');
    await page.getByText('No message contains').waitFor();
    await page.getByRole('button', { name: 'Search everything' }).click();
    await expect.poll(() => found.count()).toBe(2);
    await page.getByRole('button', { name: 'Narrow the search' }).click();
    await search.press('Escape');
  });

  test('hands out a whole chat as Markdown and as JSON', async () => {
    await row(page, 'apples').focus();
    const download = async (item: string): Promise<{ readonly name: string; readonly text: string }> => {
      await page.getByRole('button', { name: 'More for apples' }).click();
      const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('menuitem', { name: item }).click()]);
      return { name: file.suggestedFilename(), text: await readFile(await file.path(), 'utf8') };
    };
    const markdown = await download('Save as Markdown');
    expect(markdown.name).toMatch(/^apples-\d{4}-\d\d-\d\d\.md$/);
    expect(markdown.text).toMatch(/^# apples\n[^]*## You[^]*\napples\n[^]*## Reply[^]*You said: apples/);
    const json = await download('Save as JSON');
    expect(JSON.parse(json.text)).toMatchObject({ format: 'talaria-chat', messages: [{ role: 'user', text: 'apples' }, { role: 'assistant' }] });
  });

  test('goes anywhere from the palette by keys alone', async () => {
    await composer(page).focus();
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog', { name: 'Commands and chats' }).waitFor();
    await page.keyboard.type('cheese');
    await page.getByRole('option', { name: /^cheese/ }).first().waitFor();
    await page.keyboard.press('Enter');
    await heading(page, 'cheese').waitFor();
    await page.keyboard.press('Alt+2');
    await heading(page, 'cheese').waitFor({ state: 'detached' });
  });

  test('can be used with keys alone: a new chat, the next pane, the row above', async () => {
    await page.keyboard.press('Control+Shift+O');
    await heading(page, 'New chat').waitFor();
    await page.keyboard.type('dates');
    await page.keyboard.press('Enter');
    await page.getByRole('article', { name: /^Reply/ }).getByText('You said: dates').waitFor();
    await heading(page, 'dates').waitFor();
    await page.keyboard.press('Shift+F6');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await heading(page, 'dates').waitFor({ state: 'detached' });
    await composerFocused(page);
    await page.keyboard.press('Shift+F6');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await heading(page, 'dates').waitFor();
    await composerFocused(page);
    await page.keyboard.press('Shift+F6');
    await page.keyboard.press('F2');
    await page.keyboard.type('figs');
    await page.keyboard.press('Enter');
    await heading(page, 'figs').waitFor();
  });

  test('shows all keys on a question mark, but not while typing', async () => {
    await composer(page).focus();
    await page.keyboard.type('?');
    expect(await composer(page).inputValue()).toBe('?');
    await composer(page).fill('');
    await row(page, 'cheese').focus();
    await page.keyboard.press('?');
    const keys = page.getByRole('dialog', { name: 'Keys' });
    await keys.getByText('New chat').waitFor();
    await page.keyboard.press('Escape');
    await keys.waitFor({ state: 'detached' });
  });

  test('is all there after the host was killed and started again', async () => {
    await app.host.stop('SIGKILL');
    await page.getByText('Talaria does not answer any more').waitFor();
    await app.host.start();
    await app.reopen();
    for (const title of ['apples', 'rye bread', 'cheese']) await row(page, title).waitFor();
    await row(page, 'apples').click();
    await page.getByRole('article').getByText('You said: apples').waitFor();
  });

  test('becomes a side panel in a small window, one at a time with the dock', async () => {
    await page.setViewportSize({ width: 800, height: 600 });
    await list(page).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Show the chats' }).click();
    await list(page).waitFor();
    await page.keyboard.press('Control+j');
    await page.getByRole('complementary').waitFor();
    await list(page).waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await page.getByRole('complementary').waitFor({ state: 'detached' });
    expect(await composer(page).evaluate((element) => element === document.activeElement)).toBe(true);
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  test('has no accessibility fault in either theme, nor has an open chat or the settings', async () => {
    await row(page, 'cheese').click();
    await heading(page, 'cheese').waitFor();
    await takePictures(page, 'chat');
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      expect(await accessibilityFaults(page)).toEqual([]);
      await page.keyboard.press('Control+,');
      await heading(page, 'Settings').waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
      await page.getByRole('button', { name: 'Back to the chat' }).click();
      await heading(page, 'cheese').waitFor();
    }
  });

  test('reports no error on its console', () => {
    expect(app.errors).toEqual([]);
  });
});
