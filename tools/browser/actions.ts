/** Browser tools that use the page, in the result fields of hermes-runtime 7.10. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Frame, Page, Request, Response } from 'playwright-core';
import type { ToolContext } from '../context.ts';
import { allowedUrl, type Answer, BrowserRefusal, leaveForbidden, onPage, type Work } from './page.ts';
import { elementOf, takeSnapshot } from './snapshot.ts';

type Args = Record<string, unknown>;

/** A page that is still being built is read after this long at most. */
const SETTLE_MS = 2_000;
/** After a click or a key: by when another page has begun to load, and by when it is there. */
const BEGIN_MS = 250;
const ARRIVE_MS = 15_000;
const MAX_TRIES = 6;
/** Grows with the tries: by then the page of a failure has come. */
const AFTER_FAILURE_MS = 100;
const AUTH_WALL = /\b(?:sign|log)\s?-?in\b.{0,40}\b(?:to continue|required|to view)\b|\bplease (?:sign|log) in\b/i;
const BOT_WALL = /\b(?:verify you are (?:a )?human|are you a robot|unusual traffic|checking your browser|captcha|access denied)\b/i;

export function navigate({ url }: Args, context: ToolContext): Promise<string> {
  let target = '';
  const first = async (): Promise<void> => {
    if (typeof url !== 'string') throw new BrowserRefusal("browser_navigate needs 'url'.");
    target = await allowedUrl(url, context);
  };
  return onPage(context, { needsPage: false, navigates: true, first }, async ({ tab, page, timeoutMs }) => {
    const response = await arrive(page, target, timeoutMs);
    tab.noteVisit();
    await settle(page);
    await leaveForbidden(page, context);
    const title = await page.title();
    const status = response?.status() ?? 0;
    const view = await takeSnapshot(page, timeoutMs, false);
    const text = `${title} ${view.snapshot.slice(0, 4_000)}`;
    return {
      success: true, url: page.url(), title, ...view, ...(status >= 400 && { http_status: status }),
      ...((status === 401 || AUTH_WALL.test(text)) && { auth_wall_warning: 'The page seems to want a login. Ask the person, or use another source.' }),
      ...((status === 403 || status === 429 || BOT_WALL.test(text)) && { bot_detection_warning: 'The site seems to keep programs out. Do not try to get round it; use another source.' }),
      ...pending(tab),
    };
  });
}

/** The page that tells of a failed navigation comes a moment after the failure, and would end the next one: that one is begun anew. */
async function arrive(page: Page, target: string, timeoutMs: number): Promise<Response | null> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await page.goto(target, { timeout: timeoutMs, waitUntil: 'domcontentloaded' });
    } catch (error) {
      if (tries === MAX_TRIES || !(error instanceof Error && /is interrupted by another navigation/.test(error.message))) throw error;
      await sleep(AFTER_FAILURE_MS * tries);
    }
  }
}

export function snapshot({ full }: Args, context: ToolContext): Promise<string> {
  return onPage(context, { whileDialog: true }, async ({ tab, page, timeoutMs }) => {
    if (tab.dialogs.length > 0) return { success: true, snapshot: '', element_count: 0, ...pending(tab), note: 'A dialog is open: the page stands still until it is answered with browser_dialog.' };
    return { success: true, url: page.url(), title: await page.title(), ...await takeSnapshot(page, timeoutMs, full === true), ...pending(tab), ...saved(tab) };
  });
}

export function click({ ref }: Args, context: ToolContext): Promise<string> {
  return changing(context, async ({ page, timeoutMs }) => {
    await (await elementOf(page, ref)).click({ timeout: timeoutMs });
    return { clicked: ref };
  });
}

export function type({ ref, text }: Args, context: ToolContext): Promise<string> {
  return changing(context, async ({ page, timeoutMs }) => {
    if (typeof text !== 'string') throw new BrowserRefusal("browser_type needs 'text'.");
    const element = await elementOf(page, ref);
    await element.fill(text, { timeout: timeoutMs });
    const isSecret = await element.evaluate((node) => node instanceof HTMLInputElement && node.type === 'password').catch(() => false); // it led elsewhere: nothing to look at any more
    return { typed: isSecret ? '[hidden]' : context.services.redact(text), element: ref };
  });
}

export function scroll({ direction }: Args, context: ToolContext): Promise<string> {
  return changing(context, async ({ page }) => {
    if (direction !== 'up' && direction !== 'down') throw new BrowserRefusal("'direction' is up or down.");
    const position = await page.evaluate((sign) => {
      window.scrollBy(0, sign * window.innerHeight * 0.85);
      return { y: Math.round(window.scrollY), height: document.documentElement.scrollHeight, view: window.innerHeight };
    }, direction === 'down' ? 1 : -1);
    return { scrolled: direction, position: `${String(position.y)} of ${String(Math.max(0, position.height - position.view))}` };
  });
}

export function back(_args: Args, context: ToolContext): Promise<string> {
  return changing(context, async ({ page, timeoutMs }) => {
    const response = await page.goBack({ timeout: timeoutMs, waitUntil: 'domcontentloaded' });
    if (response === null && page.url() === 'about:blank') throw new BrowserRefusal('There is no page before this one.');
    return { url: page.url() };
  });
}

export function press({ key }: Args, context: ToolContext): Promise<string> {
  return changing(context, async ({ page }) => {
    if (typeof key !== 'string' || key === '') throw new BrowserRefusal("browser_press needs 'key', such as Enter.");
    await page.keyboard.press(key).catch((error: unknown) => {
      throw error instanceof Error && /Unknown key/.test(error.message) ? new BrowserRefusal(`'${key.slice(0, 40)}' is no key. Such as Enter, Escape, Tab, ArrowDown, a or Control+a.`) : error;
    });
    return { pressed: key };
  });
}

export function dialog({ action, prompt_text: text, dialog_id: id }: Args, context: ToolContext): Promise<string> {
  return onPage(context, { whileDialog: true }, async ({ tab, page }) => {
    if (action !== 'accept' && action !== 'dismiss') throw new BrowserRefusal("'action' is accept or dismiss.");
    const settled = await tab.settleDialog(typeof id === 'string' ? id : undefined, action === 'accept', typeof text === 'string' ? text : undefined);
    await settle(page);
    return { success: true, action, dialog: settled, ...pending(tab) };
  });
}

/** What may have led elsewhere: the page settles, and a forbidden address is left. */
function changing(context: ToolContext, work: (work: Work) => Promise<Answer>): Promise<string> {
  return onPage(context, {}, async (given) => {
    const before = given.page.url();
    const navigation = watchNavigation(given.page);
    const answer = await work(given);
    await navigation.over();
    const page = given.tab.page;
    await settle(page);
    await leaveForbidden(page, context);
    return { success: true, ...answer, ...(page.url() !== before && { url: page.url(), page_changed: true }), ...pending(given.tab), ...saved(given.tab) };
  });
}

/** A click or a key may lead to another page a moment later: `over` resolves when it is there, or when none has begun. */
function watchNavigation(page: Page): { over(): Promise<void> } {
  let began = false;
  let ended = false;
  const onRequest = (request: Request): void => { if (request.isNavigationRequest() && request.frame() === page.mainFrame()) began = true; };
  const onFailure = (request: Request): void => { if (request.isNavigationRequest()) ended = true; };
  const onNavigation = (frame: Frame): void => { if (frame === page.mainFrame()) ended = true; };
  const onWindow = (): void => { ended = true; };
  page.on('request', onRequest).on('requestfailed', onFailure).on('framenavigated', onNavigation).on('popup', onWindow);
  return {
    async over() {
      const since = performance.now();
      const waits = (): boolean => !ended && performance.now() - since < (began ? ARRIVE_MS : BEGIN_MS);
      while (waits()) await sleep(25);
      page.off('request', onRequest).off('requestfailed', onFailure).off('framenavigated', onNavigation).off('popup', onWindow);
    },
  };
}

async function settle(page: Page): Promise<void> {
  await page.waitForLoadState('load', { timeout: SETTLE_MS }).catch(() => undefined); // a page that never comes to rest is read as it is
}

function pending(tab: Work['tab']): Answer {
  return tab.dialogs.length > 0 ? { pending_dialogs: tab.dialogs } : {};
}

function saved(tab: Work['tab']): Answer {
  return tab.downloads.length > 0 ? { downloads: tab.downloads } : {};
}
