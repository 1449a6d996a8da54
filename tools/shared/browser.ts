/** What a browser tool works on. The host opens, keeps and closes it; the types are Playwright's. */
import type { CDPSession, Page } from 'playwright-core';

export interface ConsoleLine { readonly type: string; readonly text: string }
export interface PendingDialog { readonly id: string; readonly type: string; readonly message: string; readonly defaultValue: string }

/** One page of one task. */
export interface BrowserTab {
  readonly page: Page;
  readonly console: readonly ConsoleLine[];
  readonly errors: readonly string[];
  clearConsole(): void;
  /** While one is open the page stands still. */
  readonly dialogs: readonly PendingDialog[];
  /** Resolves as soon as a dialog opens. */
  dialogOpens(signal: AbortSignal): Promise<void>;
  settleDialog(id: string | undefined, accept: boolean, text: string | undefined): Promise<PendingDialog>;
  /** Files that pages saved, by path on this computer. */
  readonly downloads: readonly { readonly path: string; readonly name: string }[];
  cdp(): Promise<CDPSession>;
  /** Endpoint of a browser that is not ours (`BROWSER_CDP_URL`). */
  readonly foreign: boolean;
  /** Page and counters of elements belong to this address; undefined before the first navigation. */
  readonly visited: boolean;
  noteVisit(): void;
  /** A new page in the place of one whose scripts never end; cookies stay. */
  renew(): Promise<Page>;
}

export interface BrowserService {
  /** One piece of work at a time for each task. Throws an Error with words when no browser can be had; `signal`'s reason when it aborts. */
  use<T>(taskId: string, signal: AbortSignal, work: (tab: BrowserTab) => Promise<T>): Promise<T>;
  /** Folder on this computer for pictures of pages. */
  readonly pictures: string;
}
