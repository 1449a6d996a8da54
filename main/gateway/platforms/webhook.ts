/**
 * A plain webhook: signed posts come in, signed replies go out. Signatures as in the Standard Webhooks specification (`webhook-id`, `webhook-timestamp`,
 * `webhook-signature: v1,<base64>`), or as GitHub makes them (`x-github-delivery`, `x-hub-signature-256`).
 */
import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server } from 'node:http';
import { basename } from 'node:path';
import { z } from 'zod';
import { needed, PlatformError, type Incoming, type Platform, type PlatformEvents, type PlatformParts } from '../platform.ts';

const DEFAULT_PORT = 8_644;
const MAX_BODY_BYTES = 1_000_000;
/** Of the specification: older or newer posts may be replayed ones. */
const TOLERANCE_S = 300;
const REPLY_LIMIT = 100_000;
const REPLY_MS = 15_000;
const RETRY_MS = 10_000;

const Body = z.object({ text: z.string(), chat: z.string().max(100), thread: z.string().max(100), title: z.string().max(200) }).partial();

function equal(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** The post's id when its signature holds; else why it is refused. */
function checkSignature(secret: string, headers: IncomingHttpHeaders, body: Buffer, now: number): { readonly id: string } | { readonly refused: string } {
  const header = (name: string): string => { const value = headers[name]; return typeof value === 'string' ? value.trim() : ''; };
  if (header('webhook-signature') !== '') {
    const [id, stamp] = [header('webhook-id'), header('webhook-timestamp')];
    if (id === '' || id.length > 200) return { refused: 'webhook-id is missing' };
    if (!/^\d{1,12}$/.test(stamp) || Math.abs(now / 1_000 - Number(stamp)) > TOLERANCE_S) return { refused: 'webhook-timestamp is missing, or more than 5 minutes off' };
    const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice('whsec_'.length), 'base64') : Buffer.from(secret);
    const right = createHmac('sha256', key).update(`${id}.${stamp}.`).update(body).digest('base64');
    return header('webhook-signature').split(' ').some((each) => equal(each, `v1,${right}`)) ? { id } : { refused: 'the signature is wrong' };
  }
  const right = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  if (!equal(header('x-hub-signature-256'), right)) return { refused: 'the signature is missing or wrong' };
  const id = header('x-github-delivery');
  return id === '' || id.length > 200 ? { refused: 'x-github-delivery is missing' } : { id };
}

/** The fields of a body of ours; anything else is handed on whole, as text. */
function messageOf(id: string, body: Buffer, event: string): Incoming {
  const raw = body.toString('utf8');
  let fields: z.infer<typeof Body> = {};
  try {
    const read = Body.safeParse(JSON.parse(raw));
    if (read.success) fields = read.data;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error; // plain text is as good
  }
  const chat = fields.chat ?? 'webhook';
  const text = fields.text ?? (event === '' ? raw : `Event: ${event}\n${raw}`);
  return { messageId: id, chat, thread: fields.thread ?? '', sender: { id: 'webhook', name: 'webhook' }, direct: true, title: fields.title ?? chat, text, files: [] };
}

async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

export function createWebhook(parts: PlatformParts): Platform {
  let server: Server | undefined;
  const port = Number(parts.settings.value('port', 'WEBHOOK_PORT') ?? DEFAULT_PORT);
  const host = parts.settings.value('host') ?? '127.0.0.1';

  async function answer(request: IncomingMessage, events: PlatformEvents): Promise<{ readonly status: number; readonly body: object }> {
    if (request.url?.split('?')[0] === '/health') return { status: 200, body: { status: 'ok' } };
    if (request.method !== 'POST' || request.url?.split('?')[0] !== '/webhook') return { status: 404, body: { error: 'POST to /webhook' } };
    const body = await readBody(request);
    if (body === undefined) return { status: 413, body: { error: `at most ${String(MAX_BODY_BYTES)} bytes are taken` } };
    const checked = checkSignature(needed(parts, 'WEBHOOK_SECRET'), request.headers, body, parts.now());
    if ('refused' in checked) return { status: 401, body: { error: checked.refused } };
    const event = request.headers['x-github-event'];
    const message = messageOf(checked.id, body, typeof event === 'string' ? event : '');
    if (message.text.trim() === '') return { status: 400, body: { error: 'there is no text' } };
    await events.message(message);
    return { status: 202, body: { accepted: true, id: checked.id, chat: message.chat } };
  }

  async function post(content: object, once: string = randomUUID()): Promise<string> {
    const url = parts.settings.value('reply_url');
    if (url === undefined) throw new PlatformError('The webhook has no gateway.webhook.reply_url in config.yaml: answers stay in the chat on the desktop.');
    const id = `msg_${once}`;
    const stamp = String(Math.floor(parts.now() / 1_000));
    const body = JSON.stringify({ id, ...content });
    const secret = needed(parts, 'WEBHOOK_SECRET');
    const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice('whsec_'.length), 'base64') : Buffer.from(secret);
    const signature = `v1,${createHmac('sha256', key).update(`${id}.${stamp}.${body}`).digest('base64')}`;
    let response;
    try {
      response = await fetch(url, {
        method: 'POST', body, redirect: 'manual', signal: AbortSignal.timeout(REPLY_MS),
        headers: { 'content-type': 'application/json', 'webhook-id': id, 'webhook-timestamp': stamp, 'webhook-signature': signature },
      });
      await response.arrayBuffer();
    } catch (cause) {
      throw new PlatformError(`The reply address ${url} could not be reached.`, RETRY_MS, { cause });
    }
    if (response.ok) return id;
    const after = Number(response.headers.get('retry-after'));
    const again = response.status === 429 || response.status >= 500;
    throw new PlatformError(`The reply address ${url} answered HTTP ${String(response.status)}.`, again ? (after > 0 ? after * 1_000 : RETRY_MS) : undefined);
  }

  return {
    name: 'webhook',
    limit: REPLY_LIMIT,
    machine: true,
    // webhook-id is what a receiver knows a post by that comes twice.
    keyed: true,
    async start(events) {
      needed(parts, 'WEBHOOK_SECRET');
      if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new PlatformError('gateway.webhook.port of config.yaml is no port. Give a number from 1 to 65535.');
      const made = createServer((request, response) => {
        answer(request, events).catch((error: unknown) => {
          parts.log.warn('a webhook could not be taken in', { error: error instanceof Error ? error.message : String(error) });
          return { status: 503, body: { error: 'not taken in, try again' } };
        }).then(({ status, body }) => {
          response.writeHead(status, { 'content-type': 'application/json', ...(status === 413 && { connection: 'close' }) }).end(JSON.stringify(body));
        }, () => { response.destroy(); });
      });
      made.requestTimeout = 30_000;
      server = made;
      await new Promise<void>((resolve, reject) => {
        made.once('error', (cause) => { reject(new PlatformError(`The webhook cannot listen on ${host}:${String(port)}: ${cause.message}. Set gateway.webhook.port in config.yaml to a free port.`, 30_000, { cause })); });
        made.listen(port, host, resolve);
      });
      const address = made.address();
      events.status('connected', `http://${host}:${String(typeof address === 'object' && address !== null ? address.port : port)}/webhook`);
    },
    async stop() {
      const made = server;
      server = undefined;
      if (made?.listening !== true) return;
      await new Promise<void>((resolve) => { made.close(() => { resolve(); }); made.closeAllConnections(); });
    },
    sendText: (to, text, options) => post({ chat: to.chat, thread: to.thread, text }, options?.key),
    async sendFile(to, { path }, options) {
      return post({ chat: to.chat, thread: to.thread, file: { name: basename(path), content_base64: (await readFile(path)).toString('base64') } }, options?.key);
    },
  };
}
