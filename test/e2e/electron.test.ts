/** The real Electron app, where its binary is: it cannot be had on every machine. */
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { _electron, type ElectronApplication } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '..', '..');
const electronFolder = join(root, 'node_modules', 'electron');
const pathFile = join(electronFolder, 'path.txt');
const binary = existsSync(pathFile) ? join(electronFolder, 'dist', readFileSync(pathFile, 'utf8').trim()) : undefined;
const missing = binary === undefined || !existsSync(binary) ? 'the Electron binary is not here and is not fetched by tests'
  : process.platform === 'linux' && process.env['DISPLAY'] === undefined ? 'there is no display' : undefined;

describe.skipIf(missing !== undefined)(`the app in Electron${missing === undefined ? '' : ` (${missing})`}`, () => {
  let app: ElectronApplication;
  let home: string;
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'talaria-electron-home-'));
    app = await _electron.launch({ executablePath: binary ?? '', args: [root, '--home', home], env: { ...process.env, HERMES_HOME: home } });
  });
  afterAll(async () => {
    await app.close();
    await rm(home, { recursive: true, force: true });
  });

  test('opens its window on app:// and speaks with the host', async () => {
    const page = await app.firstWindow();
    await page.getByRole('main').waitFor();
    expect(new URL(page.url()).protocol).toBe('app:');
    const info = await page.evaluate(() => (window as unknown as { talaria: { request(name: string, input: object): Promise<{ shell: string }> } }).talaria.request('host.info', {})); // the page's own client
    expect(info.shell).toBe('electron');
  });

  test('has no Node in the page', async () => {
    const page = await app.firstWindow();
    expect(await page.evaluate(() => [typeof (globalThis as Record<string, unknown>)['require'], typeof (globalThis as Record<string, unknown>)['process']])).toEqual(['undefined', 'undefined']);
  });
});
