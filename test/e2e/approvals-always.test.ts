/** What the card knows before it is answered for good: what the command reaches, and the rule in words. */
import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { accessibilityFaults, describeInChromium, startApp, takePictures, type App } from '../support/browser.ts';
import { newChat, openDock, openSettings, press, queuedCard, say } from '../support/deeds.ts';
import { removals } from '../support/removals.ts';

describeInChromium('an answer for good, in the window', () => {
  let app: App;
  const { folder, askToRemove, goneOnDisk } = removals(() => app);
  const config = async () => readFile(join(app.host.home, 'config.yaml'), 'utf8').catch(() => '');

  beforeAll(async () => { app = await startApp({ model: true }); });
  afterAll(() => app.close());
  beforeEach(async () => {
    await newChat(app.page);
    await openDock(app.page, 'Approvals');
  });
  afterEach(() => { expect(app.errors.splice(0)).toEqual([]); });

  test('"always" in its config.yaml form saves exactly the lines it showed, asks no more, and asks again as soon as the line is removed', async () => {
    const card = await askToRemove('always-1');
    await press(card, 'Always…');
    const panel = card.getByRole('group', { name: 'Always allow' });
    await panel.getByRole('radio', { name: /kept in config\.yaml/ }).check();
    const lines = await panel.locator('code[data-rule="config"]').allInnerTexts();
    expect(lines.length).toBeGreaterThan(0);
    await press(card, 'Save and run');
    await goneOnDisk('always-1');
    for (const line of lines) expect(await config()).toContain(line);

    await newChat(app.page);
    await mkdir(folder('always-2'));
    await say(app.page, `run \`rm -rf ${folder('always-2')}\``);
    await goneOnDisk('always-2');

    await openSettings(app.page, 'Allowed for good');
    for (const line of lines) {
      const row = app.page.getByRole('list', { name: 'Allowed for good' }).getByRole('listitem').filter({ hasText: line });
      await row.getByRole('button', { name: /^Remove/ }).click();
      await row.waitFor({ state: 'detached' });
    }
    await expect.poll(config).not.toContain(lines[0]);
    await app.page.getByRole('button', { name: 'Back to the chat' }).click();
    await newChat(app.page);
    await openDock(app.page, 'Approvals');
    await press(await askToRemove('always-3'), 'Deny');
  });

  test('"always" puts a rule together in the card, says it in words, and saves exactly that', async () => {
    const card = await askToRemove('rule-1');
    await press(card, 'Always…');
    const panel = card.getByRole('group', { name: 'Always allow' });
    const exact = panel.getByRole('radio', { name: /exactly these words/ });
    await expect.poll(() => exact.isChecked()).toBe(true);
    const saved = panel.locator('[data-saved]');
    expect(await saved.innerText()).toContain(`rm -rf ${folder('rule-1')}`);
    await panel.getByRole('radio', { name: 'Everywhere' }).check();
    await saved.getByText('in every chat and directory').waitFor();
    await panel.getByRole('radio', { name: 'A number of times' }).check();
    await panel.getByRole('textbox', { name: 'How many times' }).fill('none');
    await expect.poll(() => card.getByRole('button', { name: 'Save and run' }).isDisabled()).toBe(true);
    await panel.getByRole('textbox', { name: 'How many times' }).fill('2');
    await saved.getByText('2 times').waitFor();
    await panel.getByText(/in the last 30 days/).waitFor();
    expect(await accessibilityFaults(app.page)).toEqual([]);
    await takePictures(app.page, 'approval-always');
    const before = await config();
    /** The pictures may have scrolled the command away: the first press then only brings it back into sight. */
    await press(card, 'Save and run');
    await goneOnDisk('rule-1');
    expect(await config()).toBe(before);

    await newChat(app.page);
    await mkdir(folder('rule-1'));
    await say(app.page, `run \`rm -rf ${folder('rule-1')}\``);
    await goneOnDisk('rule-1');
    await newChat(app.page);
    await press(await askToRemove('rule-10'), 'Deny');
  });

  test('the rule is chosen and saved by keys alone, and plain Enter saves nothing', async () => {
    const card = await askToRemove('rule-keys');
    const panel = card.getByRole('group', { name: 'Always allow' });
    /** Keys that come too soon are not taken: pressed again as a person would. */
    await card.focus();
    await expect.poll(async () => {
      if (!await panel.isVisible()) await app.page.keyboard.press('a');
      return panel.isVisible();
    }).toBe(true);
    await expect.poll(() => panel.getByRole('radio', { name: /exactly these words/ }).isChecked()).toBe(true);
    await app.page.keyboard.press('Tab');
    for (let presses = 0; presses < 4 && !await panel.getByRole('radio', { name: 'This project' }).evaluate((radio) => radio === document.activeElement); presses += 1) await app.page.keyboard.press('Tab');
    await app.page.keyboard.press('ArrowLeft');
    expect(await panel.getByRole('radio', { name: 'This chat' }).isChecked()).toBe(true);
    await panel.locator('[data-saved]').getByText('in this chat').waitFor();
    await app.page.keyboard.press('Enter');
    expect(existsSync(folder('rule-keys'))).toBe(true);
    await expect.poll(async () => {
      await app.page.keyboard.press('y');
      return card.getByText('to save and run').isVisible();
    }).toBe(true);
    await app.page.keyboard.press('Enter');
    await goneOnDisk('rule-keys');
    await mkdir(folder('rule-keys'));
    await say(app.page, `run \`rm -rf ${folder('rule-keys')}\``);
    await goneOnDisk('rule-keys');
  });

  test('the card says what the command reaches, and finding it out moves no button', async () => {
    await mkdir(folder('reach/deep'), { recursive: true });
    const card = await askToRemove('reach');
    await card.locator('[data-blast="known"]').waitFor();
    /** On a busy machine the first look may be cut short; the second one corrects it. */
    await card.getByRole('group', { name: 'What it reaches' }).getByText('2 files and directories').waitFor();
    const text = await card.getByRole('group', { name: 'What it reaches' }).innerText();
    expect(text).toContain('2 files and directories');
    expect(text).toContain(folder('reach'));
    const box = card.getByRole('group', { name: 'What it reaches' });
    const height = (await box.boundingBox())?.height;
    await box.evaluate((element) => { element.replaceChildren(); });
    expect((await box.boundingBox())?.height).toBe(height);
    await app.page.reload();
    await openDock(app.page, 'Approvals');
    await press(queuedCard(app.page, 'reach'), 'Deny');

    await newChat(app.page);
    await say(app.page, 'run `sudo rm -rf "$(cat list-of-folders)"`');
    const dark = queuedCard(app.page, 'list-of-folders');
    await dark.locator('[data-blast="unknown"]').waitFor();
    const words = await dark.getByRole('group', { name: 'What it reaches' }).innerText();
    expect(words).toContain('with the rights of root');
    expect(words).toContain('unknown');
    expect(await dark.getByRole('button', { name: 'Always…' }).isDisabled()).toBe(true);
    await dark.getByText(/cannot be allowed for good/).waitFor();
    await takePictures(app.page, 'approval-blast');
    await press(dark, 'Deny');
  });
});
