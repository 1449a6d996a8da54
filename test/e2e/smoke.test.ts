import { afterAll, beforeAll, expect, test } from 'vitest';
import { accessibilityFaults, describeInChromium, startApp, takePictures, type App } from '../support/browser.ts';

describeInChromium('the app in a browser', () => {
  let app: App;
  beforeAll(async () => { app = await startApp({ model: true }); });
  afterAll(() => app.close());

  test('opens with its link, shows the app and speaks with the host', async () => {
    await app.page.getByRole('main').waitFor();
    const info = await app.page.evaluate(() => (window as unknown as { talaria: { request(name: string, input: object): Promise<{ shell: string; home: string }> } }).talaria.request('host.info', {})); // the page's own client
    expect(info).toMatchObject({ shell: 'browser', home: app.host.home });
  });

  test('keeps its secrets from scripts: no token in the address, no readable cookie', async () => {
    expect(new URL(app.page.url()).search).toBe('');
    expect(await app.page.evaluate(() => document.cookie)).toBe('');
  });

  test('runs no script that was put into the page', async () => {
    const ran = await app.page.evaluate(async () => {
      const element = document.createElement('div');
      element.innerHTML = '<img src="x" onerror="window.pwned = 1">';
      const script = document.createElement('script');
      script.textContent = 'window.pwned = 1';
      document.body.append(element, script);
      await new Promise((resolve) => { element.querySelector('img')?.addEventListener('error', resolve); });
      element.remove();
      script.remove();
      return 'pwned' in window;
    });
    expect(ran).toBe(false);
    /** The policy says so on the console: that is what was wanted here. */
    app.errors.splice(0);
  });

  test('opens in a second window without a new link', async () => {
    const second = await app.openWindow();
    await second.getByRole('main').waitFor();
    await second.close();
  });

  test('has no accessibility fault in any look and no error on its console', async () => {
    await app.page.getByRole('main').waitFor();
    await takePictures(app.page, 'start');
    expect(await accessibilityFaults(app.page)).toEqual([]);
    expect(app.errors).toEqual([]);
  });

  test('ends politely: the window is told, the exit code is 0', async () => {
    expect(await app.host.stop('SIGTERM')).toBe(0);
  });
});
