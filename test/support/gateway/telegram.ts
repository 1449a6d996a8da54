/** A loopback Bot API: long polls with offsets, messages, buttons, uploads, files, and the troubles a real one has. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export const TOKEN = '123456789:AA-loopback-token-of-the-bot-xyz';

export interface TelegramCall { readonly method: string; readonly body: Readonly<Record<string, unknown>> }
interface Trouble { readonly method: string; readonly status: number; readonly body: object }

export interface LoopbackTelegram {
  readonly url: string;
  /** Calls other than polls, in order. */
  readonly calls: TelegramCall[];
  /** Offsets of the polls so far. */
  readonly offsets: number[];
  /** Answers to the next calls of a method, one each; taken before anything is done. */
  readonly troubles: Trouble[];
  /** Polls get no answer, as behind a dead connection. */
  halfOpen: boolean;
  /** So many of the next messages are taken and get no answer. */
  hangs: number;
  readonly polls: number;
  /** What is sent to the bot: a message of a private chat, or any update. */
  says(text: string, from?: { readonly id: number; readonly first_name: string }, more?: Readonly<Record<string, unknown>>): void;
  presses(data: string, from?: { readonly id: number; readonly first_name: string }, chat?: object): void;
  /** Delivers the last update again, under a new number. */
  again(): void;
  texts(): string[];
  /** Buttons under the last message that has some: label to data. */
  buttons(): Map<string, string>;
  close(): Promise<void>;
}

const BOT = { id: 123_456_789, is_bot: true, first_name: 'Talaria', username: 'talaria_bot', can_join_groups: true, can_read_all_group_messages: false, supports_inline_queries: false };
export const ANNA = { id: 42, first_name: 'Anna' };

async function read(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString('utf8');
  if (text === '') return {};
  return request.headers['content-type']?.startsWith('application/json') === true ? JSON.parse(text) as Record<string, unknown> : { form: text };
}

export async function startTelegram(): Promise<LoopbackTelegram> {
  const updates: { update_id: number; [key: string]: unknown }[] = [];
  const waiting = new Set<() => void>();
  let updateId = 100;
  let messageId = 1;
  let polls = 0;

  const push = (update: Record<string, unknown>): void => {
    updates.push({ update_id: updateId, ...update });
    updateId += 1;
    for (const wake of [...waiting]) wake();
  };

  async function poll(body: Record<string, unknown>, request: IncomingMessage): Promise<object> {
    const offset = Number(body['offset'] ?? 0);
    fake.offsets.push(offset);
    updates.splice(0, updates.findIndex((each) => each.update_id >= offset) < 0 ? updates.length : updates.findIndex((each) => each.update_id >= offset));
    if (updates.length === 0) {
      await new Promise<void>((resolve) => {
        const wake = (): void => { waiting.delete(wake); clearTimeout(timer); request.socket.off('close', wake); resolve(); };
        const timer = setTimeout(wake, Number(body['timeout'] ?? 0) * 1_000);
        request.socket.once('close', wake);
        waiting.add(wake);
      });
    }
    return { ok: true, result: updates };
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await read(request);
    const path = request.url ?? '';
    if (path === `/file/bot${TOKEN}/documents/plan.txt`) {
      response.end('the plan');
      return;
    }
    const method = path.split('/').at(-1) ?? '';
    const send = (status: number, answer: object): void => { response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer)); };
    if (!path.startsWith(`/bot${TOKEN}/`)) return send(401, { ok: false, error_code: 401, description: 'Unauthorized' });
    if (method === 'getUpdates') {
      polls += 1;
      if (fake.halfOpen) return;
      return send(200, await poll(body, request));
    }
    const at = fake.troubles.findIndex((trouble) => trouble.method === method);
    const [trouble] = at < 0 ? [] : fake.troubles.splice(at, 1);
    if (trouble !== undefined) return send(trouble.status, trouble.body);
    fake.calls.push({ method, body });
    if (method === 'getMe') return send(200, { ok: true, result: BOT });
    if (method === 'getFile' && body['file_id'] === 'gone') return send(400, { ok: false, error_code: 400, description: 'Bad Request: file is too big' });
    if (method === 'getFile') return send(200, { ok: true, result: { file_id: body['file_id'], file_unique_id: 'uq1', file_size: 8, file_path: 'documents/plan.txt' } });
    if (method.startsWith('send') && method !== 'sendChatAction') {
      messageId += 1;
      if (fake.hangs > 0) return void (fake.hangs -= 1);
      return send(200, { ok: true, result: { message_id: messageId, date: 1, chat: { id: Number(body['chat_id'] ?? 0), type: 'private', first_name: 'Anna' } } });
    }
    send(200, { ok: true, result: true });
  }

  const server = createServer((request, response) => { handle(request, response).catch((error: unknown) => { response.destroy(error instanceof Error ? error : undefined); }); });
  await new Promise<void>((resolve) => { server.listen(0, '127.0.0.1', resolve); });
  const fake: LoopbackTelegram = {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`, calls: [], offsets: [], troubles: [], halfOpen: false, hangs: 0,
    get polls() { return polls; },
    says(text, from = ANNA, more = {}) {
      messageId += 1;
      push({ message: { message_id: messageId, date: 1, from: { is_bot: false, ...from }, chat: { id: from.id, type: 'private', first_name: from.first_name }, text, ...more } });
    },
    presses(data, from = ANNA, chat = { id: 42, type: 'private', first_name: 'Anna' }) {
      push({ callback_query: { id: String(updateId), from: { is_bot: false, ...from }, chat_instance: '1', data, message: { message_id: messageId, date: 1, chat } } });
    },
    again() {
      const last = updates.at(-1) ?? lastSeen;
      if (last !== undefined) push({ ...last, update_id: updateId });
    },
    texts: () => fake.calls.filter(({ method }) => method === 'sendMessage').map(({ body }) => String(body['text'])),
    buttons() {
      const last = fake.calls.findLast(({ body }) => 'reply_markup' in body)?.body['reply_markup'] as { inline_keyboard: { text: string; callback_data: string }[][] } | undefined;
      return new Map((last?.inline_keyboard ?? []).flat().map((button) => [button.text, button.callback_data]));
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => { server.close(resolve); });
    },
  };
  let lastSeen: Record<string, unknown> | undefined;
  const remember = fake.says.bind(fake);
  fake.says = (...said) => { remember(...said); lastSeen = updates.at(-1); };
  return fake;
}
