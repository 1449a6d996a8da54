/** Figures of design §6 for a chat of 5,000 messages: from the click to its last message on screen, how much of it is in the page, and how long a fork of it takes. */
import type { Page } from 'playwright-core';
import { startApp } from '../support/browser.ts';
import { median, type Figure } from '../support/figures.ts';
import { fillLongChat } from '../support/long-chat.ts';

const MESSAGES = 5_000;
const ROUNDS = 7;

/** Milliseconds from the click on the chat in the list to the frame after its last message is there. */
function openedAfter(page: Page): Promise<number> {
  return page.evaluate(async (last) => {
    const nextFrame = (): Promise<number> => new Promise((resolve) => { requestAnimationFrame(resolve); });
    const seen = (): boolean => document.querySelector('[aria-label="Messages"]')?.textContent.includes(last) ?? false;
    location.hash = '#/new';
    while (seen()) await nextFrame();
    await new Promise((resolve) => { setTimeout(resolve, 300); });
    const started = performance.now();
    document.querySelector<HTMLElement>('[data-session-row]')?.click();
    while (!seen()) await nextFrame();
    await nextFrame();
    return performance.now() - started;
  }, `Answer ${MESSAGES}:`);
}

/** Milliseconds from the palette's command to the end of the fork on screen. */
async function forkedAfter(page: Page, title: string): Promise<number> {
  await page.getByRole('textbox', { name: 'Message', exact: true }).fill('/fork');
  const started = performance.now();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor();
  await page.getByRole('note').getByText('This chat is a fork of').last().waitFor();
  return performance.now() - started;
}

export async function bench(): Promise<Figure[]> {
  const app = await startApp({ model: true });
  try {
    await app.host.stop('SIGTERM');
    fillLongChat(app.host.home, MESSAGES);
    await app.host.start();
    await app.reopen();
    await app.page.locator('[data-session-row]').first().waitFor();
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) times.push(await openedAfter(app.page));
    const transcript = app.page.getByRole('region', { name: 'Messages' });
    const atEnd = await transcript.locator('*').count();
    await transcript.hover();
    let most = atEnd;
    for (let turn = 0; turn < 40; turn += 1) {
      await app.page.mouse.wheel(0, -4_000);
      await app.page.evaluate(() => new Promise((resolve) => { requestAnimationFrame(resolve); }));
      most = Math.max(most, await transcript.locator('*').count());
    }
    await app.page.locator('[data-session-row]').first().click();
    const forked = [await forkedAfter(app.page, 'Fork of A long story'), await forkedAfter(app.page, 'Fork 2 of A long story'), await forkedAfter(app.page, 'Fork 3 of A long story')];
    return [
      { name: 'chat of 5,000 messages: click to first paint, median', value: median(times), unit: 'ms', bar: '≤ 200' },
      { name: 'chat of 5,000 messages: the first opening of the window', value: times[0] ?? Number.NaN, unit: 'ms', bar: '≤ 200' },
      { name: 'chat of 5,000 messages: elements in the page, most while scrolling', value: most, unit: '', bar: '≤ 1200' },
      { name: 'chat of 5,000 messages: forked whole and shown, median', value: median(forked), unit: 'ms', bar: '≤ 300' },
    ];
  } finally {
    await app.close();
  }
}
