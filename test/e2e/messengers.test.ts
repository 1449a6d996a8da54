/** Settings › Messengers: state, the code that lets somebody in, and who is let in, with a loopback Telegram. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { accessibilityFaults, describeInChromium, startApp, takePictures, type App } from '../support/browser.ts';
import { openSettings } from '../support/deeds.ts';
import { startDiscord, TOKEN as DISCORD_TOKEN, type LoopbackDiscord } from '../support/gateway/discord.ts';
import { startTelegram, TOKEN, type LoopbackTelegram } from '../support/gateway/telegram.ts';

describeInChromium('the messengers in the settings', () => {
  let app: App;
  let telegram: LoopbackTelegram;
  let discord: LoopbackDiscord;
  const section = () => app.page.getByRole('region', { name: 'Telegram' });

  beforeAll(async () => {
    telegram = await startTelegram();
    discord = await startDiscord();
    app = await startApp({ model: true, config: `gateway:\n  telegram:\n    api_root: ${telegram.url}\n    poll_seconds: 1\n  discord:\n    api_root: ${discord.url}/api\n`, env: { TELEGRAM_BOT_TOKEN: TOKEN } });
  });
  afterAll(async () => {
    await app.close();
    await telegram.close();
    await discord.close();
  });
  afterEach(() => { expect(app.errors.splice(0)).toEqual([]); });

  test('the app serves what is set up by itself and says what the others lack', async () => {
    await openSettings(app.page, 'Messengers');
    await section().getByText('connected', { exact: true }).waitFor();
    const slack = app.page.getByRole('region', { name: 'Slack' });
    await slack.getByText('Set up', { exact: true }).click();
    await slack.getByText('Not set. The variable is SLACK_APP_TOKEN.').waitFor();
    await app.page.getByText('This app serves them.').waitFor();
  });

  test('a token is entered unseen, connects, and is never shown again; what the environment sets cannot be entered', async () => {
    const other = app.page.getByRole('region', { name: 'Discord' });
    await other.getByText('Set up', { exact: true }).click();
    await other.getByText('Message Content Intent').waitFor();
    const field = other.getByLabel('Bot token', { exact: true });
    expect(await field.getAttribute('type')).toBe('password');
    await field.fill(DISCORD_TOKEN);
    expect(await accessibilityFaults(app.page)).toEqual([]);
    await takePictures(app.page, 'settings-messengers-set-up');
    await field.press('Enter');
    await other.getByText('connected', { exact: true }).waitFor();
    await other.getByText('Kept. It is not shown again.').waitFor();
    expect(await field.inputValue()).toBe('');
    expect(await app.page.content()).not.toContain(DISCORD_TOKEN);
    await other.getByRole('button', { name: 'Remove Bot token of Discord' }).click();
    await other.getByText('not set up', { exact: true }).waitFor();
    await section().getByText('Keys', { exact: true }).click();
    expect(await section().getByLabel('Bot token', { exact: true }).isDisabled()).toBe(true);
    await section().getByText('Set in the environment or .env, which wins.').waitFor();
  });

  test('somebody who was turned away can be let in, talk, and be turned out again', async () => {
    telegram.says('hello');
    await section().getByText('Turned away (1)').click();
    await section().getByRole('button', { name: 'Let somebody in on Telegram' }).click();
    await section().getByText(/^[A-HJ-NP-Z2-9]{8}$/).waitFor();
    expect(await accessibilityFaults(app.page)).toEqual([]);
    await takePictures(app.page, 'settings-messengers');
    await section().getByRole('button', { name: 'Let in Anna' }).click();
    await section().getByText('Anna (42)').waitFor();
    telegram.says('hello again');
    await expect.poll(() => telegram.texts().length, { timeout: 20_000 }).toBeGreaterThan(1);
    await section().getByRole('button', { name: 'Revoke Anna' }).click();
    await section().getByText('Nobody is let in yet.').waitFor();
  });
});
