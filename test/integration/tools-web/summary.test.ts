import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { webExtract } from '../../../tools/web/extract.ts';
import { openAuxiliaryModels } from '../../support/auxiliary-models.ts';
import { type ModelServer, startModelServer } from '../../support/model/server.ts';
import { openToolBench, type ToolBench } from '../../support/tool-context.ts';
import { serve, type CountingServer } from '../../support/counting-server.ts';

let bench: ToolBench;
let site: CountingServer;
let model: ModelServer;
let body = '';

beforeAll(async () => {
  bench = await openToolBench();
  model = await startModelServer({ script: () => ({ text: '# Short\n\nFoxes jump.' }) });
  site = await serve((_request, response) => response.writeHead(200, { 'content-type': 'text/plain' }).end(body));
  bench.models = openAuxiliaryModels({ config: { 'auxiliary.web_extract': { base_url: model.baseUrl, model: 'reader' } } });
});
afterAll(() => Promise.all([site.close(), model.close(), bench.close()]));
beforeEach(() => { bench.config.set('security.allow_private_urls', true).set('auxiliary.web_extract', { model: 'reader' }); });
afterEach(() => { bench.config.clear(); model.use(() => ({ text: '# Short\n\nFoxes jump.' })); });

async function extract(): Promise<Record<string, unknown>> {
  const { results } = JSON.parse(await webExtract({ urls: [`${site.origin}/long.txt`] }, bench.context())) as { results: Record<string, unknown>[] };
  return results[0] ?? {};
}

test('a long page is summed up by the model named for it, still marked as written by strangers; the whole text is kept', async () => {
  body = 'The quick brown fox. '.repeat(2_000);
  const before = model.requests.length;
  const result = await extract();
  expect(result).toMatchObject({ summarized: true, total_chars: body.trim().length, full_text_path: expect.any(String) as unknown, content: expect.stringMatching(/^<untrusted_web_content[^]*Foxes jump\.[^]*<\/untrusted_web_content>$/) as string });
  expect(model.requests.slice(before).map(({ body: asked }) => asked.model)).toEqual(['reader']);
  expect(JSON.stringify(model.requests.at(-1)?.body.messages)).toContain('untrusted_web_content');
});

test('a very long page is summed up in parts, and the summaries once more', async () => {
  body = 'word '.repeat(110_000);
  const before = model.requests.length;
  expect(await extract()).toMatchObject({ summarized: true });
  expect(model.requests.length - before).toBe(Math.ceil(body.trim().length / 100_000) + 1);
});

test.each([['short', 'x'.repeat(4_000), true], ['not wanted', 'x '.repeat(20_000), false]] as const)('no model is asked for a page that is %s', async (_why, text, wanted) => {
  body = text;
  if (!wanted) bench.config.set('web.summarize', false);
  const before = model.requests.length;
  expect(await extract()).not.toHaveProperty('summarized');
  expect(model.requests.length).toBe(before);
});

test('a model that fails leaves the page by head and tail, and says so', async () => {
  body = 'The quick brown fox. '.repeat(2_000);
  model.use(() => ({ status: 401 }));
  expect(await extract()).toMatchObject({ truncated: true, summary_error: expect.stringContaining('could not be summed up') as string, content: expect.stringContaining('characters left out') as string });
});
