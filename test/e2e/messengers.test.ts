/** Settings › Messengers: state, the code that lets somebody in, and who is let in, with a loopback Telegram. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { accessibilityFaults, describeInChromium, startApp, takePictures, type App } from '../support/browser.ts';
import { openSettings } from '../support/deeds.ts';
import { startTelegram, TOKEN, type LoopbackTelegram } from '../support/gateway/telegram.ts';

describeInChromium('the messengers in the settings', () => {
  let app: App;
  let telegram: LoopbackTelegram;
  const section = () => app.page.getByRole('region', { name: 'Telegram' });

  beforeAll(async () => {
    telegram = await startTelegram();
    app = await startApp({ model: true, config: `gateway:\n  telegram:\n    api_root: ${telegram.url}\n    poll_seconds: 1\n`, env: { TELEGRAM_BOT_TOKEN: TOKEN } });
  });
  afterAll(async () => {
    await app.close();
    await telegram.close();
  });
  afterEach(() => { expect(app.errors.splice(0)).toEqual([]); });

  test('the app serves what is set up by itself and says what the others lack', async () => {
    await openSettings(app.page, 'Messengers');
    await section().getByText('connected', { exact: true }).waitFor();
    await app.page.getByRole('region', { name: 'Discord' }).getByText('DISCORD_BOT_TOKEN').waitFor();
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
