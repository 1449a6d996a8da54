import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { callTool, node, openMcp, serverInfo, toolset, type Server } from '../../support/mcp/bench.ts';
import type { HostBench } from '../../support/test-host.ts';

const FIXTURE = join(import.meta.dirname, '../../fixtures/mcp-server.mjs');

/** The fixture server with this list, which no server should have. */
async function openWith(list: unknown, more: Server = {}): Promise<HostBench> {
  const file = join(await mkdtemp(join(tmpdir(), 'talaria-mcp-wrong-')), 'tools.json');
  await writeFile(file, JSON.stringify(list));
  const bench = await openMcp({ fix: { ...node(FIXTURE, file), ...more } });
  await bench.host.ready();
  return bench;
}
const tool = (name: string, more: object = {}): object => ({ name, description: `Does ${name}.`, inputSchema: { type: 'object', properties: {} }, ...more });
const names = async (bench: HostBench): Promise<string[] | undefined> => (await toolset(bench, 'fix'))?.tools.map(({ name }) => name);

test('a tool that cannot be used costs the server none of its others, and its card says which and why', async () => {
  const bench = await openWith([
    tool('sound'), { name: 'bare', description: null }, tool('untyped', { inputSchema: {} }), tool('array', { inputSchema: { type: 'array' } }), { description: 'No name.' }, 'text', tool('__proto__'),
    tool('日本'), tool('中国'), tool('sound'),
  ]);
  const [one = '', other = '', ...rest] = await names(bench) ?? [];
  expect([one, other]).toEqual([expect.stringMatching(/^mcp_fix____[0-9a-f]{8}$/) as string, expect.stringMatching(/^mcp_fix____[0-9a-f]{8}$/) as string]);
  expect((await Promise.all([one, other].map((name) => callTool(bench, name)))).map(({ result }) => result).sort()).toEqual(['did 中国', 'did 日本']);
  expect(rest).toEqual(['mcp_fix___proto__', 'mcp_fix_bare', 'mcp_fix_sound', 'mcp_fix_untyped']);
  const info = await serverInfo(bench, 'fix');
  expect(info?.state).toBe('connected');
  expect(info?.problems).toEqual([
    expect.stringMatching(/^Its tool 'array' is left out: inputSchema\.type: /) as string, expect.stringMatching(/^Its tool number 5 is left out: name: /) as string,
    expect.stringMatching(/^Its tool number 6 is left out: /) as string, 'Two of its tools are called mcp_fix_sound here; the second is left out.',
  ]);
  expect(info?.tools.find(({ name }) => name === '__proto__')?.state).toBe('offered');
  expect(await callTool(bench, 'mcp_fix_bare')).toEqual({ result: 'did bare' });
});

test('of a list without end the first fifty pages are offered, and the card says so', async () => {
  const bench = await openWith({ pages: 60 });
  expect((await names(bench))?.length).toBe(50);
  expect((await serverInfo(bench, 'fix'))?.problems).toEqual(['It lists its tools on more than 50 pages; those on the others are left out.']);
});

test('a program whose tool speaks of a lost session of its own is neither ended nor asked twice', async () => {
  const bench = await openWith([tool('gone'), tool('pid')]);
  const before = (await callTool(bench, 'mcp_fix_pid')).result;
  expect(await callTool(bench, 'mcp_fix_gone')).toEqual({ error: 'Browser session 42 not found (call 1)' });
  expect((await callTool(bench, 'mcp_fix_pid')).result).toBe(before);
});

test('an answer that is none is told in words, and what a server says of its answers cannot hold the app up', async () => {
  const bench = await openWith([tool('odd'), tool('hostile-output', { outputSchema: { type: 'object', properties: { t: { type: 'string', pattern: '^(a+)+$' } } } }), tool('pid', { outputSchema: { type: 'object', required: ['n'] } })]);
  expect((await callTool(bench, 'mcp_fix_odd')).error).toMatch(/^its answer to tools\/call is not what MCP says \(content\.0: /);
  expect((await callTool(bench, 'mcp_fix_hostile_output')).structuredContent).toMatchObject({ t: expect.stringContaining('aaa') as string });
  expect((await callTool(bench, 'mcp_fix_pid')).error).toContain('output schema');
});

test('a long answer comes whole; one that is too long ends the server, and the call says so', async () => {
  const bench = await openWith([tool('large'), tool('huge')]);
  expect((await callTool(bench, 'mcp_fix_large')).result?.length).toBe(12 * 1024 * 1024);
  expect((await callTool(bench, 'mcp_fix_huge')).error).toContain('one of its messages was larger than 32 MB');
});

test('a folder that is not there is named, not the program', async () => {
  const bench = await openMcp({ fix: { command: process.execPath, args: [FIXTURE], cwd: '/no/such/folder' }, joined: { command: 'node server.mjs' } });
  await bench.host.ready();
  expect((await serverInfo(bench, 'fix'))?.why).toContain('its folder /no/such/folder is not there');
  expect((await serverInfo(bench, 'joined'))?.why).toContain('the program node server.mjs was not found (what follows the program belongs in args)');
});

test.each([
  ['mcp_servers: [a, b]\n', 'mcp_servers', 'has to be names with settings'],
  ['mcpServers: {a: {command: x}}\n', 'mcpServers', 'is called mcp_servers here'],
])('a section that nobody reads is not passed over: %j', async (yaml, name, words) => {
  const bench = await openMcp({}, {});
  await writeFile(join(bench.home, 'config.yaml'), yaml);
  await bench.restart();
  expect(await serverInfo(bench, name)).toMatchObject({ state: 'wrong', why: expect.stringContaining(words) as string });
});
