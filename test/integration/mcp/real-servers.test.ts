import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { registry } from '../../../tools/registry.ts';
import type { HostBench } from '../../support/test-host.ts';
import { callTool, freePort, node, openMcp, REAL_SERVERS, serverInfo, startProgram, toolset, until } from '../../support/mcp/bench.ts';

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

const toolOf = (name: string): string => `mcp_${name}_${caseOf(name).tool}`;
const shown = async (bench: HostBench, name: string): Promise<string[]> => (await toolset(bench, name))?.tools.map((tool) => tool.name) ?? [];

/** Waits for a server that is coming back. */
async function answers(bench: HostBench, name: string, folder: string): Promise<void> {
  const { call, answer } = caseOf(name);
  expect((await callTool(bench, toolOf(name), call(folder))).result, `${name}: call`).toMatch(answer);
}

async function listsAndAnswers(bench: HostBench, name: string, folder: string): Promise<void> {
  await answers(bench, name, folder);
  const info = await toolset(bench, name);
  expect(info?.available, `${name}: list`).toBe(true);
  expect(info?.tools.length, `${name}: list`).toBeGreaterThanOrEqual(caseOf(name).count);
}

/** One tool is switched off and on by a person: the list changes each time, and the connection stays. */
async function changesByPerson(bench: HostBench, name: string, folder: string): Promise<void> {
  const before = await serverInfo(bench, name);
  const whole = await shown(bench, name);
  const own = before?.tools.find((tool) => tool.name.replaceAll('-', '_') === caseOf(name).tool)?.name ?? expect.fail(`${name} has no such tool`);
  await bench.request('mcp.setTool', { server: name, tool: own, enabled: false });
  expect(await shown(bench, name), `${name}: change list`).toEqual(whole.filter((each) => each !== toolOf(name)));
  expect((await callTool(bench, toolOf(name), caseOf(name).call(folder))).error, `${name}: change list`).toBeTruthy();
  await bench.request('mcp.setTool', { server: name, tool: own, enabled: true });
  expect(await shown(bench, name), `${name}: change list`).toEqual(whole);
  expect((await serverInfo(bench, name))?.pid, `${name}: change list`).toBe(before?.pid);
  await answers(bench, name, folder);
}

/** These servers answer too fast to be killed in between: they are stopped first, so that the call is with them when they die. */
async function killedInMidCall(bench: HostBench, name: string, pid: number, folder: string): Promise<void> {
  const session = await bench.session();
  process.kill(pid, 'SIGSTOP');
  const begun = Promise.withResolvers<undefined>();
  const off = registry.onDispatch((entry) => { if (entry.name === toolOf(name)) begun.resolve(undefined); });
  const call = bench.host.callTool(toolOf(name), caseOf(name).call(folder), { sessionId: session.id, signal: new AbortController().signal });
  await begun.promise;
  off();
  await turn();
  process.kill(pid, 'SIGKILL');
  expect((await call).fullText, `${name}: kill in mid-call`).toContain(`'${name}' ended while this call ran. Whether it was carried out is unknown.`);
}

async function restartedByPerson(bench: HostBench, name: string, folder: string): Promise<void> {
  const before = (await serverInfo(bench, name))?.pid;
  await bench.request('mcp.restart', { server: name });
  const after = await serverInfo(bench, name);
  expect(after, `${name}: restart`).toMatchObject({ state: 'connected', why: null });
  if (before !== null) expect(after?.pid, `${name}: restart`).not.toBe(before);
  await answers(bench, name, folder);
}

test('all four over stdio: listed, called, the list changed, killed with -9 in mid-call, found again, started anew by a person', { timeout: 180_000 }, async () => {
  const folder = await folderWithNote();
  const bench = await openMcp(Object.fromEntries(NAMES.map((name) => [name, { ...node(caseOf(name).script, ...caseOf(name).args(folder)), env: { MEMORY_FILE_PATH: join(folder, 'memory.json') } }])));
  await bench.host.ready();
  await each((name) => listsAndAnswers(bench, name, folder));
  // It brings these along only when it knows what its client can do, and says then that its list has changed.
  await until(bench, 'everything', (info) => info?.tools.some((tool) => tool.name === 'mcp_everything_trigger_elicitation_request') === true);
  for (const name of NAMES) await changesByPerson(bench, name, folder);
  await each(async (name) => {
    const pid = (await serverInfo(bench, name))?.pid ?? expect.fail(`${name} does not run`);
    await killedInMidCall(bench, name, pid, folder);
    await answers(bench, name, folder);
    expect((await serverInfo(bench, name))?.pid, `${name}: found again`).not.toBe(pid);
    await restartedByPerson(bench, name, folder);
  });
});

/** everything has an HTTP mode of its own; the others only speak stdio and are put behind HTTP by a bridge. */
async function startHttp(name: string, { script, args }: Case, folder: string, port: number): Promise<ChildProcess> {
  return name === 'everything'
    ? startProgram([script, 'streamableHttp'], { PORT: String(port) }, /listening|running on port/i)
    : startProgram([join(import.meta.dirname, '../../fixtures/mcp-http-bridge.mjs'), String(port), script, ...args(folder)], { MEMORY_FILE_PATH: join(folder, 'memory.json') }, /listening/);
}

/** The server says that its list has changed: its last tool goes, and comes back. */
async function changesByItself(bench: HostBench, name: string, program: ChildProcess): Promise<void> {
  const whole = await shown(bench, name);
  for (const length of [whole.length - 1, whole.length]) {
    program.kill('SIGUSR2');
    await until(bench, name, (info) => (info?.tools.length ?? 0) === length);
  }
  expect(await shown(bench, name), `${name}: change list`).toEqual(whole);
}

test('all four over HTTP: listed, called, the list changed, killed with -9 in mid-call, found again, connected anew by a person', { timeout: 180_000 }, async () => {
  const folder = await folderWithNote();
  const ports = new Map(await Promise.all(NAMES.map(async (name) => [name, await freePort()] as const)));
  const portOf = (name: string): number => ports.get(name) ?? 0;
  const programs = new Map(await Promise.all(NAMES.map(async (name) => [name, await startHttp(name, caseOf(name), folder, portOf(name))] as const)));
  const programOf = (name: string): ChildProcess => programs.get(name) ?? expect.fail(`${name} was not started`);
  const bench = await openMcp(Object.fromEntries(NAMES.map((name) => [name, { url: `http://127.0.0.1:${String(portOf(name))}/mcp` }])));
  await bench.host.ready();
  await each((name) => listsAndAnswers(bench, name, folder));
  await until(bench, 'everything', (info) => info?.tools.some((tool) => tool.name === 'mcp_everything_trigger_elicitation_request') === true);
  for (const name of NAMES) await changesByPerson(bench, name, folder);
  await each(async (name) => {
    if (name !== 'everything') await changesByItself(bench, name, programOf(name));
  });
  await each(async (name) => {
    const program = programOf(name);
    const gone = once(program, 'exit');
    await killedInMidCall(bench, name, program.pid ?? 0, folder);
    await gone;
    await startHttp(name, caseOf(name), folder, portOf(name));
    await answers(bench, name, folder);
    await restartedByPerson(bench, name, folder);
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
