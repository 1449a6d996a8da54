/** A browser that is not ours (`BROWSER_CDP_URL`), led through our proxy where it can reach it: on this computer, then. */
import { isIP } from 'node:net';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import type { GuardProxy } from './guard-proxy.ts';

const REACH_MS = 5_000;
/** No name of any network (RFC 2606): only the proxy answers for it. */
const NOBODY = 'http://talaria-guard.invalid/';

/** Of a context whose every request goes through the proxy, those to this computer itself included. */
export const throughProxy = (proxy: GuardProxy): Pick<BrowserContextOptions, 'proxy'> => ({ proxy: { server: proxy.url, bypass: '<-loopback>' } });

/** Whether the endpoint may belong to a browser of this computer. One elsewhere neither reaches our proxy nor our networks. */
export function isNear(endpoint: string): boolean {
  const host = URL.canParse(endpoint) ? new URL(endpoint).hostname.replace(/^\[(.*)\]$/, '$1') : '';
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

/** False behind a tunnel or in a container, whose loopback is another. */
export async function reachesProxy(browser: Browser, proxy: GuardProxy): Promise<boolean> {
  const context = await browser.newContext(throughProxy(proxy));
  try {
    const page = await context.newPage();
    return await page.goto(NOBODY, { timeout: REACH_MS }).then((response) => response !== null, () => false); // an error page of the browser's own: nobody answered
  } finally {
    await context.close();
  }
}
