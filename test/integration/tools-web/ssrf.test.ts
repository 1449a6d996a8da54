/** No form of an address, no redirect and no name leads anything that fetches to a server that is not public: the trap counts connections. */
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startGuardProxy } from '../../../main/browser/guard-proxy.ts';
import { fileRefusal } from '../../../main/gateway/files.ts';
import { imageGenerate } from '../../../tools/image-generate/generate.ts';
import { visionAnalyze } from '../../../tools/vision/analyze.ts';
import { webExtract } from '../../../tools/web/extract.ts';
import { systemTransport, type WebTransport } from '../../../tools/shared/fetch/transport.ts';
import { NO_HOST, NOT_PUBLIC, TRICKS } from '../../corpora/ssrf-addresses.ts';
import { openAuxiliaryModels } from '../../support/auxiliary-models.ts';
import { serve, type CountingServer } from '../../support/counting-server.ts';
import { type MediaServer, startMediaServer } from '../../support/media-server.ts';
import { openToolBench, type ToolBench } from '../../support/tool-context.ts';

const PUBLIC = '93.184.216.34';
let bench: ToolBench;
let trap: CountingServer;
let site: CountingServer;
let media: MediaServer;
let redirectTo = '';

beforeAll(async () => {
  [bench, media] = await Promise.all([openToolBench(), startMediaServer()]);
  bench.models = openAuxiliaryModels({ config: { 'auxiliary.vision': { base_url: media.baseUrl, model: 'seeing' }, 'auxiliary.image_gen': { base_url: media.baseUrl } } });
  trap = await serve((_request, response) => response.end('SECRET'));
  site = await serve((_request, response) => response.writeHead(302, { location: Buffer.from(redirectTo).toString('latin1'), connection: 'close' }).end());
});
afterAll(() => Promise.all([bench.close(), media.close(), trap.close(), site.close()]));
beforeEach(() => {
  bench.config.clear();
  Object.assign(trap, { connections: 0 });
  Object.assign(site, { connections: 0 });
});

/** Names of the test; what is dialled as public ends at the loopback server that plays the public site. */
function network(names: Readonly<Record<string, () => readonly string[]>> = {}): WebTransport {
  const known: Readonly<Record<string, () => readonly string[]>> = { 'public.test': () => [PUBLIC], 'localhost.': () => ['127.0.0.1'], 'a.localhost': () => ['127.0.0.1'], ...names };
  return {
    resolve: async (hostname) => known[hostname]?.() ?? (hostname === 'localhost' ? systemTransport.resolve(hostname) : Promise.reject(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }))),
    dial: (address) => (address === PUBLIC ? '127.0.0.1' : address),
  };
}

/** Everything that fetches an address which a model or a page names: the answer, and whether it says that the address is blocked. */
const FETCHERS: Readonly<Record<string, (url: string, transport?: WebTransport) => Promise<string>>> = {
  web_extract: (url, transport = network()) => webExtract({ urls: [url] }, bench.context(), transport),
  vision_analyze: (url, transport = network()) => visionAnalyze({ image_url: url, question: '?' }, bench.context(), transport),
  'image_generate, a given picture': (url, transport = network()) => imageGenerate({ prompt: 'x', image_url: url }, bench.context(), transport),
  'image_generate, the picture a service names': (url, transport = network()) => {
    media.answer = () => ({ json: { data: [{ url }] } });
    return imageGenerate({ prompt: 'x' }, bench.context(), transport);
  },
};
const url = (text: string): string => text.replaceAll('PORT', String(trap.port));
const BLOCKED = 'Blocked: URL targets a private or internal network address';

describe.each(Object.entries(FETCHERS))('%s', (name, get) => {
  test.each(NOT_PUBLIC)('http://%s is not reached, directly or by a redirect', async (host) => {
    expect(await get(url(`http://${host}:PORT/latest/meta-data/`))).toContain(BLOCKED);
    redirectTo = url(`http://${host}:PORT/`);
    expect(await get(`http://public.test:${String(site.port)}/`)).toContain('Blocked');
    expect([site.connections, trap.connections]).toEqual([1, 0]);
  });

  test('hosts that are none, and addresses that look like others, reach nothing', async () => {
    for (const address of [...NO_HOST.map((host) => `http://${host}:PORT/`), ...TRICKS]) {
      const direct = await get(url(address));
      expect(JSON.parse(direct), `${name} ${address}`).toMatchObject(name === 'web_extract' ? { results: [{ content: '', error: expect.stringMatching(/\S/) as string }] } : { success: false, error: expect.stringMatching(/\S/) as string });
      redirectTo = url(address.trim());
      const redirected = /[\n\t]/.test(redirectTo) ? '' : await get(`http://public.test:${String(site.port)}/`);
      expect(direct + redirected, address).not.toMatch(/SECRET|root:x/);
    }
    expect(trap.connections).toBe(0);
  });

  test('a chain of redirects over names and schemes ends at the first that is not public', async () => {
    const hops = [`http://public.test:${String(site.port)}/2`, `http://second.test:${String(site.port)}/3`, url('http://inner.test:PORT/')];
    const chain = await serve(({ url: path }, response) => response.writeHead(307, { location: hops[Number(path?.slice(1)) - 1] ?? '/', connection: 'close' }).end());
    const transport = network({ 'first.test': () => [PUBLIC], 'second.test': () => [PUBLIC], 'inner.test': () => ['::ffff:10.0.0.1'] });
    hops[0] = `http://first.test:${String(chain.port)}/2`;
    hops[1] = `http://second.test:${String(chain.port)}/3`;
    expect(await get(`http://first.test:${String(chain.port)}/1`, transport)).toContain('Blocked');
    expect([chain.connections > 0, trap.connections]).toEqual([true, 0]);
    await chain.close();
  });

  test('a name that has one address that is not public among public ones is refused, metadata names among them', async () => {
    const names = { 'mixed.test': [PUBLIC, '127.0.0.1'], 'inner.test': ['::ffff:127.0.0.1'], 'zone.test': ['fe80::1%lo'], 'metadata.google.internal': ['169.254.169.254'], 'metadata.google.internal.': ['169.254.169.254'], 'metadata': ['169.254.169.254'], 'instance-data': ['169.254.169.254'], 'nat64.test': ['64:ff9b::7f00:1'] };
    const transport = network(Object.fromEntries(Object.entries(names).map(([host, addresses]) => [host, () => addresses])));
    for (const host of Object.keys(names)) expect(await get(url(`http://${host}:PORT/`), transport), host).toContain(BLOCKED);
    expect(trap.connections).toBe(0);
  });

  test('a resolver that answers public first and private then gains nothing: each connection is judged by its own lookup', async () => {
    let asked = 0;
    const rebinding = network({ 'rebind.test': () => { asked += 1; return [asked === 1 ? PUBLIC : '127.0.0.1']; } });
    redirectTo = url('http://rebind.test:PORT/');
    expect(await get(`http://rebind.test:${String(site.port)}/`, rebinding)).toContain(BLOCKED);
    expect([asked, site.connections, trap.connections]).toEqual([2, 1, 0]);
  });

  test('security.allow_private_urls opens private addresses, never those of metadata services', async () => {
    bench.config.set('security.allow_private_urls', true);
    await get(url('http://127.0.0.1:PORT/'), network());
    expect(trap.connections).toBe(1);
    for (const host of ['169.254.169.254', '2852039166', '[::ffff:169.254.169.254]', '[fd00:ec2::254]', '100.100.100.200', '168.63.129.16', '[64:ff9b::169.254.169.254]', '0.0.0.0']) {
      expect(await get(url(`http://${host}:PORT/latest/meta-data/`)), host).toContain('Blocked');
    }
    expect(trap.connections).toBe(1);
  });
});

describe('the road of the browser', () => {
  /** Status of the answer to a plain request and to a tunnel, as a browser asks a proxy for them. */
  async function ask(proxy: string, host: string, port: number): Promise<readonly [plain: number, tunnel: number]> {
    const { port: proxyPort } = new URL(proxy);
    const plain = await new Promise<number>((resolve, reject) => {
      httpRequest({ host: '127.0.0.1', port: proxyPort, path: `http://${host}:${String(port)}/`, headers: { host } }, (response) => { response.resume(); resolve(response.statusCode ?? 0); }).on('error', reject).end();
    });
    const tunnel = await new Promise<number>((resolve, reject) => {
      const link = connect(Number(proxyPort), '127.0.0.1', () => link.write(`CONNECT ${host}:${String(port)} HTTP/1.1\r\nhost: ${host}\r\n\r\n`));
      link.on('error', reject).once('data', (answer: Buffer) => { link.destroy(); resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(answer.toString('latin1'))?.[1])); });
    });
    return [plain, tunnel];
  }
  /** As a browser would send it: hosts are written in their canonical form. */
  const canonical = (host: string): string => new URL(`http://${host}/`).hostname;

  test('no address of the corpus is reached through it, by a request or a tunnel', async () => {
    const known = network();
    const proxy = await startGuardProxy({ isBlocked: () => Promise.resolve(false), allowPrivate: () => false, resolve: (host) => known.resolve(host) });
    try {
      for (const host of [...NOT_PUBLIC, ...NOT_PUBLIC.map(canonical)].filter((each) => /^[\x21-\x7e]+$/.test(each) && !each.includes('%'))) expect([host, ...(await ask(proxy.url, host, trap.port))], host).toEqual([host, expect.toBeOneOf([403, 502]), expect.toBeOneOf([403, 502])]);
      for (const host of new Set(NOT_PUBLIC.map(canonical))) expect([host, ...(await ask(proxy.url, host, trap.port))]).toEqual([host, 403, 403]);
      expect(trap.connections).toBe(0);
    } finally {
      await proxy.close();
    }
  });

  test('with private addresses open, those of metadata services and of no machine at all stay shut; each connection is judged by its own lookup', async () => {
    let asked = 0;
    const proxy = await startGuardProxy({ isBlocked: () => Promise.resolve(false), allowPrivate: () => true, resolve: () => { asked += 1; return Promise.resolve([asked === 1 ? '127.0.0.1' : '0.0.0.0']); } });
    try {
      for (const host of ['169.254.169.254', '[::ffff:a9fe:a9fe]', '[fd00:ec2::254]', '100.100.100.200', '168.63.129.16', '0.0.0.0', '[::]', '[64:ff9b::7f00:1]', '[2002:7f00:1::]']) expect([host, ...(await ask(proxy.url, host, trap.port))]).toEqual([host, 403, 403]);
      expect(trap.connections).toBe(0);
      expect(await ask(proxy.url, 'rebind.test', trap.port)).toEqual([200, 403]);
      expect(trap.connections).toBe(1);
    } finally {
      await proxy.close();
    }
  });
});

test('a MEDIA: line of a reply fetches nothing: addresses are no files', async () => {
  const paths = { home: join(bench.folder, '.hermes'), cache: join(bench.folder, '.hermes/cache'), outputs: join(bench.folder, '.hermes/outputs') };
  for (const address of [...NOT_PUBLIC.map((host) => `http://${host}:PORT/`), ...TRICKS]) expect(await fileRefusal(url(address), paths), address).toMatch(/not an absolute path|cannot be read|is not a file/);
  expect(trap.connections).toBe(0);
});
