import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { registry } from '../../../tools/registry.ts';
import { openMcp, serverInfo } from '../../support/mcp/bench.ts';
import { manyServers } from '../../support/mcp/many.ts';

/** The bar is 10 s on an idle machine of two cores (`npm run bench` tells the figure); the gate's machine does other work at the same time. */
const START_SECONDS = 40;

test('fifty servers with twenty tools each start side by side, and the first request of a chat offers all thousand tools', { timeout: 90_000 }, async () => {
  const bench = await openMcp({}, { script: () => ({ text: 'Fine.' }), yaml: 'tools: {max_tools: 0, tool_search: {enabled: off}}\n' });
  const servers = await manyServers(50, 20, bench.folder);
  await bench.host.close();
  await writeFile(join(bench.home, 'config.yaml'), `model: {default: scripted-model, provider: custom, base_url: "${bench.model.baseUrl}"}\ntools: {max_tools: 0, tool_search: {enabled: off}}\nmcp_servers: ${JSON.stringify(servers)}\n`);
  const started = performance.now();
  await bench.restart();
  while ((await bench.request('mcp.list', {})).some(({ state }) => state !== 'connected')) await bench.host.ready();
  expect((performance.now() - started) / 1_000).toBeLessThan(START_SECONDS);
  expect(registry.getAllToolNames().filter((name) => name.startsWith('mcp_s'))).toHaveLength(1_000);
  const session = await bench.session();
  await bench.say(session.id, 'hello');
  expect((bench.model.requests[0]?.body.tools ?? []).filter((tool) => tool.function.name.startsWith('mcp_s'))).toHaveLength(1_000);
  const pids = await Promise.all(Object.keys(servers).map(async (name) => (await serverInfo(bench, name))?.pid ?? 0));
  await bench.host.close();
  for (const pid of pids) expect(() => process.kill(pid, 0), 'a server outlives the host').toThrow('ESRCH');
  await bench.restart();
});
