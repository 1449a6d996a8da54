/** One open connection to an MCP server. The SDK is loaded with the first one: who has no servers pays nothing. */
import type { Client, Tool, Transport } from '@modelcontextprotocol/client';
import type { Clock } from '../ports.ts';
import { parseErrorCode } from '../plugins/error-code.ts';
import type { RemoteServer, ServerConfig } from './config.ts';
import { filteredEnvironment } from './config.ts';

/** Last words of a server's stderr that are kept for people. */
const STDERR_TAIL_CHARS = 2_000;
const MAX_PAGES = 50;
const CLOSE_WAIT_MS = 250;

export interface Connection {
  readonly client: Client;
  close(): Promise<void>;
}

export interface ConnectionEvents {
  /** The server's list of tools is another one now. */
  onTools(tools: readonly Tool[]): void;
  onListFailed(error: Error): void;
  /** The connection is gone, whoever ended it. */
  onClose(): void;
  onStderr(tail: string): void;
}

export interface ConnectionPlace {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly version: string;
  readonly clock: Pick<Clock, 'after'>;
  /** Aborting gives up an attempt that is not through yet. */
  readonly signal: AbortSignal;
}

/** Connects within the server's `connect_timeout`. Rejects with the cause; nothing stays open then. */
export async function connect(config: ServerConfig, place: ConnectionPlace, events: ConnectionEvents): Promise<Connection> {
  if (config.kind === 'stdio') {
    const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio');
    const transport = new StdioClientTransport({
      command: config.command, args: [...config.args], env: filteredEnvironment(place.environment, config.env), cwd: place.cwd, stderr: 'pipe',
    });
    let tail = '';
    transport.stderr?.on('data', (chunk: Buffer) => {
      tail = (tail + chunk.toString('utf8')).slice(-STDERR_TAIL_CHARS);
      events.onStderr(tail);
    });
    const client = await open(transport, config, place, events);
    const { pid } = transport;
    return { client, close: () => closeProcess(client, pid, place.clock) };
  }
  const client = await openRemote(config, place, events);
  return { client, close: () => client.close() };
}

/** A server is told by the end of its input that it is over; one that goes on is asked by signal, before the SDK would do so after 2 s. */
async function closeProcess(client: Client, pid: number | null, clock: Pick<Clock, 'after'>): Promise<void> {
  const cancel = clock.after(CLOSE_WAIT_MS, () => {
    if (pid === null) return;
    try {
      process.kill(pid);
    } catch (error) {
      if (parseErrorCode(error) !== 'ESRCH') throw error;
    }
  });
  await client.close();
  cancel();
}

/** Streamable HTTP; servers from before it answer its first request with a client error and are spoken to over SSE. */
async function openRemote(config: RemoteServer, place: ConnectionPlace, events: ConnectionEvents): Promise<Client> {
  const { StreamableHTTPClientTransport, SSEClientTransport, SdkHttpError } = await import('@modelcontextprotocol/client');
  const url = new URL(config.url);
  const requestInit = { headers: config.headers };
  if (config.transport === 'sse') return open(new SSEClientTransport(url, { requestInit }), config, place, events);
  try {
    return await open(new StreamableHTTPClientTransport(url, { requestInit }), config, place, events);
  } catch (error) {
    if (!SdkHttpError.isInstance(error) || ![400, 404, 405].includes(error.status)) throw error;
    return open(new SSEClientTransport(url, { requestInit }), config, place, events);
  }
}

async function open(transport: Transport, config: ServerConfig, place: ConnectionPlace, events: ConnectionEvents): Promise<Client> {
  const { Client } = await import('@modelcontextprotocol/client');
  let connected = false;
  const client = new Client({ name: 'talaria', version: place.version }, {
    listMaxPages: MAX_PAGES,
    listChanged: {
      tools: {
        onChanged: (error, tools) => {
          if (error !== null) events.onListFailed(error);
          else if (tools !== null) events.onTools(tools);
        },
      },
    },
  });
  client.onclose = () => { if (connected) events.onClose(); };
  try {
    await client.connect(transport, { timeout: config.connect_timeout * 1_000, signal: place.signal });
  } catch (error) {
    await client.close();
    await transport.close();
    throw error;
  }
  connected = true;
  return client;
}
