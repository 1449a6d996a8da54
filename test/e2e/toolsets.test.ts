import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { accessibilityFaults, describeInChromium, startApp, takePictures, type App } from '../support/browser.ts';
import { newChat, openDock, say } from '../support/deeds.ts';

describeInChromium('the toolset panel', () => {
  let app: App;
  let panel: Locator;
  const row = (name: string) => panel.locator(`li[data-toolset="${name}"]`);
  /** Names of the tools in the model request that follows this message. */
  const toolsSentFor = async (text: string) => {
    const before = app.host.model?.requests.length ?? 0;
    await say(app.page, text);
    await app.host.model?.seen(before + 1);
    return app.host.model?.requests[before]?.body.tools?.map((tool) => tool.function.name) ?? [];
  };

  beforeAll(async () => {
    app = await startApp({ model: true });
    await newChat(app.page);
    await say(app.page, 'hello');
    await app.host.model?.seen(1);
    panel = await openDock(app.page, 'Toolsets');
    await row('terminal').waitFor();
  });
  afterAll(() => app.close());
  afterEach(() => { expect(app.errors.splice(0)).toEqual([]); });

  test('each toolset shows its tools, what they cost, and whether the model gets them', async () => {
    const terminal = row('terminal');
    expect(await terminal.innerText()).toContain('In the next request');
    await terminal.getByRole('button', { name: /^terminal/ }).click();
    await terminal.getByText('process', { exact: true }).waitFor();
    expect(await panel.getByText(/tokens of tools|of tools in each request/).count()).toBeGreaterThan(0);
    await takePictures(app.page, 'toolsets');
  });

  test('a switch in this chat changes the very next model request, and reset inherits again', async () => {
    expect(await toolsSentFor('one')).toContain('terminal');
    await row('terminal').getByRole('switch').click();
    await row('terminal').getByText('Off in this chat').waitFor();
    expect(await toolsSentFor('two')).not.toContain('terminal');
    await row('terminal').getByRole('button', { name: /use the default again/ }).click();
    await row('terminal').getByText('In the next request').waitFor();
    expect(await toolsSentFor('three')).toContain('terminal');
  });

  test('a switch for all chats is kept in config.yaml and holds for other chats; this chat may differ', async () => {
    await panel.getByRole('button', { name: 'All chats' }).click();
    await row('todo').getByRole('switch').click();
    await expect.poll(() => row('todo').getByRole('switch').getAttribute('aria-checked')).toBe('false');
    await expect.poll(() => readFile(join(app.host.home, 'config.yaml'), 'utf8').catch(() => '')).toContain('todo');
    await newChat(app.page);
    expect(await toolsSentFor('four')).not.toContain('todo');
    await panel.getByRole('button', { name: 'This chat' }).click();
    await row('todo').getByRole('switch').click();
    await row('todo').getByText('on here').waitFor();
    expect(await toolsSentFor('five')).toContain('todo');
    await app.page.reload();
    panel = await openDock(app.page, 'Toolsets');
    await row('todo').getByText('on here').waitFor();
  });

  test('search narrows to toolsets and tools that match, and "check now" renews the age', async () => {
    await panel.getByRole('searchbox', { name: 'Search toolsets and tools' }).fill('search_files');
    await expect.poll(() => panel.locator('li[data-toolset]').count()).toBeLessThan(4);
    await row('file').waitFor();
    await panel.getByRole('searchbox').fill('');
    await panel.getByRole('button', { name: 'Check now' }).click();
    await panel.getByText('Checked just now').waitFor();
  });

  test('a tool file that appears is held back until it is trusted here, then its tool says where it is from', async () => {
    await mkdir(join(app.host.home, 'tools'), { recursive: true });
    await writeFile(join(app.host.home, 'tools/coin.js'), "export default (registry) => { registry.register({ name: 'flip_coin', toolset: 'coins', schema: { description: 'Flips a coin.' }, handler: () => 'heads' }); };");
    const held = row('user-coin');
    await held.getByText('nothing of it has run').waitFor();
    await held.getByRole('button', { name: 'Trust…' }).click();
    await held.getByText('Have you read it?').waitFor();
    await held.getByRole('button', { name: 'Trust and run' }).click();
    const coins = row('coins');
    await coins.getByText('In the next request').waitFor();
    await coins.getByRole('button', { name: /^coins/ }).click();
    await coins.getByText('from user-coin').waitFor();
    expect(await held.count()).toBe(0);

    await writeFile(join(app.host.home, 'tools/second.js'), 'export default () => undefined;');
    await row('user-second').getByRole('button', { name: 'Trust…' }).click();
    await takePictures(app.page, 'toolsets-trust');
  });

  test('works by keys alone', async () => {
    const control = row('memory').getByRole('switch');
    await control.focus();
    const before = await control.getAttribute('aria-checked');
    await app.page.keyboard.press('Space');
    await expect.poll(() => control.getAttribute('aria-checked')).not.toBe(before);
    await app.page.keyboard.press('Space');
    await expect.poll(() => control.getAttribute('aria-checked')).toBe(before);
  });

  test('has no accessibility fault in either theme', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await app.page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      expect(await accessibilityFaults(app.page)).toEqual([]);
    }
  });
});
