/**
 * A stand-in for Daytona: its REST interface for sandboxes, and the toolbox inside of them with files and terminals over WebSockets, each
 * behind a proxy that can break. Sandboxes are real (`Place`).
 */
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { WebSocketServer, type WebSocket } from 'ws';
import { createDaytonaEnvironment, readDaytonaSettings } from '../../../environments/daytona.ts';
import { never, startHttp, type Answer, type Request } from '../hosted/http.ts';
import { buildImages, Place } from '../hosted/place.ts';
import { startProxy } from '../hosted/proxy.ts';
import { DEAD_PID, hostedOptions, type Fault, type Step, type TestVendor } from '../hosted/vendor.ts';

export const KEY = 'dtn_test';
interface Box { readonly id: string; readonly name: string; labels: Record<string, string>; place: Place; state: string; readonly image: string; readonly autoDelete: number | undefined }
interface Create { readonly name?: string; readonly labels: Record<string, string>; readonly buildInfo?: { readonly dockerfileContent: string }; readonly autoStopInterval?: number; readonly autoDeleteInterval?: number; readonly memory?: number; readonly disk?: number }

/** Fields of a multipart body by name; binary-safe. */
function multipart(request: Request): Map<string, Buffer> {
  const boundary = Buffer.from(`--${/boundary=(\S+)/.exec(request.headers['content-type'] ?? '')?.[1] ?? ''}`);
  const fields = new Map<string, Buffer>();
  for (let at = request.body.indexOf(boundary); at !== -1;) {
    const next = request.body.indexOf(boundary, at + boundary.length);
    if (next === -1) break;
    const part = request.body.subarray(at + boundary.length + 2, next - 2);
    const head = part.indexOf('\r\n\r\n');
    fields.set(/name="([^"]+)"/.exec(part.subarray(0, head).toString())?.[1] ?? '', part.subarray(head + 4));
    at = next;
  }
  return fields;
}

export async function startDaytona(): Promise<TestVendor & { readonly apiUrl: string }> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'talaria-daytona-')));
  const tree = buildImages(folder);
  const boxes = new Map<string, Box>();
  const faults = new Map<Step, Fault>();
  const complaints: string[] = [];
  const problems: string[] = [];
  const inUse = new Set<string>();
  let toolboxPort = 0;

  const row = ({ id, name, labels, state }: Box) => ({
    id, name, labels, state, organizationId: 'org', target: 'eu', user: 'root', env: {}, public: false, cpu: 1, gpu: 0, memory: 1, disk: 3, toolboxProxyUrl: `http://127.0.0.1:${toolboxPort}/toolbox`,
    ...(state === 'error' ? { errorReason: 'manifest unknown' } : {}),
  });
  const failure = (status: number, message: string): Answer => ({ status, body: { statusCode: status, message, error: message } });
  /** Undefined: go on. */
  async function strike(step: Step, signal: AbortSignal): Promise<Answer | undefined> {
    const fault = faults.get(step);
    if (fault === 'error') return failure(500, 'internal error of the service');
    if (fault !== 'hang') return undefined;
    await never(signal);
    return failure(499, 'the caller has gone');
  }

  async function create(request: Request): Promise<Answer> {
    const wanted = request.json() as unknown as Create; // cast: as the SDK's types have it
    const image = /^FROM (\S+)\s*$/.exec(wanted.buildInfo?.dockerfileContent ?? '')?.[1];
    if (image === undefined || wanted.autoStopInterval === undefined || wanted.autoStopInterval < 5 || (wanted.disk ?? 0) > 10) complaints.push(`create ${JSON.stringify(wanted)}`);
    if ([...boxes.values()].some(({ name, state }) => name === wanted.name && state !== 'destroyed')) return failure(409, `Sandbox with name ${wanted.name ?? ''} already exists`);
    const box: Box = { id: randomUUID(), name: wanted.name ?? '', labels: wanted.labels, place: await Place.start(tree), state: image === 'no/such:image' ? 'error' : 'started', image: image ?? '', autoDelete: wanted.autoDeleteInterval };
    boxes.set(box.id, box);
    if (box.state === 'error') await box.place.end();
    return { status: 200, body: { ...row(box), state: 'creating' } };
  }

  async function control(request: Request, signal: AbortSignal): Promise<Answer> {
    const { method, url } = request;
    const [, , id = '', action = ''] = url.pathname.replace(/^\/api/, '').split('/');
    if (id === '') {
      if (method === 'POST') return await strike('create', signal) ?? create(request);
      const labels = JSON.parse(url.searchParams.get('labels') ?? '{}') as Record<string, string>; // cast: as the SDK sends it
      const fits = (box: Box) => Object.entries(labels).every(([name, value]) => box.labels[name] === value);
      return { status: 200, body: { items: [...boxes.values()].filter((box) => box.state !== 'destroyed' && fits(box)).map(row), nextCursor: null } };
    }
    const box = boxes.get(id) ?? [...boxes.values()].find(({ name }) => name === id);
    if (box === undefined || box.state === 'destroyed') return failure(404, `Sandbox ${id} not found`);
    if (box.state === 'started' && !box.place.running) box.state = 'stopped';
    switch (`${method} ${action}`) {
      case 'GET ': return { status: 200, body: row(box) };
      case 'PUT labels':
        box.labels = request.json()['labels'] as Record<string, string>; // cast: as the SDK sends it
        return { status: 200, body: { labels: box.labels } };
      case 'POST start': {
        const before = box.place;
        box.place = await Place.start(tree, before.root);
        await before.remove();
        box.state = 'started';
        return { status: 200, body: row(box) };
      }
      case 'POST stop': {
        const struck = await strike('cleanup', signal);
        if (struck !== undefined) return struck;
        await box.place.end();
        box.state = box.autoDelete === 0 ? 'destroyed' : 'stopped';
        return { status: 200, body: row(box) };
      }
      case 'DELETE ': {
        const struck = await strike('cleanup', signal);
        if (struck !== undefined) return struck;
        await box.place.remove();
        box.state = 'destroyed';
        return { status: 200, body: row(box) };
      }
      default:
        complaints.push(`${method} ${url.pathname}`);
        return failure(404, 'no such route');
    }
  }

  const sessions = new Map<string, { resize(cols: number, rows: number): void }>();
  async function toolbox(request: Request, signal: AbortSignal): Promise<Answer> {
    const [, , id = '', ...rest] = request.url.pathname.split('/');
    const box = boxes.get(id);
    if (box?.place.running !== true) return failure(502, 'sandbox is not running');
    const path = rest.join('/');
    if (request.method === 'POST' && path === 'files/bulk-upload') {
      const struck = await strike('write', signal);
      if (struck !== undefined) return struck;
      const fields = multipart(request);
      const target = join(box.place.inside, fields.get('files[0].path')?.toString() ?? '');
      try {
        mkdirSync(dirname(target), { recursive: true });
        writeFileSync(target, fields.get('files[0].file') ?? '');
      } catch (error) {
        return failure(500, String(error));
      }
      return { status: 200 };
    }
    const session = /^process\/pty\/([^/]+)\/resize$/.exec(path)?.[1];
    if (request.method === 'POST' && session !== undefined) {
      const { cols, rows } = request.json() as { cols: number; rows: number }; // cast: as the SDK sends it
      sessions.get(session)?.resize(cols, rows);
      return { status: 200, body: { id: session, cols, rows } };
    }
    complaints.push(`${request.method} ${request.url.pathname}`);
    return failure(404, 'no such route');
  }

  const { server, port } = await startHttp(async (request, signal) => {
    if (request.headers.authorization !== `Bearer ${KEY}`) return failure(401, 'Invalid credentials');
    return request.url.pathname.startsWith('/toolbox/') ? toolbox(request, signal) : control(request, signal);
  });

  const sockets = new WebSocketServer({ noServer: true, autoPong: false, handleProtocols: (protocols) => [...protocols][0] ?? false });
  function terminal(socket: WebSocket, box: Box, query: URLSearchParams): void {
    const size = { cols: Number(query.get('cols')), rows: Number(query.get('rows')) };
    const shell = box.place.spawnPty(['bash', '-i', '-l'], { TERM: 'xterm-256color' }, size);
    let over = false;
    sessions.set(query.get('id') ?? '', { resize: (cols, rows) => { if (!over) shell.resize(cols, rows); } });
    socket.send(JSON.stringify({ type: 'control', status: 'connected' }));
    shell.onData((data: string | Buffer) => { if (faults.get('output') === undefined) socket.send(Buffer.from(data as Buffer)); }); // cast: `encoding: null` delivers buffers
    shell.onExit(({ exitCode, signal }) => {
      over = true;
      sessions.delete(query.get('id') ?? '');
      const code = signal === undefined || signal === 0 ? exitCode : 128 + signal;
      socket.send(JSON.stringify({ type: 'control', status: 'exited', exitCode: code }));
      socket.close(1000, JSON.stringify({ exitCode: code }));
    });
    socket.on('message', (data) => { if (!over) shell.write(Buffer.from(data as Buffer) as unknown as string); }); // casts: ws delivers buffers; on POSIX node-pty takes them
    const broken = setInterval(() => { if (faults.get('output') === 'error') socket.terminate(); }, 20);
    socket.on('ping', (data) => { if (faults.get('output') === undefined) socket.pong(data); });
    // As Daytona has it: a terminal lives on when its viewer goes.
    socket.on('close', () => clearInterval(broken));
  }
  server.on('upgrade', (request: IncomingMessage, connection: Duplex, head: Buffer) => {
    connection.on('error', () => connection.destroy()); // reset by the proxy
    const url = new URL(request.url ?? '/', 'http://test');
    const [, , id = '', ...rest] = url.pathname.split('/');
    const box = boxes.get(id);
    const refuse = (line: string) => { connection.end(`HTTP/1.1 ${line}\r\nconnection: close\r\n\r\n`); };
    if (request.headers.authorization !== `Bearer ${KEY}`) refuse('401 Unauthorized');
    else if (rest.join('/') !== 'process/pty/create-connect' || box?.place.running !== true) refuse('404 Not Found');
    else if (faults.get('exec') === 'error') refuse('500 Internal Server Error');
    else if (faults.get('exec') !== 'hang') sockets.handleUpgrade(request, connection, head, (socket) => terminal(socket, box, url.searchParams));
  });
  const proxies = await Promise.all([startProxy(port), startProxy(port)]);
  toolboxPort = proxies[1].port;

  const apiUrl = `http://127.0.0.1:${proxies[0].port}/api`;
  return {
    name: 'Daytona', dying: { backend: 'daytona', given: { home: join(folder, 'home'), keys: { DAYTONA_API_KEY: KEY }, values: { DAYTONA_API_URL: apiUrl, DAYTONA_TARGET: 'eu' } } }, apiUrl, complaints, problems, home: join(folder, 'home'),
    make: (options = {}) => createDaytonaEnvironment({
      ...hostedOptions({ inUse, ...options }, join(folder, 'home'), problems),
      settings: readDaytonaSettings((variable) => ({ DAYTONA_API_URL: apiUrl, DAYTONA_TARGET: 'eu', ...options.settings })[variable]),
      credential: (name) => Promise.resolve({ DAYTONA_API_KEY: KEY, ...options.credentials }[name]),
    }),
    fail: (step, fault) => faults.set(step, fault),
    silence: () => { for (const proxy of proxies) proxy.silence(); },
    cut: () => { for (const proxy of proxies) proxy.cut(); },
    heal: () => {
      faults.clear();
      for (const proxy of proxies) proxy.restore();
    },
    running: () => [...boxes.values()].filter(({ place }) => place.running).map(({ labels }) => labels['hermes_task_id'] ?? ''),
    orphan: () => { for (const box of boxes.values()) box.labels = { ...box.labels, talaria_owner: (box.labels['talaria_owner'] ?? '').replace(/-.*/, `-${DEAD_PID}-1`) }; },
    expire: async () => { for (const box of boxes.values()) await box.place.end(); },
    close: async () => {
      sockets.close();
      for (const proxy of proxies) await proxy.close();
      server.closeAllConnections();
      server.close();
      for (const box of boxes.values()) await box.place.remove();
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
