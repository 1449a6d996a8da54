/** A loopback Slack: the Web API methods that are used, and socket mode over a real WebSocket. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';

export const BOT_TOKEN = 'xoxb-loopback-bot-token-1234567890';
export const APP_TOKEN = 'xapp-loopback-app-token-1234567890';

export interface SlackCall { readonly method: string; readonly body: Readonly<Record<string, string>> }

export interface LoopbackSlack {
  readonly url: string;
  readonly calls: SlackCall[];
  /** Envelopes that were confirmed. */
  readonly confirmed: string[];
  /** Contents that were uploaded. */
  readonly uploads: string[];
  /** Seconds to wait, for the next posts, one each. */
  readonly limits: number[];
  readonly connections: number;
  /** So many of the next messages are taken and get no answer. */
  hangs: number;
  /** Sends an event; gives the envelope's id. */
  event(event: Readonly<Record<string, unknown>>): string;
  presses(value: string, user: string, message: { readonly ts: string; readonly thread_ts?: string }): string;
  /** Ends the connection as Slack does now and then. */
  refresh(): void;
  texts(): string[];
  close(): Promise<void>;
}

async function read(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}

export async function startSlack(): Promise<LoopbackSlack> {
  // As Slack counts: seconds, later than what any clock of a test says.
  let stamp = Math.ceil(Date.now() / 1_000);
  const posts: { readonly ts: string; readonly channel: string; readonly thread: string; readonly text: string; readonly metadata: string | undefined; readonly user?: string }[] = [];
  let envelopes = 0;
  /** What Slack tried to deliver: it is delivered again until it is confirmed. What came while nobody was connected stays in the history alone. */
  const envelopesSent: { readonly id: string; readonly text: string }[] = [];
  let connections = 0;
  const server = createServer((request, response) => {
    void read(request).then((text) => {
      const path = request.url ?? '';
      const send = (value: object, status = 200, headers: Record<string, string> = {}): void => { response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value)); };
      if (path === '/upload') {
        slack.uploads.push(text);
        return send({ ok: true });
      }
      if (path.startsWith('/files/')) return void response.writeHead(request.headers.authorization === `Bearer ${BOT_TOKEN}` && path !== '/files/gone.txt' ? 200 : 404).end('from Slack');
      const method = path.replace(/^\/api\//, '');
      const body = Object.fromEntries(new URLSearchParams(text));
      const token = method === 'apps.connections.open' ? APP_TOKEN : BOT_TOKEN;
      if (request.headers.authorization !== `Bearer ${token}`) return send({ ok: false, error: 'invalid_auth' });
      const limit = method === 'chat.postMessage' ? slack.limits.shift() : undefined;
      if (limit !== undefined) return send({ ok: false, error: 'ratelimited' }, 429, { 'retry-after': String(limit) });
      slack.calls.push({ method, body });
      if (method === 'apps.connections.open') return send({ ok: true, url: `${slack.url.replace('http', 'ws')}/socket` });
      if (method === 'auth.test') return send({ ok: true, user_id: 'UBOT', bot_id: 'BBOT', team_id: 'T1', user: 'talaria' });
      if (method === 'users.info') return send({ ok: true, user: { id: body['user'], real_name: body['user'] === 'UANNA' ? 'Anna' : 'Mallory' } });
      if (method === 'files.getUploadURLExternal') return send({ ok: true, upload_url: `${slack.url}/upload`, file_id: 'F1' });
      if (method === 'files.completeUploadExternal') return send({ ok: true, files: [{ id: 'F1' }] });
      if (method === 'conversations.history' || method === 'conversations.replies') {
        const found = posts.filter(({ channel, thread, ts }) => channel === body['channel'] && thread === (body['ts'] ?? '') && Number(ts) > Number(body['oldest'] ?? 0));
        return send({ ok: true, messages: found.toReversed().map(({ ts, text: said, metadata, user }) => ({ ts, text: said, type: 'message', ...(user === undefined ? { bot_id: 'BBOT', user: 'UBOT' } : { user }), ...(metadata !== undefined && body['include_all_metadata'] === 'true' && { metadata: JSON.parse(metadata) as object }) })) });
      }
      stamp += 1;
      const ts = `${String(stamp)}.0001`;
      if (method === 'chat.postMessage') {
        posts.push({ ts, channel: body['channel'] ?? '', thread: body['thread_ts'] ?? '', text: body['text'] ?? '', metadata: body['metadata'] });
        if (slack.hangs > 0) return void (slack.hangs -= 1);
      }
      send({ ok: true, ts, channel: body['channel'] });
    });
  });
  const sockets = new WebSocketServer({ server, path: '/socket' });
  sockets.on('connection', (socket) => {
    connections += 1;
    for (const { id, text } of envelopesSent) if (!slack.confirmed.includes(id)) socket.send(text);
    socket.on('message', (data: Buffer) => {
      const answer = JSON.parse(data.toString('utf8')) as { envelope_id?: string };
      if (answer.envelope_id !== undefined) slack.confirmed.push(answer.envelope_id);
    });
    socket.send(JSON.stringify({ type: 'hello', num_connections: 1, connection_info: { app_id: 'A1' } }));
  });
  await new Promise<void>((resolve) => { server.listen(0, '127.0.0.1', resolve); });
  const push = (envelope: object): string => {
    envelopes += 1;
    const id = `env-${String(envelopes)}`;
    const text = JSON.stringify({ envelope_id: id, accepts_response_payload: false, ...envelope });
    if (sockets.clients.size > 0) envelopesSent.push({ id, text });
    for (const socket of sockets.clients) socket.send(text);
    return id;
  };
  const slack: LoopbackSlack = {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`, calls: [], confirmed: [], uploads: [], limits: [], hangs: 0,
    get connections() { return connections; },
    event: (event) => {
      if (event['channel_type'] === 'im') posts.push({ ts: String(event['ts']), channel: String(event['channel']), thread: '', text: String(event['text']), metadata: undefined, user: String(event['user']) });
      return push({ type: 'events_api', payload: { type: 'event_callback', team_id: 'T1', api_app_id: 'A1', event_id: 'Ev1', event_time: 1, authorizations: [{ team_id: 'T1', user_id: 'UBOT', is_bot: true }], event } });
    },
    presses: (value, user, message) => push({ type: 'interactive', payload: {
      type: 'block_actions', team: { id: 'T1' }, user: { id: user }, channel: { id: 'DANNA' }, message, response_url: `${slack.url}/r`, trigger_id: '1', container: { type: 'message' },
      actions: [{ type: 'button', action_id: 'approval_0', block_id: 'b', value, action_ts: '1' }],
    } }),
    refresh() { for (const socket of sockets.clients) socket.send(JSON.stringify({ type: 'disconnect', reason: 'refresh_requested' })); },
    texts: () => slack.calls.filter(({ method }) => method === 'chat.postMessage').map(({ body }) => body['text'] ?? ''),
    async close() {
      for (const socket of sockets.clients) socket.terminate();
      server.closeAllConnections();
      await new Promise((resolve) => { server.close(resolve); });
    },
  };
  return slack;
}
