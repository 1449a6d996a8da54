/** Thirty terminals, looked at one after the other: each is drawn, and nothing grows. TALARIA_LONG=1 goes round a hundred times. */
import type { CDPSession, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { describeInChromium, startApp, type App } from '../support/browser.ts';
import { newChat, openDock } from '../support/deeds.ts';
import { percentile } from '../support/figures.ts';

const TERMINALS = 30;
const LONG = process.env['TALARIA_LONG'] === '1';
const ROUNDS = LONG ? 100 : 3;
/** The first round fills caches: fonts, glyphs, compiled code. */
const WARM_ROUNDS = 1;
/** Growth of the page's own memory over all rounds that is noise of the collector, in bytes. */
const NOISE_BYTES = 6_000_000;

/** Switches to each terminal of the list in turn, in the page; frames until its text is drawn, per switch. */
async function cycle(page: Page, titles: readonly string[]): Promise<number[]> {
  return page.evaluate(async (wanted) => {
    const frames: number[] = [];
    const next = () => new Promise((resolve) => { requestAnimationFrame(resolve); });
    for (const title of wanted) {
      const row = [...document.querySelectorAll('ul[aria-label="Terminals"] button')].find((button) => button.textContent.includes(title));
      if (!(row instanceof HTMLElement)) throw new Error(`${title} is not listed`);
      row.click();
      let waited = 0;
      for (; waited < 600; waited += 1) {
        await next();
        const rows = document.querySelector('[data-terminal] .xterm-rows')?.textContent.replace(/\u00a0/g, ' ') ?? '';
        if (rows.includes(`this is ${title}.`)) break;
      }
      if (waited === 600) throw new Error(`${title} stayed blank`);
      frames.push(waited);
    }
    return frames;
  }, titles);
}

async function held(cdp: CDPSession): Promise<{ readonly heap: number; readonly nodes: number; readonly listeners: number }> {
  await cdp.send('HeapProfiler.collectGarbage');
  const { metrics } = await cdp.send('Performance.getMetrics');
  const metric = (name: string) => metrics.find((found) => found.name === name)?.value ?? Number.NaN;
  return { heap: metric('JSHeapUsedSize'), nodes: metric('Nodes'), listeners: metric('JSEventListeners') };
}

describeInChromium('thirty terminals', () => {
  let app: App;
  beforeAll(async () => {
    app = await startApp({ model: true });
    await newChat(app.page);
    await openDock(app.page, 'Terminals');
  });
  afterAll(() => app.close());
  afterEach(() => { expect(app.errors.splice(0)).toEqual([]); });

  test('are drawn each time one is looked at, and looking costs nothing that stays', async () => {
    const { page } = app;
    const titles = Array.from({ length: TERMINALS }, (_, index) => `number-${String(index).padStart(2, '0')}`);
    await page.evaluate(async (names) => {
      const { talaria } = window;
      if (talaria === undefined) throw new Error('the page has no line to the host');
      for (const name of names) {
        const { id } = await talaria.request('terminals.open', { cols: 80, rows: 24 });
        await talaria.request('terminals.write', { id, data: `clear; echo "this is" ${name}.\r` });
        await talaria.request('terminals.rename', { id, title: name });
      }
    }, titles);
    await expect.poll(() => page.getByRole('list', { name: 'Terminals' }).getByRole('listitem').count()).toBe(TERMINALS);
    const cdp = await page.context().newCDPSession(page);
    await cdp.send('Performance.enable');
    for (let round = 0; round < WARM_ROUNDS; round += 1) await cycle(page, titles);
    const before = await held(cdp);
    const frames: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) frames.push(...await cycle(page, titles));
    const after = await held(cdp);
    const growth = { heap: after.heap - before.heap, nodes: after.nodes - before.nodes, listeners: after.listeners - before.listeners };
    console.log(`${frames.length} switches: frames until drawn median ${percentile(frames, 0.5)}, p95 ${percentile(frames, 0.95)}, most ${Math.max(...frames)}; growth ${JSON.stringify(growth)}`);
    expect(growth.heap).toBeLessThan(NOISE_BYTES);
    expect(growth.nodes).toBeLessThan(400);
    expect(growth.listeners).toBeLessThan(200);
    expect(await page.locator('.xterm').count()).toBe(1);
  }, LONG ? 1_800_000 : 60_000);
});
