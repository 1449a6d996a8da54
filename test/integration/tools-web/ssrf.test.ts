/** No form of an address, no redirect and no name reaches a server that is not public: the trap counts connections. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { webExtract } from '../../../tools/web/extract.ts';
import { systemTransport, type WebTransport } from '../../../tools/shared/fetch/transport.ts';
import { openToolBench, type ToolBench } from '../../support/tool-context.ts';
import { serve, type CountingServer } from '../../support/counting-server.ts';

const PUBLIC = '93.184.216.34';
let bench: ToolBench;
let trap: CountingServer;
let site: CountingServer;
let redirectTo = '';

beforeAll(async () => { bench = await openToolBench(); });
afterAll(() => bench.close());
beforeEach(async () => {
  trap = await serve((_request, response) => response.end('SECRET'));
  site = await serve((_request, response) => response.writeHead(302, { location: Buffer.from(redirectTo).toString('latin1'), connection: 'close' }).end());
});
afterEach(async () => {
  bench.config.clear();
  await trap.close();
  await site.close();
});

/** Names of the test; what is dialled as public ends at the loopback server that plays the public site. */
function network(names: Readonly<Record<string, () => readonly string[]>> = {}): WebTransport {
  return {
    resolve: async (hostname) => names[hostname]?.() ?? (hostname === 'localhost.' ? ['127.0.0.1'] : undefined) ?? systemTransport.resolve(hostname),
    dial: (address) => (address === PUBLIC ? '127.0.0.1' : address),
  };
}

interface Result { readonly content: string; readonly error: string | null; readonly blocked_by_policy?: boolean }
async function extract(url: string, transport = network()): Promise<Result> {
  const text = await webExtract({ urls: [url] }, bench.context(), transport);
  expect(text).not.toContain('SECRET');
  return (JSON.parse(text) as { readonly results: readonly Result[] }).results[0]!;
}

const HOSTS = [
  '127.0.0.1', 'localhost', 'localhost.', 'LOCALHOST', '127.1', '127.0.1', '2130706433', '0x7f000001', '0x7f.0.0.1', '0x7F.1', '017700000001', '0177.0.0.1', '0177.0x0.1', '127.0.0.1.', '127.127.127.127',
  '0', '0.0.0.0', '0x0', '[::]', '[::1]', '[0:0:0:0:0:0:0:1]', '[0000::0001]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::ffff:0:127.0.0.1]', '[::127.0.0.1]', '[0:0:0:0:0:ffff:127.0.0.1]', '[64:ff9b::127.0.0.1]',
  '[64:ff9b::7f00:1]', '[2002:7f00:1::]', '[fe80::1]', '[fec0::1]', '[fd00::1]', '[ff02::1]', '１２７.０.０.１', '①②⑦.⓪.⓪.①', '%31%32%37.0.0.1', '127。0。0。1',
  '10.0.0.1', '10.1', '172.16.0.1', '192.168.0.1', '192.168.257', '100.64.0.1', '198.18.0.1', '224.0.0.1', '240.0.0.1', '255.255.255.255',
  '169.254.169.254', '2852039166', '0xA9FEA9FE', '0251.0376.0251.0376', '169.254.43518', '[::ffff:169.254.169.254]', '[::ffff:a9fe:a9fe]', '169.254.170.2', '100.100.100.200', '192.0.0.192', '168.63.129.16', '[fd00:ec2::254]',
];

describe('SSRF corpus', () => {
  test.each(HOSTS)('http://%s is not reached, directly or by a redirect', async (host) => {
    const direct = await extract(`http://${host}:${String(trap.port)}/latest/meta-data/`);
    expect(direct).toMatchObject({ content: '', blocked_by_policy: true, error: expect.stringContaining('Blocked: URL targets a private or internal network address') as string });

    redirectTo = `http://${host}:${String(trap.port)}/`;
    const redirected = await extract(`http://public.test:${String(site.port)}/`, network({ 'public.test': () => [PUBLIC] }));
    expect(redirected.error).toContain('Blocked');
    expect(site.connections).toBe(1);
    expect(trap.connections).toBe(0);
  });

  test.each(['file:///etc/passwd', 'gopher://127.0.0.1:1/', 'ftp://127.0.0.1/', 'http://a:b@127.0.0.1/', '//127.0.0.1:PORT/', 'http:\\\\127.0.0.1:PORT\\', '///127.0.0.1:PORT/'])('a redirect to %s is not followed', async (target) => {
    redirectTo = target.replace('PORT', String(trap.port));
    const { error } = await extract(`http://public.test:${String(site.port)}/`, network({ 'public.test': () => [PUBLIC] }));
    expect(error).toContain('Blocked');
    expect(trap.connections).toBe(0);
  });

  test('user information that hides the host is refused', async () => {
    expect(await extract(`http://${PUBLIC}@127.0.0.1:${String(trap.port)}/`)).toMatchObject({ blocked_by_policy: true });
    expect(await extract(`http://${PUBLIC}:80\\@127.0.0.1:${String(trap.port)}/`, network({}))).toMatchObject({ content: '' });
    expect(trap.connections).toBe(0);
  });

  test('a name that has one private address among public ones is refused', async () => {
    const names = network({ 'mixed.test': () => [PUBLIC, '127.0.0.1'], 'inner.test': () => ['::ffff:127.0.0.1'], 'metadata.google.internal': () => ['169.254.169.254'] });
    for (const name of ['mixed.test', 'inner.test', 'metadata.google.internal']) {
      expect(await extract(`http://${name}:${String(trap.port)}/`, names)).toMatchObject({ blocked_by_policy: true });
    }
    expect(trap.connections).toBe(0);
  });

  test('a resolver that answers public first and private then gains nothing: each connection is judged by its own lookup', async () => {
    let asked = 0;
    const rebinding = network({ 'rebind.test': () => { asked += 1; return [asked === 1 ? PUBLIC : '127.0.0.1']; } });
    redirectTo = `http://rebind.test:${String(trap.port)}/`;
    const { error } = await extract(`http://rebind.test:${String(site.port)}/`, rebinding);
    expect(error).toContain('Blocked: URL targets a private');
    expect([asked, site.connections, trap.connections]).toEqual([2, 1, 0]);
  });

  test('security.allow_private_urls opens private addresses, never those of metadata services', async () => {
    bench.config.set('security.allow_private_urls', true);
    const open = await webExtract({ urls: [`http://127.0.0.1:${String(trap.port)}/`] }, bench.context());
    expect(open).toContain('SECRET');
    for (const host of ['169.254.169.254', '2852039166', '[::ffff:169.254.169.254]', '[fd00:ec2::254]', '100.100.100.200', '168.63.129.16', '[64:ff9b::169.254.169.254]', '0.0.0.0']) {
      expect(await extract(`http://${host}/latest/meta-data/`)).toMatchObject({ blocked_by_policy: true });
    }
  });
});
