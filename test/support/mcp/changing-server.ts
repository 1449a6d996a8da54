/** An MCP server over HTTP in the test's own process, whose tools are others whenever the test says so. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { McpServer, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';

export interface ChangingServer {
  readonly url: string;
  /** From now on it has so many tools, named after the version: `v3of2_0`, `v3of2_1`. It says so to whoever is connected. */
  change(count: number): void;
  readonly version: number;
  readonly count: number;
  /** How many times its tools were listed. */
  readonly listings: number;
  close(): Promise<void>;
}

/** `slowness` gives how many turns of the event loop the next listing takes. */
export async function startChangingServer(slowness: () => number = () => 0): Promise<ChangingServer> {
  const sessions = new Map<string, { readonly transport: WebStandardStreamableHTTPServerTransport; readonly server: McpServer['server'] }>();
  let [version, count, listings, made] = [0, 1, 0, 0];
  const nameOf = (index: number): string => `v${String(version)}of${String(count)}_${String(index)}`;
  const names = (): string[] => Array.from({ length: count }, (_, index) => nameOf(index));

  async function openSession(): Promise<WebStandardStreamableHTTPServerTransport> {
    const { server } = new McpServer({ name: 'changing', version: '1' }, { capabilities: { tools: { listChanged: true } } });
    server.setRequestHandler('tools/list', async () => {
      listings += 1;
      // What is answered is what held when it was asked: a slow answer is an old one.
      const tools = names().map((name) => ({ name, description: `Tool ${name}.`, inputSchema: { type: 'object' as const, properties: {} } }));
      for (let turns = slowness(); turns > 0; turns -= 1) await turn();
      return { tools };
    });
    server.setRequestHandler('tools/call', ({ params }) => (names().includes(params.name)
      ? { content: [{ type: 'text', text: `did ${params.name}` }] } : { content: [{ type: 'text', text: `${params.name} is gone` }], isError: true }));
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => `session-${String(made += 1)}`, onsessioninitialized: (id) => { sessions.set(id, { transport, server }); }, onsessionclosed: (id) => { sessions.delete(id); },
    });
    await server.connect(transport);
    return transport;
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const id = request.headers['mcp-session-id'];
    const known = typeof id === 'string' ? sessions.get(id)?.transport : undefined;
    if (id !== undefined && known === undefined) {
      response.writeHead(404).end();
      return;
    }
    const transport = known ?? await openSession();
    const parts: Buffer[] = [];
    for await (const part of request as AsyncIterable<Buffer>) parts.push(part); // http bodies without an encoding are Buffers
    const body = request.method === 'POST' ? { body: Buffer.concat(parts).toString('utf8') } : {};
    const answered = await transport.handleRequest(new Request(`http://127.0.0.1${request.url ?? '/'}`, { method: request.method ?? 'GET', headers: request.headers as Record<string, string>, ...body })); // cast: none of these headers is repeated
    response.writeHead(answered.status, Object.fromEntries(answered.headers));
    if (answered.body === null) return void response.end();
    response.flushHeaders();
    Readable.fromWeb(answered.body as Parameters<typeof Readable.fromWeb>[0]).on('error', () => response.end()).pipe(response); // cast: two names of one type
  }

  const http = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => { response.writeHead(500).end(String(error)); });
  }).listen(0, '127.0.0.1');
  await once(http, 'listening');
  const { port } = http.address() as AddressInfo; // listening on TCP

  return {
    url: `http://127.0.0.1:${String(port)}/mcp`,
    get version() { return version; },
    get count() { return count; },
    get listings() { return listings; },
    change(next) {
      version += 1;
      count = next;
      // A session that is being closed cannot be told; whoever connects anew lists anew.
      for (const { server } of sessions.values()) void server.sendToolListChanged().catch(() => undefined);
    },
    async close() {
      http.close();
      http.closeAllConnections();
      await once(http, 'close');
    },
  };
}
