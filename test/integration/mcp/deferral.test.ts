import { expect, test } from 'vitest';
import type { ToolCall } from '../../../preload/contract/index.ts';
import { node, openMcp, REAL_SERVERS } from '../../support/mcp/bench.ts';
import type { HostBench } from '../../support/test-host.ts';

interface Made { readonly name: string; readonly arguments: object }

/** A chat whose model makes these calls, one per reply, in front of a window in which the everything server is more than a tenth. */
async function chat(made: readonly Made[], more: object = {}, yaml = ''): Promise<{ bench: HostBench; calls: () => Promise<ToolCall[]>; go: () => Promise<void>; offered: () => string[] }> {
  const bench = await openMcp({ every: { ...node(REAL_SERVERS.everything), ...more } }, {
    yaml, script: ({ index }) => { const call = made[index]; return call === undefined ? { text: 'Done.' } : { calls: [call as Made & { arguments: Record<string, never> }] }; }, // cast: any JSON object will do
  });
  await bench.host.ready();
  const session = await bench.session();
  return {
    bench,
    calls: async () => (await bench.messages(session.id)).flatMap(({ calls }) => calls),
    go: () => bench.say(session.id, 'go'),
    offered: () => (bench.model.requests[0]?.body.tools ?? []).map((tool) => tool.function.name),
  };
}

const ON = 'tools: {tool_search: {enabled: on}}\n';
const BRIDGE = ['tool_call', 'tool_describe', 'tool_search'];

test('behind the bridge a model finds a server\'s tool, reads how it is called, and calls it; built-in tools stay in the list', async () => {
  const { calls, go, offered } = await chat([
    { name: 'tool_search', arguments: { query: 'add two numbers' } },
    { name: 'tool_describe', arguments: { name: 'mcp_every_get_sum' } },
    { name: 'tool_call', arguments: { name: 'mcp_every_get_sum', arguments: { a: '40', b: 2 } } },
    { name: 'mcp_every_echo', arguments: { message: 'by its own name' } },
  ], {}, ON);
  await go();
  expect(offered()).toEqual(expect.arrayContaining([...BRIDGE, 'read_file', 'terminal']));
  expect(offered().filter((name) => name.startsWith('mcp_'))).toEqual([]);
  const [found, described, called, direct] = await calls();
  expect(found?.result).toContain('mcp_every_get_sum');
  expect(JSON.parse(described?.result ?? '{}')).toMatchObject({ name: 'mcp_every_get_sum', parameters: { properties: { a: { type: 'number' } } } });
  expect([called?.state, called?.result]).toEqual(['done', expect.stringContaining('42')]);
  expect(called?.repairs.join()).toContain('a');
  expect(direct?.result).toBe('{"result":"Echo: by its own name"}');
});

test('what fails through the bridge fails as it would directly: bad arguments, unknown names, the server\'s own errors', async () => {
  const { calls, go } = await chat([
    { name: 'tool_call', arguments: { name: 'mcp_every_get_sum', arguments: { a: 1 } } },
    { name: 'tool_call', arguments: { name: 'mcp_every_nothing', arguments: {} } },
    { name: 'tool_call', arguments: { name: 'terminal', arguments: { command: 'echo no' } } },
    { name: 'tool_call', arguments: { name: 'mcp_every_get_sum', arguments: '{"a": 1, "b": 2}' } },
  ], {}, ON);
  await go();
  const [bad, unknown, core, text] = await calls();
  expect([bad?.state, bad?.result]).toEqual(['error', expect.stringContaining('invalid_arguments')]);
  expect(unknown?.result).toContain('Use tool_search to find tools');
  expect(core?.result).toContain('not available in this session');
  expect(text?.result).toContain('sum');
});

test('an approval asked through the bridge stands at the call in the chat, and a denial is its result', async () => {
  const { bench, calls, go } = await chat([{ name: 'tool_call', arguments: { name: 'mcp_every_echo', arguments: { message: 'hi' } } }], { trust: 'untrusted' }, ON);
  const through = go();
  const request = await bench.approval();
  expect(request).toMatchObject({ tool: 'mcp:every', command: 'echo {"message":"hi"}' });
  const [waiting] = await calls();
  expect(waiting).toMatchObject({ state: 'waiting', id: request.callId, approvalId: request.id });
  await bench.request('approvals.decide', { id: request.id, choice: 'deny', reason: 'not that' });
  await through;
  expect((await calls())[0]?.result).toContain('not that');
});

test('by size: a tenth of the window is the line, so a large window lists the tools and a small one does not', async () => {
  const large = await chat([]);
  await large.go();
  expect(large.offered()).toContain('mcp_every_echo');
  expect(large.offered()).not.toContain('tool_search');
  const small = await chat([]);
  await small.bench.host.close();
  const { readFile, writeFile } = await import('node:fs/promises');
  const file = `${small.bench.home}/config.yaml`;
  await writeFile(file, (await readFile(file, 'utf8')).replace('  provider: custom\n', '  provider: custom\n  context_length: 9000\n'));
  await small.bench.restart();
  await small.bench.host.ready();
  const session = await small.bench.session();
  await small.bench.say(session.id, 'go');
  const names = (small.bench.model.requests.at(-1)?.body.tools ?? []).map((tool) => tool.function.name);
  expect(names).toEqual(expect.arrayContaining(BRIDGE));
  expect(names).not.toContain('mcp_every_echo');
});
