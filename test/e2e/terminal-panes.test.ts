import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { accessibilityFaults, describeInChromium, startApp, takePictures, type App } from '../support/browser.ts';
import { newChat, openDock, openSettings, say } from '../support/deeds.ts';

describeInChromium('several terminals in the window', () => {
  let app: App;
  let panel: Locator;
  const list = () => panel.getByRole('list', { name: 'Terminals' });
  const row = (title: string) => list().getByRole('button').filter({ hasText: title }).first();
  const views = () => panel.locator('[data-terminal]');
  const shownIn = (index: number) => views().nth(index).locator('.xterm-accessibility').innerText().then((text) => text.replace(/\u00a0/g, ' '));
  const more = async (index: number, item: string) => {
    await views().nth(index).getByRole('button', { name: 'More' }).click();
    await app.page.getByRole('menuitem', { name: item }).click();
  };

  beforeAll(async () => {
    app = await startApp({ model: true });
    await openSettings(app.page, 'Terminals');
    await app.page.getByText(app.host.workFolder).first().waitFor();
    await app.page.getByRole('switch', { name: 'Screen reader mode' }).click();
    await app.page.getByRole('button', { name: 'Back to the chat' }).click();
    await newChat(app.page);
    panel = await openDock(app.page, 'Terminals');
  });
  afterAll(() => app.close());
  afterEach(() => { expect(app.errors.splice(0)).toEqual([]); });

  test('how terminals look is kept in config.yaml, not in this page', async () => {
    await expect.poll(() => readFile(join(app.host.home, 'config.yaml'), 'utf8').catch(() => ''), { timeout: 10_000 }).toContain('screen_reader: true');
  });

  test('the panel goes to each new command, a command of the person’s own counts as theirs, and the keys stay in the composer', async () => {
    await say(app.page, '!echo first; echo "# one"');
    await row('# one').getByText('you', { exact: true }).waitFor();
    await say(app.page, '!echo second; echo "# two"');
    await expect.poll(() => views().first().getAttribute('aria-label')).toContain('# two');
    expect(await app.page.getByRole('textbox', { name: 'Message' }).evaluate((element) => element === document.activeElement)).toBe(true);
  });

  test('a split opens a shell next to the one that is shown; each takes its own keys; the pane closes and the shell lives on', async () => {
    await panel.getByRole('button', { name: 'New terminal' }).first().click();
    await row('Shell 1').waitFor();
    await expect.poll(() => views().first().getAttribute('aria-label')).toContain('Shell 1');
    await expect.poll(() => views().first().locator('.xterm-helper-textarea').evaluate((element) => element === document.activeElement)).toBe(true);
    await app.page.keyboard.type('echo in-$((1+1))-first\n');
    await more(0, 'Split below');
    await expect.poll(() => views().count()).toBe(2);
    await expect.poll(() => views().nth(1).locator('.xterm-helper-textarea').evaluate((element) => element === document.activeElement)).toBe(true);
    await app.page.keyboard.type('echo in-$((2+2))-second\n');
    await expect.poll(() => shownIn(1), { timeout: 15_000 }).toContain('in-4-second');
    expect(await shownIn(0)).toContain('in-2-first');
    expect(await shownIn(0)).not.toContain('in-4-second');
    await takePictures(app.page, 'terminal-split');
    /** A command that starts while a shell is shown leaves the person's shell alone. */
    await say(app.page, '!echo quiet; echo "# three"');
    await row('# three').waitFor();
    expect(await views().first().getAttribute('aria-label')).toContain('Shell 1');
    await views().nth(1).getByRole('button', { name: 'Close this pane' }).click();
    await expect.poll(() => views().count()).toBe(1);
    await row('Shell 2').waitFor();
    await row('Shell 2').hover();
    await list().getByRole('button', { name: /^Show next to the other: Shell 2/ }).click();
    await expect.poll(() => views().count()).toBe(2);
    await more(0, 'Split side by side');
    await expect.poll(() => views().count()).toBe(3);
    /** However narrow, nothing of a pane's bars is cut off or scrolls. */
    expect(await views().evaluateAll((panes) => panes.filter((pane) => pane.scrollWidth > pane.clientWidth || (pane.parentElement?.scrollWidth ?? 0) > (pane.parentElement?.clientWidth ?? 0)).length)).toBe(0);
    await takePictures(app.page, 'terminal-split-side');
    expect(await accessibilityFaults(app.page)).toEqual([]);
  }, 180_000);

  test('panes keep the sizes that they were given, over a reload', async () => {
    const width = (index: number) => views().nth(index).evaluate((element) => Math.round(element.getBoundingClientRect().width));
    const before = await width(0);
    await panel.getByRole('separator', { name: 'Width of the terminals' }).first().focus();
    for (let step = 0; step < 3; step += 1) await app.page.keyboard.press('ArrowLeft');
    await expect.poll(() => width(0)).toBeLessThan(before);
    const given = await Promise.all([0, 1, 2].map(width));
    await app.page.reload();
    await expect.poll(() => views().count()).toBe(3);
    await expect.poll(() => Promise.all([0, 1, 2].map(width))).toEqual(given);
  });

  test('what a terminal shows is saved with its colours, as a page that runs nothing, and without its keys', async () => {
    await say(app.page, `!printf '\\033[31mred <script>1</script>\\033[0m\\nsk-%s' canary012345 # coloured`);
    await row('# coloured').click();
    await expect.poll(() => shownIn(0), { timeout: 15_000 }).toContain('red <script>');
    const [download] = await Promise.all([app.page.waitForEvent('download'), more(0, 'Save with colours…')]);
    const page = await readFile(await download.path(), 'utf8');
    expect(download.suggestedFilename()).toMatch(/\.html$/);
    expect(page).toContain("default-src 'none'");
    expect(page).toMatch(/color: ?#[0-9a-f]{6};?'>red &lt;script/);
    expect(page).not.toContain('<script>');
    expect(page).not.toContain('sk-canary012345');
    expect(page).toContain('***');
  });

  test('one running call is stopped on its card; it counts as stopped, and the turn is not ended by it', async () => {
    await say(app.page, '!echo begun; sleep 600');
    const card = app.page.locator('[data-call]').last();
    await card.getByRole('button', { name: /^Stop: Run command/ }).click();
    await card.getByText('stopped', { exact: true }).waitFor();
    expect(await card.getByText(/^exit/).count()).toBe(0);
    await row('sleep 600').click();
    await views().first().getByText('Stopped', { exact: true }).waitFor();
  });

  test('a window of an earlier run finds the app again by itself after it was started anew; old screens say that they are history', async () => {
    await app.host.stop('SIGTERM');
    await app.host.start();
    const restored = app.page.getByRole('list', { name: 'Terminals' }).getByRole('button').filter({ hasText: '# coloured' }).first();
    await restored.click({ timeout: 30_000 });
    await expect.poll(() => shownIn(0), { timeout: 30_000 }).toContain('from an earlier run');
    expect(await shownIn(0)).toContain('red <script>');
    await say(app.page, '!echo back-$((6*7)); echo "# again"');
    await row('# again').click({ timeout: 30_000 });
    await expect.poll(() => shownIn(0), { timeout: 15_000 }).toContain('back-42');
    app.errors.length = 0; // the lost connection
  });
});
