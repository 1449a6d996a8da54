/** A loopback Home Assistant: the REST interface and the WebSocket commands that the tools use, with real state behind them. */
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';

export const HASS_TOKEN = 'eyJ.loopback-home-token.x';

interface StateRow { entity_id: string; state: string; attributes: Record<string, unknown>; last_changed: string; last_updated: string }

const AREAS = [{ area_id: 'kitchen', name: 'Kitchen', aliases: ['Galley'] }, { area_id: 'hall', name: 'Hall', aliases: [] }];
const DEVICES = [{ id: 'dev1', area_id: 'kitchen' }, { id: 'dev2', area_id: 'hall' }];
const ENTITIES = [
  { entity_id: 'light.kitchen', area_id: null, device_id: 'dev1' }, { entity_id: 'sensor.oven', area_id: 'kitchen', device_id: null },
  { entity_id: 'light.hall', area_id: null, device_id: 'dev2' }, { entity_id: 'switch.moved', area_id: 'hall', device_id: 'dev1' }, { entity_id: 'lock.front', area_id: 'hall', device_id: null },
];
const SERVICES = [
  { domain: 'light', services: { turn_on: { name: 'Turn on', description: 'Turns a light on.', fields: { brightness_pct: { description: 'How bright, in percent.' } } }, turn_off: { description: 'Turns it off.', fields: {} } } },
  { domain: 'lock', services: { unlock: { description: 'Unlocks.', fields: {} } } },
];

export interface LoopbackHome {
  readonly url: string;
  /** Method and path of every REST request, and the service data that came with it. */
  readonly requests: { readonly path: string; readonly body: unknown }[];
  /** What happens to the next REST requests instead of an answer. */
  trouble: 'none' | 'error-500' | 'half-open' | 'html' | 'redirect' | 'huge';
  /** What happens to a WebSocket login. */
  socketTrouble: 'none' | 'silent' | 'cut';
  close(): Promise<void>;
}

export async function startHomeAssistant(): Promise<LoopbackHome> {
  const states = new Map<string, StateRow>([['light.kitchen', 'off'], ['light.hall', 'on'], ['sensor.oven', '180'], ['switch.moved', 'off'], ['lock.front', 'locked']].map(([id = '', state = '']) => [id, {
    entity_id: id, state, attributes: { friendly_name: id.split('.')[1] }, last_changed: '2026-01-01T00:00:00+00:00', last_updated: '2026-01-01T00:00:00+00:00',
  }]));

  const server = createServer((request, response) => { void handle(request, response); });
  const sockets = new WebSocketServer({ server, path: '/api/websocket' });
  const home: LoopbackHome = {
    url: '', requests: [], trouble: 'none', socketTrouble: 'none',
    close: async () => {
      for (const client of sockets.clients) client.terminate();
      server.closeAllConnections();
      await new Promise((resolve) => { server.close(resolve); });
    },
  };

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const path = request.url ?? '';
    const body: unknown = text === '' ? undefined : JSON.parse(text);
    home.requests.push({ path: `${request.method ?? ''} ${path}`, body });
    const send = (status: number, value: unknown, headers: Record<string, string> = {}): void => { response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(typeof value === 'string' ? value : JSON.stringify(value)); };
    if (home.trouble === 'half-open') return;
    if (home.trouble === 'error-500') return send(500, '500 Internal Server Error\n\nServer got itself in trouble');
    if (home.trouble === 'html') return send(200, '<html>router login</html>');
    if (home.trouble === 'redirect') return send(302, '', { location: 'http://elsewhere.test/' });
    if (home.trouble === 'huge') return send(200, JSON.stringify('x'.repeat(21 * 1024 * 1024)));
    if (request.headers.authorization !== `Bearer ${HASS_TOKEN}`) return send(401, { message: 'Unauthorized' });
    if (path === '/api/states') return send(200, [...states.values()]);
    if (path === '/api/services') return send(200, SERVICES);
    const one = /^\/api\/states\/(.+)$/.exec(path)?.[1];
    if (one !== undefined) return states.has(one) ? send(200, states.get(one)) : send(404, { message: 'Entity not found.' });
    const [, domain = '', service = ''] = /^\/api\/services\/([^/]+)\/([^/]+)$/.exec(path) ?? [];
    const known = SERVICES.find((row) => row.domain === domain);
    if (request.method !== 'POST' || known === undefined || !(service in known.services)) return send(400, { message: `Service ${domain}.${service} not found.` });
    const state = states.get((body as { entity_id?: string }).entity_id ?? '');
    if (state === undefined) return send(200, []);
    state.state = { turn_on: 'on', turn_off: 'off', unlock: 'unlocked' }[service] ?? state.state;
    send(200, [state]);
  }

  sockets.on('connection', (socket: WebSocket) => {
    if (home.socketTrouble === 'silent') return;
    if (home.socketTrouble === 'cut') return socket.terminate();
    const send = (value: unknown): void => { socket.send(JSON.stringify(value)); };
    send({ type: 'auth_required', ha_version: '2026.11.0' });
    let known = false;
    socket.on('message', (data: Buffer) => {
      const message = JSON.parse(data.toString()) as { id?: number; type: string; access_token?: string }; // cast: the client under test is the only sender
      if (message.type === 'auth') {
        known = message.access_token === HASS_TOKEN;
        return send(known ? { type: 'auth_ok', ha_version: '2026.11.0' } : { type: 'auth_invalid', message: 'Invalid access token' });
      }
      if (!known) return socket.terminate();
      const rows = { 'config/area_registry/list': AREAS, 'config/device_registry/list': DEVICES, 'config/entity_registry/list': ENTITIES }[message.type];
      send({ id: message.id, type: 'result', success: rows !== undefined, ...(rows === undefined ? { error: { code: 'unknown_command', message: 'Unknown command.' } } : { result: rows }) });
    });
  });

  await new Promise<void>((resolve) => { server.listen(0, '127.0.0.1', resolve); });
  return Object.assign(home, { url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}` });
}
