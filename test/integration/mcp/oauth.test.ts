import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { HostBench } from '../../support/test-host.ts';
import { callTool, openMcp, serverInfo, toolset } from '../../support/mcp/bench.ts';
import { startOAuthServer, type OAuthServer } from '../../support/mcp/oauth-server.ts';

const servers: OAuthServer[] = [];
afterEach(async () => { await Promise.all(servers.splice(0).map((server) => server.close())); });

async function open(options: Parameters<typeof startOAuthServer>[0] = {}): Promise<{ server: OAuthServer; bench: HostBench }> {
  const server = await startOAuthServer(options);
  servers.push(server);
  const bench = await openMcp({ guarded: { url: server.url, auth: 'oauth' } });
  await bench.host.ready();
  return { server, bench };
}

/** What the person does: asks to sign in, and acts on the page that opens. */
async function signIn(bench: HostBench, server: OAuthServer, as: 'agree' | 'refuse' = 'agree'): Promise<string> {
  const before = bench.opened.length;
  const through = bench.request('mcp.signIn', { server: 'guarded' });
  through.catch(() => undefined);
  await expect.poll(() => bench.opened.length, { timeout: 20_000 }).toBe(before + 1);
  const page = await server.visit(bench.opened.at(-1) ?? '', as);
  await through;
  return page;
}

test('a server that wants a sign-in says so, nothing is sent to its authorization server before the person asks, and then its tools work', async () => {
  const { server, bench } = await open({ scope: 'use' });
  expect((await toolset(bench, 'guarded'))?.reason).toMatchObject({ step: 'needs-sign-in', fix: expect.stringContaining('talaria mcp login guarded') as string });
  expect(await serverInfo(bench, 'guarded')).toMatchObject({ state: 'needs-sign-in', signedIn: false });
  expect((await callTool(bench, 'mcp_guarded_whoami')).error ?? '').toMatch(/Unknown tool|sign in/);
  expect([server.registered, server.grants, bench.opened]).toEqual([[], [], []]);

  expect(await signIn(bench, server)).toContain('Signed in');
  const page = new URL(bench.opened[0] ?? '');
  expect(Object.fromEntries(page.searchParams)).toMatchObject({ response_type: 'code', code_challenge_method: 'S256', resource: server.url, scope: 'use', state: expect.stringMatching(/^[0-9a-f]{64}$/) as string });
  expect(server.registered).toEqual([expect.objectContaining({ client_name: 'Talaria', token_endpoint_auth_method: 'none', redirect_uris: [expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/callback$/)] })]);
  expect(await serverInfo(bench, 'guarded')).toMatchObject({ state: 'connected', signedIn: true });
  expect(await callTool(bench, 'mcp_guarded_whoami')).toEqual({ result: 'a signed-in person' });
});

test('a token that has run out is refreshed without a person; when that fails too, a sign-in is asked for again', async () => {
  const { server, bench } = await open();
  await signIn(bench, server);
  server.expire();
  expect(await callTool(bench, 'mcp_guarded_whoami')).toEqual({ result: 'a signed-in person' });
  expect(server.grants).toEqual(['authorization_code', 'refresh_token']);
  server.expire();
  server.revoke();
  expect((await callTool(bench, 'mcp_guarded_whoami')).error).toMatch(/needs a sign-in.*talaria mcp login guarded.*Do not try again/);
  expect(await serverInfo(bench, 'guarded')).toMatchObject({ state: 'needs-sign-in' });
  expect(bench.opened).toHaveLength(1);
  await signIn(bench, server);
  expect(await callTool(bench, 'mcp_guarded_whoami')).toEqual({ result: 'a signed-in person' });
});

test('many calls that find the token run out refresh it once', async () => {
  const { server, bench } = await open();
  await signIn(bench, server);
  server.expire();
  const results = await Promise.all(Array.from({ length: 6 }, () => callTool(bench, 'mcp_guarded_whoami')));
  expect(results.map(({ result }) => result)).toEqual(Array.from({ length: 6 }, () => 'a signed-in person'));
  expect(server.grants.filter((grant) => grant === 'refresh_token')).toHaveLength(1);
});

test('the tokens outlive a restart, stand in no file of the home but the secrets, and are forgotten on request', async () => {
  const { server, bench } = await open();
  await signIn(bench, server);
  const token = server.seen.at(-1) ?? '';
  expect(token).toMatch(/^[0-9a-f]{32}$/);
  await bench.restart();
  await bench.host.ready();
  expect(await callTool(bench, 'mcp_guarded_whoami')).toEqual({ result: 'a signed-in person' });
  const files = (await readdir(bench.home, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  expect(files.map(({ name }) => name)).toEqual(expect.arrayContaining(['config.yaml', 'talaria.db']));
  for (const { name, parentPath } of files) expect(await readFile(join(parentPath, name), 'latin1'), name).not.toContain(token);
  await bench.request('mcp.signOut', { server: 'guarded' });
  expect(await serverInfo(bench, 'guarded')).toMatchObject({ state: 'needs-sign-in', signedIn: false });
});

test('a refused sign-in changes nothing, and an answer with a foreign state is not taken', async () => {
  const { server, bench } = await open();
  const through = bench.request('mcp.signIn', { server: 'guarded' });
  through.catch(() => undefined);
  await expect.poll(() => bench.opened.length, { timeout: 20_000 }).toBe(1);
  const page = new URL(bench.opened[0] ?? '');
  const forged = new URL(page.searchParams.get('redirect_uri') ?? '');
  forged.search = '?code=stolen&state=guessed';
  expect((await fetch(forged)).status).toBe(400);
  expect(await server.visit(page.href, 'refuse')).toContain('Not signed in');
  await expect(through).rejects.toMatchObject({ code: 'mcp/sign-in-failed', message: expect.stringContaining('access_denied') as string });
  expect(server.grants).toEqual([]);
  expect(await serverInfo(bench, 'guarded')).toMatchObject({ state: 'needs-sign-in', signedIn: false });
  await expect(fetch(forged)).rejects.toThrow();
});

test('a second click ends the first sign-in, and only the newer page counts', async () => {
  const { server, bench } = await open();
  const first = bench.request('mcp.signIn', { server: 'guarded' });
  const failed = expect(first).rejects.toMatchObject({ code: 'mcp/sign-in-failed' });
  await expect.poll(() => bench.opened.length, { timeout: 20_000 }).toBe(1);
  await signIn(bench, server);
  await failed;
  expect(await serverInfo(bench, 'guarded')).toMatchObject({ state: 'connected' });
});

test('tokens are sent to the address they were given for, and to no other', async () => {
  const { server, bench } = await open();
  await signIn(bench, server);
  const other = await startOAuthServer();
  servers.push(other);
  await bench.host.close();
  await writeFile(join(bench.home, 'config.yaml'), `mcp_servers: ${JSON.stringify({ guarded: { url: other.url } })}\n`);
  await bench.restart();
  await bench.host.ready();
  expect(await serverInfo(bench, 'guarded')).toMatchObject({ state: 'needs-sign-in', signedIn: false });
  expect(other.seen.every((sent) => sent === undefined)).toBe(true);
  expect(other.seen.length).toBeGreaterThan(0);
});

test('a server with a login of its own in its headers has no sign-in', async () => {
  const server = await startOAuthServer();
  servers.push(server);
  const bench = await openMcp({ guarded: { url: server.url, headers: { authorization: 'Bearer mine' } } });
  await bench.host.ready();
  expect((await toolset(bench, 'guarded'))?.reason).toMatchObject({ step: 'check-failed', message: expect.stringContaining('asks for a login') as string });
  await expect(bench.request('mcp.signIn', { server: 'guarded' })).rejects.toMatchObject({ code: 'request/not-possible' });
});
