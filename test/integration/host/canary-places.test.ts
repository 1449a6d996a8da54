/** A chat in each kind of place, through the whole host: its commands and files are there, and no key is found anywhere afterwards (ssh and sudo: canary). */
import { mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { KEY as DAYTONA_KEY, startDaytona } from '../../support/daytona/server.ts';
import { haveDockerd, IMAGE, startDockerd } from '../../support/dockerd.ts';
import { havePlaces } from '../../support/hosted/place.ts';
import { startModal, TOKEN } from '../../support/modal/server.ts';
import { haveStandIn, openStandIn } from '../../support/singularity.ts';
import { openHostBench } from '../../support/test-host.ts';
import { KEYS as VERCEL_KEYS, startVercel } from '../../support/vercel/server.ts';

const PROVIDER_KEY = 'canary0of0a0provider0key';
const OWN_TOKEN = 'canary0of0a0token0of0mine';

interface Place {
  readonly env: Readonly<Record<string, string>>;
  /** Keys of its own. */
  readonly keys: readonly string[];
  /** What of the machine's environment it is given on purpose. */
  readonly seesToken: boolean;
  left(): Promise<number>;
  close(): Promise<void>;
}

/** Every file below a folder that holds one of the words, and which. */
async function holding(folder: string, words: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const text = await readFile(path);
    for (const word of words) if (text.includes(word)) found.push(`${relative(folder, path)}: ${word}`);
  }
  return found;
}

async function goThrough({ env, keys, seesToken, left, close }: Place): Promise<void> {
  onTestFinished(close);
  const secrets = [PROVIDER_KEY, OWN_TOKEN, ...keys];
  const bench = await openHostBench({
    yaml: 'approvals:\n  mode: "off"\n', env: { ...env, OPENAI_API_KEY: PROVIDER_KEY, MY_OWN_TOKEN: OWN_TOKEN },
    script: [
      { calls: [{ name: 'terminal', arguments: { command: 'mkdir -p /tmp/deep && cd /tmp/deep && env && echo "token: ${MY_OWN_TOKEN:-none}"' } }] }, // eslint-disable-line no-template-curly-in-string -- the shell expands it
      { calls: [{ name: 'write_file', arguments: { path: 'note.txt', content: 'from the file tool\n' } }] },
      { calls: [{ name: 'terminal', arguments: { command: 'pwd; cat note.txt; exit 3' } }] },
      { calls: [{ name: 'terminal', arguments: { command: 'env; echo background done', background: true, notify_on_complete: true } }] },
      { text: 'Done.' }, { text: 'Heard.' },
    ],
  });
  try {
    const events: unknown[] = [];
    for (const topic of ['chat', 'sessions', 'approvals', 'credentials', 'terminals', 'settings'] as const) bench.host.events.subscribe(topic, (event) => events.push(event));
    const session = await bench.session();
    await bench.say(session.id, 'Do what the script says');
    const calls = (await bench.messages(session.id)).flatMap((message) => message.calls);
    expect(calls.map(({ state }) => state)).toEqual(['done', 'done', 'done', 'done']);
    expect(calls[0]?.result).toContain(seesToken ? 'token: ***' : 'token: none');
    expect(JSON.parse(calls[2]?.result ?? '{}')).toMatchObject({ output: '/tmp/deep\nfrom the file tool', exit_code: 3 });
    await expect.poll(async () => (await bench.request('terminals.list', {})).every(({ state }) => state !== 'running')).toBe(true);
    const shown = await Promise.all((await bench.request('terminals.list', {})).map(async ({ id }) => (await bench.request('terminals.text', { id })).text));
    expect(shown.join('\n')).toContain('background done');
    const told = JSON.stringify([events, shown, await bench.messages(session.id), bench.notes, bench.model.requests.map(({ body }) => body), await bench.request('host.backends', {}), await bench.request('settings.get', {})]);
    expect(secrets.filter((secret) => told.includes(secret))).toEqual([]);
    await bench.host.close();
    expect(await holding(bench.home, secrets)).toEqual([]);
    expect(await left()).toBe(0);
  } finally {
    await bench.close();
  }
}

const CONTAINER = { TERMINAL_CONTAINER_PERSISTENT: 'false', TERMINAL_CWD: '/root' } as const;

test('on this machine', async () => {
  await goThrough({ env: { TERMINAL_ENV: 'local' }, keys: [], seesToken: true, left: () => Promise.resolve(0), close: () => rm('/tmp/deep', { recursive: true, force: true }) });
});

test.skipIf(!await haveDockerd())('in a container, which is given a token by name', async () => {
  const dockerd = await startDockerd();
  await goThrough({
    env: { ...CONTAINER, TERMINAL_ENV: 'docker', DOCKER_HOST: dockerd.host, TERMINAL_DOCKER_IMAGE: IMAGE, TERMINAL_DOCKER_NETWORK: 'false', TERMINAL_DOCKER_PERSIST_ACROSS_PROCESSES: 'false', TERMINAL_DOCKER_FORWARD_ENV: '["MY_OWN_TOKEN"]' },
    keys: [], seesToken: true, left: async () => (await dockerd.docker.listContainers({ all: true })).length, close: () => dockerd.close(),
  });
});

test.skipIf(!await haveStandIn())('in an instance of apptainer', async () => {
  const standIn = await openStandIn();
  const programs = await mkdtemp(join(tmpdir(), 'talaria-programs-'));
  await mkdir(programs, { recursive: true });
  await symlink(standIn.program, join(programs, 'apptainer'));
  await goThrough({
    env: { ...CONTAINER, TERMINAL_ENV: 'singularity', TERMINAL_SINGULARITY_IMAGE: standIn.image, PATH: `${programs}:${process.env['PATH'] ?? ''}`, TALARIA_STAND_IN: join(standIn.folder, 'state') },
    keys: [], seesToken: false, left: async () => (await readdir(join(standIn.folder, 'state'))).length,
    close: async () => {
      await standIn.close();
      await rm(programs, { recursive: true });
    },
  });
});

describe.skipIf(!await havePlaces())('in a sandbox of', () => {
  test('Modal', async () => {
    const modal = await startModal();
    await goThrough({ env: { ...CONTAINER, TERMINAL_ENV: 'modal', MODAL_TOKEN_ID: TOKEN.id, MODAL_TOKEN_SECRET: TOKEN.secret }, keys: [TOKEN.secret], seesToken: false, left: () => Promise.resolve(modal.running().length), close: () => modal.close() });
  });

  test('Daytona', async () => {
    const daytona = await startDaytona();
    await goThrough({
      env: { ...CONTAINER, TERMINAL_ENV: 'daytona', DAYTONA_API_KEY: DAYTONA_KEY, DAYTONA_API_URL: daytona.apiUrl, DAYTONA_TARGET: 'eu' }, keys: [DAYTONA_KEY], seesToken: false,
      left: () => Promise.resolve(daytona.running().length), close: () => daytona.close(),
    });
  });

  test('Vercel', async () => {
    const vercel = await startVercel();
    const straight = globalThis.fetch;
    // The host has no setting for Vercel's address: only what goes there is led to the stand-in.
    vi.stubGlobal('fetch', (...[input, init]: Parameters<typeof fetch>) => (new URL(input instanceof Request ? input.url : input).origin === 'https://vercel.com' ? vercel.lead(input, init) : straight(input, init)));
    await goThrough({
      env: { ...CONTAINER, TERMINAL_ENV: 'vercel_sandbox', ...VERCEL_KEYS }, keys: [VERCEL_KEYS.VERCEL_TOKEN], seesToken: false, left: () => Promise.resolve(vercel.running().length),
      close: async () => {
        vi.unstubAllGlobals();
        expect(vercel.complaints).toEqual([]);
        await vercel.close();
      },
    });
  });
});
