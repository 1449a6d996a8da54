/** A loopback Discord: the REST routes that are used, and its gateway over a real WebSocket. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';

export const TOKEN = 'MTIzNDU2Nzg5MDEyMzQ1Njc4.GLoop.back-token-of-the-bot-0000000000';
export const BOT = '123456789012345678';
export const ANNA = { id: '400000000000000001', username: 'anna', global_name: 'Anna' };
export const MALLORY = { id: '400000000000000666', username: 'mallory', global_name: 'Mallory' };

export interface LoopbackDiscord {
  readonly url: string;
  readonly calls: { readonly route: string; readonly body: Readonly<Record<string, unknown>>; readonly text: string }[];
  /** Seconds to wait, for the next posts of messages, one each. */
  readonly limits: number[];
  readonly identified: number;
  /** So many of the next messages are taken and get no answer. */
  hangs: number;
  /** As some minutes later: no message is known by its nonce any more. */
  forgetNonces(): void;
  /** A message to the bot; `quiet`: nobody hears it, it is there to be fetched. */
  says(content: string, options?: { readonly from?: typeof ANNA; readonly guild?: boolean; readonly quiet?: boolean; readonly id?: string; readonly attachments?: readonly { readonly filename: string; readonly url: string }[] }): string;
  presses(customId: string, from?: typeof ANNA): void;
  cut(): void;
  texts(): string[];
  close(): Promise<void>;
}

async function read(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}

export async function startDiscord(): Promise<LoopbackDiscord> {
  const messages: { readonly id: string; readonly channel_id: string; readonly content: string; readonly author: { readonly id: string } }[] = [];
  const byNonce = new Map<string, string>();
  let last = 0n;
  let identified = 0;
  let sequence = 0;
  /** Ids of Discord hold their time. */
  const mint = (): string => {
    const now = BigInt(Date.now() - 1_420_070_400_000) << 22n;
    last = now > last ? now : last + 1n;
    return String(last);
  };

  const server = createServer((request, response) => {
    void read(request).then((text) => {
      const url = new URL(request.url ?? '/', 'http://x');
      const route = `${request.method ?? ''} ${url.pathname.replace('/api/v10', '')}`;
      const send = (value: object, status = 200, headers: Record<string, string> = {}): void => { response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value)); };
      if (url.pathname.startsWith('/attachments/')) return void response.writeHead(200).end('from Discord');
      if (!route.includes('/interactions/') && request.headers.authorization !== `Bot ${TOKEN}`) return send({ message: '401: Unauthorized', code: 0 }, 401);
      if (route === 'GET /gateway/bot') return send({ url: discord.url.replace('http', 'ws'), shards: 1, session_start_limit: { total: 1_000, remaining: 1_000, reset_after: 0, max_concurrency: 1 } });
      if (route === 'GET /users/@me') return send({ id: BOT, username: 'talaria', bot: true, discriminator: '0' });
      if (/^GET \/channels\/\d+\/messages$/.test(route)) {
        const after = BigInt(url.searchParams.get('after') ?? '0');
        return send(messages.filter((each) => route.includes(each.channel_id) && BigInt(each.id) > after).toReversed());
      }
      if (route === 'POST /users/@me/channels') return send({ id: `6${(JSON.parse(text) as { recipient_id: string }).recipient_id.slice(1)}`, type: 1 });
      const wait = /^POST \/channels\/\d+\/messages$/.test(route) ? discord.limits.shift() : undefined;
      if (wait !== undefined) return send({ message: 'You are being rate limited.', retry_after: wait, global: false }, 429, { 'retry-after': String(wait), 'x-ratelimit-scope': 'user' });
      const channel = /^POST \/channels\/(\d+)\/messages$/.exec(route)?.[1];
      const isJson = request.headers['content-type']?.startsWith('application/json') === true;
      discord.calls.push({ route, text, body: isJson && text !== '' ? JSON.parse(text) as Record<string, unknown> : {} });
      const { content, nonce, enforce_nonce: enforced } = discord.calls.at(-1)?.body ?? {};
      const known = enforced === true ? byNonce.get(String(nonce)) : undefined;
      if (known !== undefined) return send({ id: known });
      const id = mint();
      if (channel !== undefined) messages.push({ id, channel_id: channel, content: typeof content === 'string' ? content : '', author: { id: BOT } });
      if (enforced === true) byNonce.set(String(nonce), id);
      if (channel !== undefined && discord.hangs > 0) return void (discord.hangs -= 1);
      send({ id });
    });
  });
  const sockets = new WebSocketServer({ server });
  const dispatch = (t: string, d: object): void => {
    sequence += 1;
    for (const socket of sockets.clients) socket.send(JSON.stringify({ op: 0, s: sequence, t, d }));
  };
  sockets.on('connection', (socket) => {
    socket.send(JSON.stringify({ op: 10, d: { heartbeat_interval: 40_000 } }));
    socket.on('message', (data: Buffer) => {
      const { op } = JSON.parse(data.toString('utf8')) as { op: number };
      if (op === 1) socket.send(JSON.stringify({ op: 11 }));
      if (op === 2) {
        identified += 1;
        sequence += 1;
        socket.send(JSON.stringify({ op: 0, s: sequence, t: 'READY', d: { v: 10, user: { id: BOT, username: 'talaria', bot: true, discriminator: '0' }, guilds: [], session_id: 's1', resume_gateway_url: discord.url.replace('http', 'ws'), shard: [0, 1], application: { id: BOT, flags: 0 } } }));
      }
      if (op === 6) {
        sequence += 1;
        socket.send(JSON.stringify({ op: 0, s: sequence, t: 'RESUMED', d: {} }));
      }
    });
  });
  await new Promise<void>((resolve) => { server.listen(0, '127.0.0.1', resolve); });
  const discord: LoopbackDiscord = {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`, calls: [], limits: [], hangs: 0,
    forgetNonces() { byNonce.clear(); },
    get identified() { return identified; },
    says(content, { from = ANNA, guild = false, quiet = false, id = mint(), attachments = [] } = {}) {
      const message = {
        id, channel_id: guild ? '700000000000000001' : `6${from.id.slice(1)}`, type: 0, content, author: { ...from, discriminator: '0', avatar: null }, mentions: content.includes(`<@${BOT}>`) ? [{ id: BOT, username: 'talaria', discriminator: '0' }] : [],
        attachments: attachments.map((each, at) => ({ ...each, id: `${id}${String(at)}`, size: 12, proxy_url: each.url })), embeds: [], timestamp: '2026-01-01T00:00:00Z', edited_timestamp: null, tts: false, mention_everyone: false, mention_roles: [], pinned: false,
      };
      messages.push(message);
      if (!quiet) dispatch('MESSAGE_CREATE', { ...message, channel_type: guild ? 0 : 1, ...(guild && { guild_id: '800000000000000001' }) });
      return id;
    },
    presses(customId, from = ANNA) {
      dispatch('INTERACTION_CREATE', {
        id: mint(), token: 'interaction-token', type: 3, version: 1, application_id: BOT, channel_id: `6${ANNA.id.slice(1)}`, user: { ...from, discriminator: '0', avatar: null }, data: { custom_id: customId, component_type: 2 },
        message: { id: '1', channel_id: `6${ANNA.id.slice(1)}`, author: { id: BOT, username: 'talaria', discriminator: '0' }, content: '', type: 0, attachments: [], embeds: [], mentions: [], mention_roles: [], timestamp: '2026-01-01T00:00:00Z', edited_timestamp: null, tts: false, mention_everyone: false, pinned: false, components: [] },
        locale: 'en-US', entitlements: [], authorizing_integration_owners: {}, attachment_size_limit: 1, app_permissions: '0', channel: { id: `6${ANNA.id.slice(1)}`, type: 1 },
      });
    },
    cut() { for (const socket of sockets.clients) socket.close(4_000); },
    texts: () => messages.filter(({ author }) => author.id === BOT).map(({ content }) => content),
    async close() {
      for (const socket of sockets.clients) socket.terminate();
      server.closeAllConnections();
      await new Promise((resolve) => { server.close(resolve); });
    },
  };
  return discord;
}
