/** Questions and their answers in the window: once, for the chat, no, edited, several, late, after a restart. */
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { accessibilityFaults, describeInChromium, startApp, takePictures, type App } from '../support/browser.ts';
import { newChat, openDock, press, queuedCard, say } from '../support/deeds.ts';
import { removals } from '../support/removals.ts';

describeInChromium('approvals in the window', () => {
  let app: App;
  const { folder, askToRemove, goneOnDisk } = removals(() => app);
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
