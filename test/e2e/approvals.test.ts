import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { accessibilityFaults, describeInChromium, startApp, takePictures, type App } from '../support/browser.ts';
import { newChat, openDock, openSettings, press, queuedCard, say } from '../support/deeds.ts';
import { clickAsSoonAs } from '../support/eager-clicks.ts';

describeInChromium('approvals in the window', () => {
  let app: App;
  const folder = (name: string) => join(app.host.workFolder, name);
  const config = async () => readFile(join(app.host.home, 'config.yaml'), 'utf8').catch(() => '');
  /** Asks the agent to remove a folder that is really there, and waits for the card. */
  const askToRemove = async (name: string) => {
    await mkdir(folder(name), { recursive: true });
    await say(app.page, `run \`rm -rf ${folder(name)}\``);
    const card = queuedCard(app.page, name);
    await card.waitFor();
    return card;
  };
  const goneOnDisk = (name: string) => expect.poll(() => existsSync(folder(name)), { timeout: 10_000 }).toBe(false);
  const toldModel = () => JSON.stringify(app.host.model?.requests.at(-1)?.body.messages);

  beforeAll(async () => { app = await startApp({ model: true }); });
  afterAll(() => app.close());
  beforeEach(async () => {
    await newChat(app.page);
    await openDock(app.page, 'Approvals');
  });
  afterEach(() => { expect(app.errors.splice(0)).toEqual([]); });

  test('a dangerous command stops, is shown in full with its reason and place, and runs once when told so', async () => {
    const card = await askToRemove('once');
    expect(existsSync(folder('once'))).toBe(true);
    const text = await card.innerText();
    expect(text).toContain(`rm -rf ${folder('once')}`);
    expect(text).toContain('Dangerous');
    expect(text).toContain('Why it stopped:');
    expect(text).toContain('local');
    await takePictures(app.page, 'approval');
    await press(card, 'Run once');
    await goneOnDisk('once');
    await app.page.getByRole('tabpanel', { name: /^Approvals/ }).getByText('Approved once').waitFor();

    await newChat(app.page);
    await press(await askToRemove('once'), 'Deny');
    expect(existsSync(folder('once'))).toBe(true);
  });

  test('"run for this chat" asks no more in this chat, and asks in another', async () => {
    await press(await askToRemove('chat-1'), 'Run for this chat');
    await goneOnDisk('chat-1');
    await mkdir(folder('chat-2'));
    await say(app.page, `run \`rm -rf ${folder('chat-2')}\``);
    await goneOnDisk('chat-2');

    await newChat(app.page);
    const card = await askToRemove('chat-3');
    await press(card, 'Deny');
  });

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

  test('"deny" leaves everything as it is, and "deny and say why" tells the model the reason', async () => {
    await press(await askToRemove('refused'), 'Deny');
    await queuedCard(app.page, 'refused').waitFor({ state: 'detached' });
    expect(existsSync(folder('refused'))).toBe(true);
    await newChat(app.page);

    const before = app.host.model?.requests.length ?? 0;
    const card = await askToRemove('with-reason');
    await press(card, 'Deny and say why');
    await card.getByRole('textbox', { name: /Why not/ }).fill('Move it to the trash folder instead');
    await press(card.getByRole('group', { name: 'Deny and say why' }), 'Deny');
    await app.host.model?.seen(before + 2);
    await expect.poll(toldModel, { timeout: 10_000 }).toContain('Move it to the trash folder instead');
    expect(existsSync(folder('with-reason'))).toBe(true);
  });

  test('an edited command is judged anew, runs in place of the first, and the model is told', async () => {
    const card = await askToRemove('edit-all');
    await mkdir(folder('edit-all/part'));
    await press(card, 'Edit');
    await card.getByRole('textbox').fill(`rm -rf ${folder('edit-all/part')}`);
    await card.getByText('Modified by you').waitFor();
    await card.getByText('Now judged:').waitFor();
    await press(card, 'Run the edited command once');
    await goneOnDisk('edit-all/part');
    expect(existsSync(folder('edit-all'))).toBe(true);
    await expect.poll(toldModel, { timeout: 10_000 }).toContain('edit-all/part');
  });

  test('of two open requests each is answered by its own id, in any order', async () => {
    await askToRemove('first');
    await newChat(app.page);
    await askToRemove('second');
    await press(queuedCard(app.page, 'second'), 'Run once');
    await goneOnDisk('second');
    expect(existsSync(folder('first'))).toBe(true);
    await press(queuedCard(app.page, 'first'), 'Deny');
    await queuedCard(app.page, 'first').waitFor({ state: 'detached' });
    expect(existsSync(folder('first'))).toBe(true);
  });

  test('several are denied in one go, and "always" is not offered for several', async () => {
    await askToRemove('batch-1');
    await newChat(app.page);
    await askToRemove('batch-2');
    const bar = app.page.getByRole('toolbar', { name: 'Answer several' });
    await bar.getByRole('button', { name: 'Pick all but dangerous' }).click();
    expect(await bar.getByText(/picked/).count()).toBe(0);
    for (const name of ['batch-1', 'batch-2']) await queuedCard(app.page, name).getByRole('checkbox').check();
    expect(await bar.getByRole('button').allInnerTexts()).toEqual(['Pick none', 'Run 2 once', 'Deny 2']);
    /** A press that comes while the bar has just changed is not taken: pressed again as a person would. */
    await expect.poll(async () => {
      if (await bar.isVisible()) await bar.getByRole('button', { name: 'Deny 2' }).click();
      return queuedCard(app.page, 'batch').count();
    }).toBe(0);
    expect([existsSync(folder('batch-1')), existsSync(folder('batch-2'))]).toEqual([true, true]);
  });

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

  test('two windows show the same queue; the slower answer is told that it came too late', async () => {
    const card = await askToRemove('windows');
    const second = await app.openWindow();
    await openDock(second, 'Approvals');
    const other = queuedCard(second, 'windows');
    await other.waitFor();
    await press(card, 'Deny');
    await other.waitFor({ state: 'detached' });
    await second.getByRole('tabpanel', { name: /^Approvals/ }).getByText('Denied').first().waitFor();
    await second.close();
  });

  test('the history keeps every answer and finds it again', async () => {
    await press(await askToRemove('history'), 'Deny');
    const panel = await openDock(app.page, 'Approvals');
    await panel.getByRole('button', { name: 'History' }).click();
    await panel.getByRole('searchbox', { name: 'Search the history' }).fill('history');
    const rows = panel.getByRole('list', { name: 'Answered requests' }).getByRole('listitem');
    await expect.poll(() => rows.count()).toBe(1);
    await rows.getByRole('button').click();
    await rows.getByText('Stopped because').waitFor();
    await panel.getByRole('button', { name: /^Waiting/ }).click();
  });

  test('an open request and its history survive kill −9 and a restart, and can still be answered', async () => {
    await askToRemove('survivor');
    await app.host.stop('SIGKILL');
    await app.host.start();
    app.errors.splice(0);
    await app.reopen();
    await openDock(app.page, 'Approvals');
    const card = queuedCard(app.page, 'survivor');
    await card.waitFor();
    expect(existsSync(folder('survivor'))).toBe(true);
    await press(card, 'Run once');
    await goneOnDisk('survivor');
  });

  test('not asking in one chat is switched on after plain words, shows a banner, and is switched off with one click', async () => {
    await press(await askToRemove('yolo-0'), 'Deny');
    const dock = app.page.getByRole('tabpanel', { name: /^Approvals/ });
    await dock.getByRole('button', { name: 'Stop asking in this chat…' }).press('Enter');
    await dock.getByText('without your word').waitFor();
    await app.page.keyboard.press('Enter');
    await dock.getByText('without your word').waitFor({ state: 'detached' });
    expect(await app.page.getByText('Nothing is asked in this chat.').count()).toBe(0);

    await dock.getByRole('button', { name: 'Stop asking in this chat…' }).click();
    await dock.getByRole('button', { name: 'Stop asking', exact: true }).click();
    const banner = app.page.getByRole('status', { name: 'Approvals are switched off' });
    await banner.waitFor();
    expect(await accessibilityFaults(app.page)).toEqual([]);
    await takePictures(app.page, 'approval-yolo');
    await app.page.setViewportSize({ width: 1280, height: 800 });
    await mkdir(folder('yolo-1'));
    await say(app.page, `run \`rm -rf ${folder('yolo-1')}\``);
    await goneOnDisk('yolo-1');
    await banner.getByRole('button', { name: 'Ask again' }).click();
    await banner.waitFor({ state: 'detached' });
    await press(await askToRemove('yolo-2'), 'Deny');
  });

  test('has no accessibility fault with a card open, in either theme', async () => {
    const card = await askToRemove('axe');
    for (const colorScheme of ['light', 'dark'] as const) {
      await app.page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      expect(await accessibilityFaults(app.page)).toEqual([]);
    }
    await app.page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
    await press(card, 'Deny');
  });
});
