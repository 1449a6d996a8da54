/** Thirty terminals, looked at one after the other: each is drawn, and nothing grows. TALARIA_LONG=1 goes round a hundred times. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
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

interface Looked { /** Until its text was drawn, per switch. */ readonly frames: number[]; /** Frames with nothing at all in the terminal's place. */ readonly blank: number }

/** Switches to each terminal of the list in turn, in the page. */
async function cycle(page: Page, titles: readonly string[]): Promise<Looked> {
  return page.evaluate(async (wanted) => {
    const frames: number[] = [];
    let blank = 0;
    const next = () => new Promise((resolve) => { requestAnimationFrame(resolve); });
    for (const title of wanted) {
      const row = [...document.querySelectorAll('ul[aria-label="Terminals"] button')].find((button) => button.textContent.includes(title));
      if (!(row instanceof HTMLElement)) throw new Error(`${title} is not listed`);
      row.click();
      let waited = 0;
      for (; waited < 600; waited += 1) {
        await next();
        const rows = document.querySelector('[data-terminal] .xterm-rows')?.textContent.replace(/\u00a0/g, ' ') ?? '';
        if (`${rows}${document.querySelector('[data-terminal] pre')?.textContent ?? ''}`.trim() === '') blank += 1;
        if (rows.includes(`this is ${title}.`)) break;
      }
      if (waited === 600) throw new Error(`${title} stayed blank`);
      frames.push(waited);
    }
    return { frames, blank };
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
    /** The last one was opened first and is looked at: the others are seen for the first time now. */
    let blank = 0;
    for (let round = 0; round < WARM_ROUNDS; round += 1) blank += (await cycle(page, titles)).blank;
    const before = await held(cdp);
    const frames: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const looked = await cycle(page, titles);
      frames.push(...looked.frames);
      blank += looked.blank;
    }
    const after = await held(cdp);
    const growth = { heap: after.heap - before.heap, nodes: after.nodes - before.nodes, listeners: after.listeners - before.listeners };
    console.log(`${frames.length} switches: frames until drawn median ${percentile(frames, 0.5)}, p95 ${percentile(frames, 0.95)}, most ${Math.max(...frames)}; blank frames ${blank}; growth ${JSON.stringify(growth)}`);
    expect(blank).toBe(0);
    expect(growth.heap).toBeLessThan(NOISE_BYTES);
    expect(growth.nodes).toBeLessThan(400);
    expect(growth.listeners).toBeLessThan(200);
    expect(await page.locator('.xterm').count()).toBe(1);
  }, LONG ? 3_600_000 : 240_000);

  test('one that is out of sight gets no bytes; looked at again, it shows the last line of meanwhile', async () => {
    const { page, host } = app;
    const counter = join(host.workFolder, 'counter');
    const counted = async () => (await readFile(counter, 'utf8').catch(() => '')).split('\n').length - 1;
    let bytes = 0;
    let about = 0;
    const sent: string[] = [];
    const id = await page.evaluate(async () => (await window.talaria?.request('terminals.open', { cols: 80, rows: 24 }))?.id ?? '');
    page.on('websocket', (socket) => {
      socket.on('framereceived', ({ payload }) => {
        if (typeof payload !== 'string') bytes += payload.length;
        else if (payload.includes(id)) about += 1;
      });
      socket.on('framesent', ({ payload }) => { sent.push(String(payload)); });
    });
    await page.reload();
    await page.getByRole('list', { name: 'Terminals' }).locator('button[aria-current]').waitFor();
    await page.getByRole('list', { name: 'Terminals' }).getByRole('button').filter({ hasText: 'Shell' }).first().click();
    const rows = () => page.locator('[data-terminal] .xterm-rows').innerText();
    await page.evaluate(async ([terminal, file]) => {
      await window.talaria?.request('terminals.write', { id: terminal as never, data: `i=0; while sleep 0.01; do i=$((i+1)); echo $i >> '${file ?? ''}'; echo tick-$i; done\r` });
    }, [id, counter]);
    await expect.poll(rows).toContain('tick-3');
    const asked = sent.length;
    await page.getByRole('tab', { name: /^Approvals/ }).click();
    await expect.poll(() => sent.slice(asked).some((frame) => frame.includes('terminals.detach'))).toBe(true);
    const letGo = await counted();
    await expect.poll(counted).toBeGreaterThan(letGo + 5);
    const before = { bytes, about };
    const hidden = await counted();
    await expect.poll(counted).toBeGreaterThan(hidden + 50);
    expect({ bytes, about }).toEqual(before);
    const missed = await counted();
    await page.getByRole('tab', { name: /^Terminals/ }).click();
    await expect.poll(async () => Number(/(?:.*tick-(\d+))/s.exec(await rows())?.[1])).toBeGreaterThanOrEqual(missed);
    await page.locator('[data-terminal] .xterm-helper-textarea').focus();
    await page.keyboard.press('Control+c');
    await expect.poll(rows).toMatch(/\^C/);
    const text = await page.evaluate(async (terminal) => (await window.talaria?.request('terminals.text', { id: terminal }))?.text ?? '', id);
    const last = /(?:.*(tick-\d+))/s.exec(text)?.[1] ?? 'no line at all';
    expect(await rows()).toContain(last);
    expect(Number(last.slice('tick-'.length))).toBeGreaterThanOrEqual(missed);
  });
});
