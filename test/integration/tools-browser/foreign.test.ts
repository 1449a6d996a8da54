/** A Chromium that somebody else started, reached by BROWSER_CDP_URL. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createBrowsers } from '../../../main/browser/browser.ts';
import { systemClock } from '../../../main/clock.ts';
import { silentLog } from '../../../main/log.ts';
import { serve } from '../../support/counting-server.ts';

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/google-chrome'].find((path) => existsSync(path));

test.skipIf(CHROMIUM === undefined)(`a browser of this computer that is not ours goes through the guard, too: redirects and names that lead inside are refused${CHROMIUM === undefined ? ' (Chromium is not installed: apt-get install chromium)' : ''}`, { timeout: 60_000 }, async () => {
  const site = await serve(({ url }, response) => (url === '/to-metadata' ? response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data/' }).end() : response.writeHead(200, { 'content-type': 'text/html' }).end(`<p>${url ?? ''}</p>`)));
  onTestFinished(() => site.close());
  const { origin } = site;
  const profile = await mkdtemp(join(tmpdir(), 'talaria-foreign-'));
  const foreign = spawn(CHROMIUM ?? '', ['--headless=new', '--remote-debugging-port=0', `--user-data-dir=${profile}`, '--no-first-run', '--disable-gpu', '--disable-dev-shm-usage', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), 'about:blank'], { stdio: ['ignore', 'ignore', 'pipe'], detached: true });
  const gone = new Promise((resolve) => { foreign.once('exit', resolve); });
  onTestFinished(async () => {
    if (foreign.pid !== undefined) process.kill(-foreign.pid, 'SIGKILL');
    await gone;
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  });
  const endpoint = await new Promise<string>((resolve) => {
    let said = '';
    foreign.stderr.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      const found = /DevTools listening on (ws:\S+)/.exec(said)?.[1];
      if (found !== undefined) resolve(found);
    });
  });
  const guarded = createBrowsers({
    clock: systemClock, log: silentLog, cache: profile, path: () => '', isBlocked: () => Promise.resolve(false), config: { get: () => undefined, env: (name) => (name === 'BROWSER_CDP_URL' ? endpoint : undefined) },
    resolve: (host) => (host === 'a.rebind.test' ? Promise.resolve(['169.254.169.254']) : host === 'a.test' ? Promise.resolve(['127.0.0.1']) : Promise.reject(new Error('not known'))),
  });
  onTestFinished(() => guarded.close());
  const textAt = (url: string): Promise<string> => guarded.use('one', AbortSignal.timeout(30_000), async ({ page }) => {
    await page.goto(url);
    return page.locator('body').innerText();
  });
  expect(await textAt(`${origin}/done`)).toContain('/done');
  expect(await textAt(origin.replace('127.0.0.1', 'a.test') + '/done')).toContain('/done');
  for (const url of [`${origin}/to-metadata`, 'http://a.rebind.test/']) expect(await textAt(url)).toContain('Blocked: URL targets a private or internal network address (169.254.169.254)');
});
