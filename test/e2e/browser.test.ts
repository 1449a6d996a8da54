import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { accessibilityFaults, describeInChromium, startApp, takePictures, type App } from '../support/browser.ts';
import { newChat, say } from '../support/deeds.ts';

describeInChromium('the browser in the chat', () => {
  let app: App;
  let site: Server;
  const visited: string[] = [];
  beforeAll(async () => {
    site = createServer((request, response) => {
      visited.push(request.url ?? '');
      response.writeHead(200, { 'content-type': 'text/html' }).end('<title>Sign in</title><body style="margin:0;background:#fef3c7"><form action="/done"><input name="code" style="width:100%;height:300px;font-size:80px"></form>');
    });
    await new Promise<void>((done) => { site.listen(0, '127.0.0.1', done); });
    const url = `http://127.0.0.1:${String((site.address() as AddressInfo).port)}/`;
    app = await startApp({
      model: { script: ({ index }) => (index === 0 ? { calls: [{ name: 'browser_navigate', arguments: { url } }] } : index === 2 ? { calls: [{ name: 'browser_snapshot', arguments: {} }] } : { text: `Step ${String(index)}.` }) },
    });
  });
  afterAll(async () => {
    await app.close();
    site.closeAllConnections();
    await new Promise((done) => { site.close(done); });
  });
  afterEach(() => { expect(app.errors.splice(0)).toEqual([]); });

  test('the page is seen, opened, driven by hand while the agent waits, and given back', async () => {
    await newChat(app.page);
    await say(app.page, 'open the page');
    const panel = app.page.getByRole('region', { name: 'Browser of this chat' });
    await panel.getByText('Sign in').first().waitFor();
    await app.page.getByTestId('centre').getByText('Step 1.').waitFor();
    expect(await accessibilityFaults(app.page)).toEqual([]);
    await takePictures(app.page, 'browser-small');
    await panel.getByRole('button', { name: 'Open', exact: true }).press('Enter');
    await panel.getByRole('button', { name: 'Take over' }).press('Enter');
    const view = panel.getByRole('application');
    await view.waitFor();
    expect(await accessibilityFaults(app.page)).toEqual([]);
    await takePictures(app.page, 'browser-open');
    await say(app.page, 'read it');
    await panel.getByText('you drive', { exact: true }).waitFor();
    await view.click({ position: { x: 60, y: 30 } });
    await app.page.keyboard.type('42');
    await app.page.keyboard.press('Enter');
    await expect.poll(() => visited).toContain('/done?code=42');
    expect(await app.page.getByTestId('centre').getByText('Step 3.').count()).toBe(0);
    await panel.getByRole('button', { name: 'Give back' }).click();
    await app.page.getByTestId('centre').getByText('Step 3.').waitFor();
    expect(JSON.stringify(app.host.model?.requests.at(-1)?.body.messages)).toContain('/done?code=42');
  });
});
