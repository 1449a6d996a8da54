/** Figures of the shells: start of the command line, start of the browser shell, a request and terminal bytes over the WebSocket. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import { startBrowserServer } from '../../main/shells/browser/server.ts';
import { socketChannel } from '../../main/shells/browser/socket-channel.ts';
import { createClient } from '../../preload/client.ts';
import { TerminalId } from '../../preload/contract/index.ts';
import { startHost, talariaProgram } from '../support/app.ts';
import { testHost } from '../support/bridge-host.ts';
import { median, type Figure } from '../support/figures.ts';

const STARTS = 5;
const REQUESTS = 2_000;
const PIECE = new Uint8Array(16_384).fill(0x61);
const PIECES = 6_000;

function commandLine(): Figure {
  const home = mkdtempSync(join(tmpdir(), 'talaria-bench-'));
  const times = Array.from({ length: STARTS }, () => {
    const started = performance.now();
    execFileSync(process.execPath, [talariaProgram, 'tools', '--json', '--home', home], { stdio: 'ignore' });
    return performance.now() - started;
  });
  rmSync(home, { recursive: true });
  return { name: 'talaria tools --json, process start to end', value: median(times.slice(1)) / 1_000, unit: 's', bar: '≤ 0.5' };
}

async function serving(): Promise<Figure> {
  const started = performance.now();
  const host = await startHost();
  const value = (performance.now() - started) / 1_000;
  await host.close();
  return { name: 'talaria serve, process start to link', value, unit: 's', bar: '≤ 3' };
}

async function socket(): Promise<Figure[]> {
  const host = testHost({ 'sessions.list': () => [] });
  const dist = join(import.meta.dirname, '..', '..', 'dist');
  const server = await startBrowserServer({ host, bundleFolder: join(dist, 'renderer'), preloadFile: join(dist, 'preload', 'browser.js'), port: 0, beyondLoopback: false });
  const answer = await fetch(server.link());
  const origin = `http://127.0.0.1:${server.port}`;
  const opened = new WebSocket(`${origin.replace('http', 'ws')}/channel`, { headers: { cookie: answer.headers.getSetCookie()[0]?.split(';')[0] ?? '', origin } });
  await new Promise((resolve) => { opened.on('open', resolve); });
  const client = createClient({ connect: () => Promise.resolve(socketChannel(opened)), reconnect: false });

  const trips: number[] = [];
  for (let index = 0; index < REQUESTS; index += 1) {
    const started = performance.now();
    await client.request('sessions.list', {});
    trips.push(performance.now() - started);
  }
  const id = TerminalId.parse('trm_000000000000');
  const terminal = host.terminal(id);
  const { attachment } = await client.request('terminals.attach', { id });
  let arrived = 0;
  const started = performance.now();
  const all = new Promise<void>((resolve) => {
    client.onOutput(attachment, (bytes) => {
      arrived += bytes.length;
      if (arrived === PIECE.length * PIECES) resolve();
    });
  });
  for (let index = 0; index < PIECES; index += 1) {
    terminal.write(PIECE);
    if (index % 64 === 0) await new Promise((resolve) => { setImmediate(resolve); });
  }
  await all;
  const seconds = (performance.now() - started) / 1_000;
  client.close();
  await server.close();
  return [
    { name: 'request over the WebSocket, round trip, median', value: median(trips), unit: 'ms' },
    { name: 'terminal bytes over the WebSocket', value: arrived / 1e6 / seconds, unit: 'MB/s' },
  ];
}

export async function bench(): Promise<Figure[]> {
  return [commandLine(), await serving(), ...await socket()];
}
