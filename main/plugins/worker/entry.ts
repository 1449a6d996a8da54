/** One plugin or tool file, in a thread of the process that process.ts is: while it sleeps in a call that answers at once, its process carries on. */
import { pathToFileURL } from 'node:url';
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { installModuleHooks, type ModuleRules } from './module-hooks.ts';
import { Peer, type Message } from './peer.ts';
import { createPluginApi, TOOL_HELPERS } from './plugin-api.ts';
import { callSync } from './sync-calls.ts';

export interface WorkerInput {
  readonly kind: 'plugin' | 'tool-file';
  readonly id: string;
  readonly version: string;
  readonly folder: string;
  /** Absolute path of the module. */
  readonly entry: string;
  readonly rules: ModuleRules;
  readonly port: MessagePort;
  readonly flag: SharedArrayBuffer;
}

const input = workerData as WorkerInput; // written by plugin-worker.ts alone
const parent = parentPort;
if (parent === null) throw new Error('A plugin runs in a worker that the app starts.');

const peer = new Peer({
  post: (message) => { parent.postMessage(message); },
  serve(name) {
    if (name === 'load') return load();
    if (name === 'ping') return 'pong';
    throw new Error(`A worker does not answer '${name}'.`);
  },
});
parent.on('message', (message: Message) => { peer.receive(message); });

async function load(): Promise<void> {
  installModuleHooks(input.rules);
  const module = await import(/* @vite-ignore */ pathToFileURL(input.entry).href) as Readonly<Record<string, unknown>>; // cast: a module is an object of exports
  const line = {
    peer, keep: (value: unknown) => peer.keep(value).packed,
    sync: (name: string, ...args: readonly unknown[]) => callSync(input, name, args),
  };
  const api = createPluginApi({ id: input.id, version: input.version, folder: input.folder }, line);
  if (input.kind === 'tool-file') {
    if (typeof module['default'] !== 'function') throw new TypeError('its default export is no function. Write `export default (registry, helpers) => { registry.register({ … }); }`.');
    await Reflect.apply(module['default'], undefined, [{ register: api.registerTool }, TOOL_HELPERS]);
    return;
  }
  const register = module['register'] ?? module['default'];
  if (typeof register !== 'function') throw new TypeError('it exports no function register(ctx).');
  await Reflect.apply(register, undefined, [api]);
}
