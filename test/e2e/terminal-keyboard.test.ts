/** All that a person does with terminals, by keys alone. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { describeInChromium, startApp, type App } from '../support/browser.ts';
import { newChat, openDock, say } from '../support/deeds.ts';

describeInChromium('terminals by keys alone', () => {
  let app: App;
  let panel: Locator;
  const row = (title: string) => panel.getByRole('list', { name: 'Terminals' }).getByRole('button').filter({ hasText: title }).first();
  const views = () => panel.locator('[data-terminal]');
  const ids = () => views().evaluateAll((found) => found.map((view) => view.getAttribute('data-terminal')));
  const press = (keys: string) => app.page.keyboard.press(keys);
  /** The pane whose screen has the keys. */
  const focused = () => app.page.evaluate(() => (document.activeElement?.matches('.xterm-helper-textarea') === true ? document.activeElement.closest('[data-terminal]')?.getAttribute('data-terminal') : null));
  const focusedText = () => app.page.evaluate(() => document.activeElement?.textContent ?? '');
  const shownIn = (index: number) => views().nth(index).locator('.xterm-rows').innerText().then((text) => text.replace(/\u00a0/g, ' '));
  /** Opens the menu of the button that has the focus and takes an item of it. */
  const choose = async (item: string) => {
    await press('Enter');
    await app.page.getByRole('menu').waitFor();
    await expect.poll(async () => {
      if ((await focusedText()).startsWith(item)) return true;
      await press('ArrowDown');
      return (await focusedText()).startsWith(item);
    }).toBe(true);
    await press('Enter');
    await app.page.getByRole('menu').waitFor({ state: 'detached' });
  };
  const buttonsAbove = async () => {
    await press('Control+Shift+M');
    await expect.poll(() => app.page.evaluate(() => document.activeElement?.hasAttribute('data-more'))).toBe(true);
  };
  /** From the list into the screen of a terminal, which has been drawn. */
  const enter = async (title: string, text: string) => {
    await row(title).press('Enter');
    await expect.poll(() => views().first().getAttribute('aria-label')).toContain(title);
    await expect.poll(() => shownIn(0)).toContain(text);
    await views().first().locator('.xterm-helper-textarea').focus();
  };

  beforeAll(async () => {
    app = await startApp({ model: true });
    await newChat(app.page);
    panel = await openDock(app.page, 'Terminals');
  });
  afterAll(() => app.close());
  afterEach(() => { expect(app.errors.splice(0)).toEqual([]); });

  test('panes are split, gone through and closed; a reload brings back those that were there', async () => {
    await panel.getByRole('button', { name: 'New terminal' }).first().press('Enter');
    await expect.poll(async () => (await ids()).indexOf(await focused() ?? '')).toBe(0);
    await press('Control+Shift+E');
    await expect.poll(async () => (await ids()).indexOf(await focused() ?? '')).toBe(1);
    await press('Control+Shift+D');
    await expect.poll(async () => (await ids()).indexOf(await focused() ?? '')).toBe(2);
    const before = await ids();
    for (const [keys, pane] of [['Control+Shift+ArrowRight', 0], ['Control+Shift+ArrowRight', 1], ['Control+Shift+ArrowLeft', 0], ['Control+Shift+ArrowLeft', 2]] as const) {
      await press(keys);
      expect(await focused()).toBe(before[pane]);
    }
    await app.page.keyboard.type('echo third-$((1+2))\n');
    await expect.poll(() => shownIn(2)).toContain('third-3');

    await app.page.reload();
    await expect.poll(ids).toEqual(before);
    await expect.poll(() => shownIn(2), { timeout: 30_000 }).toContain('third-3');
    const [left, right] = await Promise.all([0, 2].map((pane) => views().nth(pane).boundingBox()));
    expect(right?.x).toBeGreaterThan(left?.x ?? Number.NaN);

    await views().nth(1).locator('.xterm-helper-textarea').focus();
    await press('Control+Shift+X');
    await expect.poll(ids).toEqual([before[0], before[2]]);
    expect(await focused()).toBe(before[0]);
    await press('Control+Shift+X');
    await expect.poll(ids).toEqual([before[2]]);
    await press('Control+Shift+X');
    expect(await ids()).toEqual([before[2]]);
    await row('Shell 2').waitFor();
  });

  test('one is renamed, run again, quoted in the chat and saved', async () => {
    await say(app.page, '!echo run >> runs; echo "shows $((40+2))" # by-keys');
    await row('# by-keys').waitFor();
    await enter('# by-keys', 'shows 42');
    await buttonsAbove();
    await choose('Rename…');
    await app.page.keyboard.type('by keys alone');
    await press('Enter');
    await row('by keys alone').waitFor();

    await enter('by keys alone', 'shows 42');
    await press('Control+Shift+Escape');
    await press('Tab');
    expect(await focusedText()).toBe('Run again');
    await press('Enter');
    await expect.poll(() => readFile(join(app.host.workFolder, 'runs'), 'utf8')).toBe('run\nrun\n');

    await enter('by keys alone', 'shows 42');
    await buttonsAbove();
    await choose('Select what is in view');
    await choose('Send selection to chat');
    await expect.poll(() => app.page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('```\nshows 42\n```\n');
    await app.page.getByRole('textbox', { name: 'Message' }).fill('');

    await enter('by keys alone', 'shows 42');
    await buttonsAbove();
    const [download] = await Promise.all([app.page.waitForEvent('download'), choose('Save all output…')]);
    expect(await readFile(await download.path(), 'utf8')).toBe('shows 42');
  });

  test('one is stopped in the way that is chosen', async () => {
    for (const [item, end] of [['Interrupt', 'Stopped'], ['Kill it and all it started', 'Stopped']] as const) {
      await say(app.page, `/tool terminal ${JSON.stringify({ command: `echo waits; sleep 600 # ${item}`, background: true, pty: true })}`);
      await row(`# ${item}`).waitFor();
      await enter(`# ${item}`, 'waits');
      await buttonsAbove();
      await press('Shift+Tab');
      expect(await focusedText()).toBe('Stop…');
      await choose(item);
      await views().first().getByText(end, { exact: true }).waitFor();
    }
  });
});
