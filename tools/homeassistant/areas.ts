/** Which entities are in a room. Only the WebSocket interface knows, so it is opened for this question and closed again. */
import { type Auth, type Connection, type ConnectionOptions, createConnection, createLongLivedTokenAuth } from 'home-assistant-js-websocket';
import { type Home, HomeAssistantError, unreachable } from './connection.ts';

const LIMIT_MS = 15_000;

interface Area { readonly area_id: string; readonly name: string; readonly aliases?: readonly string[] }
interface Placed { readonly area_id?: string | null }
interface Device extends Placed { readonly id: string }
interface Entity extends Placed { readonly entity_id: string; readonly device_id?: string | null }
type OpenSocket = Awaited<ReturnType<ConnectionOptions['createSocket']>>;

/** Ids of the entities placed in the area called `wanted` (name, alias or id), directly or through their device. Throws HomeAssistantError. */
export async function entitiesInArea(home: Home, wanted: string, signal: AbortSignal): Promise<ReadonlySet<string>> {
  const stop = AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]);
  try {
    const [areas, devices, entities] = await registries(home, stop);
    const area = findArea(areas, wanted);
    const devicesThere = new Set(devices.filter(({ area_id: place }) => place === area.area_id).map(({ id }) => id));
    // An entity's own place wins over its device's.
    const isThere = (entity: Entity): boolean => (typeof entity.area_id === 'string' ? entity.area_id === area.area_id : devicesThere.has(entity.device_id ?? ''));
    return new Set(entities.filter(isThere).map(({ entity_id: id }) => id));
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof HomeAssistantError ? error : new HomeAssistantError(unreachable(home, error, LIMIT_MS));
  }
}

async function registries(home: Home, stop: AbortSignal): Promise<[Area[], Device[], Entity[]]> {
  const auth = createLongLivedTokenAuth(home.url, home.token);
  const connection = await createConnection({ auth, setupRetry: 0, createSocket: () => openSocket(auth, stop) });
  try {
    return await Promise.race([
      Promise.all([
        list<Area>(connection, 'area'), list<Device>(connection, 'device'), list<Entity>(connection, 'entity'),
      ]),
      new Promise<never>((_resolve, reject) => { stop.addEventListener('abort', () => { reject(stopError(stop)); }, { once: true }); }),
    ]);
  } finally {
    connection.close();
  }
}

async function list<Row>(connection: Connection, kind: 'area' | 'device' | 'entity'): Promise<Row[]> {
  const rows: unknown = await connection.sendMessagePromise({ type: `config/${kind}_registry/list` });
  if (!Array.isArray(rows)) throw new HomeAssistantError(`Home Assistant gave no list of its ${kind} registry. Leave 'area' out and filter by domain.`);
  return rows as Row[]; // cast: the shape Home Assistant documents for this command; only optional reads follow
}

/** The library's own `createSocket` cannot be stopped and waits without limit for a login that never comes. */
function openSocket(auth: Auth, stop: AbortSignal): Promise<OpenSocket> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(auth.wsUrl);
    const settle = (finish: () => void): void => {
      stop.removeEventListener('abort', onStop);
      socket.removeEventListener('message', onMessage);
      socket.removeEventListener('close', onClose);
      finish();
    };
    const fail = (error: Error): void => { settle(() => { socket.close(); reject(error); }); };
    const onStop = (): void => { fail(stopError(stop)); };
    const onClose = (): void => { fail(new Error('it closed the connection before the login')); };
    const onMessage = ({ data }: MessageEvent): void => {
      const { type, ha_version: version } = readMessage(data);
      if (type === 'auth_required') socket.send(JSON.stringify({ type: 'auth', access_token: auth.accessToken }));
      if (type === 'auth_invalid') fail(new HomeAssistantError('Home Assistant does not accept HASS_TOKEN. Ask the person to make a new long-lived access token and put it into the .env of the home.'));
      if (type === 'auth_ok') settle(() => { resolve(Object.assign(socket, { haVersion: version ?? '0.0.0' })); });
    };
    if (stop.aborted) return onStop();
    stop.addEventListener('abort', onStop);
    socket.addEventListener('message', onMessage);
    socket.addEventListener('close', onClose);
  });
}

function readMessage(data: unknown): { readonly type?: unknown; readonly ha_version?: string } {
  try {
    return JSON.parse(String(data)) as { type?: unknown; ha_version?: string }; // cast: compared with known values only
  } catch {
    return {}; // Not a message of this protocol: the time limit ends the wait.
  }
}

function stopError(stop: AbortSignal): Error {
  return stop.reason instanceof Error ? stop.reason : new Error(String(stop.reason));
}

function findArea(areas: readonly Area[], wanted: string): Area {
  const same = (text: string): boolean => text.trim().toLowerCase() === wanted.trim().toLowerCase();
  const area = areas.find(({ area_id: id, name, aliases = [] }) => same(name) || same(id) || aliases.some(same));
  if (area !== undefined) return area;
  const names = areas.map(({ name }) => name).sort().slice(0, 40).join(', ');
  throw new HomeAssistantError(`There is no area '${wanted}'. ${names === '' ? 'This home has no areas: filter by domain.' : `Areas: ${names}.`}`);
}
