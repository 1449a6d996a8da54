/** An OpenAI-compatible model server on loopback whose every reply is scripted by the test. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { defaultScript } from './default-script.ts';
import { Gates } from './gates.ts';
import { roleChunk, stepsOf, usageChunk, wholeCompletion, wire } from './stream.ts';
import type { ChatBody, ErrorReply, ModelServer, ModelServerOptions, RecordedRequest, Reply, Script, StreamReply } from './types.ts';

export type * from './types.ts';

const DEFAULT_MODELS = ['scripted-model'];

async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request as AsyncIterable<Buffer>) parts.push(part); // http bodies without an encoding are Buffers
  return Buffer.concat(parts).toString('utf8');
}

function json(response: ServerResponse, status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

function apiError(message: string, type: string, code: string | null): object {
  return { error: { message, type, param: null, code } };
}

/** Starts on a free port (or `port`). Close it when done: it holds no timers and no processes. */
export async function startModelServer(options: ModelServerOptions = {}): Promise<ModelServer> {
  const models = options.models ?? DEFAULT_MODELS;
  const flavour = options.flavour ?? 'openai';
  const requests: RecordedRequest[] = [];
  const visits: string[] = [];
  const gates = new Gates();
  const waiting: { count: number; arrived: () => void }[] = [];
  let script: Script = options.script ?? defaultScript;
  let scriptStart = 0;

  async function nextReply(request: RecordedRequest): Promise<Reply> {
    if (typeof script === 'function') return script(request);
    const reply = script[Math.min(request.index - scriptStart, script.length - 1)];
    if (!reply) throw new Error('the script has no reply');
    return reply;
  }

  async function writeBytes(response: ServerResponse, text: string, pieceBytes: number | undefined): Promise<void> {
    const bytes = Buffer.from(text, 'utf8');
    const size = pieceBytes ?? bytes.length;
    for (let start = 0; start < bytes.length && !response.destroyed; start += size) {
      await new Promise<void>((written) => response.write(bytes.subarray(start, start + size), () => written()));
    }
  }

  async function stream(response: ServerResponse, request: RecordedRequest, reply: StreamReply): Promise<void> {
    const { body } = request;
    const id = `chatcmpl-${request.index}`;
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
    response.socket?.setNoDelay(true);
    await writeBytes(response, roleChunk(body, id), reply.writeBytes);
    for (const step of stepsOf(reply, request.index * 100)) {
      if (response.destroyed) return;
      if ('gate' in step) await gates.pass(step.gate);
      else if ('cut' in step) return void response.destroy();
      else if ('end' in step) break;
      else await writeBytes(response, wire(body, id, step) ?? '', reply.writeBytes);
    }
    if (reply.usage) await writeBytes(response, usageChunk(body, id, reply.usage), reply.writeBytes);
    await writeBytes(response, 'data: [DONE]\n\n', reply.writeBytes);
    response.end();
  }

  function refusal(body: ChatBody): ErrorReply | undefined {
    if (options.strictModels && !models.includes(body.model)) {
      return { status: 404, body: apiError(`The model '${body.model}' does not exist`, 'invalid_request_error', 'model_not_found') };
    }
    if (options.withoutTools && body.tools !== undefined) {
      return { status: 400, body: apiError(`${body.model} does not support tools`, 'invalid_request_error', null) };
    }
    if (options.withoutStreaming === 'refused' && body.stream) {
      return { status: 400, body: apiError('streaming is not supported', 'invalid_request_error', null) };
    }
    return undefined;
  }

  async function complete(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = JSON.parse(await readBody(request)) as ChatBody; // the client under test sent it; a wrong shape fails the test loudly
    const recorded: RecordedRequest = { index: requests.length, headers: request.headers, body, aborted: false };
    requests.push(recorded);
    response.on('close', () => { if (!response.writableFinished) recorded.aborted = true; });
    for (const waiter of waiting.splice(0)) {
      if (requests.length >= waiter.count) waiter.arrived();
      else waiting.push(waiter);
    }
    const reply = refusal(body) ?? await nextReply(recorded);
    if (reply.gate !== undefined) await gates.pass(reply.gate);
    if ('hangUp' in reply) response.destroy();
    else if ('status' in reply) json(response, reply.status, reply.body ?? apiError(`scripted ${reply.status}`, 'server_error', null), reply.headers);
    else if (!body.stream || options.withoutStreaming === 'ignored') json(response, 200, wholeCompletion(body, `chatcmpl-${recorded.index}`, reply, recorded.index * 100));
    else await stream(response, recorded, reply);
  }

  function list(path: string, response: ServerResponse): void {
    const ids = models.map((id) => ({ id, object: 'model', created: 0, owned_by: flavour === 'openai' ? 'test' : flavour.replace('.', '') }));
    if (path === '/v1/models') return json(response, 200, { object: 'list', data: ids });
    if (path === '/api/tags' && flavour === 'ollama') return json(response, 200, { models: models.map((name) => ({ name, model: name, size: 1 })) });
    if (path === '/api/v0/models' && flavour === 'lm-studio') return json(response, 200, { object: 'list', data: ids });
    if (path === '/props' && flavour === 'llama.cpp') return json(response, 200, { default_generation_settings: { n_ctx: 8192 }, total_slots: 1 });
    if (path === '/version' && flavour === 'vllm') return json(response, 200, { version: '0.11.0' });
    return json(response, 404, apiError(`no route ${path}`, 'invalid_request_error', null));
  }

  async function route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname;
    const isChat = request.method === 'POST' && path === '/v1/chat/completions';
    if (!isChat) visits.push(`${request.method ?? ''} ${path}`);
    if (options.key !== undefined && request.headers.authorization !== `Bearer ${options.key}`) {
      return json(response, 401, apiError('Incorrect API key provided', 'invalid_request_error', 'invalid_api_key'));
    }
    return isChat ? complete(request, response) : list(path, response);
  }

  const server = createServer((request, response) => {
    route(request, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else json(response, 500, apiError(`the model script failed: ${String(error)}`, 'script_error', null));
    });
  });
  await new Promise<void>((listening, failed) => server.once('error', failed).listen(options.port ?? 0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo; // listening on TCP, so never a pipe name

  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    port,
    requests,
    visits,
    use(next) {
      script = next;
      scriptStart = requests.length;
    },
    reached: (gate) => gates.reached(gate),
    open: (gate) => gates.open(gate),
    seen: (count) => (requests.length >= count ? Promise.resolve() : new Promise((arrived) => waiting.push({ count, arrived }))),
    async close() {
      gates.openAll();
      server.closeAllConnections();
      await new Promise<void>((closed) => server.close(() => closed()));
    },
  };
}
