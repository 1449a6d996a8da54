import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, InMemoryTransport, type CallToolResult, type ElicitRequestParams, type ElicitResult } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../../main/clock.ts';
import { serveTools } from '../../../main/mcp/serve.ts';
import type { ApprovalRequest } from '../../../preload/contract/index.ts';
import { talariaProgram } from '../../support/app.ts';
import { describeBuilt, makeCliHome, type CliHome } from '../../support/cli.ts';
import { openMcp } from '../../support/mcp/bench.ts';
import { CALLER, type HostBench } from '../../support/test-host.ts';

type Answer = (params: ElicitRequestParams) => Promise<ElicitResult> | ElicitResult;

/** The official client, able to ask its own person when `answer` is given. */
function makeClient(answer?: Answer): Client {
  const client = new Client({ name: 'another-agent', version: '1' }, { capabilities: answer === undefined ? {} : { elicitation: { form: {} } } });
  if (answer !== undefined) client.setRequestHandler('elicitation/create', async ({ params }) => answer(params));
  return client;
}

const textOf = (result: CallToolResult): string => result.content.map((block) => (block.type === 'text' ? block.text : '')).join('');

describeBuilt('talaria mcp-server in a process of its own', () => {
  let cli: CliHome;
  const clients: Client[] = [];
  beforeEach(async () => { cli = await makeCliHome(); });
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.close()));
    await cli.close();
  });

  async function start(args: readonly string[] = [], answer?: Answer): Promise<{ client: Client; transport: StdioClientTransport }> {
    const client = makeClient(answer);
    const transport = new StdioClientTransport({
      command: process.execPath, args: [talariaProgram, 'mcp-server', ...args], cwd: cli.workFolder, stderr: 'ignore',
      env: { PATH: process.env['PATH'] ?? '', HOME: cli.workFolder, HERMES_HOME: cli.home },
    });
    await client.connect(transport);
    clients.push(client);
    return { client, transport };
  }

  async function victim(): Promise<string> {
    const folder = join(cli.workFolder, 'data');
    await mkdir(folder);
    await writeFile(join(folder, 'file'), 'x');
    return folder;
  }
  const remove = (client: Client, folder: string): Promise<CallToolResult> => client.callTool({ name: 'terminal', arguments: { command: `rm -rf ${folder}` } }, { timeout: 60_000 });

  /** What another command line sees waiting, as soon as it is there. */
  async function waiting(): Promise<ApprovalRequest> {
    for (;;) {
      const [open] = JSON.parse((await cli.run(['approvals', '--json'])).stdout) as ApprovalRequest[];
      if (open !== undefined) return open;
    }
  }

  test('lists the tools with their schemas, calls one that only reads, and says what an unknown name is', async () => {
    const { client } = await start();
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['read_file', 'search_files', 'terminal', 'write_file']));
    for (const { inputSchema } of tools) expect(inputSchema.type).toBe('object');
    await writeFile(join(cli.workFolder, 'note.txt'), 'read me\n');
    const read = await client.callTool({ name: 'read_file', arguments: { path: 'note.txt' } });
    expect(read.isError).toBeUndefined();
    expect(textOf(read)).toContain('read me');
    const unknown = await client.callTool({ name: 'no_such_tool', arguments: {} });
    expect([unknown.isError, textOf(unknown)]).toEqual([true, expect.stringContaining("no tool 'no_such_tool'")]);
  });

  test('a dangerous command waits, is listed and approved by another command line, and runs', { timeout: 90_000 }, async () => {
    const { client } = await start();
    const folder = await victim();
    const call = remove(client, folder);
    const request = await waiting();
    expect(request).toMatchObject({ command: `rm -rf ${folder}`, sessionTitle: 'Calls of another agent (MCP)' });
    expect(existsSync(folder)).toBe(true);
    expect((await cli.run(['approvals'])).stdout).toContain(request.id);
    expect(await cli.run(['approvals', 'approve', request.id])).toMatchObject({ code: 0, stdout: `Approved: rm -rf ${folder}\n` });
    const result = await call;
    expect([result.isError, JSON.parse(textOf(result))]).toEqual([undefined, expect.objectContaining({ exit_code: 0 })]);
    expect(existsSync(folder)).toBe(false);
  });

  test('a denial is an error result with the reason, and nothing has run; a floor blocks without asking', { timeout: 90_000 }, async () => {
    const { client } = await start(['--toolsets', 'terminal']);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['process', 'terminal']);
    const folder = await victim();
    const call = remove(client, folder);
    const request = await waiting();
    expect((await cli.run(['approvals', 'deny', request.id.slice(0, 12), '--reason', 'we need that data'])).code).toBe(0);
    const denied = await call;
    expect([denied.isError, textOf(denied)]).toEqual([true, expect.stringContaining('we need that data')]);
    expect(existsSync(folder)).toBe(true);
    const blocked = await client.callTool({ name: 'terminal', arguments: { command: 'rm -rf /' } });
    expect([blocked.isError, textOf(blocked)]).toEqual([true, expect.stringMatching(/block/i)]);
    expect((await cli.run(['approvals', 'deny', request.id])).code).toBe(1);
  });

  test('ends with its client', async () => {
    const { client, transport } = await start();
    const pid = transport.pid ?? 0;
    await client.listTools();
    await client.close();
    await expect.poll(() => { try { return process.kill(pid, 0); } catch { return false; } }, { timeout: 20_000 }).toBe(false);
  });
});

/** The same server over a pair in memory, on the host of the tests. */
async function openServed(options: { readonly askClient?: boolean; readonly answer?: Answer } = {}): Promise<{ bench: HostBench; client: Client; ended: Promise<void> }> {
  const bench = await openMcp({});
  const session = await bench.session();
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const ended = serveTools({
    version: '1', sessionId: session.id, askClient: options.askClient ?? false, clock: systemClock, log: bench.host.log, events: bench.host.events,
    listToolsets: () => bench.request('toolsets.list', { sessionId: session.id }),
    callTool: (name, args, call) => bench.host.callTool(name, args, call),
    decide: async (request, choice, reason) => { await bench.host.handle('approvals.decide', { id: request.id, choice, ...(choice === 'deny' ? { reason } : {}) }, CALLER); },
  }, ours, new AbortController().signal);
  const client = makeClient(options.answer);
  await client.connect(theirs);
  return { bench, client, ended };
}

const dangerous = (client: Client, onprogress?: (message: string | undefined) => void): Promise<CallToolResult> =>
  client.callTool({ name: 'terminal', arguments: { command: 'rm -rf ./build' } }, { timeout: 30_000, ...(onprogress === undefined ? {} : { onprogress: ({ message }) => onprogress(message) }) });

test('a client that can ask its person is asked only where the server was started so', async () => {
  const asked: string[] = [];
  const answer: Answer = ({ message }) => {
    asked.push(message);
    return { action: 'accept', content: { decision: 'once' } };
  };
  const silent = await openServed({ answer });
  const call = dangerous(silent.client);
  const request = await silent.bench.approval();
  expect(asked).toEqual([]);
  await silent.bench.request('approvals.decide', { id: request.id, choice: 'deny' });
  expect((await call).isError).toBe(true);
  await silent.client.close();
  await silent.ended;

  const asking = await openServed({ askClient: true, answer });
  const result = await dangerous(asking.client);
  expect(asked).toEqual([expect.stringContaining('rm -rf ./build')]);
  expect(JSON.parse(textOf(result))).toMatchObject({ exit_code: 0 });
  await asking.client.close();
  await asking.ended;
});

test('declining there denies; putting the question away leaves it to the people in front of Talaria, and their answer takes it back', async () => {
  const declining = await openServed({ askClient: true, answer: () => ({ action: 'decline' }) });
  expect((await dangerous(declining.client)).isError).toBe(true);
  await declining.client.close();
  await declining.ended;

  const away = await openServed({ askClient: true, answer: () => ({ action: 'cancel' }) });
  const call = dangerous(away.client);
  const request = await away.bench.approval();
  await away.bench.request('approvals.decide', { id: request.id, choice: 'once' });
  expect((await call).isError).toBeUndefined();
  await away.client.close();
  await away.ended;
});

test('a client is told why a call takes so long, and that the tools are others now', async () => {
  const { bench, client, ended } = await openServed();
  const told: (string | undefined)[] = [];
  const call = dangerous(client, (message) => told.push(message));
  const request = await bench.approval();
  await bench.request('approvals.decide', { id: request.id, choice: 'deny' });
  await call;
  expect(told).toEqual([expect.stringContaining('Waiting for a person')]);
  const changed = new Promise<void>((resolve) => { client.setNotificationHandler('notifications/tools/list_changed', () => resolve()); });
  await bench.request('toolsets.set', { name: 'terminal', enabled: false });
  await changed;
  expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain('terminal');
  expect(textOf(await dangerous(client))).toContain("no tool 'terminal'");
  await client.close();
  await ended;
});

test('stopping a call in the other agent takes its question away', async () => {
  const { bench, client, ended } = await openServed();
  const stop = new AbortController();
  const call = client.callTool({ name: 'terminal', arguments: { command: 'rm -rf ./build' } }, { signal: stop.signal });
  call.catch(() => undefined);
  const request = await bench.approval();
  const settled = bench.next('approvals', (event) => event.request.id === request.id && event.request.state === 'cancelled');
  stop.abort();
  await settled;
  await expect(call).rejects.toThrow();
  await client.close();
  await ended;
});
