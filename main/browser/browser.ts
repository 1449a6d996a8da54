/** The agent's browser: one Chromium of its own profile for all tasks, one context for each, closed when nobody uses it. */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Browser, BrowserContext } from 'playwright-core';
import type { BrowserInput, BrowserLook } from '../../preload/contract/browser.ts';
import { AppError } from '../../preload/contract/errors.ts';
import type { BrowserService } from '../../tools/shared/browser.ts';
import type { Clock, ConfigStore, Log } from '../ports.ts';
import { isAlive, ownIdentity } from '../process-identity.ts';
import { findChromium } from './find-chromium.ts';
import { isNear, reachesProxy, throughProxy } from './foreign.ts';
import { startGuardProxy, type GuardProxy } from './guard-proxy.ts';
import { putIn } from './person-input.ts';
import { createTab, type OwnTab } from './tab.ts';
import { createWheel } from './wheel.ts';

/** Hermes: closed after 300 s without use, looked at every 30 s (7.10). `BROWSER_INACTIVITY_TIMEOUT` wins, in seconds. */
const IDLE_S = 300;
const SWEEP_MS = 30_000;
const VIEW = { width: 1_280, height: 800 };
/** Names the folder of Chromium's own files. */
const TEMPORARY_FILE = 'temporary';
const OWNER_FILE = 'talaria-owner';
/** No first-run pages, no calls home; local files stay shut; loopback goes through the guard too. */
const FLAGS = [
  '--no-first-run', '--no-default-browser-check', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--disable-quic', '--disable-gpu', '--disable-dev-shm-usage',
  '--proxy-bypass-list=<-loopback>', '--force-webrtc-ip-handling-policy=disable_non_proxied_udp', '--disable-features=DnsOverHttps,AsyncDns',
];

export interface BrowserParts {
  readonly clock: Clock;
  readonly config: Pick<ConfigStore, 'get' | 'env'>;
  readonly log: Log;
  /** Folder of the home for profiles, pictures and downloads. */
  readonly cache: string;
  readonly path: () => string;
  isBlocked(hostname: string): Promise<boolean>;
  readonly resolve?: (hostname: string) => Promise<readonly string[]>;
}

export interface Browsers extends BrowserService {
  /** Why there is none; undefined when one can be had. */
  missing(): Promise<string | undefined>;
  /** A task's page as it is now; undefined when it has none. */
  look(taskId: string): Promise<BrowserLook | undefined>;
  /** While a person holds the wheel the tools of the task wait. Throws `request/not-possible` without a page. */
  hold(taskId: string, held: boolean): Promise<void>;
  /** Throws `request/not-possible` unless the person holds the wheel. */
  input(taskId: string, input: BrowserInput): Promise<void>;
  closeTask(taskId: string): Promise<void>;
  close(): Promise<void>;
}

interface Seat { readonly context: BrowserContext; readonly tab: OwnTab; lastUse: number; work: Promise<unknown>; busy: number }
interface Running { readonly browser: Browser; readonly proxy: GuardProxy | undefined; readonly profile: string | undefined; readonly foreign: boolean }

export function createBrowsers(parts: BrowserParts): Browsers {
  const { clock, config, log } = parts;
  const profiles = join(parts.cache, 'browser-profiles');
  const seats = new Map<string, Promise<Seat>>();
  const wheel = createWheel(clock);
  let running: Promise<Running> | undefined;
  let cancelSweep: (() => void) | undefined;
  let closed = false;

  function cdpUrl(): string | undefined {
    const named = config.env('BROWSER_CDP_URL') ?? config.get('browser.cdp_url');
    return typeof named === 'string' && named.trim() !== '' ? named.trim() : undefined;
  }
  const chromium = (): Promise<string | undefined> => findChromium(config.get('browser.executable_path'), parts.path());

  async function missing(): Promise<string | undefined> {
    if (cdpUrl() !== undefined || await chromium() !== undefined) return undefined;
    return 'No Chromium was found on PATH. Install Chromium or Chrome, name it in browser.executable_path of config.yaml, or set BROWSER_CDP_URL.';
  }

  async function start(): Promise<Running> {
    const { chromium: playwright } = await import('playwright-core');
    const endpoint = cdpUrl();
    if (endpoint !== undefined) {
      try {
        const browser = await playwright.connectOverCDP(endpoint, { timeout: 30_000 });
        return watch({ browser, proxy: isNear(endpoint) ? await guardFor(browser) : undefined, profile: undefined, foreign: true });
      } catch (cause) {
        throw new AppError('environment/unreachable', `No browser answers at BROWSER_CDP_URL (${endpoint.replace(/\?.*$/, '')}).`, { hint: 'Check the address, or take it away to use the Chromium of this computer.', cause });
      }
    }
    const executablePath = await chromium();
    if (executablePath === undefined) throw new AppError('environment/missing', await missing() ?? 'No Chromium was found.');
    await sweepProfiles();
    await mkdir(profiles, { recursive: true, mode: 0o700 });
    const profile = await mkdtemp(join(profiles, 'run-'));
    await writeFile(join(profile, OWNER_FILE), ownIdentity());
    const proxy = await startGuard();
    try {
      const browser = await playwright.launch({
        executablePath, headless: true, args: FLAGS, proxy: { server: proxy.url, bypass: '<-loopback>' }, chromiumSandbox: process.getuid?.() !== 0, timeout: 60_000, downloadsPath: profile, handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false,
        artifactsDir: profile,
      });
      await noteTemporary(browser, profile).catch((error: unknown) => { log.warn('the folder of the browser is not known; a kill would leave it behind', { error }); });
      return watch({ browser, proxy, profile, foreign: false });
    } catch (cause) {
      await proxy.close();
      await rm(profile, { recursive: true, force: true });
      throw new AppError('environment/failed', `${executablePath} could not be started: ${cause instanceof Error ? cause.message.split('\n')[0] ?? '' : String(cause)}`, { hint: 'Start it by hand once to see why, or name another one in browser.executable_path.', cause });
    }
  }

  const startGuard = (): Promise<GuardProxy> => startGuardProxy({
    isBlocked: (host) => parts.isBlocked(host), allowPrivate: () => config.get('browser.allow_private_urls') !== false, ...(parts.resolve !== undefined && { resolve: parts.resolve }),
  });

  /** Undefined where that browser cannot reach it: then it is in another network, and only the address that is written is judged. */
  async function guardFor(browser: Browser): Promise<GuardProxy | undefined> {
    const proxy = await startGuard();
    try {
      if (await reachesProxy(browser, proxy)) return proxy;
      log.warn('the browser at BROWSER_CDP_URL cannot reach the guard of this computer: where its pages lead to is not judged');
    } catch (error) {
      await proxy.close();
      throw error;
    }
    await proxy.close();
    return undefined;
  }

  function watch(run: Running): Running {
    run.browser.on('disconnected', () => {
      running = undefined;
      seats.clear();
      void release(run);
    });
    return run;
  }

  async function release({ proxy, profile }: Running): Promise<void> {
    await proxy?.close();
    if (profile !== undefined) await rm(profile, { recursive: true, force: true }).catch((error: unknown) => { log.warn('a browser profile could not be removed', { profile, error }); });
  }

  /** Playwright keeps what Chromium writes in a folder of its own choice, which nobody clears away after a kill: it is written down. */
  async function noteTemporary(browser: Browser, profile: string): Promise<void> {
    const session = await browser.newBrowserCDPSession();
    const { commandLine } = await session.send('SystemInfo.getInfo');
    await session.detach();
    const folder = /--user-data-dir="?(.+?)"?(?= --|$)/.exec(commandLine)?.[1];
    if (folder !== undefined) await writeFile(join(profile, TEMPORARY_FILE), folder);
  }

  /** Profiles of hosts that are gone; their Chromium went with the pipe it was driven by. */
  async function sweepProfiles(): Promise<void> {
    for (const name of await readdir(profiles).catch(() => [])) {
      const folder = join(profiles, name);
      const owner = await readFile(join(folder, OWNER_FILE), 'utf8').catch(() => ''); // half made, or not ours
      if (isAlive(owner)) continue;
      const temporary = await readFile(join(folder, TEMPORARY_FILE), 'utf8').catch(() => ''); // it died before that was written
      if (basename(temporary).startsWith('playwright_')) await rm(temporary, { recursive: true, force: true });
      await rm(folder, { recursive: true, force: true });
    }
  }

  function seat(taskId: string): Promise<Seat> {
    const known = seats.get(taskId);
    if (known !== undefined) return known;
    const made = (async (): Promise<Seat> => {
      running ??= start().catch((error: unknown) => { running = undefined; throw error; });
      const { browser, foreign, proxy } = await running;
      const context = await browser.newContext({ viewport: VIEW, acceptDownloads: true, serviceWorkers: 'block', ...(foreign && proxy !== undefined && throughProxy(proxy)) });
      const page = await context.newPage();
      const tab = createTab(context, page, { downloads: join(parts.cache, 'downloads', taskId.replace(/[^\w.-]/g, '_')), log, foreign });
      return { context, tab, lastUse: clock.now(), work: Promise.resolve(), busy: 0 };
    })();
    seats.set(taskId, made);
    made.catch(() => { seats.delete(taskId); });
    cancelSweep ??= clock.after(SWEEP_MS, sweep);
    return made;
  }

  function sweep(): void {
    cancelSweep = undefined;
    void closeIdle().catch((error: unknown) => { log.warn('idle pages could not be closed', { error }); });
  }

  async function closeIdle(): Promise<void> {
    const seconds = Number(config.env('BROWSER_INACTIVITY_TIMEOUT') ?? config.get('browser.inactivity_timeout'));
    const limit = (Number.isFinite(seconds) && seconds > 0 ? seconds : IDLE_S) * 1_000;
    for (const [taskId, each] of seats) {
      const { busy, lastUse } = await each;
      if (busy === 0 && clock.now() - lastUse >= limit) await closeTask(taskId);
    }
    if (closed) return;
    if (seats.size > 0) cancelSweep ??= clock.after(SWEEP_MS, sweep);
    else await stop();
  }

  async function closeTask(taskId: string): Promise<void> {
    const each = await seats.get(taskId);
    seats.delete(taskId);
    wheel.giveBack(taskId);
    if (each === undefined) return;
    each.tab.release();
    await each.context.close();
  }

  async function stop(): Promise<void> {
    const run = await running?.catch(() => undefined);
    running = undefined;
    if (run === undefined) return;
    await run.browser.close();
    await release(run);
  }

  return {
    pictures: join(parts.cache, 'images'), missing, closeTask,
    async use(taskId, signal, work) {
      if (closed) throw new AppError('host/closed', 'The app is closing.');
      signal.throwIfAborted();
      const mine = await seat(taskId);
      mine.busy += 1;
      const turn = mine.work.then(async () => {
        await wheel.free(taskId, signal);
        signal.throwIfAborted();
        return work(mine.tab);
      });
      mine.work = turn.catch(() => undefined);
      try {
        return await turn;
      } finally {
        mine.busy -= 1;
        mine.lastUse = clock.now();
      }
    },
    async look(taskId) {
      const known = await seats.get(taskId);
      if (known === undefined || !known.tab.visited) return undefined;
      const { page, dialogs: [dialog] } = known.tab;
      const { width, height } = page.viewportSize() ?? VIEW;
      const seen = { url: page.url(), width, height, held: wheel.held(taskId) };
      if (dialog !== undefined) return { ...seen, jpeg: null, title: '', dialog: { type: dialog.type, message: dialog.message } };
      const jpeg = await page.screenshot({ type: 'jpeg', quality: 60, timeout: 5_000 });
      return { ...seen, jpeg: jpeg.toString('base64'), title: await page.title(), dialog: null };
    },
    async hold(taskId, held) {
      if (!held) return wheel.giveBack(taskId);
      if (!seats.has(taskId)) throw new AppError('request/not-possible', 'No page is open in this chat any more.', { hint: 'The agent opens one with browser_navigate.' });
      wheel.take(taskId);
    },
    async input(taskId, input) {
      const known = await seats.get(taskId);
      if (known === undefined || !wheel.held(taskId)) throw new AppError('request/not-possible', 'The agent drives this page.', { hint: 'Take over first.' });
      wheel.take(taskId);
      known.lastUse = clock.now();
      await putIn(known.tab, input);
    },
    async close() {
      closed = true;
      cancelSweep?.();
      await stop();
    },
  };
}
