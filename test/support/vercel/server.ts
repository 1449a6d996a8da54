/**
 * A stand-in for Vercel's sandbox interface: REST for sandboxes, sessions and snapshots, logs as lines of JSON, files as gzipped tar; behind
 * a proxy that can break. The SDK is led here by its `fetch` option. Sandboxes are real (`Place`).
 */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createVercelEnvironment, readVercelSettings } from '../../../environments/vercel-sandbox.ts';
import { never, startHttp, type Answer, type Request } from '../hosted/http.ts';
import { buildImages, Place } from '../hosted/place.ts';
import { startProxy } from '../hosted/proxy.ts';
import { DEAD_PID, hostedOptions, type Fault, type Step, type TestVendor } from '../hosted/vendor.ts';

export const KEYS = { VERCEL_TOKEN: 'vercel-test', VERCEL_TEAM_ID: 'team_test', VERCEL_PROJECT_ID: 'prj_test' } as const;
const HOME = '/vercel/sandbox';
const MIN_TIMEOUT_MS = 300_000;

interface Box { readonly name: string; readonly sessionId: string; readonly place: Place; tags: Record<string, string>; readonly createdAt: number; readonly timeout: number; status: string }
interface Create { readonly projectId: string; readonly name: string; readonly runtime?: string; readonly timeout: number; readonly resources?: { readonly vcpus: number }; readonly tags: Record<string, string>; readonly source?: { readonly type: string; readonly snapshotId: string } }

/** One command: its log is kept, and followed from the start by whoever asks. */
class Run {
  readonly id = `cmd_${randomBytes(6).toString('hex')}`;
  readonly startedAt = Date.now();
  readonly lines: string[] = [];
  exitCode: number | null = null;
  #waiting: (() => void)[] = [];

  constructor(place: Place, program: readonly string[], env: Readonly<Record<string, string>>) {
    const child = place.spawn(program, env);
    child.stdin.end();
    child.stdout.setEncoding('utf8').on('data', (data: string) => {
      this.lines.push(JSON.stringify({ stream: 'stdout', data }));
      this.#wake();
    });
    child.once('close', (code) => {
      this.exitCode = code ?? 137;
      this.#wake();
    });
  }

  #wake(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }

  changed(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }
}

export async function startVercel(): Promise<TestVendor & { readonly snapshots: ReadonlyMap<string, string>; readonly lead: typeof fetch }> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'talaria-vercel-')));
  const tree = buildImages(folder);
  mkdirSync(join(tree.base, HOME), { recursive: true });
  const boxes = new Map<string, Box>();
  const runs = new Map<string, Run>();
  const snapshots = new Map<string, string>();
  const faults = new Map<Step, Fault>();
  const complaints: string[] = [];
  const problems: string[] = [];
  const inUse = new Set<string>();

  const failure = (status: number, code: string): Answer => ({ status, body: { error: { code, message: `${code} at the service` } } });
  const state = (box: Box) => (box.status === 'running' && !box.place.running ? 'stopped' : box.status);
  const session = (box: Box) => ({ id: box.sessionId, memory: 2_048, vcpus: 1, region: 'iad1', runtime: 'node24', timeout: box.timeout, status: state(box), requestedAt: box.createdAt, createdAt: box.createdAt, updatedAt: box.createdAt, startedAt: box.createdAt, cwd: HOME });
  const row = (box: Box) => ({ name: box.name, persistent: false, runtime: 'node24', timeout: box.timeout, createdAt: box.createdAt, updatedAt: box.createdAt, currentSessionId: box.sessionId, status: state(box), tags: box.tags, cwd: HOME });
  const both = (box: Box): Answer => ({ status: 200, body: { sandbox: row(box), session: session(box), routes: [] } });
  const picture = (id: string, sourceSessionId: string) => ({ id, sourceSessionId, region: 'iad1', status: 'created', sizeBytes: 1, createdAt: Date.now(), updatedAt: Date.now() });
  /** Undefined: go on. */
  async function strike(step: Step, signal: AbortSignal): Promise<Answer | undefined> {
    const fault = faults.get(step);
    if (fault === 'error') return failure(500, 'internal_error');
    if (fault !== 'hang') return undefined;
    await never(signal);
    return failure(499, 'caller_gone');
  }

  async function create(request: Request): Promise<Answer> {
    const wanted = request.json() as unknown as Create; // cast: as the SDK's types have it
    const fits = wanted.projectId === KEYS.VERCEL_PROJECT_ID && wanted.timeout >= MIN_TIMEOUT_MS && (wanted.resources?.vcpus ?? 0) >= 1 && (wanted.runtime !== undefined) !== (wanted.source !== undefined);
    if (!fits) complaints.push(`create ${JSON.stringify(wanted)}`);
    if (wanted.runtime !== undefined && wanted.runtime !== 'node24') return failure(400, 'unknown_runtime');
    const from = wanted.source === undefined ? tree.base : snapshots.get(wanted.source.snapshotId);
    if (from === undefined) return failure(410, 'snapshot_not_found');
    const box: Box = { name: wanted.name, sessionId: `sess_${randomBytes(6).toString('hex')}`, place: await Place.start(tree, from), tags: wanted.tags, createdAt: Date.now(), timeout: wanted.timeout, status: 'running' };
    boxes.set(box.name, box);
    // As at Vercel: it is there before it runs.
    const { body, status } = both(box);
    return { status, body: { ...body as object, sandbox: { ...row(box), status: 'pending' }, session: { ...session(box), status: 'pending' } } };
  }

  async function log(run: Run, response: ServerResponse, signal: AbortSignal): Promise<void> {
    response.writeHead(200, { 'content-type': 'application/x-ndjson' });
    response.flushHeaders();
    for (let at = 0; !signal.aborted && !response.destroyed;) {
      if (faults.get('output') === 'error') {
        response.destroy();
        return;
      }
      if (faults.get('output') === 'hang') await never(signal);
      if (at < run.lines.length) response.write(`${run.lines[at++] ?? ''}\n`);
      else if (run.exitCode === null) await Promise.race([run.changed(signal), new Promise((resolve) => { setTimeout(resolve, 50); })]);
      else break;
    }
    response.end();
  }

  async function command(request: Request, box: Box, rest: readonly string[], signal: AbortSignal): Promise<Answer> {
    const [id = '', action = ''] = rest;
    const told = (run: Run) => ({ id: run.id, name: 'bash', args: [], cwd: HOME, sessionId: box.sessionId, exitCode: run.exitCode, startedAt: run.startedAt });
    if (id === '') {
      const { command: program, args, env, wait } = request.json() as { command: string; args: string[]; env: Record<string, string>; wait?: boolean }; // cast: as the SDK sends it
      // What hands input over is another step than what starts a program.
      const struck = await strike(args[1]?.includes('[ -p "$1" ]') === true ? 'write' : 'exec', signal);
      if (struck !== undefined) return struck;
      if (wait === true) complaints.push('a command that is waited for');
      const run = new Run(box.place, [program, ...args], env);
      runs.set(run.id, run);
      return { status: 200, body: { command: told(run) } };
    }
    const run = runs.get(id);
    if (run === undefined) return failure(404, 'not_found');
    if (action === 'logs') return { status: 200, stream: (response) => log(run, response, signal) };
    const struck = await strike('output', signal);
    if (struck !== undefined) return struck;
    if (request.url.searchParams.get('wait') === 'true') while (run.exitCode === null && !signal.aborted) await run.changed(signal);
    return { status: 200, body: { command: told(run) } };
  }

  async function inSession(request: Request, id: string, rest: readonly string[], signal: AbortSignal): Promise<Answer> {
    const box = [...boxes.values()].find(({ sessionId }) => sessionId === id);
    if (box === undefined) return failure(404, 'not_found');
    if (state(box) !== 'running') return failure(410, 'sandbox_stopped');
    const [action = '', ...more] = rest;
    switch (`${request.method} ${action}`) {
      case 'POST cmd': case 'GET cmd': return command(request, box, more, signal);
      case 'POST fs': {
        const struck = await strike('write', signal);
        if (struck !== undefined) return struck;
        const unpack = execFile('tar', ['xzf', '-', '-C', join(box.place.inside, String(request.headers['x-cwd']))]);
        unpack.stdin?.end(request.body);
        let said = '';
        unpack.stderr?.on('data', (chunk: string) => { said += chunk; });
        const code = await new Promise((resolve) => { unpack.once('close', resolve); });
        return code === 0 ? { status: 200, body: {} } : { status: 400, body: { error: { code: 'write_failed', message: said } } };
      }
      case 'POST stop': case 'POST snapshot': {
        const struck = await strike('cleanup', signal);
        if (struck !== undefined) return struck;
        const picked = `snap_${randomBytes(6).toString('hex')}`;
        if (action === 'snapshot') {
          snapshots.set(picked, join(folder, picked));
          await box.place.copyTo(join(folder, picked));
        }
        await box.place.remove();
        box.status = 'stopped';
        return { status: 200, body: { session: session(box), sandbox: row(box), ...(action === 'snapshot' ? { snapshot: picture(picked, id) } : {}) } };
      }
      default:
        complaints.push(`${request.method} ${request.url.pathname}`);
        return failure(404, 'not_found');
    }
  }

  function snapshot(request: Request, id: string): Answer {
    const directory = snapshots.get(id);
    if (directory === undefined) return failure(404, 'not_found');
    if (request.method === 'DELETE') {
      snapshots.delete(id);
      rmSync(directory, { recursive: true, force: true });
    }
    return { status: 200, body: { snapshot: picture(id, '') } };
  }

  async function answer(request: Request, signal: AbortSignal): Promise<Answer> {
    const { method, url } = request;
    if (request.headers.authorization !== `Bearer ${KEYS.VERCEL_TOKEN}` || url.searchParams.get('teamId') !== KEYS.VERCEL_TEAM_ID) return failure(403, 'forbidden');
    const [, , version = '', what = '', name = '', id = '', ...rest] = url.pathname.split('/');
    if (!['v2', 'v3'].includes(version) || what !== 'sandboxes') {
      complaints.push(`${method} ${url.pathname}`);
      return failure(404, 'not_found');
    }
    if (name === 'sessions') return inSession(request, id, rest, signal);
    if (name === 'snapshots') return snapshot(request, id);
    if (name === '' && method === 'POST') return await strike('create', signal) ?? create(request);
    if (name === '') {
      const [key = '', value = ''] = (url.searchParams.get('tags') ?? '').split(':');
      return { status: 200, body: { sandboxes: [...boxes.values()].filter(({ tags }) => tags[key] === value).map(row), pagination: { count: boxes.size, next: null } } };
    }
    const box = boxes.get(name);
    if (box === undefined) return failure(404, 'not_found');
    if (method === 'PATCH') box.tags = (request.json() as { tags: Record<string, string> }).tags; // cast: as the SDK sends it
    if (method === 'DELETE') boxes.delete(name);
    return both(box);
  }

  const { server, port } = await startHttp(answer);
  const proxy = await startProxy(port);
  const straight = globalThis.fetch;
  const lead: typeof fetch = (input, init) => {
    const url = new URL(input instanceof globalThis.Request ? input.url : input);
    if (url.origin !== 'https://vercel.com') complaints.push(`address ${url.href}`);
    return straight(`http://127.0.0.1:${proxy.port}${url.pathname}${url.search}`, init);
  };

  return {
    name: 'Vercel', dying: { backend: 'vercel', given: { home: join(folder, 'home'), keys: KEYS, values: {}, lead: `http://127.0.0.1:${proxy.port}` } }, complaints, problems, snapshots, lead, home: join(folder, 'home'),
    make: (options = {}) => createVercelEnvironment({
      ...hostedOptions({ inUse, ...options }, join(folder, 'home'), problems), settings: readVercelSettings((variable) => options.settings?.[variable]), fetch: lead,
      credential: (name) => Promise.resolve(({ ...KEYS, ...options.credentials } as Record<string, string | undefined>)[name]), // cast: any name may be asked for
    }),
    fail: (step, fault) => faults.set(step, fault),
    silence: () => proxy.silence(),
    cut: () => proxy.cut(),
    heal: () => {
      faults.clear();
      proxy.restore();
    },
    running: () => [...boxes.values()].filter(({ place }) => place.running).map(({ tags }) => tags['hermes_task_id'] ?? ''),
    orphan: () => { for (const box of boxes.values()) box.tags = { ...box.tags, talaria_owner: (box.tags['talaria_owner'] ?? '').replace(/-.*/, `-${DEAD_PID}-1`) }; },
    expire: async () => { for (const box of boxes.values()) await box.place.end(); },
    close: async () => {
      await proxy.close();
      server.closeAllConnections();
      server.close();
      for (const box of boxes.values()) await box.place.remove();
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
