import type { ChildProcess } from 'node:child_process';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { HostBench } from '../../support/test-host.ts';
import { callTool, endProgram, freePort, node, openMcp, REAL_SERVERS, serverInfo, startProgram, toolset, untilServer } from '../../support/mcp/bench.ts';

/** Every real server of the registry: what it is started with, one of its tools, a call and what the answer has in it. */
interface Case { readonly script: string; readonly args: (folder: string) => string[]; readonly tool: string; readonly call: (folder: string) => object; readonly answer: RegExp; readonly count: number }
const CASES: Readonly<Record<string, Case>> = {
  everything: { script: REAL_SERVERS.everything, args: () => [], tool: 'get_sum', call: () => ({ a: 40, b: 2 }), answer: /42/, count: 10 },
  filesystem: { script: REAL_SERVERS.filesystem, args: (folder) => [folder], tool: 'read_text_file', call: (folder) => ({ path: join(folder, 'note.txt') }), answer: /remember me/, count: 10 },
  memory: {
    script: REAL_SERVERS.memory, args: () => [], tool: 'read_graph', call: () => ({}), answer: /"entities"/, count: 9,
  },
  thinking: { script: REAL_SERVERS.thinking, args: () => [], tool: 'sequentialthinking', call: () => ({ thought: 'First.', nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 }), answer: /thoughtNumber/, count: 1 },
};

async function folderWithNote(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'talaria-mcp-real-'));
  await writeFile(join(folder, 'note.txt'), 'remember me');
  return folder;
}

const NAMES = Object.keys(CASES);
const caseOf = (name: string): Case => CASES[name] ?? expect.fail(`no case ${name}`);
const each = (work: (name: string, real: Case) => Promise<void>): Promise<unknown> => Promise.all(NAMES.map((name) => work(name, caseOf(name))));

/** Waits for a server that is coming back. */
async function answers(bench: HostBench, name: string, folder: string): Promise<void> {
  const { tool, call, answer } = caseOf(name);
  expect((await callTool(bench, `mcp_${name}_${tool}`, call(folder))).result).toMatch(answer);
}

async function listsAndAnswers(bench: HostBench, name: string, folder: string): Promise<void> {
  await answers(bench, name, folder);
  const { count } = caseOf(name);
  const info = await toolset(bench, name);
  expect(info?.available).toBe(true);
  expect(info?.tools.length).toBeGreaterThanOrEqual(count);
}

test('all four over stdio: listed, called, killed with -9, found again, started anew by a person', async () => {
  const folder = await folderWithNote();
  const bench = await openMcp(Object.fromEntries(NAMES.map((name) => [name, { ...node(caseOf(name).script, ...caseOf(name).args(folder)), env: { MEMORY_FILE_PATH: join(folder, 'memory.json') } }])));
  await bench.host.ready();
  await each((name) => listsAndAnswers(bench, name, folder));
  await each(async (name) => {
    const pid = (await serverInfo(bench, name))?.pid ?? 0;
    const down = untilServer(bench, name, (info) => info?.state === 'failed');
    process.kill(pid, 'SIGKILL');
    expect((await down)?.why).toContain('has ended');
    await answers(bench, name, folder);
    expect((await serverInfo(bench, name))?.pid).not.toBe(pid);
    await bench.request('mcp.restart', { server: name });
    expect(await serverInfo(bench, name)).toMatchObject({ state: 'connected', why: null });
    await answers(bench, name, folder);
  });
});

/** everything has an HTTP mode of its own; the others only speak stdio and are put behind HTTP by a bridge. */
async function startHttp(name: string, { script, args }: Case, folder: string, port: number): Promise<ChildProcess> {
  return name === 'everything'
    ? startProgram([script, 'streamableHttp'], { PORT: String(port) }, /listening|running on port/i)
    : startProgram([join(import.meta.dirname, '../../fixtures/mcp-http-bridge.mjs'), String(port), script, ...args(folder)], { MEMORY_FILE_PATH: join(folder, 'memory.json') }, /listening/);
}

test('all four over HTTP: listed, called, killed with -9, found again', async () => {
  const folder = await folderWithNote();
  const ports = new Map(await Promise.all(NAMES.map(async (name) => [name, await freePort()] as const)));
  const portOf = (name: string): number => ports.get(name) ?? 0;
  const programs = new Map(await Promise.all(NAMES.map(async (name) => [name, await startHttp(name, caseOf(name), folder, portOf(name))] as const)));
  const bench = await openMcp(Object.fromEntries(NAMES.map((name) => [name, { url: `http://127.0.0.1:${String(portOf(name))}/mcp` }])));
  await bench.host.ready();
  await each((name) => listsAndAnswers(bench, name, folder));
  await each(async (name, { tool, call }) => {
    const program = programs.get(name);
    if (program !== undefined) await endProgram(program);
    expect((await callTool(bench, `mcp_${name}_${tool}`, call(folder))).error).toMatch(/(?:ended while this call ran|has ended|cannot be connected|was lost)/);
    await startHttp(name, caseOf(name), folder, portOf(name));
    await answers(bench, name, folder);
  });
});

test('everything is killed with -9 in the middle of a call: that call fails and says so, the next one works', async () => {
  const bench = await openMcp({ real: node(REAL_SERVERS.everything) });
  await bench.host.ready();
  const session = await bench.session();
  const busy = bench.host.callTool('mcp_real_trigger_long_running_operation', { duration: 60, steps: 60 }, { sessionId: session.id, signal: new AbortController().signal });
  // Answered after the long call has arrived: a stdio server reads in order.
  await callTool(bench, 'mcp_real_echo', { message: 'hello' });
  process.kill((await serverInfo(bench, 'real'))?.pid ?? 0, 'SIGKILL');
  expect((await busy).fullText).toContain("'real' ended while this call ran. Whether it was carried out is unknown.");
  expect(await callTool(bench, 'mcp_real_echo', { message: 'again' })).toEqual({ result: 'Echo: again' });
});

test('memory keeps what it was told over a restart, through our own calls', async () => {
  const folder = await folderWithNote();
  const bench = await openMcp({ real: { ...node(REAL_SERVERS.memory), env: { MEMORY_FILE_PATH: join(folder, 'memory.json') } } });
  await callTool(bench, 'mcp_real_create_entities', { entities: [{ name: 'Grace', entityType: 'person', observations: ['found a moth'] }] });
  await bench.request('mcp.restart', { server: 'real' });
  expect((await callTool(bench, 'mcp_real_search_nodes', { query: 'moth' })).result).toContain('Grace');
  expect(await readFile(join(folder, 'memory.json'), 'utf8')).toContain('Grace');
});
