/**
 * A stand-in for Modal that speaks gRPC by the SDK's own definitions: the control plane and the task command router, both behind proxies
 * that can break. Sandboxes are real (`Place`); requests without the right keys or fields are complained about.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createModalEnvironment, readModalSettings } from '../../../environments/modal.ts';
import { buildImages, Place } from '../hosted/place.ts';
import { startProxy } from '../hosted/proxy.ts';
import { DEAD_PID, hostedOptions, type Fault, type Step, type TestVendor } from '../hosted/vendor.ts';
import { loadDefinitions, type CallContext, type Handler, type Message } from './definitions.ts';
import { Exec } from './execs.ts';

export const TOKEN = { id: 'ak-test', secret: 'as-test' } as const;
const STATUS = { outOfRange: 11, notFound: 5, internal: 13, unauthenticated: 16, unimplemented: 12, invalid: 3 } as const;
const GENERIC = { success: 1, terminated: 3 } as const;
const DEFAULT_PTY = { cols: 80, rows: 24 } as const;
/** Methods that a step of the matrix goes through. */
const METHODS: Readonly<Record<Step, readonly string[]>> = {
  create: ['sandboxCreateV2'], exec: ['taskExecStart'], output: ['taskExecStdioRead', 'taskExecPoll', 'taskExecWait'], write: ['taskExecStdinWrite'], cleanup: ['sandboxTerminateV2'],
};

interface Box { readonly id: string; readonly taskId: string; readonly place: Place; readonly createdAt: number; tags: readonly { readonly tagName: string; readonly tagValue: string }[] }

/** A token of the shape that the SDK reads the end of life from. */
function token(): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'none' })}.${part({ exp: Math.floor(Date.now() / 1_000) + 3_600, jti: randomUUID() })}.x`;
}

export async function startModal(): Promise<TestVendor & { readonly images: ReadonlyMap<string, string> }> {
  const sdk = loadDefinitions();
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'talaria-modal-')));
  const tree = buildImages(folder);
  const boxes = new Map<string, Box>();
  const execs = new Map<string, Exec>();
  const images = new Map<string, string>([['im-base', tree.base]]);
  const faults = new Map<string, Fault>();
  const complaints: string[] = [];
  const problems: string[] = [];
  const inUse = new Set<string>();
  const authToken = token();
  const routerToken = token();
  let routerPort = 0;

  const refuse = (code: number, details: string) => new sdk.ServerError(code, details);
  const box = (request: Message): Box => {
    const found = boxes.get(String(request['sandboxId']));
    if (found === undefined) throw refuse(STATUS.notFound, 'Sandbox not found');
    return found;
  };
  const boxOfTask = (request: Message): Box => {
    const found = [...boxes.values()].find(({ taskId, place }) => taskId === request['taskId'] && place.running);
    if (found === undefined) throw refuse(STATUS.notFound, 'task is not running');
    return found;
  };
  const exec = (request: Message): Exec => {
    boxOfTask(request);
    const found = execs.get(String(request['execId']));
    if (found === undefined) throw refuse(STATUS.notFound, 'exec not found');
    return found;
  };
  const access = () => ({ url: `https://127.0.0.1:${routerPort}`, jwt: routerToken });
  const info = ({ id, createdAt }: Box) => ({ id, createdAt });

  const control: Readonly<Record<string, Handler>> = {
    authTokenGet: () => ({ token: authToken }),
    appGetOrCreate: ({ appName }) => {
      if (appName !== 'hermes-agent') complaints.push(`app ${String(appName)}`);
      return { appId: 'ap-1' };
    },
    environmentGetOrCreate: () => ({ environmentId: 'en-1', metadata: { name: 'main', settings: { imageBuilderVersion: '2025.06' } } }),
    imageGetOrCreate: ({ image }) => {
      const commands = (image as { dockerfileCommands: string[] }).dockerfileCommands; // cast: decoded by the SDK's own definition
      if (commands[0] === 'FROM no/such:image') return { imageId: 'im-none', result: { status: 2, exception: 'manifest unknown' } };
      if (!/^FROM \S+$/.test(commands[0] ?? '')) complaints.push(`image ${commands.join(';')}`);
      return { imageId: 'im-base', result: { status: GENERIC.success } };
    },
    imageFromId: ({ imageId }) => {
      if (!images.has(String(imageId))) throw refuse(STATUS.notFound, 'Could not find image with ID');
      return { imageId };
    },
    imageDelete: ({ imageId }) => {
      rmSync(images.get(String(imageId)) ?? folder, { recursive: true, force: true });
      images.delete(String(imageId));
      return {};
    },
    sandboxCreateV2: async ({ appId, definition, tags }) => {
      const { imageId, entrypointArgs, timeoutSecs } = definition as { imageId: string; entrypointArgs: string[]; timeoutSecs: number }; // cast: as above
      if (appId !== 'ap-1' || entrypointArgs.join(' ') !== 'sleep infinity' || timeoutSecs < 300) complaints.push(`create ${JSON.stringify({ appId, entrypointArgs, timeoutSecs })}`);
      const from = images.get(imageId);
      if (from === undefined) throw refuse(STATUS.notFound, `Could not find image with ID ${imageId}`);
      const made: Box = { id: `sb-v2-${randomBytes(6).toString('hex')}`, taskId: `ta-${randomBytes(6).toString('hex')}`, place: await Place.start(tree, from), createdAt: Date.now() / 1_000, tags: tags as Box['tags'] }; // cast: as above
      boxes.set(made.id, made);
      return { sandboxId: made.id, taskId: made.taskId, tunnels: [], commandRouterAccess: access() };
    },
    sandboxListV2: ({ tags, beforeTimestamp }) => {
      const wanted = tags as Box['tags']; // cast: as above
      const fits = (one: Box) => wanted.every(({ tagName, tagValue }) => one.tags.some((tag) => tag.tagName === tagName && tag.tagValue === tagValue));
      const older = (one: Box) => beforeTimestamp === undefined || beforeTimestamp === 0 || one.createdAt < Number(beforeTimestamp);
      return { sandboxes: [...boxes.values()].filter((one) => one.place.running && fits(one) && older(one)).sort((a, b) => b.createdAt - a.createdAt).map(info) };
    },
    sandboxTagsGetV2: (request) => ({ tags: box(request).tags }),
    sandboxTagsSetV2: (request) => {
      box(request).tags = request['tags'] as Box['tags']; // cast: as above
      return {};
    },
    sandboxGetTaskIdV2: (request) => ({ taskId: box(request).taskId }),
    sandboxGetCommandRouterAccess: access,
    sandboxWaitV2: (request) => (box(request).place.running ? {} : { result: { status: GENERIC.terminated, exitcode: 137 } }),
    sandboxTerminateV2: async (request) => {
      await box(request).place.remove();
      return {};
    },
  };

  const router: Readonly<Record<string, Handler>> = {
    taskExecStart: (request) => {
      const { commandArgs, secretSources, ptyInfo } = request as unknown as { commandArgs: string[]; secretSources: { env?: { contents: Record<string, string> } }[]; ptyInfo?: unknown }; // cast: as above
      const env = Object.assign({}, ...secretSources.map((source) => source.env?.contents)) as Record<string, string>; // cast: maps of texts
      execs.set(String(request['execId']), new Exec(boxOfTask(request).place, commandArgs, env, ptyInfo === undefined ? undefined : DEFAULT_PTY));
      return {};
    },
    taskExecStdioRead: async function* read(request, { signal }) {
      if (Number(request['fileDescriptor']) !== 0) return;
      const broken = new AbortController();
      const look = setInterval(() => { if (faults.get('taskExecStdioRead') !== undefined) broken.abort(); }, 20);
      try {
        for await (const data of exec(request).read(Number(request['offset']), AbortSignal.any([signal, broken.signal]))) {
          if (!broken.signal.aborted) yield { data };
        }
      } finally {
        clearInterval(look);
      }
      if (faults.get('taskExecStdioRead') === 'error') throw refuse(STATUS.internal, 'internal error of the service');
      if (broken.signal.aborted) await hang(signal);
    },
    taskExecStdinWrite: (request) => {
      if (!exec(request).write(Number(request['offset']), Buffer.from(request['data'] as Uint8Array), request['eof'] === true)) throw refuse(STATUS.outOfRange, 'wrong offset'); // cast: as above
      return {};
    },
    taskExecPoll: (request) => ({ code: exec(request).code }),
    taskExecWait: async (request, { signal }) => {
      const running = exec(request);
      while (running.code === undefined && !signal.aborted) await running.changed(signal);
      return { code: running.code };
    },
    taskSnapshotFilesystem: async (request) => {
      const imageId = `im-${randomBytes(6).toString('hex')}`;
      const directory = join(folder, imageId);
      await boxOfTask(request).place.copyTo(directory);
      images.set(imageId, directory);
      return { imageId };
    },
  };

  const isKnown = (path: 'control' | 'router', context: CallContext, method: string) => (path === 'router'
    ? context.metadata.get('authorization') === `Bearer ${routerToken}`
    : context.metadata.get('x-modal-token-id') === TOKEN.id && context.metadata.get('x-modal-token-secret') === TOKEN.secret && (method === 'authTokenGet' || context.metadata.get('x-modal-auth-token') === authToken));
  const hang = (signal: AbortSignal) => new Promise<never>((_, reject) => { signal.addEventListener('abort', () => reject(refuse(1, 'cancelled')), { once: true }); });

  /** Every method of the definition: the keys are checked, faults strike, and what is not offered says so. */
  function implement(path: 'control' | 'router', definition: { readonly methods: Readonly<Record<string, { readonly responseStream: boolean }>> }, handlers: Readonly<Record<string, Handler>>) {
    const before = async (method: string, context: CallContext) => {
      if (!isKnown(path, context, method)) throw refuse(STATUS.unauthenticated, 'token is not valid');
      const fault = faults.get(method);
      if (fault === 'error') throw refuse(STATUS.internal, 'internal error of the service');
      if (fault === 'hang') await hang(context.signal);
      const handler = handlers[method];
      if (handler === undefined) {
        complaints.push(`method ${method}`);
        throw refuse(STATUS.unimplemented, method);
      }
      return handler;
    };
    return Object.fromEntries(Object.entries(definition.methods).map(([method, { responseStream }]): [string, Handler] => [method, responseStream
      ? async function* stream(request, context) { yield* (await before(method, context))(request, context) as AsyncIterable<unknown>; }
      : async (request, context) => (await before(method, context))(request, context)]));
  }

  const server = sdk.createServer();
  server.add(sdk.ModalClientDefinition, implement('control', sdk.ModalClientDefinition, control));
  server.add(sdk.TaskCommandRouterDefinition, implement('router', sdk.TaskCommandRouterDefinition, router));
  const port = await server.listen('127.0.0.1:0');
  const proxies = await Promise.all([startProxy(port), startProxy(port)]);
  routerPort = proxies[1].port;
  // The SDK takes the address from the environment only.
  process.env['MODAL_SERVER_URL'] = `http://127.0.0.1:${proxies[0].port}`;

  return {
    name: 'Modal', dying: { backend: 'modal', given: { home: join(folder, 'home'), keys: { MODAL_TOKEN_ID: TOKEN.id, MODAL_TOKEN_SECRET: TOKEN.secret }, values: {} } }, complaints, problems, images, home: join(folder, 'home'),
    make: (options = {}) => {
      const keys: Record<string, string | undefined> = { MODAL_TOKEN_ID: TOKEN.id, MODAL_TOKEN_SECRET: TOKEN.secret, ...options.credentials };
      return createModalEnvironment({
        ...hostedOptions({ inUse, ...options }, join(folder, 'home'), problems), settings: readModalSettings((variable) => options.settings?.[variable]), credential: (name) => Promise.resolve(keys[name]),
      });
    },
    fail: (step, fault) => { for (const method of METHODS[step]) faults.set(method, fault); },
    silence: () => { for (const proxy of proxies) proxy.silence(); },
    cut: () => { for (const proxy of proxies) proxy.cut(); },
    heal: () => {
      faults.clear();
      for (const proxy of proxies) proxy.restore();
    },
    running: () => [...boxes.values()].filter(({ place }) => place.running).map(({ tags }) => tags.find(({ tagName }) => tagName === 'hermes_task_id')?.tagValue ?? ''),
    orphan: () => {
      for (const one of boxes.values()) one.tags = one.tags.map(({ tagName, tagValue }) => ({ tagName, tagValue: tagName === 'talaria_owner' ? tagValue.replace(/-.*/, `-${DEAD_PID}-1`) : tagValue }));
    },
    expire: async () => { for (const one of boxes.values()) await one.place.end(); },
    close: async () => {
      server.forceShutdown();
      for (const proxy of proxies) await proxy.close();
      for (const one of boxes.values()) await one.place.remove();
      delete process.env['MODAL_SERVER_URL'];
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
