/** A process with an open browser, to be killed: `node browser-that-dies.ts CACHE PAGE`. Prints `open` when the page is there and its download is kept. */
import { createBrowsers } from '../../main/browser/browser.ts';
import { systemClock } from '../../main/clock.ts';
import { silentLog } from '../../main/log.ts';

const [, , cache = '', page = ''] = process.argv;
const browsers = createBrowsers({ clock: systemClock, log: silentLog, cache, path: () => process.env['PATH'] ?? '', isBlocked: () => Promise.resolve(false), config: { get: () => undefined, env: () => undefined } });
await browsers.use('task', AbortSignal.timeout(60_000), async (tab) => {
  await tab.page.goto(page);
  await tab.page.click('a');
  while (tab.downloads.length === 0) await tab.page.waitForTimeout(20);
});
process.stdout.write('open\n');
