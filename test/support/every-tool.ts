/** The real host with everything its tools reach for on loopback: a site with a search service, a model, pictures and speech, a home, a messenger, a training checkout. */
import { mkdtemp, rm } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCanvas } from '@napi-rs/canvas';
import { serve, type CountingServer } from './counting-server.ts';
import { startTelegram, TOKEN } from './gateway/telegram.ts';
import { HASS_TOKEN, startHomeAssistant } from './home-assistant.ts';
import { startModelServer, type ModelServer } from './model/server.ts';
import { freePort, makeRlCheckout } from './rl-checkout.ts';
import { openHostBench, type HostBench } from './test-host.ts';

export interface EveryTool {
  readonly bench: HostBench;
  readonly site: CountingServer;
  /** Asked by tools (vision, mixtures, training); the chats' own is `bench.model`. */
  readonly auxiliary: ModelServer;
  close(): Promise<void>;
}

const PAGE = `<title>Foxes</title><main><h1>Foxes</h1><p>${'The red fox lives in dens and hunts at dusk. '.repeat(20)}</p><img src="/fox.png" alt="A fox"><label>Name <input name="name"></label>
  <button onclick="document.title = String(confirm('Sure?'))">Ask</button><a href="/next">Next</a></main>`;

function answers(png: Buffer): RequestListener {
  return ({ url = '/' }, response) => {
    const send = (type: string, body: string | Buffer): void => { response.writeHead(200, { 'content-type': type, connection: 'close' }).end(body); };
    if (url.startsWith('/search')) return send('application/json', JSON.stringify({ results: [{ title: 'Foxes', url: 'https://fox.test/', content: 'About foxes' }] }));
    if (url.startsWith('/v1/images')) return send('application/json', JSON.stringify({ created: 1, data: [{ b64_json: png.toString('base64') }] }));
    if (url.startsWith('/v1/audio')) return send('audio/mpeg', 'ID3 sound');
    if (url.endsWith('.png')) return send('image/png', png);
    return send('text/html', url === '/next' ? '<title>Next</title><p>second page</p>' : PAGE);
  };
}

export async function openEveryTool(): Promise<EveryTool> {
  const root = await mkdtemp(join(tmpdir(), 'talaria-rl-'));
  const port = await freePort();
  const png = await createCanvas(40, 20).encode('png');
  const [site, auxiliary, home, telegram] = await Promise.all([
    serve(answers(png)), startModelServer({ script: ({ body }) => ({ text: body.model === 'maker/trained' ? '2' : 'An answer.' }) }), startHomeAssistant(), startTelegram(), makeRlCheckout(root, port),
  ]);
  const bench = await openHostBench({
    script: () => ({ text: 'Done by the sub-agent.' }),
    env: { HASS_URL: home.url, HASS_TOKEN, TELEGRAM_BOT_TOKEN: TOKEN, TINKER_API_KEY: 'tinker', WANDB_API_KEY: 'wandb', OPENROUTER_API_KEY: 'router', TINKER_ATROPOS_ROOT: root },
    yaml: [
      'approvals:', '  mode: off', 'security:', '  allow_private_urls: true', 'web:', '  backend: searxng', '  searxng:', `    base_url: ${site.origin}`,
      'auxiliary:', ...['image_gen', 'speech'].flatMap((purpose) => [`  ${purpose}:`, `    base_url: ${site.origin}/v1`, '    api_key: media']),
      ...['vision', 'mixture_of_agents'].flatMap((purpose) => [`  ${purpose}:`, `    base_url: ${auxiliary.baseUrl}`, '    api_key: other', '    model: seeing']),
      'moa:', '  reference_models: [maker/one, maker/two]', '  aggregator_model: maker/judge',
      'rl:', `  api_url: http://127.0.0.1:${String(port)}`, `  inference_url: ${auxiliary.baseUrl}`,
      'gateway:', '  telegram:', `    api_root: ${telegram.url}`, '    home_channel: "42"', '',
    ].join('\n'),
  });
  return {
    bench, site, auxiliary,
    async close() {
      await bench.close();
      await Promise.all([site.close(), auxiliary.close(), home.close(), telegram.close(), rm(root, { recursive: true, force: true })]);
    },
  };
}
