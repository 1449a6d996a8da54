import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { accessibilityFaults, describeInChromium, startApp, takePictures, type App } from '../support/browser.ts';
import { newChat, openDock, press, queuedCard, say } from '../support/deeds.ts';

describeInChromium('trying a tool', () => {
  let app: App;
  beforeAll(async () => {
    app = await startApp({ model: true });
    await writeFile(join(app.host.workFolder, 'notes.txt'), 'hello there\n');
    await newChat(app.page);
    await say(app.page, 'hello');
    await app.host.model?.seen(1);
  });
  afterAll(() => app.close());
  afterEach(() => { expect(app.errors.splice(0)).toEqual([]); });

  const openForm = async (toolset: string, tool: string) => {
    const panel = await openDock(app.page, 'Toolsets');
    const row = panel.locator(`li[data-toolset="${toolset}"]`);
    const button = row.getByRole('button', { name: `Try it: ${tool}`, exact: true });
    if (!await button.isVisible()) await row.getByRole('button', { name: new RegExp(`^${toolset}`) }).click();
    await button.waitFor();
    const form = app.page.getByRole('form', { name: `Try ${tool}`, exact: true });
    // It is open still when the panel was hidden meanwhile.
    if (!await form.isVisible()) await button.press('Enter');
    await form.waitFor();
    return form;
  };

  test('the form is made from the schema, works by keyboard, and shows the answer and a mistake in it', async () => {
    const form = await openForm('file', 'read_file');
    await app.page.keyboard.type('notes.txt');
    await form.getByLabel('limit').fill('many');
    await form.getByLabel('path (needed)').press('Control+Enter');
    await form.getByText('This is no number.').waitFor();
    await form.getByLabel('limit').fill('5');
    await form.getByLabel('limit').press('Enter');
    await form.getByRole('region', { name: 'Answer' }).getByText('hello there').first().waitFor();
    expect(await accessibilityFaults(app.page)).toEqual([]);
    await takePictures(app.page, 'try-tool', async () => { if (!await form.isVisible()) await openForm('file', 'read_file'); });
    await form.getByLabel('path (needed)').fill('');
    await form.getByRole('button', { name: 'Run' }).click();
    await form.getByText('failed', { exact: true }).waitFor();
    await form.getByLabel('path (needed)').press('Escape');
    await form.waitFor({ state: 'detached' });
  });

  test('what was typed, what came back and a call that goes on outlive the panel', async () => {
    const { page } = app;
    const form = await openForm('file', 'write_file');
    await form.getByLabel('path (needed)').fill('later.txt');
    await form.getByLabel('content (needed)').fill('half a sentence');
    await page.keyboard.press('Control+j');
    await form.waitFor({ state: 'detached' });
    await openDock(page, 'Toolsets');
    expect(await form.getByLabel('content (needed)').inputValue()).toBe('half a sentence');
    await form.getByRole('button', { name: 'Run' }).click();
    await form.getByRole('region', { name: 'Answer' }).waitFor();
    await page.getByRole('button', { name: 'Settings' }).first().click();
    await page.keyboard.press('Escape');
    await form.getByRole('region', { name: 'Answer' }).getByText('bytes_written').first().waitFor();
    const running = await openForm('terminal', 'terminal');
    await running.getByLabel('command (needed)').fill('sleep 600');
    await running.getByRole('button', { name: 'Run' }).click();
    await running.getByRole('button', { name: 'Stop' }).waitFor();
    await page.keyboard.press('Control+j');
    await running.waitFor({ state: 'detached' });
    await openDock(page, 'Toolsets');
    await running.getByRole('button', { name: 'Stop' }).click();
    await running.getByText('stopped', { exact: true }).waitFor();
    await running.getByRole('button', { name: 'Empty the form' }).click();
    expect(await running.getByLabel('command (needed)').inputValue()).toBe('');
    await running.getByLabel('command (needed)').press('Escape');
    await running.waitFor({ state: 'detached' });
  });

  test('a command that needs approval waits, runs when it is approved, and can be stopped', async () => {
    const form = await openForm('terminal', 'terminal');
    await form.getByLabel('command (needed)').fill('rm -rf gone; echo swept');
    await form.getByRole('button', { name: 'Run' }).click();
    await form.getByRole('button', { name: 'Approvals' }).click();
    await press(queuedCard(app.page, 'rm -rf gone'), 'Run once');
    await openDock(app.page, 'Toolsets');
    await form.getByRole('region', { name: 'Answer' }).getByText('swept').first().waitFor();
    await form.getByLabel('command (needed)').fill('sleep 600');
    await form.getByRole('button', { name: 'Run' }).click();
    await form.getByRole('button', { name: 'Stop' }).click();
    await form.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' });
    await form.getByRole('region', { name: 'Answer' }).waitFor();
  });
});
