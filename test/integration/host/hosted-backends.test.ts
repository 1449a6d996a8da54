/** A chat whose commands and files are in a sandbox of a hosted service, through the whole host. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { KEY, startDaytona } from '../../support/daytona/server.ts';
import { havePlaces } from '../../support/hosted/place.ts';
import { startModal, TOKEN } from '../../support/modal/server.ts';
import { openHostBench, type HostBench } from '../../support/test-host.ts';

let bench: HostBench | undefined;
afterEach(async () => {
  await bench?.close();
  bench = undefined;
});

async function call(name: string, args: object): Promise<Record<string, unknown>> {
  if (bench === undefined) throw new Error('no host is open');
  const session = (await bench.host.openSession('elsewhere')).id;
  const outcome = await bench.host.callTool(name, args, { sessionId: session, signal: AbortSignal.timeout(25_000) });
  return JSON.parse(outcome.fullText) as Record<string, unknown>; // tools answer with JSON objects
}

async function everythingKept(directory: string): Promise<string> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const texts = await Promise.all(entries.filter((entry) => entry.isFile()).map((entry) => readFile(join(entry.parentPath, entry.name), 'latin1')));
  return texts.join('\n');
}

test('every backend is listed with the reason why it cannot be used, and the chosen one is marked', async () => {
  bench = await openHostBench({ env: { TERMINAL_ENV: 'vercel_sandbox', TERMINAL_CONTAINER_DISK: '7', VERCEL_TOKEN: 'x' } });
  const backends = new Map((await bench.request('host.backends', {})).map((backend) => [backend.name, backend]));
  expect([...backends.keys()].sort()).toEqual(['daytona', 'docker', 'local', 'modal', 'singularity', 'ssh', 'vercel_sandbox']);
  expect(backends.get('local')).toMatchObject({ chosen: false, reason: null, isolated: false, keys: [] });
  expect(backends.get('daytona')).toMatchObject({ reason: { message: 'The daytona backend needs DAYTONA_API_KEY.', fix: expect.stringContaining('Settings › Terminals') as unknown }, isolated: true });
  expect(backends.get('vercel_sandbox')).toMatchObject({ chosen: true, reason: { message: expect.stringContaining('Invalid value for TERMINAL_CONTAINER_DISK') as unknown } });
  expect(backends.get('vercel_sandbox')?.keys.find(({ variable }) => variable === 'VERCEL_TOKEN')).toEqual({ variable: 'VERCEL_TOKEN', source: 'environment' });
});

test('only keys of backends can be kept, and an empty one is forgotten', async () => {
  bench = await openHostBench();
  await expect(bench.request('host.setBackendKey', { variable: 'PATH', value: 'x' })).rejects.toMatchObject({ code: 'request/invalid' });
  const sourceOf = (list: Awaited<ReturnType<HostBench['request']>>) => (list as { name: string; keys: { source: string | null }[] }[]).find(({ name }) => name === 'daytona')?.keys[0]?.source; // cast: the union of all answers
  expect(sourceOf(await bench.request('host.setBackendKey', { variable: 'DAYTONA_API_KEY', value: ' dtn_x ' }))).toBe('keychain');
  expect(sourceOf(await bench.request('host.setBackendKey', { variable: 'DAYTONA_API_KEY', value: '' }))).toBeNull();
});

describe.skipIf(!await havePlaces())('at Modal', () => {
  let modal: Awaited<ReturnType<typeof startModal>>;
  beforeAll(async () => { modal = await startModal(); });
  afterAll(() => modal.close());

  test('with keys from the keychain, commands and file tools see the sandbox, which is saved and ended with the app and comes back', async () => {
    bench = await openHostBench({ env: { TERMINAL_ENV: 'modal' } });
    expect((await bench.request('host.backends', {})).find(({ name }) => name === 'modal')?.reason?.message).toContain('MODAL_TOKEN_ID');
    await bench.request('host.setBackendKey', { variable: 'MODAL_TOKEN_ID', value: TOKEN.id });
    expect((await bench.request('host.setBackendKey', { variable: 'MODAL_TOKEN_SECRET', value: TOKEN.secret })).find(({ name }) => name === 'modal')).toMatchObject({ chosen: true, reason: null });
    await call('write_file', { path: '/root/note.txt', content: 'inside\n' });
    expect(await call('terminal', { command: 'cat note.txt; mkdir deep; cd deep' })).toMatchObject({ output: 'inside', exit_code: 0 });
    expect(await call('terminal', { command: 'pwd; env | grep -c MODAL_TOKEN' })).toMatchObject({ output: '/root/deep\n0' });
    expect(modal.running()).toEqual(['default']);
    expect((await bench.request('host.backends', {})).find(({ name }) => name === 'modal')).toMatchObject({
      cost: { usdPerHour: expect.any(Number) as unknown, lifetimeSeconds: 3_600 }, idleSeconds: 300,
      places: [{ host: expect.stringMatching(/^sb-/) as unknown, user: 'root', image: expect.any(String) as unknown, isolated: true, mounts: [], endsAt: expect.any(Number) as unknown }],
    });
    await bench.restart();
    expect(modal.running()).toEqual([]);
    expect(JSON.stringify(await call('read_file', { path: '/root/note.txt' }))).toContain('inside');
    const { home } = bench;
    expect(await everythingKept(home)).not.toContain(TOKEN.secret);
  });

  test('a service that falls silent is told in words within 10 seconds', async () => {
    bench = await openHostBench({ env: { TERMINAL_ENV: 'modal', MODAL_TOKEN_ID: TOKEN.id, MODAL_TOKEN_SECRET: TOKEN.secret } });
    modal.silence();
    const began = performance.now();
    const answer = await call('terminal', { command: 'echo hi' });
    expect(performance.now() - began).toBeLessThan(10_000);
    modal.heal();
    expect(answer).toMatchObject({ exit_code: -1, error: expect.stringMatching(/Modal did not answer within 5 s/) as unknown });
  });
});

describe.skipIf(!await havePlaces())('at Daytona', () => {
  let daytona: Awaited<ReturnType<typeof startDaytona>>;
  beforeAll(async () => { daytona = await startDaytona(); });
  afterAll(() => daytona.close());

  test('a background process with a terminal can be typed into, and ends with the sandbox', async () => {
    bench = await openHostBench({ env: { TERMINAL_ENV: 'daytona', DAYTONA_API_KEY: KEY, DAYTONA_API_URL: daytona.apiUrl, DAYTONA_TARGET: 'eu', TERMINAL_CONTAINER_PERSISTENT: 'false' } });
    const { session_id: id } = await call('terminal', { command: 'read -r name; echo "hello $name"', background: true, pty: true });
    await call('process', { action: 'submit', session_id: id, data: 'you' });
    expect(await call('process', { action: 'wait', session_id: id, timeout: 20 })).toMatchObject({ status: 'exited', exit_code: 0, output: expect.stringContaining('hello you') as unknown });
    await bench.close();
    bench = undefined;
    expect(daytona.running()).toEqual([]);
  });
});
