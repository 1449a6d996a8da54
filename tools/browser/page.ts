/** What every browser tool does around its own work: a tab, a time limit, the rules of addresses, words for what went wrong. */
import { stripVTControlCharacters } from 'node:util';
import type { Page } from 'playwright-core';
import type { ToolContext } from '../context.ts';
import { toolError, toolResult } from '../result.ts';
import type { BrowserTab } from '../shared/browser.ts';
import { checkUrl } from '../shared/fetch/url-rules.ts';

/** Hermes: 30 s a command, 60 s and more for the first navigation (7.10). `browser.command_timeout` wins, in seconds. */
const COMMAND_S = 30;
const FIRST_NAVIGATION_S = 60;
/** Beyond the time of a command, for what comes after it: a page that settles, a snapshot. A page whose scripts never end answers nothing at all. */
const AFTERWARDS_MS = 20_000;

/** Pages that did not answer in time: the next navigation takes a new one. */
const stuck = new WeakSet<Page>();

/** `message` is for the model: cause and next step. */
export class BrowserRefusal extends Error {}

export interface Work { readonly tab: BrowserTab; readonly page: Page; readonly timeoutMs: number; readonly signal: AbortSignal }
export type Answer = Readonly<Record<string, unknown>>;

/** Runs `work` on the task's page, once `first` is through: no browser is opened for what it refuses. A dialog that opens meanwhile ends the wait: the page stands still until it is answered. */
export async function onPage(context: ToolContext, options: { readonly needsPage?: boolean; readonly whileDialog?: boolean; readonly navigates?: boolean; readonly extraMs?: number; readonly first?: () => Promise<unknown> }, work: (work: Work) => Promise<Answer>): Promise<string> {
  const { browser, redact } = context.services;
  const refuse = (message: string): string => toolError(redact(message), { success: false });
  if (browser === undefined) return refuse('No browser can be driven in this execution context.');
  try {
    await options.first?.();
    return toolResult(await browser.use(context.taskId, context.signal, async (tab) => {
      if (options.needsPage !== false && !tab.visited) throw new BrowserRefusal('No page is open. Open one with browser_navigate.');
      if (options.whileDialog !== true && tab.dialogs.length > 0) throw new BrowserRefusal(`A dialog of the page is open and waits for an answer: ${JSON.stringify(tab.dialogs[0])}. Answer it with browser_dialog.`);
      const seconds = Number(context.services.config.get('browser.command_timeout'));
      const usual = Number.isFinite(seconds) && seconds > 0 ? seconds : COMMAND_S;
      const timeoutMs = (options.navigates === true && !tab.visited ? Math.max(FIRST_NAVIGATION_S, usual) : usual) * 1_000;
      const ended = new AbortController();
      const limit = Promise.withResolvers<never>();
      const timer = setTimeout(() => {
        stuck.add(tab.page);
        limit.reject(new BrowserRefusal(`The page did not answer within ${String(timeoutMs / 1_000)} s: its scripts are busy, or what was asked never ends. Ask for something else, or leave it with browser_navigate.`));
      }, timeoutMs + (options.extraMs ?? AFTERWARDS_MS));
      const stopped = AbortSignal.any([context.signal, ended.signal]);
      try {
        const waits = options.whileDialog === true ? [] : [tab.dialogOpens(stopped).then((): Answer => ({ success: true, dialog_opened: true, pending_dialogs: tab.dialogs, note: 'A dialog opened: the page stands still until it is answered with browser_dialog.' }))];
        const page = options.navigates === true && stuck.has(tab.page) ? await tab.renew() : tab.page;
        const working = work({ tab, page, timeoutMs, signal: context.signal });
        working.catch(() => undefined); // when a dialog won the race, the page is not asked any more
        const stop = new Promise<never>((_resolve, reject) => { context.signal.addEventListener('abort', () => { reject(context.signal.reason instanceof Error ? context.signal.reason : new Error('stopped')); }, { once: true }); });
        for (const wait of waits) wait.catch(() => undefined);
        return await Promise.race([working, stop, limit.promise, ...waits]);
      } finally {
        clearTimeout(timer);
        ended.abort();
      }
    }));
  } catch (error) {
    context.signal.throwIfAborted();
    return refuse(words(error));
  }
}

/** `page.goto: `, `locator.click: ` and the like. */
export const PLAYWRIGHT_PREFIX = /^(?:Error: )?[a-z]\w*(?:\.\w+)+: /;

/** Playwright's messages hold call logs and colours; the first line says what happened. */
function words(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const hint = 'hint' in error && typeof error.hint === 'string' ? ` ${error.hint}` : '';
  const [line = ''] = stripVTControlCharacters(error.message).replace(PLAYWRIGHT_PREFIX, '').split('\n');
  if (/ERR_TUNNEL_CONNECTION_FAILED|ERR_PROXY/.test(line)) return 'The page could not be reached: the site does not answer, or its address is blocked (metadata services always are). Check the address.';
  if (/ERR_NAME_NOT_RESOLVED/.test(line)) return 'The name of the site is not known. Check the spelling of the address.';
  if (/net::ERR_\w+/.test(line)) return `The page could not be opened: ${line}. Check the address, or use another source.`;
  if (/Timeout \d+ms exceeded/.test(line)) return `The page did not do that in time (${line}). Look at it with browser_snapshot; it may wait for something.`;
  if (/Target page, context or browser has been closed|Browser has been closed/.test(line)) return 'The browser was closed. Open the page again with browser_navigate.';
  return `${line}${hint}`;
}

/** An address that may be opened; throws BrowserRefusal. Names are judged when connecting. */
export async function allowedUrl(text: string, context: ToolContext): Promise<string> {
  const url = await checkUrl(text, context.services);
  if (!(url instanceof URL)) throw new BrowserRefusal(url.error.replace('can be read', 'can be opened'));
  return url.href;
}

/** After anything that may have led elsewhere: a page of a forbidden kind is left at once. */
export async function leaveForbidden(page: Page, context: ToolContext): Promise<void> {
  const now = page.url();
  if (now === '' || now.startsWith('about:') || now.startsWith('chrome-error:') || now.startsWith('blob:') || now.startsWith('data:')) return;
  const { config, paths, log } = context.services;
  const url = await checkUrl(now, { config, paths, log: (level, message, details) => { log(level, message, details); }, redact: (text) => text });
  if (url instanceof URL) return;
  // Secrets in the query are the page's own business once it is open; other kinds of address are not.
  if (/query/.test(url.error)) return;
  await page.goto('about:blank');
  throw new BrowserRefusal(`The page led to an address that is not allowed, and was left. ${url.error}`);
}
