/** The same contract over every transport: requests, events, and terminal bytes that arrive as they were sent. */
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { memoryChannelPair } from '../../main/bridge/memory-channel.ts';
import { serveContract } from '../../main/bridge/serve.ts';
import { startBrowserServer, type BrowserServer } from '../../main/shells/browser/server.ts';
import { socketChannel } from '../../main/shells/browser/socket-channel.ts';
import { createClient, type Client } from '../../preload/client.ts';
import { CallId, TerminalId, type Channel } from '../../preload/contract/index.ts';
import { testHost, type TestHost } from '../support/bridge-host.ts';

const TERMINAL = TerminalId.parse('trm_000000000000');
const TOTAL_BYTES = 4_000_000;

let folder: string;
let server: BrowserServer;
const host: TestHost = testHost({ 'sessions.list': () => [], 'chat.result': ({ callId }) => ({ text: callId }) });

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'talaria-transports-'));
  mkdirSync(join(folder, 'renderer'));
  writeFileSync(join(folder, 'renderer', 'index.html'), '');
  writeFileSync(join(folder, 'browser.js'), '');
  server = await startBrowserServer({ host, bundleFolder: join(folder, 'renderer'), preloadFile: join(folder, 'browser.js'), port: 0, beyondLoopback: false });
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

const transports: Record<string, () => Promise<Channel>> = {
  'in memory': async () => {
    const [screen, served] = memoryChannelPair();
    serveContract(host, served, { via: 'test', client: 'memory' });
    return screen;
  },
  'a WebSocket': async () => {
    const answer = await fetch(server.link());
    const cookie = answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    const origin = `http://127.0.0.1:${server.port}`;
    const socket = new WebSocket(`${origin.replace('http', 'ws')}/channel`, { headers: { cookie, origin } });
    await new Promise((resolve, reject) => { socket.on('open', resolve).on('error', reject); });
    return socketChannel(socket);
  },
};

describe.each(Object.entries(transports))('over %s', (_name, connect) => {
  let client: Client;
  beforeAll(() => { client = createClient({ connect, reconnect: false }); });
  afterAll(() => { client.close(); });

  test('a hundred requests at once are each answered with their own answer', async () => {
    const ids = Array.from({ length: 100 }, (_, index) => `call_${String(index).padStart(12, '0')}`);
    const answers = await Promise.all(ids.map((callId) => client.request('chat.result', { callId: CallId.parse(callId) })));
    expect(answers.map(({ text }) => text)).toEqual(ids);
  });

  test('events arrive in the order in which they were published', async () => {
    const heard: string[] = [];
    const all = new Promise<void>((resolve) => {
      client.subscribe('host', ({ reason }) => {
        heard.push(reason);
        if (heard.length === 50) resolve();
      });
    });
    await client.request('sessions.list', {});
    for (let index = 0; index < 50; index += 1) host.bus.publish('host', { type: 'closing', reason: String(index) });
    await all;
    expect(heard).toEqual(Array.from({ length: 50 }, (_, index) => String(index)));
  });

  test('random bytes in random pieces arrive whole', async () => {
    const terminal = host.terminal(TERMINAL);
    const { attachment } = await client.request('terminals.attach', { id: TERMINAL });
    const sent = createHash('sha256');
    const received = createHash('sha256');
    let arrived = 0;
    const all = new Promise<void>((resolve) => {
      client.onOutput(attachment, (bytes) => {
        received.update(bytes);
        arrived += bytes.length;
        if (arrived >= TOTAL_BYTES) resolve();
      });
    });
    const [piece] = fc.sample(fc.uint8Array({ minLength: 65_536, maxLength: 65_536 }), 1);
    if (piece === undefined) throw new Error('no sample');
    for (let left = TOTAL_BYTES, round = 1; left > 0; round += 1) {
      const size = Math.min(left, 1 + ((round * 7_919) % piece.length));
      piece[round % piece.length] = round & 0xff;
      const bytes = piece.slice(0, size);
      sent.update(bytes);
      terminal.write(bytes);
      left -= size;
    }
    await all;
    expect({ arrived, hash: received.digest('hex') }).toEqual({ arrived: TOTAL_BYTES, hash: sent.digest('hex') });
  });

  test('what was open when the connection ended rejects as closed', async () => {
    const channel = await connect();
    const own = createClient({ connect: () => Promise.resolve(channel), reconnect: false });
    const answer = own.request('host.doctor', {});
    own.close();
    await expect(answer).rejects.toMatchObject({ code: 'host/closed' });
    await expect(own.request('sessions.list', {})).rejects.toMatchObject({ code: 'host/closed' });
  });
});
