import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { accessibilityFaults, describeInChromium, startApp, takePictures, type App } from '../support/browser.ts';
import { openSettings } from '../support/deeds.ts';

const CONFIG = '# mine\napprovals:\n  timeout: 120 # keep\n  deny:\n    - "shutdown *"\ncommand_allowlist:\n  - podman *\n';

describeInChromium('the settings', () => {
  let app: App;
  const configFile = () => join(app.host.home, 'config.yaml');
  const config = () => readFile(configFile(), 'utf8');
  const main = () => app.page.getByRole('region', { name: 'Settings' });

  beforeAll(async () => { app = await startApp({ model: true, config: CONFIG }); });
  afterAll(() => app.close());
  afterEach(() => { expect(app.errors.splice(0)).toEqual([]); });

  test('show what config.yaml says and write changes back without losing its comments', async () => {
    await openSettings(app.page, 'Approvals');
    const timeout = main().getByRole('textbox', { name: 'Wait for an answer' });
    await expect.poll(() => timeout.inputValue()).toBe('120');
    await main().getByText('shutdown *').waitFor();
    await timeout.fill('90');
    await timeout.press('Enter');
    await expect.poll(config).toContain('timeout: 90');
    expect(await config()).toContain('# mine');
    expect(await config()).toContain('# keep');
    await timeout.fill('3');
    await main().getByText(/A whole number from 5/).waitFor();
    await timeout.press('Escape');
    await takePictures(app.page, 'settings-approvals');
  });

  test('not asking at all is chosen with its consequence in words', async () => {
    await main().getByRole('radio', { name: /Do not ask/ }).check();
    await main().getByText('Nothing waits for you now').waitFor();
    await expect.poll(config).toMatch(/mode: ("?off"?|'off'|false)/);
    await main().getByRole('radio', { name: /Ask me/ }).check();
    await main().getByText('Nothing waits for you now').waitFor({ state: 'detached' });
  });

  test('the allowlist is read from the file, and an entry is added, tested, removed and brought back', async () => {
    await openSettings(app.page, 'Allowed for good');
    const entries = main().getByRole('list', { name: 'Allowed for good' }).getByRole('listitem');
    await entries.filter({ hasText: 'podman *' }).getByText('pattern').waitFor();
    const command = main().getByRole('textbox', { name: 'Command', exact: true });
    await command.fill('git clean -fdx && echo done');
    await main().getByText('It would stop and ask you.').waitFor();
    await takePictures(app.page, 'settings-allowlist');
    await command.fill('git clean -fdx');
    await main().getByText('It would stop and ask you.').waitFor();
    await main().getByRole('textbox', { name: 'Add a line' }).fill('git clean -fdx');
    await main().getByRole('button', { name: 'Add', exact: true }).click();
    const added = entries.filter({ hasText: 'git clean -fdx' });
    await added.getByText('exact').waitFor();
    await main().getByText('It would run without asking.').waitFor();
    await added.getByRole('button', { name: /^Remove/ }).click();
    await main().getByText('It would stop and ask you.').waitFor();
    expect(await config()).not.toContain('git clean');
    await app.page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(config).toContain('git clean -fdx');
    await main().getByText('It would run without asking.').waitFor();
  });

  test('the look changes at once and is kept over a reload', async () => {
    await openSettings(app.page, 'General');
    await main().getByRole('combobox', { name: 'Look' }).selectOption('dark');
    await expect.poll(() => app.page.evaluate(() => getComputedStyle(document.documentElement).colorScheme)).toBe('dark');
    await app.page.reload();
    await expect.poll(() => app.page.evaluate(() => getComputedStyle(document.documentElement).colorScheme)).toBe('dark');
    await main().getByRole('combobox', { name: 'Look' }).selectOption('system');
  });

  test('this machine can be checked, with a word and a fix per part', async () => {
    await main().getByRole('button', { name: 'Check this machine' }).click();
    const lines = main().getByRole('list', { name: 'What works here' }).getByRole('listitem');
    await expect.poll(() => lines.count(), { timeout: 20_000 }).toBeGreaterThan(2);
  });

  test('a broken config.yaml is told with its line, nothing is saved into it, and mending it is noticed', async () => {
    await writeFile(configFile(), `${CONFIG}  bad: [\n`);
    await app.page.getByText('config.yaml cannot be read').waitFor();
    const alert = app.page.getByRole('alert').filter({ hasText: 'config.yaml cannot be read' });
    expect(await alert.innerText()).toMatch(/line \d+/);
    expect(await alert.innerText()).toContain('cannot save any setting until the file is mended');
    await openSettings(app.page, 'Approvals');
    expect(await main().getByRole('radio', { name: /Ask me/ }).isDisabled()).toBe(true);
    await writeFile(configFile(), CONFIG);
    await alert.waitFor({ state: 'detached' });
    await expect.poll(() => main().getByRole('radio', { name: /Ask me/ }).isDisabled()).toBe(false);
  });

  test('have no accessibility fault in any section or theme', async () => {
    for (const section of ['General', 'Approvals', 'Allowed for good', 'Terminals']) {
      await openSettings(app.page, section);
      for (const colorScheme of ['light', 'dark'] as const) {
        await app.page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        expect(await accessibilityFaults(app.page)).toEqual([]);
      }
    }
  });
});
