/** No yes by accident: keys, clicks that come too soon, commands that were not read to their end. */
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { describeInChromium, startApp, type App } from '../support/browser.ts';
import { newChat, openDock, press, queuedCard, say } from '../support/deeds.ts';
import { clickAsSoonAs } from '../support/eager-clicks.ts';
import { removals } from '../support/removals.ts';

describeInChromium('what guards an answer in the window', () => {
  let app: App;
  const { folder, askToRemove, goneOnDisk } = removals(() => app);

  beforeAll(async () => { app = await startApp({ model: true }); });
  afterAll(() => app.close());
  beforeEach(async () => {
    await newChat(app.page);
    await openDock(app.page, 'Approvals');
  });
  afterEach(() => { expect(app.errors.splice(0)).toEqual([]); });

  test('keys alone do it all: J arms, plain Enter and Space do nothing, Y then Enter runs, focus stays on the verdict', async () => {
    const card = await askToRemove('keys');
    await app.page.keyboard.press('Tab');
    await app.page.locator('body').press('Escape');
    await card.getByRole('button', { name: 'Run once' }).focus();
    await app.page.keyboard.press('Enter');
    await app.page.keyboard.press('Space');
    await card.getByText('Enter and Space alone never approve').waitFor();
    expect(existsSync(folder('keys'))).toBe(true);
    /** Keys that come too soon are not taken: pressed again as a person would. */
    await expect.poll(async () => {
      await app.page.keyboard.press('y');
      return card.getByText('to run it once').isVisible();
    }).toBe(true);
    await app.page.keyboard.press('Enter');
    await goneOnDisk('keys');
    await expect.poll(() => app.page.evaluate(() => document.activeElement?.textContent ?? '')).toContain('Approved once');
  });

  test('clicks that were on their way before the card stood still for 400 ms count for nothing', async () => {
    await mkdir(folder('race'), { recursive: true });
    await say(app.page, `run \`rm -rf ${folder('race')}\``);
    const { appearedAt, answeredAt } = await clickAsSoonAs(app.page, 'Run once');
    await goneOnDisk('race');
    expect(answeredAt - appearedAt).toBeGreaterThanOrEqual(400);
  });

  test('a very long and hostile command keeps its buttons in sight and shows what cannot be seen', async () => {
    const command = `rm -rf ${folder('hostile')} \u202e${'; echo padding-padding'.repeat(600)}`;
    await say(app.page, `run \`${command}\``);
    const card = queuedCard(app.page, 'hostile');
    await card.waitFor();
    expect(await card.locator('[data-command]').innerText()).toContain('\\u202e');
    const run = card.getByRole('button', { name: 'Run once' });
    await run.scrollIntoViewIfNeeded();
    const box = await run.boundingBox();
    expect(box !== null && box.y + box.height <= 800).toBe(true);
    expect(await run.isDisabled()).toBe(true);
    expect(await card.getByRole('button', { name: 'Always…' }).isDisabled()).toBe(true);
    await card.locator('[data-command]').evaluate((element) => { element.scrollTop = element.scrollHeight; });
    await expect.poll(() => run.isDisabled()).toBe(false);
    await press(card, 'Deny');
  });

  test('a short command of many lines is not run before its last line was in sight, by any of the ways to say yes', async () => {
    await mkdir(folder('below'), { recursive: true });
    await say(app.page, `run \`${'echo above\n'.repeat(40)}rm -rf ${folder('below')}\``);
    const card = queuedCard(app.page, 'below');
    await card.getByText('scroll to the end before it can run').waitFor();
    const run = card.getByRole('button', { name: 'Run once' });
    expect([await run.isDisabled(), await card.getByRole('button', { name: 'Run for this chat' }).isDisabled()]).toEqual([true, true]);
    await press(card, 'Edit');
    expect(await card.getByRole('group', { name: 'Edit the command' }).getByRole('button', { name: 'Run once' }).isDisabled()).toBe(true);
    await card.getByRole('button', { name: 'Back' }).click();
    await card.locator('[data-command]').evaluate((element) => { element.scrollTop = element.scrollHeight; });
    await expect.poll(() => run.isDisabled()).toBe(false);
    await press(card, 'Deny');
    expect(existsSync(folder('below'))).toBe(true);
  });

  test('an N that is typed beside the field it was meant for only goes to the card; the next one denies', async () => {
    const card = await askToRemove('typed');
    await app.page.evaluate(() => { if (document.activeElement instanceof HTMLElement) document.activeElement.blur(); });
    /** Keys that come too soon are not taken: pressed again as a person would. */
    await expect.poll(async () => {
      await app.page.keyboard.press('n');
      return card.getByText('Press N again to deny.').waitFor({ timeout: 2_000 }).then(() => true, () => false);
    }).toBe(true);
    expect(await card.count()).toBe(1);
    await expect.poll(async () => {
      if (await card.isVisible()) await app.page.keyboard.press('n');
      return card.count();
    }).toBe(0);
    expect(existsSync(folder('typed'))).toBe(true);
  });
});
