/** The page as text: Playwright's accessibility tree with refs, marked as written by strangers. */
import type { Locator, Page } from 'playwright-core';
import { BrowserRefusal } from './page.ts';

/** Hermes (7.10). */
const MAX_CHARS = 15_000;
const HEAD_SHARE = 0.8;
const REF_PATTERN = /^@?(?:\[?ref=)?(f?\d*e\d+)\]?$/;
const TAG = 'untrusted_web_content';

export interface Snapshot { readonly snapshot: string; readonly element_count: number; readonly truncated?: true; readonly total_chars?: number }

export async function takeSnapshot(page: Page, timeoutMs: number, full: boolean): Promise<Snapshot> {
  const tree = await page.ariaSnapshot({ mode: 'ai', timeout: timeoutMs });
  const count = tree.match(/\[ref=/g)?.length ?? 0;
  const wanted = (full ? tree : usable(tree)).replaceAll('[ref=', '[@').replace(/<(\/?)\s*untrusted_web_content/gi, '&lt;$1untrusted_web_content');
  if (wanted.length <= MAX_CHARS) return { snapshot: mark(wanted, page.url()), element_count: count };
  const head = wanted.slice(0, wanted.lastIndexOf('\n', MAX_CHARS * HEAD_SHARE));
  const tail = wanted.slice(wanted.indexOf('\n', wanted.length - MAX_CHARS * (1 - HEAD_SHARE)));
  return { snapshot: mark(`${head}\n[… ${String(wanted.length - head.length - tail.length)} characters left out: scroll, or look for the part with browser_console …]${tail}`, page.url()), element_count: count, truncated: true, total_chars: wanted.length };
}

function mark(text: string, url: string): string {
  return `<${TAG} source="${url.replaceAll('"', '%22').replaceAll('<', '%3C').replaceAll('>', '%3E')}">\n${text}\n</${TAG}>`;
}

/** Without paragraphs that hold nothing to use: they are what makes pages long. */
function usable(tree: string): string {
  return tree.split('\n').filter((line) => !/^\s*- (?:paragraph|text)\b[^[]*$/.test(line) || line.length < 200).map((line) => (line.length > 300 ? `${line.slice(0, 299)}…` : line)).join('\n');
}

/** The element a ref of the last snapshot names. Throws BrowserRefusal for one that is gone. */
export async function elementOf(page: Page, ref: unknown): Promise<Locator> {
  const [, id] = typeof ref === 'string' ? REF_PATTERN.exec(ref.trim()) ?? [] : [];
  if (id === undefined) throw new BrowserRefusal(`'${typeof ref === 'string' ? ref.slice(0, 60) : ''}' is no element. Refs look like @e5 and come from browser_snapshot.`);
  const locator = page.locator(`aria-ref=${id}`);
  const found = await locator.count().catch(() => 0); // no snapshot of this page yet: the same answer
  if (found === 0) throw new BrowserRefusal(`There is no element @${id} any more: the page has changed. Take a new browser_snapshot.`);
  return locator;
}
