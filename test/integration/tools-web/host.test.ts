import { afterEach, expect, test } from 'vitest';
import { openHostBench, type HostBench } from '../../support/test-host.ts';
import { serve, type CountingServer } from '../../support/counting-server.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => { await Promise.all(closing.splice(0).map((close) => close())); });

async function open(yaml: string): Promise<HostBench> {
  const bench = await openHostBench({ withoutModel: true, yaml });
  closing.push(() => bench.close());
  return bench;
}
async function site(): Promise<CountingServer> {
  const server = await serve((request, response) => request.url?.startsWith('/search') === true
    ? response.end(JSON.stringify({ results: [{ title: 'Foxes', url: 'https://fox.test/', content: 'red' }] }))
    : response.writeHead(200, { 'content-type': 'text/html' }).end('<html><head><title>Den</title></head><body><p>Where foxes live.</p></body></html>'));
  closing.push(() => server.close());
  return server;
}
async function call(bench: HostBench, name: string, args: object): Promise<Record<string, unknown>> {
  const session = await bench.session();
  return JSON.parse((await bench.host.callTool(name, args, { sessionId: session.id, signal: new AbortController().signal })).fullText) as Record<string, unknown>;
}

test('a call through the host searches by config.yaml and reads pages, coercing what models get wrong', async () => {
  const server = await site();
  const bench = await open(`web:\n  backend: searxng\n  searxng:\n    base_url: ${server.origin}\nsecurity:\n  allow_private_urls: true\n`);
  expect(await call(bench, 'web_search', { query: 'fox', limit: '2' })).toMatchObject({ success: true, data: { web: [{ title: 'Foxes' }] } });
  expect(await call(bench, 'web_extract', { urls: JSON.stringify([`${server.origin}/den`]) })).toMatchObject({ results: [{ title: 'Den', error: null, content: expect.stringContaining('Where foxes live.') as string }] });
});

test('without the setting the host reaches no private address, and a search tool that cannot work is not offered', async () => {
  const server = await site();
  const bench = await open('web:\n  backend: exa\n');
  expect(await call(bench, 'web_extract', { urls: [`${server.origin}/den`] })).toMatchObject({ results: [{ blocked_by_policy: true }] });
  expect(server.connections).toBe(0);
  await bench.request('toolsets.check', {});
  const web = (await bench.request('toolsets.list', {})).find(({ name }) => name === 'web');
  expect(web?.tools.map(({ name, available }) => [name, available])).toEqual([['web_extract', true], ['web_search', false]]);
});
