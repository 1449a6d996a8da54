import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { describeInChromium, startApp, type App } from '../support/browser.ts';
import { fillLongChat } from '../support/long-chat.ts';

const MESSAGES = 5_000;
/** Elements in the transcript however long the chat is: about two screens of messages. */
const MOST_ELEMENTS = 1_200;

const transcript = (page: Page) => page.getByRole('region', { name: 'Messages' });
const elements = (page: Page) => transcript(page).locator('*').count();

/** Number of the first message that is in sight. */
function firstSeen(page: Page): Promise<number> {
  return transcript(page).evaluate((list) => {
    const { top } = list.getBoundingClientRect();
    const row = [...list.querySelectorAll('[data-message]')].find((element) => element.getBoundingClientRect().bottom > top + 1);
    // The words alone: the clock behind a question begins with digits too.
    return Number(/(?:Question|Answer) (\d+)/.exec(row?.querySelector('p')?.textContent ?? '')?.[1]);
  });
}

describeInChromium('a chat of 5,000 messages', () => {
  let app: App;
  let page: Page;
  beforeAll(async () => {
    app = await startApp({ model: true });
    page = app.page;
    await app.host.stop('SIGTERM');
    fillLongChat(app.host.home, MESSAGES);
    await app.host.start();
    await app.reopen();
  });
  afterAll(() => app.close());

  test('opens at its end and draws only what can be seen', async () => {
    await transcript(page).getByText(`Answer ${MESSAGES}:`).waitFor();
    const opened = await page.evaluate(async (last) => {
      location.hash = '#/new';
      await new Promise((resolve) => { setTimeout(resolve, 300); });
      const started = performance.now();
      document.querySelector<HTMLElement>('[data-session-row]')?.click();
      await new Promise<void>((resolve) => {
        const look = (): void => {
          if (document.querySelector('[aria-label="Messages"]')?.textContent.includes(last) === true) requestAnimationFrame(() => { resolve(); });
          else requestAnimationFrame(look);
        };
        look();
      });
      return performance.now() - started;
    }, `Answer ${MESSAGES}:`);
    console.info(`a chat of ${MESSAGES} messages was on screen after ${Math.round(opened)} ms, with ${await elements(page)} elements`);
    expect(await elements(page)).toBeLessThan(MOST_ELEMENTS);
  });

  test('scrolls up to older messages without drawing more, and finds its place again', async () => {
    await transcript(page).hover();
    for (let turn = 0; turn < 40; turn += 1) {
      await page.mouse.wheel(0, -4_000);
      await page.waitForFunction(() => new Promise((resolve) => { requestAnimationFrame(() => { resolve(true); }); }));
    }
    expect(await elements(page)).toBeLessThan(MOST_ELEMENTS);
    await page.getByRole('button', { name: 'To the end' }).waitFor();
    const before = await firstSeen(page);
    await page.getByRole('button', { name: 'New chat', exact: true }).click();
    await page.getByRole('heading', { name: 'New chat', level: 1 }).waitFor();
    await page.locator('[data-session-row]').first().click();
    await page.getByRole('button', { name: 'To the end' }).waitFor();
    await expect.poll(() => firstSeen(page)).toBe(before);
    expect(before).toBeLessThan(MESSAGES - 500);
  });

  test('jumps from a search to a message far up', async () => {
    await page.getByRole('searchbox', { name: 'Search all messages' }).fill('marker51x');
    await page.getByRole('list', { name: 'Messages found' }).getByRole('button').first().click();
    await transcript(page).getByText('Question 51 about marker51x').waitFor();
    expect(await elements(page)).toBeLessThan(MOST_ELEMENTS);
    await page.getByRole('button', { name: 'To the end' }).click();
    await transcript(page).getByText(`Answer ${MESSAGES}:`).waitFor();
  });

  test('reports no error on its console', () => {
    expect(app.errors).toEqual([]);
  });
});
