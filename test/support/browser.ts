/** A real Chromium on the built app: pages that notice their own errors, accessibility checks, pictures. */
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import AxeBuilder from '@axe-core/playwright';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { describe } from 'vitest';
import { isBuilt, startHost, type HostOptions, type RunningHost } from './app.ts';

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) => existsSync(path));
/** Without these Chromium looks for its maker's hosts at every start; root needs no-sandbox. */
const FLAGS = ['--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--hide-scrollbars'];
const outputFolder = join(import.meta.dirname, '..', 'output', 'screens');

/** Suites that need the browser and the build say so when one is missing. */
export function describeInChromium(name: string, suite: () => void): void {
  const missing = CHROMIUM === undefined ? 'Chromium is not installed' : isBuilt ? undefined : 'the app is not built: npm run build';
  describe.skipIf(missing !== undefined)(missing === undefined ? name : `${name} (${missing})`, suite);
}

export function launchChromium(): Promise<Browser> {
  if (CHROMIUM === undefined) throw new Error('Chromium is not installed: apt-get install chromium');
  return chromium.launch({ executablePath: CHROMIUM, args: FLAGS, chromiumSandbox: process.getuid?.() !== 0 });
}

export interface App {
  readonly host: RunningHost;
  readonly browser: Browser;
  readonly context: BrowserContext;
  readonly page: Page;
  /** Errors the pages reported on their consoles or threw, network failures during a deliberate stop excepted. */
  readonly errors: string[];
  /** Another window on the same host. */
  openWindow(): Promise<Page>;
  /** Opens the link of a host that was started again, in the same page. */
  reopen(): Promise<void>;
  close(): Promise<void>;
}

/** Starts the host and one window on it. */
export async function startApp(options: HostOptions & { readonly viewport?: { readonly width: number; readonly height: number }; readonly colourScheme?: 'light' | 'dark' } = {}): Promise<App> {
  const host = await startHost(options);
  const browser = await launchChromium();
  const errors: string[] = [];
  const context = await browser.newContext({ viewport: options.viewport ?? { width: 1280, height: 800 }, colorScheme: options.colourScheme ?? 'light', reducedMotion: 'reduce' });
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const watch = (page: Page): void => {
    page.on('console', (message) => { if (message.type() === 'error' && !message.text().includes('ERR_CONNECTION')) errors.push(message.text()); });
    page.on('pageerror', (error) => { errors.push(String(error)); });
  };
  context.on('page', watch);
  const page = await context.newPage();
  const enter = async (target: Page): Promise<void> => {
    await target.goto(host.link());
    /** The page behind the link goes on to the app by itself. */
    await target.waitForURL((url) => url.search === '');
    await target.waitForLoadState('load');
  };
  await enter(page);
  return {
    host, browser, context, page, errors,
    async openWindow() {
      const another = await context.newPage();
      await another.goto(new URL('/', host.link()).href);
      return another;
    },
    reopen: () => enter(page),
    async close() {
      await browser.close();
      await host.close();
    },
  };
}

/** What axe finds wrong with the page as it is now, one line each: rule, help, where. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  return violations.map(({ id, help, nodes }) => `${id}: ${help} (${nodes.map((node) => node.target.join(' ')).join(', ')})`);
}

/** The window sizes and colour schemes that every screen is looked at in. */
export const LOOKS = [
  { name: '1280x800-light', viewport: { width: 1280, height: 800 }, colourScheme: 'light' }, { name: '1280x800-dark', viewport: { width: 1280, height: 800 }, colourScheme: 'dark' },
  { name: '800x600-light', viewport: { width: 800, height: 600 }, colourScheme: 'light' }, { name: '800x600-dark', viewport: { width: 800, height: 600 }, colourScheme: 'dark' },
] as const;

/** Pictures of the page as it is now, in every look, as `test/output/screens/NAME-LOOK.png`. Size and scheme are put back to the first. */
export async function takePictures(page: Page, name: string, ready: () => Promise<unknown> = () => Promise.resolve()): Promise<void> {
  await mkdir(outputFolder, { recursive: true });
  for (const look of [...LOOKS.slice(1), LOOKS[0]]) {
    await page.setViewportSize(look.viewport);
    await page.emulateMedia({ colorScheme: look.colourScheme, reducedMotion: 'reduce' });
    await ready();
    await page.screenshot({ path: join(outputFolder, `${name}-${look.name}.png`), animations: 'disabled' });
  }
}
