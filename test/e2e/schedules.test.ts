import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { accessibilityFaults, describeInChromium, startApp, takePictures, type App } from '../support/browser.ts';
import { newChat, openSettings, say } from '../support/deeds.ts';

describeInChromium('schedules', () => {
  let app: App;
  const card = (name: string) => app.page.locator(`li[data-job="${name}"]`);

  beforeAll(async () => { app = await startApp({ model: { script: () => ({ text: 'All backups are there.' }) }, config: 'gateway:\n  telegram:\n    api_root: http://127.0.0.1:9\n    home_channel: "4711"\n', env: { TELEGRAM_BOT_TOKEN: '1:none' } }); });
  afterAll(() => app.close());
  afterEach(() => { expect(app.errors.splice(0)).toEqual([]); });

  test('an empty page says what jobs are for, and makes the first by keyboard', async () => {
    await openSettings(app.page, 'Schedules');
    await app.page.getByText('Nothing is scheduled').waitFor();
    expect(await accessibilityFaults(app.page)).toEqual([]);
    await takePictures(app.page, 'schedules-empty');
    await app.page.getByRole('button', { name: 'New job' }).press('Enter');
    const form = app.page.getByRole('form', { name: 'New job' });
    await form.getByLabel('When').press('Enter');
    await form.getByText('Say what is to be done.').waitFor();
    await form.getByLabel('When').fill('whenever');
    await form.getByLabel('What to do').fill('Check the backups');
    await form.getByLabel('Name').fill('backups');
    await form.getByLabel('Name').press('Enter');
    await form.getByRole('alert').getByText(/is not a schedule that is understood/).waitFor();
    expect(await form.getByLabel('What to do').inputValue()).toBe('Check the backups');
    await form.getByLabel('When').fill('every 2h');
    expect(await accessibilityFaults(app.page)).toEqual([]);
    await takePictures(app.page, 'schedules-form');
    await form.getByLabel('When').press('Enter');
    await card('backups').getByText(/^Next run in (2 h|1 h 59)/).waitFor();
  });

  test('run now shows the result, unread on the badge until its history is opened, and leads to its chat', async () => {
    const badge = app.page.getByRole('button', { name: /^Schedules ?1 unread/ });
    await card('backups').getByRole('button', { name: 'Run now' }).click();
    await card('backups').getByText('All backups are there.').waitFor();
    await card('backups').getByText('1 new').waitFor();
    await badge.waitFor();
    await card('backups').getByRole('button', { name: 'History' }).click();
    const runs = app.page.getByRole('list', { name: 'Runs of backups' });
    await runs.getByText('new', { exact: true }).waitFor();
    await badge.waitFor({ state: 'detached' });
    await app.page.getByRole('button', { name: 'Show all runs' }).click();
    expect(await accessibilityFaults(app.page)).toEqual([]);
    await takePictures(app.page, 'schedules');
    await runs.getByRole('button', { name: 'Open its chat' }).click();
    await app.page.getByTestId('centre').getByText('All backups are there.').waitFor();
  });

  test('a job is edited, paused, removed, and comes back with undo', async () => {
    await newChat(app.page);
    await app.page.getByRole('navigation', { name: 'Chats' }).getByRole('button', { name: 'Schedules' }).click();
    await card('backups').getByRole('button', { name: 'Edit' }).click();
    const form = app.page.getByRole('form', { name: 'Edit backups' });
    await form.getByText('More', { exact: true }).click();
    await form.getByLabel('Results go to').selectOption('telegram: home channel (4711)');
    await form.getByLabel('Runs in all').fill('5');
    await form.getByRole('button', { name: 'Save' }).click();
    await card('backups').getByText(/ of 5 · results go to telegram/).waitFor();
    await card('backups').getByRole('button', { name: 'Edit' }).click();
    await form.getByLabel('Results go to').selectOption('somewhere else…');
    expect(await accessibilityFaults(app.page)).toEqual([]);
    await takePictures(app.page, 'schedules-deliver');
    await form.getByLabel('Place').fill('telegram, local');
    await form.getByRole('button', { name: 'Save' }).click();
    await card('backups').getByText(/results go to telegram, local/).waitFor();
    await card('backups').getByRole('button', { name: 'Pause' }).click();
    await card('backups').getByText('Paused: it does not run').waitFor();
    await card('backups').getByRole('button', { name: 'Remove' }).click();
    await app.page.getByText('Nothing is scheduled').waitFor();
    await app.page.getByRole('button', { name: 'Undo' }).click();
    await card('backups').getByRole('button', { name: 'Resume' }).click();
    await card('backups').getByText(/^Next run in/).waitFor();
  });

  test('results can go into a chat, named by its title', async () => {
    await newChat(app.page);
    await say(app.page, 'good morning');
    await app.page.getByTestId('centre').getByText('All backups are there.').waitFor();
    await openSettings(app.page, 'Schedules');
    await app.page.getByRole('button', { name: 'New job' }).click();
    const form = app.page.getByRole('form', { name: 'New job' });
    await form.getByLabel('When').fill('every 3h');
    await form.getByLabel('What to do').fill('Say hello');
    await form.getByLabel('Name').fill('hello');
    await form.getByLabel('Results go to').selectOption('the chat “good morning”');
    await form.getByRole('button', { name: 'Make the job' }).click();
    await card('hello').getByText('results go to its chat').waitFor();
    await card('hello').getByRole('button', { name: 'Run now' }).click();
    await card('hello').getByText('1 new').waitFor();
    await app.page.keyboard.press('Escape');
    await app.page.getByRole('note').getByText('Scheduled: hello').waitFor();
  });
});
