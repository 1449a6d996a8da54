/** What the tests of MCP have in common: a host with servers, calls, and waiting for a toolset to change. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach } from 'vitest';
import type { McpServerInfo } from '../../../preload/contract/mcp.ts';
import type { ToolsetInfo } from '../../../preload/contract/settings.ts';
import { openHostBench, type HostBench, type TestHostOptions } from '../test-host.ts';

const MODULES = join(import.meta.dirname, '../../../node_modules/@modelcontextprotocol');
export const REAL_SERVERS = {
  everything: join(MODULES, 'server-everything/dist/index.js'),
  filesystem: join(MODULES, 'server-filesystem/dist/index.js'),
  memory: join(MODULES, 'server-memory/dist/index.js'),
  thinking: join(MODULES, 'server-sequential-thinking/dist/index.js'),
} as const;

export type Server = Readonly<Record<string, unknown>>;
export const node = (...args: string[]): Server => ({ command: process.execPath, args });

/** How config.yaml names a variable. */
export const variable = (name: string): string => ['$', '{', name, '}'].join('');

const benches: HostBench[] = [];
const programs: ChildProcess[] = [];
afterEach(async () => {
  await Promise.all(benches.splice(0).map((bench) => bench.close()));
  await Promise.all(programs.splice(0).map(endProgram));
});

export async function endProgram(program: ChildProcess): Promise<void> {
  if (program.exitCode !== null || program.signalCode !== null) return;
  const exited = once(program, 'exit');
  program.kill('SIGKILL');
  await exited;
}

/** A host with these servers in its config.yaml (JSON is YAML), closed after the test. */
export async function openMcp(servers: Readonly<Record<string, Server>>, options: TestHostOptions = {}): Promise<HostBench> {
  const bench = await openHostBench({ withoutModel: options.script === undefined, ...options, yaml: `${options.yaml ?? ''}mcp_servers: ${JSON.stringify(servers)}\n` });
  benches.push(bench);
  return bench;
}

/** The panel shows a server's toolset under its alias: the server's own name. */
export const toolset = async (bench: HostBench, name: string): Promise<ToolsetInfo | undefined> => (await bench.request('toolsets.list', {})).find((each) => each.name === name);

export interface Result { readonly result?: string; readonly error?: string; readonly structuredContent?: unknown }

/** One call outside of any turn, in a chat of its own unless one is named. */
export async function callTool(bench: HostBench, name: string, args: object = {}, signal = new AbortController().signal): Promise<Result> {
  const session = await bench.session();
  return JSON.parse((await bench.host.callTool(name, args, { sessionId: session.id, signal })).fullText) as Result;
}

/** Resolves when the toolset is as wanted; every change of the panel is looked at. */
export async function until(bench: HostBench, name: string, wanted: (info: ToolsetInfo | undefined) => boolean): Promise<ToolsetInfo | undefined> {
  for (;;) {
    const changed = bench.next('toolsets', () => true);
    const info = await toolset(bench, name);
    if (wanted(info)) return info;
    await changed;
  }
}

/** What the server's own list says of it. */
export const serverInfo = async (bench: HostBench, name: string): Promise<McpServerInfo | undefined> => (await bench.request('mcp.list', {})).find((each) => each.name === name);

/** Resolves when the server is as wanted. Cheap: sees states that last for a second on a busy machine too. */
export async function untilServer(bench: HostBench, name: string, wanted: (info: McpServerInfo | undefined) => boolean): Promise<McpServerInfo | undefined> {
  for (;;) {
    const changed = bench.next('toolsets', () => true);
    const info = await serverInfo(bench, name);
    if (wanted(info)) return info;
    await changed;
  }
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // listening on TCP
  server.close();
  await once(server, 'close');
  return port;
}

/** Starts a program that listens, resolves when it has said so on stdout or stderr, and ends it after the test. */
export async function startProgram(args: readonly string[], env: Readonly<Record<string, string>>, ready: RegExp): Promise<ChildProcess> {
  const program = spawn(process.execPath, [...args], { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  programs.push(program);
  let said = '';
  await new Promise<void>((resolve, reject) => {
    const look = (chunk: Buffer): void => {
      said += chunk.toString();
      if (ready.test(said)) resolve();
    };
    program.stdout.on('data', look);
    program.stderr.on('data', look);
    program.once('exit', () => reject(new Error(`${args.join(' ')} ended: ${said}`)));
  });
  return program;
}
