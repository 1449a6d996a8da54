import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile, mkdtemp } from 'node:fs/promises';
import { createServer, type Server as HttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { McpServer, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import { afterEach, describe, expect, test } from 'vitest';
import { registry } from '../../../tools/registry.ts';
import { talariaProgram } from '../../support/app.ts';
import { callTool, node, openMcp, REAL_SERVERS, serverInfo, toolset, untilServer } from '../../support/mcp/bench.ts';

const FIXTURE = join(import.meta.dirname, '../../fixtures/mcp-server.mjs');
const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

const servers: HttpsServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map(async (server) => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  }));
});

interface Certificates { readonly folder: string; readonly ca: string }

/** An authority, a certificate of 127.0.0.1 and one of a client, all of it made on the spot. */
async function makeCertificates(): Promise<Certificates> {
  const folder = await mkdtemp(join(tmpdir(), 'talaria-mcp-tls-'));
  const openssl = (...args: string[]): void => { execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' }); };
  openssl('req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=Test authority', '-days', '2');
  await writeFile(join(folder, 'server.ext'), 'subjectAltName=IP:127.0.0.1\n');
  for (const [name, extra] of [['server', ['-extfile', 'server.ext']], ['client', []]] as const) {
    openssl('req', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${name}`);
    openssl('x509', '-req', '-in', `${name}.csr`, '-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-out', `${name}.pem`, '-days', '2', ...extra);
  }
  return { folder, ca: join(folder, 'ca.pem') };
}

/** A real MCP server over TLS; with `mutual` only for clients with a certificate of the authority. */
async function startTls({ folder, ca }: Certificates, mutual: boolean): Promise<string> {
  const transport = new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: () => 'one' });
  const mcp = new McpServer({ name: 'tls', version: '1' });
  mcp.registerTool('hello', { description: 'Says hello.' }, () => ({ content: [{ type: 'text', text: 'hello over TLS' }] }));
  await mcp.connect(transport);
  const file = (name: string): Promise<Buffer> => readFile(join(folder, name));
  const server = createServer({ cert: await file('server.pem'), key: await file('server.key'), ca: await readFile(ca), requestCert: mutual, rejectUnauthorized: mutual }, (request, response) => {
    const answer = async (): Promise<void> => {
      const body = request.method === 'POST' ? { body: await new Response(Readable.toWeb(request) as ReadableStream).text() } : {}; // cast: two names of one type
      const sent = await transport.handleRequest(new Request('https://127.0.0.1/mcp', { method: request.method ?? 'GET', headers: request.headers as Record<string, string>, ...body }));
      response.writeHead(sent.status, Object.fromEntries(sent.headers));
      if (sent.body === null) response.end();
      else Readable.fromWeb(sent.body as Parameters<typeof Readable.fromWeb>[0]).on('error', () => response.end()).pipe(response); // cast: two names of one type
    };
    answer().catch(() => response.writeHead(500).end());
  }).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return `https://127.0.0.1:${String((server.address() as AddressInfo).port)}/mcp`; // listening on TCP
}

describe.skipIf(!hasOpenssl)(hasOpenssl ? 'certificates' : 'certificates (openssl is not installed: apt-get install openssl)', () => {
  test('a certificate that nobody vouches for is refused, a named authority is trusted, and checking can be switched off', async () => {
    const made = await makeCertificates();
    const url = await startTls(made, false);
    const strict = await openMcp({ tls: { url } });
    await strict.host.ready();
    expect((await toolset(strict, 'tls'))?.reason?.message).toMatch(/certificate/i);
    await strict.host.close();
    for (const more of [{ ssl_verify: made.ca }, { ssl_verify: false }]) {
      const url2 = await startTls(made, false);
      const bench = await openMcp({ tls: { url: url2, ...more } });
      expect(await callTool(bench, 'mcp_tls_hello')).toEqual({ result: 'hello over TLS' });
      await bench.host.close();
    }
  });

  test('a server that wants a certificate of its client gets it, and without one says so', async () => {
    const made = await makeCertificates();
    const bench = await openMcp({ tls: { url: await startTls(made, true), ssl_verify: made.ca, client_cert: [join(made.folder, 'client.pem'), join(made.folder, 'client.key')] } });
    expect(await callTool(bench, 'mcp_tls_hello')).toEqual({ result: 'hello over TLS' });
    await bench.host.close();
    const without = await openMcp({ tls: { url: await startTls(made, true), ssl_verify: made.ca } });
    await without.host.ready();
    expect(await serverInfo(without, 'tls')).toMatchObject({ state: 'failed', tools: [] });
    await without.host.close();
    const missing = await openMcp({ tls: { url: await startTls(made, true), ssl_verify: '/no/such/authority.pem' } });
    await missing.host.ready();
    expect((await serverInfo(missing, 'tls'))?.why).toContain('/no/such/authority.pem');
  });
});

test('a server that nobody uses is put down, keeps its tools, and is back for the next call', async () => {
  const bench = await openMcp({ every: { ...node(REAL_SERVERS.everything), idle_timeout_seconds: 0.5 } });
  await bench.host.ready();
  const pid = (await serverInfo(bench, 'every'))?.pid;
  expect(await untilServer(bench, 'every', (info) => info?.state === 'idle')).toMatchObject({ pid: null });
  expect(await toolset(bench, 'every')).toMatchObject({ available: true, reason: null });
  expect(await callTool(bench, 'mcp_every_echo', { message: 'still here' })).toEqual({ result: 'Echo: still here' });
  expect((await serverInfo(bench, 'every'))?.pid).not.toBe(pid);
});

test('a server is replaced by a fresh process after its longest life', async () => {
  const bench = await openMcp({ every: { ...node(REAL_SERVERS.everything), max_lifetime_seconds: 0.5 } });
  await bench.host.ready();
  const pid = (await serverInfo(bench, 'every'))?.pid;
  const next = await untilServer(bench, 'every', (info) => info?.state === 'connected' && info.pid !== pid);
  expect(next?.pid).not.toBe(pid);
});

test('a server that fails again and again is left alone for a while, and a person\'s restart asks it again at once', async () => {
  const bench = await openMcp({});
  const tools = join(bench.folder, 'tools.json');
  await writeFile(tools, JSON.stringify(['hang', 'pid'].map((name) => ({ name, description: name, inputSchema: { type: 'object' } }))));
  await writeFile(join(bench.home, 'config.yaml'), `mcp_servers: ${JSON.stringify({ fix: { ...node(FIXTURE, tools), timeout: 0.05 } })}\n`);
  await bench.restart();
  await bench.host.ready();
  for (let call = 0; call < 5; call += 1) expect((await callTool(bench, 'mcp_fix_hang')).error).toContain('did not answer within 0.05 s');
  expect((await callTool(bench, 'mcp_fix_pid')).error).toContain('has failed several times in a row and is left alone');
  await bench.request('mcp.restart', { server: 'fix' });
  const session = await bench.session();
  expect((await bench.host.callTool('mcp_fix_pid', {}, { sessionId: session.id, signal: new AbortController().signal })).fullText).not.toContain('left alone');
});

test('a Talaria that is an MCP server of itself does not start itself without end', async () => {
  const self = { ...node(talariaProgram, 'mcp-server'), connect_timeout: 5 };
  const bench = await openMcp({ self, fix: node(REAL_SERVERS.thinking) }, { env: { TALARIA_MCP_DEPTH: '2' } });
  await bench.host.ready();
  expect(await bench.request('mcp.list', {})).toEqual([]);
  expect(registry.getAllToolNames().some((name) => name.startsWith('mcp_'))).toBe(false);
});

test('a package that is known to be malware is not started, and the panel says why', async () => {
  const list = await startOsv();
  const bench = await openMcp({ bad: { command: 'npx', args: ['-y', 'evil-mcp'] } }, { env: { OSV_ENDPOINT: list } });
  await bench.host.ready();
  expect((await toolset(bench, 'bad'))?.reason?.message).toContain('evil-mcp is listed as malware (MAL-1)');
});

async function startOsv(): Promise<string> {
  const { createServer: plain } = await import('node:http');
  const server = plain((_request, response) => { response.writeHead(200, { connection: 'close' }).end('{"vulns":[{"id":"MAL-1"}]}'); }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  server.unref();
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/`; // listening on TCP
}

test('one tool is switched off and on for all chats, without the server being started anew, and config.yaml keeps it', async () => {
  const bench = await openMcp({ every: { ...node(REAL_SERVERS.everything), tools: { exclude: ['get-*'] } } });
  await bench.host.ready();
  const pid = (await serverInfo(bench, 'every'))?.pid;
  expect((await serverInfo(bench, 'every'))?.tools.filter(({ state }) => state === 'off').length).toBeGreaterThan(3);
  await bench.request('mcp.setTool', { server: 'every', tool: 'echo', enabled: false });
  await bench.request('mcp.setTool', { server: 'every', tool: 'get-sum', enabled: true });
  expect((await callTool(bench, 'mcp_every_echo', { message: 'x' })).error).toContain('Unknown tool');
  expect((await callTool(bench, 'mcp_every_get_sum', { a: 1, b: 2 })).result).toContain('3');
  expect((await callTool(bench, 'mcp_every_get_env')).error).toContain('Unknown tool');
  expect((await serverInfo(bench, 'every'))?.pid).toBe(pid);
  await bench.restart();
  await bench.host.ready();
  expect((await serverInfo(bench, 'every'))?.tools.find(({ name }) => name === 'echo')?.state).toBe('off');
  await bench.request('mcp.setTool', { server: 'every', tool: 'echo', enabled: true });
  expect(await callTool(bench, 'mcp_every_echo', { message: 'back' })).toEqual({ result: 'Echo: back' });
  await expect(bench.request('mcp.setTool', { server: 'every', tool: 'nope', enabled: true })).rejects.toMatchObject({ code: 'not-found' });
  await expect(bench.request('mcp.restart', { server: 'nope' })).rejects.toMatchObject({ code: 'not-found' });
});
