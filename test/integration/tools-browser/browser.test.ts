/** Every browser tool on a real Chromium, against a loopback site. */
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { createBrowsers, type Browsers } from '../../../main/browser/browser.ts';
import { systemClock } from '../../../main/clock.ts';
import { silentLog } from '../../../main/log.ts';
import '../../../tools/browser.ts';
import * as actions from '../../../tools/browser/actions.ts';
import * as inspection from '../../../tools/browser/inspection.ts';
import type { ToolContext } from '../../../tools/context.ts';
import { registry } from '../../../tools/registry.ts';
import { PAGES } from '../../support/browser-pages.ts';
import { serve } from '../../support/counting-server.ts';
import { openAuxiliaryModels } from '../../support/auxiliary-models.ts';
import { type ModelServer, startModelServer } from '../../support/model/server.ts';
import { type ToolBench, openToolBench } from '../../support/tool-context.ts';

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/google-chrome'].find((path) => existsSync(path));
const PNG = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');

describe.skipIf(CHROMIUM === undefined)(`the browser tools${CHROMIUM === undefined ? ' (Chromium is not installed: apt-get install chromium)' : ''}`, () => {
  let site: Server;
  let origin: string;
  let bench: ToolBench;
  let browsers: Browsers;
  let model: ModelServer;
  let cache: string;
  let task = 0;
  const visited: string[] = [];

  beforeAll(async () => {
    site = createServer((request, response) => {
      const path = request.url ?? '/';
      visited.push(path);
      if (path === '/to-metadata') return void response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data/' }).end();
      if (path === '/to-file') return void response.writeHead(302, { location: 'file:///etc/passwd' }).end();
      if (path === '/hang') return;
      const [, to] = /^\/to\/(.+)$/.exec(path) ?? [];
      if (to !== undefined) return void response.writeHead(302, { location: `http://${decodeURIComponent(to).replace(/\/(\d+)$/, ':$1')}/redirected` }).end();
      if (path.startsWith('/worker.js')) return void response.writeHead(200, { 'content-type': 'text/javascript' }).end('fetch(location.hash.slice(1), { mode: "no-cors" }).finally(() => postMessage("over"))');
      if (path === '/a.png') return void response.writeHead(200, { 'content-type': 'image/png' }).end(PNG);
      if (path === '/file.bin') return void response.writeHead(200, { 'content-type': 'application/octet-stream' }).end('saved bytes');
      if (path.startsWith('/done')) return void response.writeHead(200, { 'content-type': 'text/html' }).end(`<title>Done</title><p>${path}</p>`);
      const page = PAGES[path];
      response.writeHead(page === undefined ? 404 : 200, { 'content-type': 'text/html' }).end(page ?? '<title>Nothing</title>');
    });
    await new Promise<void>((done) => { site.listen(0, '127.0.0.1', done); });
    origin = `http://127.0.0.1:${String((site.address() as AddressInfo).port)}`;
    cache = await mkdtemp(join(tmpdir(), 'talaria-browser-'));
    [bench, model] = await Promise.all([openToolBench(), startModelServer({ script: () => ({ text: 'A shop.' }) })]);
    bench.models = openAuxiliaryModels({ config: { 'auxiliary.vision': { base_url: model.baseUrl, model: 'seeing' } } });
    browsers = createBrowsers({
      clock: systemClock, log: silentLog, cache, path: () => process.env['PATH'] ?? '', isBlocked: (host) => Promise.resolve(host === 'forbidden.test'),
      config: { get: (path) => bench.config.get(path), env: (name) => bench.variables.get(name) },
      resolve: (host) => (host.endsWith('.zero.test') ? Promise.resolve(['0.0.0.0']) : host.endsWith('.rebind.test') ? Promise.resolve(['169.254.169.254']) : host.endsWith('.test') ? Promise.resolve(['127.0.0.1']) : Promise.reject(new Error('not known'))),
    });
  }, 60_000);
  afterAll(async () => {
    await browsers.close();
    site.closeAllConnections();
    await Promise.all([bench.close(), model.close(), new Promise((done) => { site.close(done); }), rm(cache, { recursive: true, force: true })]);
  });
  beforeEach(() => {
    task += 1;
    visited.length = 0;
  });
  // Pages that stay open slow down those of the tests to come.
  afterEach(() => browsers.closeTask(`task-${String(task)}`));

  type Handler = (args: Record<string, unknown>, context: ToolContext) => Promise<string>;
  function contextFor(overrides: Partial<ToolContext> = {}): ToolContext {
    bench.browser = browsers;
    return bench.context({ taskId: `task-${String(task)}`, ...overrides });
  }
  const run = async (tool: Handler, args: Record<string, unknown> = {}, overrides: Partial<ToolContext> = {}): Promise<Record<string, unknown>> => JSON.parse(await tool(args, contextFor(overrides))) as Record<string, unknown>;
  const open = (path: string): Promise<Record<string, unknown>> => run(actions.navigate, { url: `${origin}${path}` });
  const refOf = (result: Record<string, unknown>, words: RegExp): string => {
    const line = String(result['snapshot']).split('\n').find((each) => words.test(each)) ?? '';
    return `@${/\[@(\w+)\]/.exec(line)?.[1] ?? ''}`;
  };

  test('navigate gives address, title, and a snapshot with refs, marked as written by strangers', async () => {
    const result = await open('/');
    expect(result).toMatchObject({ success: true, url: `${origin}/`, title: 'Shop' });
    expect(result['element_count']).toBeGreaterThan(3);
    expect(result['snapshot']).toMatch(/^<untrusted_web_content source="http:\/\/127[^>]*>\n[\s\S]*heading "Welcome"[\s\S]*link "Order" \[@e\d+\][\s\S]*button "Press me" \[@e\d+\]/);
    expect((await open('/inject'))['snapshot']).not.toMatch(/<\/untrusted_web_content>[\s\S]*obey/);
  });

  test('click, type, press, back: the form is filled, sent, and left again', async () => {
    const shop = await open('/');
    expect(await run(actions.click, { ref: refOf(shop, /link "Order"/) })).toMatchObject({ success: true, page_changed: true, url: `${origin}/form` });
    const form = await run(actions.snapshot);
    expect(await run(actions.type, { ref: refOf(form, /textbox "Name"/), text: 'Ada' })).toMatchObject({ success: true, typed: 'Ada' });
    expect(await run(actions.type, { ref: refOf(form, /textbox "Code"/), text: 'hunter2' })).toMatchObject({ success: true, typed: '[hidden]' });
    expect(await run(actions.press, { key: 'Enter' })).toMatchObject({ success: true, pressed: 'Enter', page_changed: true });
    expect(visited).toContain('/done?name=Ada&code=hunter2');
    expect(await run(actions.back)).toMatchObject({ success: true, url: `${origin}/form` });
  });

  test('a ref of a page that has changed is refused with the next step', async () => {
    const shop = await open('/');
    const ref = refOf(shop, /button/);
    await open('/new');
    expect(await run(actions.click, { ref })).toMatchObject({ success: false, error: expect.stringContaining('browser_snapshot') as string });
    expect(await run(actions.click, { ref: 'nonsense' })).toMatchObject({ success: false, error: expect.stringContaining('@e5') as string });
  });

  test('a link that opens a window is followed', async () => {
    const shop = await open('/');
    await run(actions.click, { ref: refOf(shop, /New window/) });
    await expect.poll(() => run(actions.snapshot), { timeout: 10_000 }).toMatchObject({ title: 'Opened' });
  });

  test('a long page is cut to 15,000 characters and says so; scroll moves and says where it is', async () => {
    const result = await open('/long');
    expect(result).toMatchObject({ truncated: true });
    expect(String(result['snapshot']).length).toBeLessThan(15_500);
    expect(await run(actions.scroll, { direction: 'down' })).toMatchObject({ success: true, scrolled: 'down', position: expect.stringMatching(/^[1-9]\d* of \d+$/) as string });
    expect(await run(actions.scroll, { direction: 'up' })).toMatchObject({ position: expect.stringMatching(/^0 of/) as string });
  });

  test('pictures, console, errors, expressions', async () => {
    await open('/');
    expect(await run(inspection.getImages)).toMatchObject({ success: true, count: 1, images: [{ src: `${origin}/a.png`, alt: 'A dot', width: 1, height: 1 }] });
    expect(await run(inspection.consoleTool, { clear: true })).toMatchObject({ success: true, console_messages: expect.arrayContaining([{ type: 'error', text: 'bad thing' }]) as unknown, js_errors: [expect.stringContaining('late failure')] });
    expect(await run(inspection.consoleTool)).toMatchObject({ total_messages: 0, total_errors: 0 });
    expect(await run(inspection.consoleTool, { expression: '[1, document.title]' })).toMatchObject({ success: true, result: '[1,"Shop"]', result_type: 'array' });
    expect(await run(inspection.consoleTool, { expression: 'nope.nope' })).toMatchObject({ success: false, error: expect.stringContaining('nope is not defined') as string });
  });

  test('vision asks a model about the picture of the page, numbered when wanted', async () => {
    await open('/');
    const result = await run(inspection.vision, { question: 'What is it?', annotate: true });
    expect(result).toMatchObject({ success: true, analysis: 'A shop.', annotations: expect.arrayContaining([expect.objectContaining({ name: 'Press me' })]) as unknown });
    expect((await readFile(String(result['screenshot_path']))).subarray(1, 4).toString()).toBe('PNG');
    expect(JSON.stringify(model.requests.at(-1)?.body.messages)).toMatch(/data:image\/png;base64,/);
    expect((await run(inspection.consoleTool, { expression: 'document.getElementById("talaria-marks")' }))['result']).toBe('null');
  });

  test('a dialog ends the wait, blocks other tools, and is answered', async () => {
    const page = await open('/dialog');
    expect(await run(actions.click, { ref: refOf(page, /Delete/) })).toMatchObject({ success: true, dialog_opened: true, pending_dialogs: [{ type: 'confirm', message: 'Really delete?' }] });
    expect(await run(actions.scroll, { direction: 'down' })).toMatchObject({ success: false, error: expect.stringContaining('browser_dialog') as string });
    expect(await run(actions.snapshot)).toMatchObject({ success: true, pending_dialogs: [{ message: 'Really delete?' }] });
    expect(await run(actions.dialog, { action: 'accept' })).toMatchObject({ success: true, action: 'accept', dialog: { type: 'confirm' } });
    expect(await run(actions.snapshot)).toMatchObject({ title: 'true' });
    expect(await run(actions.dialog, { action: 'dismiss' })).toMatchObject({ success: false, error: expect.stringContaining('No dialog') as string });
  });

  test('the DevTools protocol reaches the page and nothing beyond it', async () => {
    await open('/');
    expect(await run(inspection.cdp, { method: 'Runtime.evaluate', params: { expression: '6*7' } })).toMatchObject({ success: true, method: 'Runtime.evaluate', result: { result: { value: 42 } } });
    for (const method of ['Browser.close', 'Target.createTarget', 'SystemInfo.getInfo', 'DOM.setFileInputFiles', 'IO.read']) expect(await run(inspection.cdp, { method })).toMatchObject({ success: false, error: expect.stringContaining('Blocked') as string });
    expect(await run(inspection.cdp, { method: 'Page.navigate', params: { url: 'file:///etc/passwd' } })).toMatchObject({ success: false, error: expect.stringContaining('Blocked') as string });
    expect(await run(inspection.cdp, { method: 'rm -rf' })).toMatchObject({ success: false });
  });

  test('what a page saves is kept under a harmless name', async () => {
    const page = await open('/save');
    await run(actions.click, { ref: refOf(page, /Save it/) });
    await expect.poll(async () => (await run(actions.snapshot))['downloads']).toBeDefined();
    const [saved] = (await run(actions.snapshot))['downloads'] as { path: string }[];
    expect(saved?.path.startsWith(join(cache, 'downloads'))).toBe(true);
    expect(await readFile(saved?.path ?? '', 'utf8')).toBe('saved bytes');
  });

  describe('addresses', () => {
    test('other kinds of address, and such as carry secrets, are refused before any browser is opened', async () => {
      bench.browser = { pictures: cache, use: () => Promise.reject(new Error('a browser was opened')) };
      for (const url of ['file:///etc/passwd', 'chrome://settings', 'javascript:alert(1)', 'view-source:http://x.test', 'https://x.test/?api_key=abcdefgh12345', 'http://user:pass@x.test/']) {
        expect(JSON.parse(await actions.navigate({ url }, bench.context())), url).toMatchObject({ success: false, error: expect.stringContaining('Blocked') as string });
      }
    });

    test('metadata services, names that lead to them and sites the person forbids are not reached', async () => {
      for (const url of ['http://169.254.169.254/latest/meta-data/', 'http://2852039166/', 'http://[::ffff:a9fe:a9fe]/', 'http://100.100.100.200/', 'http://a.rebind.test/', 'https://a.rebind.test/', 'http://forbidden.test/']) {
        expect(JSON.stringify(await run(actions.navigate, { url })), url).toMatch(/[Bb]locked/);
      }
    });

    test('neither by a redirect nor by a script of a page', async () => {
      expect(JSON.stringify(await open('/to-metadata'))).toMatch(/[Bb]locked/);
      await open('/meta');
      await expect.poll(async () => (await run(actions.snapshot))['title']).toMatch(/not reached|reached 403/);
      expect(await open('/to-file')).toMatchObject({ success: false });
    });

    test('nothing that a page can load, send or open reaches an address that is shut, and it has no service worker', { timeout: 60_000 }, async () => {
      const trap = await serve((_request, response) => response.end('SECRET'));
      try {
        await open('/vectors');
        let names = 0;
        for (const host of ['0.0.0.0', 'turning.zero.test']) {
          const { result } = await run(inspection.consoleTool, { expression: `run(${JSON.stringify(host)}, ${String(trap.port)})` });
          names += Number(result);
        }
        expect(names).toBe(44);
        expect(await run(inspection.consoleTool, { expression: 'navigator.serviceWorker.getRegistrations().then((all) => all.length)' })).toMatchObject({ result: '0' });
        for (const expression of [`location.href = "http://0.0.0.0:${String(trap.port)}/"`, `open("http://0.0.0.0:${String(trap.port)}/")`, `document.head.insertAdjacentHTML("beforeend", '<meta http-equiv="refresh" content="0;url=http://0.0.0.0:${String(trap.port)}/">')`]) {
          await open('/new');
          await run(inspection.consoleTool, { expression: `void (${expression})` });
          expect(JSON.stringify(await run(actions.snapshot))).not.toContain('SECRET');
        }
        expect([trap.connections, trap.requests]).toEqual([0, []]);
      } finally {
        await trap.close();
      }
    });

    test('a script that leads the page to a forbidden kind of address is followed no further', async () => {
      await open('/');
      await run(inspection.consoleTool, { expression: 'void (location.href = "file:///etc/passwd")' });
      expect(JSON.stringify(await run(actions.snapshot))).not.toContain('root:');
    });

    test('private addresses are shut when the person says so', async () => {
      bench.config.set('browser.allow_private_urls', false);
      expect(JSON.stringify(await open('/'))).toMatch(/[Bb]locked/);
      bench.config.delete('browser.allow_private_urls');
    });
  });

  describe('trouble', () => {
    test('no page yet, a page that hangs, a stop, a missing page, a login', async () => {
      expect(await run(actions.snapshot)).toMatchObject({ success: false, error: expect.stringContaining('browser_navigate') as string });
      const stop = new AbortController();
      const going = actions.navigate({ url: `${origin}/hang` }, contextFor({ signal: stop.signal }));
      await expect.poll(() => visited).toContain('/hang');
      stop.abort(new Error('stopped by the person'));
      await expect(going).rejects.toThrow('stopped by the person');
      expect(await open('/nothing-here')).toMatchObject({ success: true, http_status: 404 });
      expect(await open('/login')).toMatchObject({ auth_wall_warning: expect.any(String) as unknown });
      expect(await run(actions.navigate, { url: 'http://127.0.0.1:9123/' })).toMatchObject({ success: true, http_status: 502 });
      bench.config.set('browser.command_timeout', 1);
      expect(await open('/hang')).toMatchObject({ success: false, error: expect.stringMatching(/in time/) as string });
      bench.config.delete('browser.command_timeout');
    });

    test('an expression that never ends, and a page whose scripts never end, are given up and left', { timeout: 60_000 }, async () => {
      bench.config.set('browser.command_timeout', 2);
      await open('/new');
      expect(await run(inspection.consoleTool, { expression: 'new Promise(() => {})' })).toMatchObject({ success: false, error: expect.stringContaining('within 2 s') as string });
      await run(inspection.consoleTool, { expression: 'void setTimeout(() => { for (;;); }, 0)' });
      expect(await run(inspection.consoleTool, { expression: '1' })).toMatchObject({ success: false, error: expect.stringContaining('browser_navigate') as string });
      bench.config.delete('browser.command_timeout');
      expect(await open('/form')).toMatchObject({ success: true, title: 'Form' });
    });

    test('wrong arguments are answered with the right ones', async () => {
      await open('/new');
      for (const [tool, args, words] of [
        [actions.navigate, {}, /needs 'url'/], [actions.scroll, { direction: 'left' }, /up or down/], [actions.press, { key: 'Nope' }, /is no key/], [actions.press, {}, /needs 'key'/], [actions.dialog, { action: 'maybe' }, /accept or dismiss/], [inspection.vision, {}, /needs 'question'/],
      ] as const) expect(await run(tool, args)).toMatchObject({ success: false, error: expect.stringMatching(words) as string });
    });

    test('tasks do not share cookies or pages', async () => {
      await open('/');
      await run(inspection.consoleTool, { expression: 'document.cookie = "a=1"' });
      task += 1;
      await open('/');
      expect((await run(inspection.consoleTool, { expression: 'document.cookie' }))['result']).toBe('""');
    });

    test('the browser killed in the middle: the next call opens another', async () => {
      await open('/');
      const profiles = await readdir(join(cache, 'browser-profiles'));
      expect(profiles).toHaveLength(1);
      await browsers.use(`task-${String(task)}`, AbortSignal.timeout(10_000), async (tab) => { await tab.page.context().browser()?.close(); });
      expect(await run(actions.snapshot)).toMatchObject({ success: false });
      expect(await open('/')).toMatchObject({ success: true, title: 'Shop' });
    });

    test('an idle task is closed, and a look shows the page', async () => {
      await open('/');
      expect((await browsers.look(`task-${String(task)}`))?.title).toBe('Shop');
      await browsers.closeTask(`task-${String(task)}`);
      expect(await browsers.look(`task-${String(task)}`)).toBeUndefined();
      expect(await run(actions.snapshot)).toMatchObject({ success: false, error: expect.stringContaining('browser_navigate') as string });
    });
  });

  describe('a person at the wheel', () => {
    const me = (): string => `task-${String(task)}`;
    const at = async (selector: string): Promise<{ x: number; y: number }> => browsers.use(me(), AbortSignal.timeout(10_000), async ({ page }) => {
      const box = await page.locator(selector).first().boundingBox();
      return { x: (box?.x ?? 0) + 5, y: (box?.y ?? 0) + 5 };
    });

    test('clicks and types on the page while the tools of the agent wait, and they go on when it is given back', async () => {
      await open('/form');
      const field = await at('input[name=name]');
      await expect(browsers.input(me(), { kind: 'text', text: 'x' })).rejects.toMatchObject({ code: 'request/not-possible', hint: 'Take over first.' });
      await browsers.hold(me(), true);
      onTestFinished(() => browsers.hold(me(), false));
      let over = false;
      const waiting = run(actions.snapshot).then((result) => { over = true; return result; });
      await browsers.input(me(), { kind: 'click', ...field, count: 3 });
      await browsers.input(me(), { kind: 'text', text: 'Ada' });
      await browsers.input(me(), { kind: 'key', key: 'Enter' });
      await expect.poll(() => visited).toContain('/done?name=Ada&code=');
      expect(await browsers.look(me())).toMatchObject({ held: true, width: 1_280, height: 800, dialog: null });
      expect(over).toBe(false);
      await browsers.hold(me(), false);
      expect(await waiting).toMatchObject({ url: expect.stringContaining('/done?name=Ada') as string });
      await expect(browsers.input(me(), { kind: 'back' })).rejects.toMatchObject({ code: 'request/not-possible' });
    });

    test('a tool that waits for the wheel can be stopped', async () => {
      await open('/');
      await browsers.hold(me(), true);
      const stop = new AbortController();
      const waiting = browsers.use(me(), stop.signal, () => Promise.resolve('never'));
      stop.abort(new Error('stopped by hand'));
      await expect(waiting).rejects.toThrow('stopped by hand');
      await browsers.hold(me(), false);
    });

    test('a dialog that a click opens is shown and answered, and another address is gone to', async () => {
      await open('/dialog');
      const button = await at('button');
      await browsers.hold(me(), true);
      await browsers.input(me(), { kind: 'click', ...button, count: 1 });
      expect(await browsers.look(me())).toMatchObject({ jpeg: null, dialog: { type: 'confirm', message: 'Really delete?' } });
      await expect(browsers.input(me(), { kind: 'back' })).rejects.toThrow('A dialog of the page is open');
      await browsers.input(me(), { kind: 'dialog', accept: true });
      await expect.poll(async () => (await browsers.look(me()))?.title).toBe('true');
      await browsers.input(me(), { kind: 'navigate', url: `${origin}/new` });
      expect((await browsers.look(me()))?.title).toBe('Opened');
      await browsers.hold(me(), false);
    });

    test('no page, no wheel', async () => {
      await expect(browsers.hold(me(), true)).rejects.toThrow('No page is open');
    });
  });

  test('without a browser the tools say how to get one', async () => {
    const none = createBrowsers({ clock: systemClock, log: silentLog, cache, path: () => '/nowhere', isBlocked: () => Promise.resolve(false), config: { get: (path) => (path === 'browser.executable_path' ? '/nowhere/chromium' : undefined), env: () => undefined } });
    expect(await none.missing()).toContain('BROWSER_CDP_URL');
    await expect(none.use('x', AbortSignal.timeout(5_000), () => Promise.resolve())).rejects.toThrow('No Chromium');
    await none.close();
  });

  test('all twelve tools are registered', () => {
    const names = ['navigate', 'snapshot', 'click', 'type', 'scroll', 'back', 'press', 'get_images', 'vision', 'console', 'cdp', 'dialog'];
    expect(names.map((name) => registry.getEntry(`browser_${name}`)?.toolset)).toEqual(names.map(() => 'browser'));
  });
});
