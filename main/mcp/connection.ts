/** One open connection to an MCP server. The SDK is loaded with the first one: who has no servers pays nothing. */
import { stat } from 'node:fs/promises';
import type { Client, ElicitRequestParams, ElicitResult, StreamableHTTPClientTransport, Transport } from '@modelcontextprotocol/client';
import type { Clock } from '../ports.ts';
import { parseErrorCode } from '../plugins/error-code.ts';
import { filteredEnvironment, type RemoteServer, type ServerConfig, type StdioServer } from './config.ts';
import type { Tokens } from './oauth/tokens.ts';
import { deeper } from './depth.ts';
import { listTools, MAX_PAGES, type Listing } from './listing.ts';
import type { SampleParams, SampleResult } from './sampling.ts';
import { Relisting } from './relisting.ts';
import { outputChecks } from './output-checks.ts';
import { reachOf } from './tls.ts';

/** Last words of a server's stderr that are kept for people. */
const STDERR_TAIL_CHARS = 8_000;
/** A picture of some size in one answer; what is longer ends the server, as the SDK has it. */
const MAX_MESSAGE_BYTES = 32 * 1024 * 1024;
const CLOSE_WAIT_MS = 250;

export interface Connection {
  readonly client: Client;
  /** Of the server's process; null for a remote one. */
  readonly pid: number | null;
  close(): Promise<void>;
}

export interface ConnectionEvents {
  /** The server's list of tools is another one now. */
  onTools(listing: Listing): void;
  onListFailed(error: unknown): void;
  /** The connection is gone, whoever ended it. */
  onClose(): void;
  onStderr(tail: string): void;
  /** The server asks the person. Never rejects. */
  onElicit(params: ElicitRequestParams, signal: AbortSignal): Promise<ElicitResult>;
  onElicitationDone(elicitationId: string): void;
  /** The server asks the model. A rejection is told to the server. */
  onSample(params: SampleParams, signal: AbortSignal): Promise<SampleResult>;
}

export interface ConnectionPlace {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly version: string;
  readonly clock: Pick<Clock, 'after'>;
}

export interface ConnectionOptions {
  readonly place: ConnectionPlace;
  /** Aborting gives up an attempt that is not through yet. */
  readonly signal: AbortSignal;
  /** Tokens for a remote server; absent when its headers bring their own. */
  readonly auth?: Tokens | undefined;
}

/** Connects within the server's `connect_timeout`. Rejects with the cause; nothing stays open then. */
export function connect(config: ServerConfig, options: ConnectionOptions, events: ConnectionEvents): Promise<Connection> {
  return config.kind === 'stdio' ? connectProcess(config, options, events) : connectRemote(config, options, events);
}

async function connectProcess(config: StdioServer, options: ConnectionOptions, events: ConnectionEvents): Promise<Connection> {
  const { place } = options;
  const [{ StdioClientTransport }, { readByLines }] = await Promise.all([import('@modelcontextprotocol/client/stdio'), import('./line-buffer.ts')]);
  const cwd = config.cwd ?? place.cwd;
  // A program that is started in a folder that is not there fails as if the program were not there.
  if (await stat(cwd).then((found) => !found.isDirectory(), () => true)) throw new Error(`its folder ${cwd} is not there`);
  const transport = new StdioClientTransport({
    command: config.command, args: [...config.args], env: { ...filteredEnvironment(place.environment, config.env), ...deeper(place.environment) }, cwd, stderr: 'pipe',
  });
  readByLines(transport, MAX_MESSAGE_BYTES);
  let tail = '';
  transport.stderr?.on('data', (chunk: Buffer) => {
    tail = (tail + chunk.toString('utf8')).slice(-STDERR_TAIL_CHARS);
    events.onStderr(tail);
  });
  const client = await open(transport, config, options, events);
  const onTrouble = client.onerror;
  client.onerror = (error) => {
    onTrouble?.(error);
    if (error.message.includes('exceeded maximum size')) events.onStderr(`${tail}\nTalaria: one of its messages was larger than ${String(MAX_MESSAGE_BYTES / 1024 ** 2)} MB, so it was ended.`);
  };
  const { pid } = transport;
  return { client, pid, close: () => closeProcess(client, pid, place.clock) };
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
async function connectRemote(config: RemoteServer, options: ConnectionOptions, events: ConnectionEvents): Promise<Connection> {
  const { StreamableHTTPClientTransport, SSEClientTransport, SdkHttpError } = await import('@modelcontextprotocol/client');
  const url = new URL(config.url);
  const reach = await reachOf(config);
  const common = {
    requestInit: { headers: config.headers },
    ...(options.auth === undefined ? reach.fetch === undefined ? {} : { fetch: reach.fetch } : { authProvider: options.auth.provider, fetch: options.auth.watch(reach.fetch ?? fetch) }),
  };
  const sse = (): Promise<Client> => open(new SSEClientTransport(url, common), config, options, events);
  const http = async (): Promise<Client> => {
    try {
      return await open(new StreamableHTTPClientTransport(url, common), config, options, events);
    } catch (error) {
      if (!SdkHttpError.isInstance(error) || ![400, 404, 405].includes(error.status)) throw error;
      return sse();
    }
  };
  try {
    const client = await (config.transport === 'sse' ? sse() : http());
    return { client, pid: null, close: async () => { await endSession(client, options.place.clock); await client.close(); await reach.close(); } };
  } catch (error) {
    await reach.close();
    throw error;
  }
}

/** The server is told that the session is over, so that it need not keep it. One that cannot be told in time is left alone. */
async function endSession({ transport }: Client, clock: Pick<Clock, 'after'>): Promise<void> {
  if (transport === undefined || !keepsSession(transport)) return;
  const late = Promise.withResolvers<undefined>();
  const cancel = clock.after(CLOSE_WAIT_MS, () => late.resolve(undefined));
  await Promise.race([transport.terminateSession().then(() => undefined, () => undefined), late.promise]);
  cancel();
}

function keepsSession(transport: Transport): transport is Transport & Pick<StreamableHTTPClientTransport, 'terminateSession'> {
  return 'terminateSession' in transport;
}

async function open(transport: Transport, config: ServerConfig, { place, signal }: ConnectionOptions, events: ConnectionEvents): Promise<Client> {
  const { Client } = await import('@modelcontextprotocol/client');
  let connected = false;
  const client = new Client({ name: 'talaria', version: place.version }, {
    listMaxPages: MAX_PAGES, jsonSchemaValidator: await outputChecks(),
    capabilities: { ...(config.elicitation.enabled ? { elicitation: { form: {}, url: {} } } : {}), ...(config.sampling.enabled ? { sampling: {} } : {}) },
    listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => { relisting.changed(); } } },
  });
  const relisting = new Relisting({
    clock: place.clock, onTools: (listing) => { events.onTools(listing); }, onFailed: (error) => { events.onListFailed(error); },
    list: () => listTools(client, { timeout: config.connect_timeout * 1_000 }),
  });
  if (config.elicitation.enabled) {
    client.setRequestHandler('elicitation/create', ({ params }, { mcpReq }) => events.onElicit(params, mcpReq.signal));
    client.setNotificationHandler('notifications/elicitation/complete', ({ params }) => { events.onElicitationDone(params.elicitationId); });
  }
  if (config.sampling.enabled) client.setRequestHandler('sampling/createMessage', async ({ params }, { mcpReq }) => ({ ...await events.onSample(params, mcpReq.signal) }));
  client.onclose = () => {
    relisting.close();
    if (connected) events.onClose();
  };
  try {
    await client.connect(transport, { timeout: config.connect_timeout * 1_000, signal });
  } catch (error) {
    await client.close();
    await transport.close();
    throw error;
  }
  connected = true;
  return client;
}
