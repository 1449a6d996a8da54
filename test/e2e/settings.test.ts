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

  test('rules are taken from a file line by line, listed with their facts, removed, brought back, and written out again', async () => {
    const rule = (kind: 'allow' | 'deny', change: object) => ({ kind, scope: { kind: 'everywhere' }, backend: null, expiresAt: null, maxUses: null, examples: { matches: [], not: [] }, ...change });
    const text = JSON.stringify({
      format: 'talaria-rules', version: 1, entries: ['podman *'],
      rules: [rule('allow', { tokens: ['git', 'clean', '-fd'], anyArgs: false, path: '/nowhere/git', backend: 'local' }), rule('deny', { pattern: '*curl*' })],
    });
    const take = async () => {
      await main().getByLabel('File to import').setInputFiles({ name: 'rules.json', mimeType: 'application/json', buffer: Buffer.from(text) });
      return main().getByRole('group', { name: 'What the file would change' });
    };
    const diff = await take();
    await diff.getByText('2 new, 1 here already, 0 that may not be stored').waitFor();
    expect(await diff.getByRole('checkbox', { name: /^allow/ }).isChecked()).toBe(false);
    expect(await diff.getByRole('checkbox', { name: /^deny/ }).isChecked()).toBe(true);
    expect(await accessibilityFaults(app.page)).toEqual([]);
    await diff.evaluate((element) => { element.scrollIntoView({ block: 'nearest' }); });
    await takePictures(app.page, 'settings-import');
    await diff.getByRole('checkbox', { name: /^allow/ }).check();
    await diff.getByRole('button', { name: 'Take over 2 ticked' }).click();

    const rules = main().getByRole('list', { name: 'Rules of Talaria' }).getByRole('listitem');
    const allowed = rules.filter({ hasText: 'git clean -fd' });
    await allowed.getByText('There is no /nowhere/git any more.').waitFor();
    expect(await allowed.innerText()).toMatch(/terminal · everywhere · only on local · for good · never used/);
    const command = main().getByRole('textbox', { name: 'Command', exact: true });
    await command.fill('curl https://a.example');
    await main().getByText('It would never run, whatever you answer.').waitFor();
    expect(await main().getByRole('list', { name: 'On each backend' }).innerText()).toMatch(/local, docker[^:]*: never runs/);
    await allowed.evaluate((element) => { element.scrollIntoView({ block: 'center' }); });
    await takePictures(app.page, 'settings-rules');
    expect(await accessibilityFaults(app.page)).toEqual([]);

    const forbidden = rules.filter({ hasText: '*curl*' });
    await forbidden.getByRole('button', { name: /^Remove the rule deny/ }).press('Enter');
    await forbidden.waitFor({ state: 'detached' });
    await main().getByText('It would never run, whatever you answer.').waitFor({ state: 'detached' });
    await app.page.getByRole('button', { name: 'Undo' }).last().click();
    await forbidden.waitFor();
    await allowed.getByRole('button', { name: 'Remove this rule' }).click();
    await allowed.waitFor({ state: 'detached' });

    const download = app.page.waitForEvent('download');
    await main().getByRole('button', { name: 'Export' }).click();
    const written = JSON.parse(await readFile(await (await download).path(), 'utf8')) as { rules: unknown[] }; // the export's own form
    expect(written.rules).toEqual([rule('deny', { pattern: '*curl*' })]);
    await main().getByLabel('File to import').setInputFiles({ name: 'other.json', mimeType: 'application/json', buffer: Buffer.from('{}') });
    await main().getByText('The file could not be taken').waitFor();
    await forbidden.getByRole('button', { name: /^Remove the rule deny/ }).click();
    await forbidden.waitFor({ state: 'detached' });
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
