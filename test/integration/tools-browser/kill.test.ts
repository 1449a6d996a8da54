/** kill −9 of the process that drives a browser: no Chromium stays, the profile goes, what was downloaded stays. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import { createBrowsers } from '../../../main/browser/browser.ts';
import { systemClock } from '../../../main/clock.ts';
import { silentLog } from '../../../main/log.ts';

const PROGRAM = fileURLToPath(new URL('../../support/browser-that-dies.ts', import.meta.url));
const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/google-chrome'].find((path) => existsSync(path));
const WAIT = { timeout: 60_000, interval: 50 };
const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => { for (const close of closers.splice(0).toReversed()) await close(); });

/** Processes of this machine that name the folder. */
async function processesOf(folder: string): Promise<string[]> {
  const lines = await Promise.all((await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => ''))); // it may have ended
  return lines.filter((line) => line.includes('chrom') && line.includes(folder));
}

describe.skipIf(CHROMIUM === undefined)(`a browser whose host is killed${CHROMIUM === undefined ? ' (Chromium is not installed: apt-get install chromium)' : ''}`, () => {
  test('ends with it, its profile is cleared away by the next one, and downloads of before are kept beside those of after', async () => {
    const site = createServer((request, response) => {
      if (request.url === '/file.bin') response.writeHead(200, { 'content-type': 'application/octet-stream' }).end('saved bytes');
      else response.writeHead(200, { 'content-type': 'text/html' }).end('<title>Shop</title><a href="/file.bin" download>save</a>');
    });
    await new Promise<void>((done) => { site.listen(0, '127.0.0.1', done); });
    closers.push(() => new Promise((done) => { site.closeAllConnections(); site.close(done); }));
    const page = `http://127.0.0.1:${String((site.address() as AddressInfo).port)}/`;
    const root = await mkdtemp(join(tmpdir(), 'talaria-browser-kill-'));
    closers.push(() => rm(root, { recursive: true, force: true, maxRetries: 10 }));
    const cache = join(root, 'cache');
    await mkdir(cache);

    const child = spawn(process.execPath, [PROGRAM, cache, page], { stdio: ['ignore', 'pipe', 'inherit'], env: { PATH: process.env['PATH'], HOME: root, TMPDIR: root } });
    closers.push(() => { child.kill('SIGKILL'); return Promise.resolve(); });
    await Promise.race([once(child.stdout, 'data'), once(child, 'exit').then(() => { throw new Error('it ended by itself'); })]);
    expect((await processesOf(root)).length).toBeGreaterThan(0);
    child.kill('SIGKILL');
    await once(child, 'exit');
    await expect.poll(() => processesOf(root), WAIT).toEqual([]);
    const runs = await readdir(join(cache, 'browser-profiles'));
    expect(runs).toHaveLength(1);

    const browsers = createBrowsers({ clock: systemClock, log: silentLog, cache, path: () => process.env['PATH'] ?? '', isBlocked: () => Promise.resolve(false), config: { get: () => undefined, env: () => undefined } });
    closers.push(() => browsers.close());
    await browsers.use('task', AbortSignal.timeout(60_000), async (tab) => {
      await tab.page.goto(page);
      await tab.page.click('a');
      await expect.poll(() => tab.downloads.length, WAIT).toBe(1);
    });
    expect((await readdir(join(cache, 'browser-profiles'))).filter((name) => runs.includes(name))).toEqual([]);
    const kept = (await readdir(join(cache, 'downloads/task'))).sort();
    expect(kept).toEqual(['1-file.bin', '2-file.bin']);
    for (const name of kept) expect(await readFile(join(cache, 'downloads/task', name), 'utf8')).toBe('saved bytes');
    expect((await readdir(root)).filter((name) => name.startsWith('playwright'))).toEqual([]);
  }, 120_000);
});
