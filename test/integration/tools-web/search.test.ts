import type { RequestListener } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { webSearch } from '../../../tools/web/search.ts';
import { openToolBench, type ToolBench } from '../../support/tool-context.ts';
import { serve, type CountingServer } from '../../support/counting-server.ts';

let bench: ToolBench;
let service: CountingServer;
let answer: RequestListener;
beforeAll(async () => {
  bench = await openToolBench();
  service = await serve((request, response) => answer(request, response));
});
afterAll(async () => {
  await service.close();
  await bench.close();
});
afterEach(() => {
  bench.config.clear();
  bench.variables.clear();
  service.requests.length = 0;
});

const json = (value: unknown): RequestListener => (_request, response) => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
const html = (text: string): RequestListener => (_request, response) => response.writeHead(200, { 'content-type': 'text/html' }).end(text);
async function search(args: Record<string, unknown>): Promise<Readonly<Record<string, unknown>>> {
  return JSON.parse(await webSearch(args, bench.context())) as Readonly<Record<string, unknown>>;
}
const RESULT = { title: 'Foxes', url: 'https://fox.test/a', position: 1 };

describe('web_search', () => {
  test('Brave Search is asked by its protocol', async () => {
    bench.variables.set('BRAVE_SEARCH_API_KEY', 'brave-key');
    bench.config.set('web.brave.base_url', service.origin);
    answer = json({ web: { results: [{ title: 'Foxes', url: 'https://fox.test/a', description: 'About <strong>foxes</strong>' }, { title: 'bad', url: 'javascript:x' }] } });
    expect(await search({ query: ' red fox ', limit: 3 })).toMatchObject({ success: true, backend: 'brave', data: { web: [{ ...RESULT, description: 'About foxes' }] } });
    expect(service.requests).toMatchObject([{ method: 'GET', url: '/res/v1/web/search?q=red+fox&count=3&text_decorations=false', headers: { 'x-subscription-token': 'brave-key' } }]);
  });

  test('Tavily is asked by its protocol', async () => {
    bench.variables.set('TAVILY_API_KEY', 'tavily-key');
    bench.config.set('web.tavily.base_url', `${service.origin}/`);
    answer = json({ query: 'fox', results: [{ title: 'Foxes', url: 'https://fox.test/a', content: 'text\nmore', score: 0.9 }] });
    expect(await search({ query: 'fox', limit: 50 })).toMatchObject({ data: { web: [{ ...RESULT, description: 'text more' }] }, limit_note: expect.stringContaining('at most 20') as string });
    expect(service.requests).toMatchObject([{ method: 'POST', url: '/search', headers: { authorization: 'Bearer tavily-key' } }]);
    expect(JSON.parse(service.requests[0]!.body)).toMatchObject({ query: 'fox', max_results: 20 });
  });

  test('Exa is asked by its protocol', async () => {
    bench.variables.set('EXA_API_KEY', 'exa-key');
    bench.config.set('web.exa.base_url', service.origin);
    answer = json({ results: [{ title: null, url: 'https://fox.test/a', highlights: ['one', 'two'] }] });
    expect(await search({ query: 'fox' })).toMatchObject({ data: { web: [{ title: 'https://fox.test/a', description: 'one … two' }] } });
    expect(service.requests[0]?.headers['x-api-key']).toBe('exa-key');
    expect(JSON.parse(service.requests[0]!.body)).toMatchObject({ query: 'fox', numResults: 5 });
  });

  test('SearXNG is asked at the address in SEARXNG_URL; one without JSON is told', async () => {
    bench.variables.set('SEARXNG_URL', service.origin);
    answer = json({ results: Array.from({ length: 30 }, (_, index) => ({ title: 'Foxes', url: `https://fox.test/${String(index)}`, content: 'x' })) });
    expect(await search({ query: 'fox', limit: 7 })).toMatchObject({ data: { web: { length: 7 } } });
    expect(service.requests[0]?.url).toBe('/search?q=fox&format=json');
    answer = (_request, response) => response.writeHead(403).end();
    expect((await search({ query: 'fox' }))['error']).toContain('search.formats');
  });

  test('DuckDuckGo is asked without a key: real addresses, no advertisements', async () => {
    bench.config.set('web.duckduckgo.base_url', service.origin);
    answer = html(`<html><body><div id="links" class="results">
      <div class="result results_links result--ad"><a class="result__a" href="https://duckduckgo.com/y.js?ad_domain=x">Buy</a></div>
      <div class="result results_links web-result"><h2><a rel="nofollow" class="result__a" href="//duckduckgo.com/l/?uddg=https%3A%2F%2Ffox.test%2Fa%3Fb%3D1&amp;rut=00">Foxes &amp; dens</a></h2><a class="result__snippet" href="#">About <b>foxes</b></a></div></div></body></html>`);
    expect(await search({ query: 'fox & den' })).toMatchObject({ backend: 'duckduckgo', data: { web: [{ title: 'Foxes & dens', url: 'https://fox.test/a?b=1', description: 'About foxes', position: 1 }] } });
    expect(service.requests[0]?.url).toBe('/html/?q=fox+%26+den');
    answer = html('<html><body><div class="results"><div class="no-results">None</div></div></body></html>');
    expect(await search({ query: 'fox' })).toMatchObject({ success: true, data: { web: [] }, note: expect.stringContaining('Nothing was found') as string });
    answer = html('<html><body><form id="challenge-form"><div class="anomaly-modal__title">bots</div></form></body></html>');
    expect((await search({ query: 'fox' }))['error']).toContain('BRAVE_SEARCH_API_KEY');
    answer = html('<html><body>moved</body></html>');
    expect((await search({ query: 'fox' }))['error']).toContain('no list of results');
  });

  test.each<[string, RequestListener, string]>([
    ['a wrong key', (_request, response) => response.writeHead(401).end('no'), 'TAVILY_API_KEY is not accepted'], ['a used-up plan', (_request, response) => response.writeHead(432).end(), 'quota'],
    ['too many requests', (_request, response) => response.writeHead(429).end(), 'Wait a little'], ['a fault', (_request, response) => response.writeHead(500).end(), 'fault of its own'],
    ['a redirect', (_request, response) => response.writeHead(302, { location: '/stolen' }).end(), 'web.tavily.base_url'], ['no JSON', (_request, response) => response.end('<html>'), 'no JSON'],
    ['a broken connection', (request) => request.socket.destroy(), 'could not be reached'], ['a flood', (_request, response) => response.end(Buffer.alloc(6 * 1024 * 1024, ' ')), 'could not be reached'],
  ])('%s is told with the next step, and the key never shows', async (_name, listener, words) => {
    bench.variables.set('TAVILY_API_KEY', 'tavily-key');
    bench.config.set('web.tavily.base_url', service.origin);
    answer = listener;
    const result = await search({ query: 'fox' });
    expect(result).toMatchObject({ success: false, error: expect.stringContaining(words) as string });
    expect(JSON.stringify(result)).not.toContain('tavily-key');
    expect(service.requests.map(({ url }) => url)).not.toContain('/stolen');
  });

  test('answers of another shape hold no results and break nothing', async () => {
    bench.variables.set('EXA_API_KEY', 'exa-key');
    bench.config.set('web.exa.base_url', service.origin);
    for (const value of [null, [], 5, { results: {} }, { results: [null, 1, { url: 5 }] }]) {
      answer = json(value);
      expect(await search({ query: 'fox' })).toMatchObject({ success: true, data: { web: [] } });
    }
  });

  test.each([[{}, "needs 'query'"], [{ query: ' ' }, "needs 'query'"], [{ query: 'x'.repeat(3_000) }, 'more than'], [{ query: 'why does sk-secretsecretsecretsecret fail' }, 'Blocked']])('%j is refused with the reason', async (args, words) => {
    expect((await search(args))['error']).toContain(words);
    expect(service.requests).toEqual([]);
  });

  test('a service that the configuration names but that is not set up is told', async () => {
    bench.config.set('web.backend', 'brave');
    expect((await search({ query: 'fox' }))['error']).toMatch(/BRAVE_SEARCH_API_KEY is missing.*\.env/);
  });
});
