import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { accessibilityFaults, describeInChromium, startApp, takePictures, type App } from '../support/browser.ts';
import { openSettings } from '../support/deeds.ts';

const manual = (name: string, description: string, fields = '', body = '# Steps\n\n1. Do **this** first.\n2. Then `that`.\n'): string => `---\nname: ${name}\ndescription: ${description}\n${fields}---\n\n${body}`;

describeInChromium('the skills page', () => {
  let app: App;
  const put = async (path: string, text: string): Promise<void> => {
    const file = join(app.host.home, 'skills', path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  };
  const row = (path: string) => app.page.locator(`li[data-skill="${path}"]`);
  /** As the window does when a person comes back to it. */
  const comeBack = () => app.page.evaluate(() => { dispatchEvent(new Event('focus')); });
  beforeAll(async () => { app = await startApp(); });
  afterAll(() => app.close());
  afterEach(() => { expect(app.errors.splice(0)).toEqual([]); });

  test('says what a skill is while there is none, and makes the first by keyboard', async () => {
    const { page } = app;
    await openSettings(page, 'Skills');
    await page.getByText('No skills yet').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await takePictures(page, 'skills-empty');
    await page.getByRole('button', { name: 'New skill' }).press('Enter');
    const form = page.getByRole('form', { name: 'New skill' });
    await form.getByLabel('Name').fill('Brew Tea');
    await form.getByLabel('Name').press('Enter');
    await form.getByRole('alert').getByText(/is not allowed/).waitFor();
    await form.getByLabel('Name').fill('brew');
    await form.getByLabel('SKILL.md').fill(manual('brew', 'How to brew tea.'));
    expect(await accessibilityFaults(page)).toEqual([]);
    await takePictures(page, 'skills-new');
    await form.getByLabel('Name').press('Enter');
    await page.getByRole('heading', { name: 'brew', level: 3 }).waitFor();
    await page.getByText('How to brew tea.').waitFor();
    expect(await readFile(join(app.host.home, 'skills/brew/SKILL.md'), 'utf8')).toBe(manual('brew', 'How to brew tea.'));
    await page.getByRole('button', { name: 'All skills' }).click();
    await row('brew').waitFor();
  });

  test('lists by category what lies on the disk, finds it, and switches it off for every chat', async () => {
    const { page } = app;
    await put('dev/review/SKILL.md', manual('review', 'How to review a change, what to look at first, which questions to ask, and when to stop asking them.', 'required_environment_variables:\n  - name: FORGE_TOKEN\n    prompt: Token of the forge\nmetadata:\n  hermes:\n    tags: [code, git]\n'));
    await put('dev/review/references/checklist.md', '# Checklist\n\n- names\n- tests\n');
    await put('dev/review/scripts/diff.sh', '#!/bin/sh\ngit diff "$@"\n');
    await put('dev/broken/SKILL.md', 'no fields');
    await put('office/letters/SKILL.md', manual('letters', 'How letters are written here.'));
    await put('.bundled_manifest', 'letters:00\n');
    await comeBack();
    await row('dev/review').getByText('needs setup').waitFor();
    await row('dev/broken').getByText('cannot be read').waitFor();
    await row('office/letters').getByText('came with Hermes').waitFor();
    const search = page.getByRole('searchbox', { name: 'Search skills' });
    await search.fill('review change');
    await row('brew').waitFor({ state: 'detached' });
    await search.fill('nothing like it');
    await page.getByText('No skill has “nothing like it”').waitFor();
    await search.press('Escape');
    const off = row('brew').getByRole('switch', { name: 'Use the skill brew' });
    await off.press('Space');
    await expect.poll(() => readFile(join(app.host.home, 'config.yaml'), 'utf8').catch(() => '')).toMatch(/skills:\s+disabled:\s+- brew/);
    await expect.poll(() => off.getAttribute('aria-checked')).toBe('false');
    expect(await accessibilityFaults(page)).toEqual([]);
    await takePictures(page, 'skills-list');
  });

  test('shows one rendered, with its files and what it needs; a platform can be left out', async () => {
    const { page } = app;
    await row('dev/review').getByRole('button').press('Enter');
    await page.getByRole('listitem').filter({ hasText: 'Do this first.' }).waitFor();
    expect(await page.getByText('name: review').count()).toBe(0);
    await page.getByText('FORGE_TOKEN is missing: Token of the forge').waitFor();
    await page.getByText('Where it is offered').first().click();
    await page.getByRole('checkbox', { name: 'Telegram' }).uncheck();
    await page.getByText('off in some places').waitFor();
    await expect.poll(() => readFile(join(app.host.home, 'config.yaml'), 'utf8')).toMatch(/platform_disabled:\s+telegram:\s+- review/);
    expect(await accessibilityFaults(page)).toEqual([]);
    await takePictures(page, 'skill');
    await page.getByRole('button', { name: 'scripts/diff.sh' }).click();
    await page.getByRole('group', { name: 'scripts/diff.sh' }).getByText('git diff').waitFor();
    await page.getByRole('button', { name: 'references/checklist.md', exact: true }).click();
    await page.getByRole('heading', { name: 'Checklist' }).waitFor();
    await page.getByRole('button', { name: 'SKILL.md', exact: true }).click();
  });

  test('edits with the checks of the tool, keeps what was typed, and tells when somebody else has written', async () => {
    const { page } = app;
    const path = join(app.host.home, 'skills/dev/review/SKILL.md');
    await page.getByRole('button', { name: 'Edit SKILL.md' }).click();
    const field = page.getByRole('textbox', { name: 'SKILL.md' });
    await field.fill('no fields');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').getByText(/starts with a line ---/).waitFor();
    await page.keyboard.press('Alt+2');
    await openSettings(page, 'Memory');
    await openSettings(page, 'Skills');
    expect(await field.inputValue()).toBe('no fields');
    await writeFile(path, manual('review', 'Written elsewhere.'));
    await field.fill(manual('review', 'Mine.'));
    await field.press('Control+s');
    await page.getByRole('alert').getByText('was changed meanwhile').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await takePictures(page, 'skill-conflict');
    await page.getByRole('button', { name: 'Replace what is there' }).click();
    await expect.poll(() => readFile(path, 'utf8')).toBe(manual('review', 'Mine.'));
    await page.getByRole('button', { name: 'Add a file' }).click();
    await page.getByRole('form', { name: 'Add a file' }).getByLabel('File').fill('notes.md');
    await page.getByRole('form', { name: 'Add a file' }).getByLabel('File').press('Enter');
    await page.getByRole('form', { name: 'Add a file' }).getByText(/is refused/).waitFor();
    await page.getByRole('form', { name: 'Add a file' }).getByLabel('File').fill('references/notes.md');
    await page.getByRole('form', { name: 'Add a file' }).getByLabel('File').press('Enter');
    await page.getByText('The file is empty.').waitFor();
  });

  test('deletes with a way back, and is reached by key and by command', async () => {
    const { page } = app;
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Deleted “review”').waitFor();
    await row('dev/review').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await row('dev/review').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('textbox', { name: 'Message' }).waitFor();
    await page.keyboard.press('Alt+Shift+S');
    await row('dev/review').waitFor();
    await page.getByRole('button', { name: 'Open folder' }).click();
    await page.getByText(/no file manager to open here/).waitFor();
  });
});
