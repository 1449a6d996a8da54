import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { connect as connectTcp } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { readLastRun, writeLastRun } from '../../../main/shells/browser/last-run.ts';
import { startBrowserServer, type BrowserServer } from '../../../main/shells/browser/server.ts';
import { testHost, type TestHost } from '../../support/bridge-host.ts';

let folder: string;
let host: TestHost;
let server: BrowserServer;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'talaria-bundle-'));
  mkdirSync(join(folder, 'renderer', 'assets'), { recursive: true });
  mkdirSync(join(folder, 'preload'));
  writeFileSync(join(folder, 'renderer', 'index.html'), '<!doctype html><head><script type="module" src="./assets/app-1.js"></script></head>');
  writeFileSync(join(folder, 'renderer', 'assets', 'app-1.js'), 'console.log("app")');
  writeFileSync(join(folder, 'preload', 'browser.js'), 'console.log("preload")');
  writeFileSync(join(folder, 'secret.txt'), 'never served');
});
afterAll(() => { rmSync(folder, { recursive: true }); });
beforeEach(async () => {
  host = testHost({ 'sessions.list': () => [] });
  server = await startBrowserServer({ host, bundleFolder: join(folder, 'renderer'), preloadFile: join(folder, 'preload', 'browser.js'), port: 0, beyondLoopback: false });
});
afterEach(() => server.close());

interface Answer { readonly status: number; readonly headers: IncomingHttpHeaders; readonly body: string }

/** The path goes out exactly as written: no client-side tidying of `..`. */
function get(path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET'): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({ host: '127.0.0.1', port: server.port, path, method, headers: { host: `127.0.0.1:${server.port}`, ...headers } }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => { body += text; }).on('end', () => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body });
      });
    });
    request.on('error', reject).end();
  });
}

function pathOf(link: string): string {
  const { pathname, search } = new URL(link);
  return pathname + search;
}

async function cookie(): Promise<string> {
  const { headers } = await get(pathOf(server.link()));
  return headers['set-cookie']?.[0]?.split(';')[0] ?? '';
}

function openSocket(headers: Readonly<Record<string, string>>): Promise<WebSocket | number> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`ws://127.0.0.1:${server.port}/channel`, { headers });
    socket.on('open', () => { resolve(socket); });
    socket.on('unexpected-response', (_request, response) => { resolve(response.statusCode ?? 0); });
    socket.on('error', reject);
  });
}

const ownOrigin = (): string => `http://127.0.0.1:${server.port}`;

describe('the link', () => {
  test('carries 256 bits and is exchanged for a cookie that no script and no other site can use', async () => {
    const link = server.link();
    expect(new URL(link).searchParams.get('token')).toMatch(/^[0-9a-f]{64}$/);
    const { status, headers, body } = await get(pathOf(link));
    expect(status).toBe(200);
    expect(headers['set-cookie']).toEqual([expect.stringMatching(/^talaria-\d+=[0-9a-f]{64}; Path=\/; HttpOnly; SameSite=Strict$/)]);
    expect(body).not.toContain('<script');
  });

  test('works once; a second visitor without the cookie is refused, the first one is not', async () => {
    const path = pathOf(server.link());
    const first = await get(path);
    expect((await get(path)).status).toBe(403);
    const own = first.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
    expect((await get(path, { cookie: own })).status).toBe(200);
  });

  test('with a wrong token opens nothing', async () => {
    const { status, headers } = await get(`/?token=${'0'.repeat(64)}`);
    expect({ status, cookie: headers['set-cookie'] }).toEqual({ status: 403, cookie: undefined });
  });
});

describe('the server', () => {
  test('gives nothing of the bundle without the cookie', async () => {
    for (const path of ['/', '/assets/app-1.js', '/preload.js', '/nothing']) expect((await get(path)).status).toBe(401);
  });

  test('puts its preload before the app', async () => {
    const { body } = await get('/', { cookie: await cookie() });
    expect(body.indexOf('./preload.js')).toBeGreaterThan(0);
    expect(body.indexOf('./preload.js')).toBeLessThan(body.indexOf('./assets/app-1.js'));
  });

  test('lets hashed files be kept and the page not', async () => {
    const own = await cookie();
    expect((await get('/assets/app-1.js', { cookie: own })).headers['cache-control']).toBe('private, max-age=31536000, immutable');
    expect((await get('/', { cookie: own })).headers['cache-control']).toBe('no-store');
  });

  test('sends a policy with every answer that allows no inline script, no frame and no other origin', async () => {
    const own = await cookie();
    for (const answer of [await get('/', { cookie: own }), await get('/assets/app-1.js', { cookie: own }), await get('/'), await get('/x', { cookie: own })]) {
      const policy = String(answer.headers['content-security-policy']);
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("script-src 'self';");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toMatch(/unsafe-eval|script-src[^;]*unsafe-inline|\*/);
      expect(answer.headers['x-content-type-options']).toBe('nosniff');
    }
  });

  test.each(['/../secret.txt', '/..%2fsecret.txt', '/%2e%2e/secret.txt', '/assets/../../secret.txt', '/assets/..\\..\\secret.txt', '//secret.txt', '/assets/%00', '/assets'])(
    'has no way out of the bundle: %s', async (path) => {
      const { status, body } = await get(path, { cookie: await cookie() });
      expect(status).toBe(404);
      expect(body).not.toContain('never served');
    });

  test('answers only GET and HEAD', async () => {
    const own = await cookie();
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) expect((await get('/', { cookie: own }, method)).status).toBe(405);
    expect(await get('/', { cookie: own }, 'HEAD')).toMatchObject({ status: 200, body: '' });
  });

  test.each([
    ['a rebound name', { host: 'evil.example' }], ['a rebound name with our port', { host: 'evil.example:80' }], ['a name that starts like ours', { host: 'localhost.evil.example' }],
    ['another address', { host: '192.168.0.7' }], ['a foreign origin', { origin: 'https://evil.example' }], ['an opaque origin', { origin: 'null' }],
    ['our address on another port as origin', { origin: 'http://127.0.0.1:1' }],
  ])('refuses %s even with the right cookie', async (_name, headers) => {
    const { status } = await get('/', { cookie: await cookie(), ...headers as Record<string, string> });
    expect(status).toBe(403);
  });

  test('refuses its scripts to a page of another site', async () => {
    expect((await get('/assets/app-1.js', { 'cookie': await cookie(), 'sec-fetch-site': 'cross-site' })).status).toBe(403);
  });

  test('can be reached through an ssh tunnel on another port', async () => {
    const first = await get(pathOf(server.link()), { host: 'localhost:9000' });
    const own = first.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
    expect(own).toMatch(/^talaria-9000=/);
    expect((await get('/', { host: 'localhost:9000', cookie: own })).status).toBe(200);
  });

  test('listens on loopback only', async () => {
    const { networkInterfaces } = await import('node:os');
    const outside = Object.values(networkInterfaces()).flat().find((address) => address && !address.internal && address.family === 'IPv4');
    const target = outside?.address ?? '127.0.0.2';
    const outcome = await new Promise<string>((resolve) => {
      const socket = connectTcp(server.port, target, () => { socket.destroy(); resolve('connected'); });
      socket.on('error', (error: NodeJS.ErrnoException) => { resolve(error.code ?? 'error'); });
    });
    expect(outcome).toBe('ECONNREFUSED');
  });
});

describe('the channel', () => {
  test('speaks the contract with the cookie and our origin', async () => {
    const socket = await openSocket({ cookie: await cookie(), origin: ownOrigin() });
    if (typeof socket === 'number') throw new Error(`refused with ${socket}`);
    const answer = new Promise<string>((resolve) => { socket.on('message', (data: Buffer) => { resolve(data.toString('utf8')); }); });
    socket.send(JSON.stringify({ kind: 'request', id: 1, name: 'sessions.list', input: {} }));
    expect(JSON.parse(await answer)).toEqual({ kind: 'reply', id: 1, output: [] });
    socket.close();
  });

  test.each<[string, (own: string) => Record<string, string>]>([
    ['without the cookie', () => ({ origin: ownOrigin() })],
    ['with a wrong cookie', () => ({ origin: ownOrigin(), cookie: `talaria-${server.port}=${'0'.repeat(64)}` })],
    ['without an origin', (own) => ({ cookie: own })],
    ['from a page of another site', (own) => ({ cookie: own, origin: 'https://evil.example' })],
    ['under a rebound name', (own) => ({ cookie: own, origin: 'http://evil.example', host: 'evil.example' })],
  ])('is refused %s', async (_name, headers) => {
    expect(await openSocket(headers(await cookie()))).toBe(403);
  });

  test('serves several windows, each its own requests and all the same events', async () => {
    const own = await cookie();
    const windows = await Promise.all([1, 2, 3].map(() => openSocket({ cookie: own, origin: ownOrigin() })));
    const heard = windows.map((window) => new Promise<string>((resolve) => {
      if (typeof window === 'number') throw new Error(`refused with ${window}`);
      window.on('message', (data: Buffer) => {
        const text = data.toString('utf8');
        if (text.includes('"reply"')) host.bus.publish('models', { type: 'changed' });
        else resolve(text);
      });
      window.send(JSON.stringify({ kind: 'subscribe', topic: 'models' }));
    }));
    expect(server.windows()).toBe(3);
    const [last] = windows.slice(-1);
    if (last === undefined || typeof last === 'number') throw new Error('no window');
    for (const window of windows) if (typeof window !== 'number') window.send(JSON.stringify({ kind: 'request', id: 1, name: 'sessions.list', input: {} }));
    for (const event of await Promise.all(heard)) expect(JSON.parse(event)).toEqual({ kind: 'event', topic: 'models', event: { type: 'changed' } });
  });

  test('is closed with a reason when the host closes, and the port is free at once', async () => {
    const socket = await openSocket({ cookie: await cookie(), origin: ownOrigin() });
    if (typeof socket === 'number') throw new Error(`refused with ${socket}`);
    const closed = new Promise<number>((resolve) => { socket.on('close', resolve); });
    const { port } = server;
    await server.close();
    expect(await closed).toBe(1001);
    server = await startBrowserServer({ host, bundleFolder: join(folder, 'renderer'), preloadFile: join(folder, 'preload', 'browser.js'), port, beyondLoopback: false });
    expect(server.port).toBe(port);
  });
});

test('closing waits for the windows, so that nothing of theirs reaches a host that is closed', async () => {
  const socket = await openSocket({ cookie: await cookie(), origin: ownOrigin() });
  if (typeof socket === 'number') throw new Error(`refused with ${socket}`);
  const terminal = host.terminal('trm_000000000000');
  const attached = new Promise((resolve) => { socket.once('message', resolve); });
  socket.send(JSON.stringify({ kind: 'request', id: 1, name: 'terminals.attach', input: { id: 'trm_000000000000' } }));
  await attached;
  /** A window that never answers: its side reads nothing any more. */
  socket.pause();
  await server.close();
  expect({ windows: server.windows(), attached: terminal.attached }).toEqual({ windows: 0, attached: 0 });
  socket.terminate();
});

test('a window of an earlier run is let in again on the same port with its old cookie, and not with another', async () => {
  const old = await cookie();
  const { port, cookie: secret } = server;
  await server.close();
  server = await startBrowserServer({ host, bundleFolder: join(folder, 'renderer'), preloadFile: join(folder, 'preload', 'browser.js'), port, cookie: secret, beyondLoopback: false });
  const socket = await openSocket({ cookie: old, origin: ownOrigin() });
  if (typeof socket === 'number') throw new Error(`refused with ${socket}`);
  socket.terminate();
  expect(await openSocket({ cookie: `${old.split('=')[0] ?? ''}=${'0'.repeat(64)}`, origin: ownOrigin() })).toBe(403);
});

test('port and cookie of the last run are kept for their owner only, and not for ever', async () => {
  const path = join(folder, 'last-serve.json');
  const run = { port: 4_321, cookie: 'ab'.repeat(32), savedAt: 1_000 };
  expect(await readLastRun(path, 1_000)).toBeUndefined();
  await writeLastRun(path, run);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(await readLastRun(path, 2_000)).toEqual(run);
  expect(await readLastRun(path, 1_000 + 8 * 24 * 3_600_000)).toBeUndefined();
  writeFileSync(path, '{"port": 4321, "cookie": "short"');
  expect(await readLastRun(path, 2_000)).toBeUndefined();
});

test('a port that another program uses is named with the way out', async () => {
  await expect(startBrowserServer({ host, bundleFolder: join(folder, 'renderer'), preloadFile: join(folder, 'preload', 'browser.js'), port: server.port, beyondLoopback: false }))
    .rejects.toMatchObject({ code: 'environment/failed', message: expect.stringContaining('another program uses it') as string });
});

test('a bundle that is not built is named with the command that builds it', async () => {
  await expect(startBrowserServer({ host, bundleFolder: join(folder, 'nowhere'), preloadFile: join(folder, 'preload', 'browser.js'), port: 0, beyondLoopback: false }))
    .rejects.toMatchObject({ code: 'not-found', hint: 'Run `npm run build` first.' });
});
