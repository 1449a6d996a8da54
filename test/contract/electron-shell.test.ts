/** The Electron shell against a stand-in for the `electron` module (alias in vitest.config.ts): what it asks for, and what it lets through. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startDesktop, type DesktopHost } from '../../main/shells/electron/app.ts';
import { FRAME, HELLO, OUTPUT_PORT } from '../../main/shells/electron/ipc.ts';
import { hasKeychain, keychainSecrets } from '../../main/shells/electron/keychain.ts';
import { isOwnPage } from '../../main/shells/electron/origin.ts';
import { secretsFile } from '../../main/config/secrets-file.ts';
import type { Shell } from '../../main/ports.ts';
import { decodeOutput, type Terminal } from '../../preload/contract/index.ts';
import { manualClock } from '../support/cli-host.ts';
import { testHost, type TestHost } from '../support/bridge-host.ts';
import { app, dialog, ipcMain, MessagePort, recorded, reset, type BrowserWindow, type Frame, type WebContents } from '../support/electron.ts';

/** Terminals as the host lists them. */
let running: object[] = [];
const TERMINAL = 'trm_000000000000';
let folder: string;
let host: TestHost & DesktopHost;
let shell: Pick<Shell, 'name' | 'openExternal' | 'notify'>;
let closed = 0;
const clock = manualClock();

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'talaria-electron-'));
  mkdirSync(join(folder, 'renderer', 'assets'), { recursive: true });
  writeFileSync(join(folder, 'renderer', 'index.html'), '<!doctype html>');
  writeFileSync(join(folder, 'renderer', 'assets', 'app-1.js'), 'export {};');
  writeFileSync(join(folder, 'secret.txt'), 'never served');
});
afterAll(() => { rmSync(folder, { recursive: true }); });
beforeEach(async () => {
  reset();
  closed = 0;
  running = [];
  dialog.asked.length = 0;
  host = Object.assign(testHost({ 'sessions.list': () => [], 'terminals.list': () => running as Terminal[], 'processes.list': () => [] }), // what is read of a terminal is there
    { approvals: { addSurface: () => () => undefined }, close: async () => { closed += 1; } });
  await startDesktop({ builtFolder: folder, iconFile: 'icon.png', clock, createHost: async (given) => { shell = given; return host; } });
});
afterEach(() => { reset(); });

const window = (): BrowserWindow => recorded.windows[0]!;
const contents = (): WebContents => window().webContents;

interface Sender { readonly sender: WebContents; readonly senderFrame: Frame | null; reply(channel: string, data: unknown): void }
/** An IPC event as Electron would hand it over; `replies` collects what goes back to a refused sender. */
function sender(from: WebContents, frame: Frame | null, replies: unknown[] = []): Sender {
  return { sender: from, senderFrame: frame, reply: (_channel, data) => { replies.push(data); } };
}
const own = (): Sender => sender(contents(), contents().mainFrame);
const ask = (id: number, name = 'sessions.list', input: unknown = {}): string => JSON.stringify({ kind: 'request', id, name, input });
const settled = (): Promise<void> => new Promise((resolve) => { setImmediate(resolve); });
const framesSent = (): unknown[] => contents().sent.filter(({ channel }) => channel === FRAME).map(({ data }) => JSON.parse(String(data)) as unknown);

describe('every window', () => {
  test('is isolated, sandboxed and without Node, and so is the whole app', () => {
    expect(recorded.sandboxed).toBe(true);
    expect(recorded.windows).toHaveLength(1);
    expect(window().settings.webPreferences).toMatchObject({
      contextIsolation: true, sandbox: true, nodeIntegration: false, nodeIntegrationInWorker: false, nodeIntegrationInSubFrames: false, webSecurity: true,
      allowRunningInsecureContent: false, webviewTag: false, preload: join(folder, 'preload', 'electron.cjs'),
    });
  });

  test('cannot leave our pages, open windows or embed pages', () => {
    for (const event of ['will-navigate', 'will-frame-navigate', 'will-redirect']) {
      for (const [url, prevented] of [['https://evil.example/', true], ['file:///etc/passwd', true], ['app://evil/', true], ['app://talaria/x', false]] as const) {
        let stopped = false;
        contents().emit(event, { url, preventDefault: () => { stopped = true; } });
        expect({ event, url, stopped }).toEqual({ event, url, stopped: prevented });
      }
    }
    let attached = true;
    contents().emit('will-attach-webview', { preventDefault: () => { attached = false; } });
    expect(attached).toBe(false);
  });

  test('hands web links to the person\'s own browser and nothing else to anybody', async () => {
    for (const url of ['https://example.com/', 'mailto:a@b.c', 'file:///etc/passwd', 'ms-msdt:/id', 'javascript:alert(1)', 'no address']) {
      expect(contents().openHandler?.({ url })).toEqual({ action: 'deny' });
    }
    await shell.openExternal('smb://host/share');
    expect(recorded.opened).toEqual(['https://example.com/', 'mailto:a@b.c']);
  });

  test('gets no permission and no device; only our own page may write the clipboard', () => {
    const answers: boolean[] = [];
    const request = recorded.session.request as unknown as (contents: unknown, permission: string, answer: (granted: boolean) => void, details: { requestingUrl: string }) => void;
    for (const permission of ['media', 'geolocation', 'notifications', 'clipboard-read', 'openExternal', 'fileSystem']) request({}, permission, (granted) => { answers.push(granted); }, { requestingUrl: 'app://talaria/' });
    request({}, 'clipboard-sanitized-write', (granted) => { answers.push(granted); }, { requestingUrl: 'https://evil.example/' });
    expect(answers).toEqual([false, false, false, false, false, false, false]);
    request({}, 'clipboard-sanitized-write', (granted) => { answers.push(granted); }, { requestingUrl: 'app://talaria/' });
    expect(answers.at(-1)).toBe(true);
    expect((recorded.session.device as () => boolean)()).toBe(false);
  });

  test('is loaded again after a crash, but not for ever', () => {
    for (let crash = 0; crash < 3; crash += 1) contents().emit('render-process-gone', {}, { reason: 'crashed', exitCode: 1 });
    expect({ reloads: contents().reloads, destroyed: window().destroyed }).toEqual({ reloads: 3, destroyed: false });
    contents().emit('render-process-gone', {}, { reason: 'crashed', exitCode: 1 });
    expect({ reloads: contents().reloads, destroyed: window().destroyed, said: dialog.shown.length }).toEqual({ reloads: 3, destroyed: true, said: 1 });
  });
});

describe('the app:// scheme', () => {
  const get = (url: string, method = 'GET'): Promise<Response> => recorded.protocols.get('app')!(new Request(url, { method }));

  test('is secure, standard and nothing more', () => {
    expect(recorded.schemes).toEqual([{ scheme: 'app', privileges: { standard: true, secure: true, supportFetchAPI: true } }]);
  });

  test('serves the bundle with the policy', async () => {
    const page = await get('app://talaria/');
    expect({ status: page.status, type: page.headers.get('content-type') }).toEqual({ status: 200, type: 'text/html; charset=utf-8' });
    expect(page.headers.get('content-security-policy')).toContain("script-src 'self';");
    expect((await get('app://talaria/assets/app-1.js')).status).toBe(200);
  });

  test.each(['app://talaria/../secret.txt', 'app://talaria/%2e%2e/secret.txt', 'app://talaria/..%2fsecret.txt', 'app://talaria//etc/passwd', 'app://evil/index.html', 'app://talaria/nothing'])(
    'has nothing else: %s', async (url) => {
      const answer = await get(url);
      expect(answer.status).toBe(404);
      expect(await answer.text()).toBe('');
    });

  test('pictures and sound that tools made come by requests and are shown as blob: addresses; no path of this computer is served', async () => {
    const policy = (await get('app://talaria/')).headers.get('content-security-policy') ?? '';
    const allowed = (kind: string): string[] => policy.split('; ').find((part) => part.startsWith(`${kind} `))?.split(' ').slice(1) ?? [];
    expect({ pictures: allowed('img-src'), sound: allowed('media-src'), connect: allowed('connect-src') }).toEqual({ pictures: ["'self'", 'data:', 'blob:'], sound: ["'self'", 'blob:'], connect: ["'self'"] });
    for (const path of ['media/x.png', `${folder}/secret.txt`, 'cache/images/x.png', 'x.png?path=/etc/passwd']) expect((await get(`app://talaria/${path}`)).status, path).toBe(404);
    const part = await recorded.protocols.get('app')!(new Request('app://talaria/assets/app-1.js', { headers: { range: 'bytes=0-0' } }));
    expect({ status: part.status, whole: (await part.text()) === await (await get('app://talaria/assets/app-1.js')).text() }).toEqual({ status: 200, whole: true });
  });

  test('takes no other method', async () => {
    expect((await get('app://talaria/', 'POST')).status).toBe(405);
  });

  test.each(['app://talaria.evil/', 'app://talaria:1/', 'https://talaria/', 'app:talaria', 'about:blank', '', 'app://talaria@evil/'])('%j is no page of ours', (url) => {
    expect(isOwnPage(url)).toBe(false);
  });
});

describe('the contract over IPC', () => {
  test('answers a page of ours', async () => {
    ipcMain.emit(HELLO, own());
    ipcMain.emit(FRAME, own(), ask(1));
    await settled();
    expect(framesSent()).toEqual([{ kind: 'reply', id: 1, output: [] }]);
  });

  test.each<[string, () => Sender]>([
    ['another page in our window', () => sender(contents(), { url: 'https://evil.example/' })],
    ['a frame inside our page', () => sender(contents(), { url: contents().mainFrame.url })],
    ['a frame that is gone', () => sender(contents(), null)],
    ['a window that is not ours', () => { const foreign = Object.assign(Object.create(contents()) as WebContents, { id: 99 }); return sender(foreign, foreign.mainFrame); }],
  ])('rejects %s with a code, and tells the log', async (_name, make) => {
    ipcMain.emit(HELLO, own());
    const replies: unknown[] = [];
    const foreign = { ...make(), reply: (_channel: string, data: unknown) => { replies.push(JSON.parse(String(data))); } };
    ipcMain.emit(HELLO, foreign);
    ipcMain.emit(FRAME, foreign, ask(7));
    await settled();
    expect(replies).toEqual([
      { kind: 'error', id: -1, error: { code: 'request/foreign-sender', message: expect.any(String) } },
      { kind: 'error', id: 7, error: { code: 'request/foreign-sender', message: expect.any(String) } },
    ]);
    expect(host.calls).toEqual([]);
    expect(host.logged).toContain('a message from a foreign sender was refused');
  });

  test('refuses what is no text like any other bad frame', async () => {
    ipcMain.emit(HELLO, own());
    for (const frame of [undefined, 5, { kind: 'request' }, ['x']]) ipcMain.emit(FRAME, own(), frame);
    await settled();
    expect(framesSent()).toHaveLength(4);
    expect(framesSent()[0]).toMatchObject({ kind: 'error', error: { code: 'request/invalid' } });
  });

  test('sends terminal bytes over the page\'s own port, whole', async () => {
    const terminal = host.terminal(TERMINAL);
    ipcMain.emit(HELLO, own());
    expect(contents().sent.map(({ channel }) => channel)).toEqual([OUTPUT_PORT]);
    ipcMain.emit(FRAME, own(), ask(1, 'terminals.attach', { id: TERMINAL }));
    await settled();
    const bytes = Uint8Array.from({ length: 256 }, (_, value) => value);
    const post = MessagePort.prototype.postMessage;
    const posted: Uint8Array[] = [];
    MessagePort.prototype.postMessage = (message) => { posted.push(message as Uint8Array); }; // the bridge posts bytes only
    terminal.write(bytes);
    MessagePort.prototype.postMessage = post;
    expect(posted.map((frame) => decodeOutput(frame)?.bytes)).toEqual([bytes]);
  });

  test('gives back what a page had when it is loaded again or its window goes', async () => {
    const terminal = host.terminal(TERMINAL);
    for (const end of [() => { ipcMain.emit(HELLO, own()); }, () => { window().destroy(); }]) {
      ipcMain.emit(HELLO, own());
      ipcMain.emit(FRAME, own(), ask(1, 'terminals.attach', { id: TERMINAL }));
      await settled();
      expect(terminal.attached).toBe(1);
      end();
      expect(terminal.attached).toBe(0);
    }
  });
});

describe('keys', () => {
  test('are encrypted by the keychain before they reach the disk', async () => {
    const file = secretsFile(join(folder, 'keychain.json'));
    const secrets = keychainSecrets(file);
    await secrets.set('model', 'sk-secret');
    expect(await secrets.get('model')).toBe('sk-secret');
    expect(Buffer.from((await file.get('model'))!, 'base64').toString('utf8')).toMatch(/^enc:/);
    expect(await file.get('model')).not.toContain('sk-secret');
    await secrets.set('model', undefined);
    expect(await secrets.get('model')).toBeUndefined();
  });

  test('of another keychain are refused with what to do', async () => {
    const file = secretsFile(join(folder, 'other.json'));
    await file.set('model', Buffer.from('foreign').toString('base64'));
    await expect(keychainSecrets(file).get('model')).rejects.toMatchObject({ code: 'storage/failed', hint: expect.stringContaining('enter the key again') });
  });

  test('move over to the new key when the system has replaced its own', async () => {
    const file = secretsFile(join(folder, 'rotated.json'));
    await file.set('model', Buffer.from(`old:${Buffer.from('sk-secret').toString('base64')}`).toString('base64'));
    expect(await keychainSecrets(file).get('model')).toBe('sk-secret');
    expect(Buffer.from((await file.get('model'))!, 'base64').toString('utf8')).toMatch(/^enc:/);
  });

  test('are not entrusted to a keychain that is none', async () => {
    expect(await hasKeychain()).toBe(true);
    recorded.keychain.backend = 'basic_text';
    expect(await hasKeychain()).toBe(process.platform !== 'linux');
    recorded.keychain.available = false;
    expect(await hasKeychain()).toBe(false);
  });
});

describe('the app', () => {
  test('shows its window instead of starting twice', async () => {
    window().visible = false;
    app.emit('second-instance');
    expect(window().visible).toBe(true);
    reset();
    recorded.secondInstance = true;
    expect(await startDesktop({ builtFolder: folder, iconFile: '', clock, createHost: async () => { throw new Error('a second instance makes no host'); } })).toBeUndefined();
    expect({ quits: recorded.quits, windows: recorded.windows.length }).toEqual({ quits: 1, windows: 0 });
  });

  test('asks before it ends while something runs, names it, stays when told so and ends when told so', async () => {
    running = [{ id: TERMINAL, kind: 'background', state: 'running', title: 'npm run dev' }, { id: 'trm_000000000001', kind: 'user', state: 'running', title: 'Shell 1' }, { id: 'trm_000000000002', kind: 'foreground', state: 'exited', title: 'ls' }];
    const quit = async (): Promise<boolean> => {
      let held = false;
      app.emit('before-quit', { preventDefault: () => { held = true; } });
      await settled();
      return held;
    };
    dialog.answer = 1;
    expect(await quit()).toBe(true);
    expect({ asked: dialog.asked, quits: recorded.quits, visible: window().visible }).toEqual({ asked: ['npm run dev'], quits: 0, visible: true });
    dialog.answer = 0;
    expect(await quit()).toBe(true);
    expect(recorded.quits).toBeGreaterThan(0);
    expect(await quit()).toBe(false);
    expect(dialog.asked).toHaveLength(2);
  });

  test('ends without a question when nothing runs', async () => {
    app.emit('before-quit', { preventDefault: () => undefined });
    await settled();
    expect({ asked: dialog.asked.length, quits: recorded.quits > 0 }).toEqual({ asked: 0, quits: true });
  });

  test('closes the host once before it ends', async () => {
    let held = 0;
    for (let times = 0; times < 2; times += 1) app.emit('will-quit', { preventDefault: () => { held += 1; } });
    await settled();
    expect({ closed, held, quits: recorded.quits }).toEqual({ closed: 1, held: 2, quits: 1 });
  });

  test('notifies with plain text', () => {
    shell.notify({ title: 'Waiting', body: 'rm -rf x' });
    expect(recorded.notifications).toEqual([{ title: 'Waiting', body: 'rm -rf x' }]);
  });
});
