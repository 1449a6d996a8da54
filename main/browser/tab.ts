/** One page of one task: what it said on its console, its open dialogs, what it saved. */
import { mkdir, readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { BrowserContext, CDPSession, Dialog, Page } from 'playwright-core';
import { AppError } from '../../preload/contract/errors.ts';
import type { BrowserTab, ConsoleLine, PendingDialog } from '../../tools/shared/browser.ts';
import type { Log } from '../ports.ts';

const MAX_LINES = 500;
const MAX_LINE_CHARS = 2_000;
/** A dialog nobody answers is dismissed, or the page would stand still for ever. */
const DIALOG_MS = 300_000;

export interface OwnTab extends BrowserTab { release(): void }

export function createTab(context: BrowserContext, first: Page, options: { readonly downloads: string; readonly log: Log; readonly foreign: boolean }): OwnTab {
  let page = first;
  let visited = false;
  let lines: ConsoleLine[] = [];
  let errors: string[] = [];
  let session: { readonly page: Page; readonly cdp: Promise<CDPSession> } | undefined;
  let counter = 0;
  const dialogs = new Map<string, { readonly shown: PendingDialog; readonly dialog: Dialog; readonly timer: NodeJS.Timeout }>();
  const openListeners = new Set<() => void>();
  const downloads: { path: string; name: string }[] = [];

  function follow(each: Page): void {
    each.on('console', (message) => { lines = [...lines, { type: message.type(), text: message.text().slice(0, MAX_LINE_CHARS) }].slice(-MAX_LINES); });
    each.on('pageerror', (error) => { errors = [...errors, String(error).slice(0, MAX_LINE_CHARS)].slice(-MAX_LINES); });
    each.on('dialog', (dialog) => {
      counter += 1;
      const id = `dialog-${String(counter)}`;
      const timer = setTimeout(() => { void settle(id, false, undefined).catch((error: unknown) => options.log.warn('a dialog of a page could not be dismissed', { error })); }, DIALOG_MS);
      dialogs.set(id, { dialog, timer, shown: { id, type: dialog.type(), message: dialog.message().slice(0, MAX_LINE_CHARS), defaultValue: dialog.defaultValue() } });
      for (const listener of openListeners) listener();
    });
    each.on('download', (download) => {
      void (async () => {
        await mkdir(options.downloads, { recursive: true, mode: 0o700 });
        // The name is the site's: only its last part is used.
        const name = basename(download.suggestedFilename()).replace(/[^\w.() -]/g, '_') || 'download';
        // Of an earlier page, or of a process that died: nothing that was kept is written over.
        const taken = new Set((await readdir(options.downloads)).map((each) => each.replace(/-.*$/s, '')));
        let number = downloads.length + 1;
        while (taken.has(String(number))) number += 1;
        const path = join(options.downloads, `${String(number)}-${name}`);
        await download.saveAs(path);
        downloads.push({ path, name });
      })().catch((error: unknown) => options.log.warn('a download of a page could not be kept', { error }));
    });
    each.on('close', () => {
      if (page === each) page = context.pages().at(-1) ?? page;
    });
  }

  async function settle(id: string | undefined, accept: boolean, text: string | undefined): Promise<PendingDialog> {
    const found = id === undefined ? [...dialogs.values()][0] : dialogs.get(id);
    if (found === undefined) throw new AppError('not-found', id === undefined ? 'No dialog is open.' : `There is no open dialog ${id}.`, { hint: 'browser_snapshot lists open dialogs.' });
    dialogs.delete(found.shown.id);
    clearTimeout(found.timer);
    await (accept ? found.dialog.accept(text) : found.dialog.dismiss());
    return found.shown;
  }

  follow(first);
  // A link that opens a window of its own: that page is the one the agent sees from then on.
  context.on('page', (opened) => {
    follow(opened);
    page = opened;
  });

  return {
    get page() { return page; },
    get console() { return lines; },
    get errors() { return errors; },
    get dialogs() { return [...dialogs.values()].map(({ shown }) => shown); },
    get downloads() { return downloads; },
    get visited() { return visited; },
    foreign: options.foreign,
    noteVisit() { visited = true; },
    async renew() {
      const stuck = page;
      const fresh = await context.newPage(); // told as an opened page, and so the one that is seen from then on
      await stuck.close().catch((error: unknown) => { options.log.warn('a page that does not answer could not be closed', { error }); });
      return fresh;
    },
    clearConsole() {
      lines = [];
      errors = [];
    },
    dialogOpens: (signal) => new Promise((resolve, reject) => {
      if (dialogs.size > 0) return resolve();
      const listener = (): void => { openListeners.delete(listener); resolve(); };
      openListeners.add(listener);
      signal.addEventListener('abort', () => { openListeners.delete(listener); reject(signal.reason instanceof Error ? signal.reason : new Error('stopped')); }, { once: true });
    }),
    settleDialog: settle,
    cdp() {
      if (session?.page !== page) session = { page, cdp: context.newCDPSession(page) };
      return session.cdp;
    },
    release() {
      for (const { timer } of dialogs.values()) clearTimeout(timer);
    },
  };
}
