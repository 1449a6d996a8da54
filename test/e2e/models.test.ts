import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { accessibilityFaults, describeInChromium, startApp, takePictures, type App } from '../support/browser.ts';
import { newChat, say } from '../support/deeds.ts';
import { startModelServer, type ModelServer } from '../support/model/server.ts';

const composer = (page: Page) => page.getByRole('textbox', { name: 'Message', exact: true });
/** No key of the developer's machine reaches the host, so that it starts without a model. */
const NO_MODEL = { OPENAI_API_KEY: '', OPENAI_BASE_URL: '', OPENROUTER_API_KEY: '', HERMES_MODEL: '' };

describeInChromium('connecting a model', () => {
  let app: App;
  let page: Page;
  let server: ModelServer;
  beforeAll(async () => {
    server = await startModelServer({ key: 'secret-key-123', models: ['small-model', 'large-model'], strictModels: true });
    app = await startApp({ env: NO_MODEL });
    page = app.page;
  });
  afterAll(async () => {
    await app.close();
    await server.close();
  });

  test('is offered at the first start, with what works without one', async () => {
    await page.getByRole('heading', { name: 'Connect a model' }).waitFor();
    await page.getByRole('button', { name: 'Start the guided tour' }).waitFor();
    await page.getByText('!git status').waitFor();
    await takePictures(page, 'connect');
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  test('a message without a model is answered with the way to the settings', async () => {
    await say(page, 'hello');
    await page.getByText('No model is connected.').waitFor();
    await page.getByRole('button', { name: 'Model settings' }).click();
    await page.getByRole('heading', { name: 'Model', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Back to the chat' }).click();
    await newChat(page);
  });

  test('tells what is wrong with an address before anything is sent', async () => {
    const address = page.getByLabel('Base URL of an OpenAI-compatible server');
    await address.fill('ftp://example.com');
    await page.getByRole('button', { name: 'List models' }).click();
    await page.getByText('Only http and https addresses work, not ftp.').waitFor();
    expect(await address.getAttribute('aria-invalid')).toBe('true');
    expect(server.visits).toEqual([]);
  });

  test('an address without its path is mended with one press', async () => {
    const address = page.getByLabel('Base URL of an OpenAI-compatible server');
    await address.fill(server.baseUrl.replace(/\/v1$/, ''));
    await page.getByLabel('API key').fill('secret-key-123');
    await page.getByRole('button', { name: 'List models' }).click();
    await page.getByText(/ has no list of models\./).waitFor();
    await page.getByRole('button', { name: `Try ${server.baseUrl}` }).click();
    await page.getByRole('group', { name: 'Models offered' }).getByRole('button', { name: 'large-model' }).waitFor();
    expect(await address.inputValue()).toBe(server.baseUrl);
    expect(await page.getByText(/ has no list of models\./).count()).toBe(0);
    await page.getByLabel('API key').fill('');
  });

  test('says in words which step of a test failed, and why', async () => {
    await page.getByLabel('Base URL of an OpenAI-compatible server').fill(server.baseUrl);
    await page.getByLabel('Model', { exact: true }).fill('small-model');
    await page.getByLabel('API key').fill('wrong');
    await page.getByRole('button', { name: 'Test', exact: true }).click();
    const result = page.getByRole('list', { name: 'Result of the test' });
    await result.getByText('failed').first().waitFor();
    await expect.poll(async () => {
      const box = await result.boundingBox();
      const edge = await page.getByRole('textbox', { name: 'Message', exact: true }).boundingBox();
      return box !== null && edge !== null && box.y + box.height <= edge.y;
    }).toBe(true);
    await takePictures(page, 'connect-failed');
  });

  test('lists the models of the server and tests each step with a right key', async () => {
    await page.getByLabel('API key').fill('secret-key-123');
    await page.getByRole('button', { name: 'List models' }).click();
    await page.getByRole('group', { name: 'Models offered' }).getByRole('button', { name: 'large-model' }).click();
    expect(await page.getByLabel('Model', { exact: true }).inputValue()).toBe('large-model');
    await page.getByRole('button', { name: 'Test', exact: true }).click();
    const result = page.getByRole('list', { name: 'Result of the test' });
    await result.getByRole('listitem').nth(3).waitFor();
    expect(await result.getByRole('listitem').filter({ hasText: 'Reach the server: works' }).count()).toBe(1);
    expect(await result.getByRole('listitem').filter({ hasText: 'Stream a reply: works' }).count()).toBe(1);
  });

  test('keeps the key out of the page once it is saved', async () => {
    await page.getByRole('button', { name: 'Save and use' }).click();
    await page.getByRole('heading', { name: 'What shall be done?' }).waitFor();
    expect(await page.content()).not.toContain('secret-key-123');
    await page.keyboard.press('Control+,');
    await page.getByRole('heading', { name: 'Model', level: 2 }).waitFor();
    await page.getByText('A key is stored. Leave this empty to keep it.').waitFor();
    expect(await page.getByLabel('API key').inputValue()).toBe('');
    expect(await page.content()).not.toContain('secret-key-123');
    await page.keyboard.press('Escape');
  });

  test('answers in a chat, and a chat may use another model', async () => {
    await composer(page).fill('Hello');
    await composer(page).press('Enter');
    await page.getByRole('article', { name: /^Reply/ }).getByText('You said: Hello').waitFor();
    const picker = page.getByRole('combobox', { name: 'Model of this chat' });
    await picker.focus();
    await picker.locator('option', { hasText: 'small-model' }).waitFor({ state: 'attached' });
    await picker.selectOption('small-model');
    await composer(page).fill('Again');
    await composer(page).press('Enter');
    await page.getByRole('article', { name: /^Reply/ }).getByText('You said: Again').waitFor();
    expect(server.requests.at(-1)?.body.model).toBe('small-model');
  });

  test('reports no error on its console', () => {
    expect(app.errors).toEqual([]);
  });
});
