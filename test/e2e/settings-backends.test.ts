/** Settings › Terminals: where commands may run, why not, and the keys of hosted services. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { accessibilityFaults, describeInChromium, startApp, takePictures, type App } from '../support/browser.ts';
import { openSettings } from '../support/deeds.ts';

describeInChromium('the backends in the settings', () => {
  let app: App;
  const backends = () => app.page.getByRole('region', { name: 'Backends' });

  beforeAll(async () => { app = await startApp({ model: true }); });
  afterAll(() => app.close());
  afterEach(() => { expect(app.errors.splice(0)).toEqual([]); });

  test('say which is in use, which are ready, and what the others lack', async () => {
    await openSettings(app.page, 'Terminals');
    await backends().getByText('new chats', { exact: true }).waitFor();
    await backends().getByText('The daytona backend needs DAYTONA_API_KEY.').waitFor();
  });

  test('a key is typed unseen, kept, and makes its backend ready; an empty one takes it away', async () => {
    await backends().getByText('Set keys').nth(1).click();
    const key = backends().getByLabel('DAYTONA_API_KEY');
    expect(await key.getAttribute('type')).toBe('password');
    await key.fill('dtn_from_the_screen');
    await key.press('Enter');
    await backends().getByText('Kept in the keychain.').waitFor();
    await backends().getByText('The daytona backend needs').waitFor({ state: 'detached' });
    expect(await key.inputValue()).toBe('');
    expect(await app.page.content()).not.toContain('dtn_from_the_screen');
    expect(await accessibilityFaults(app.page)).toEqual([]);
    await takePictures(app.page, 'settings-backends');
    await key.press('Enter');
    await backends().getByText('The daytona backend needs DAYTONA_API_KEY.').waitFor();
  });
});
