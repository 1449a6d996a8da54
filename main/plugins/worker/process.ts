/**
 * The process around the thread of one plugin. What no thread survives alone ends this process and nothing else: memory without bound (V8
 * aborts the whole process), a loop that no interrupt reaches, a crash in native code. Between the app and the thread it only carries messages.
 */
import { extname } from 'node:path';
import { MessageChannel, Worker } from 'node:worker_threads';
import type { WorkerInput } from './entry.ts';
import { shapeOf, type ErrorShape, type Message } from './peer.ts';
import { forwardSync, type Reply } from './sync-calls.ts';

export type Source = Omit<WorkerInput, 'port' | 'flag'>;
export type ToProcess =
  | { readonly kind: 'start'; readonly source: Source; readonly memoryMb: number }
  | { readonly kind: 'message'; readonly message: Message }
  /** Answers the one `sync` that the thread waits for. */
  | { readonly kind: 'reply'; readonly reply: Reply };
export type FromProcess =
  | { readonly kind: 'message'; readonly message: Message }
  | { readonly kind: 'sync'; readonly name: string; readonly args: unknown }
  | { readonly kind: 'out-of-memory' }
  | { readonly kind: 'failed'; readonly error: ErrorShape }
  | { readonly kind: 'ended'; readonly code: number };

/** What Node itself takes, in MB. */
const BASE_MB = 120;
/** Memory is looked at this often: buffers are filled at about a GB in a second, and V8 does not count them. */
const LOOK_MS = 500;

interface Line { send(message: FromProcess): void; onMessage(listener: (message: ToProcess) => void): void }

/** Electron's utility processes have a port, Node's children a channel. */
interface ParentPort { postMessage(message: unknown): void; on(name: 'message', listener: (event: { readonly data: ToProcess }) => void): void }

function openLine(): Line {
  const port: unknown = Reflect.get(process, 'parentPort');
  if (isPort(port)) return { send: (message) => { port.postMessage(message); }, onMessage: (listener) => { port.on('message', ({ data }) => { listener(data); }); } };
  // The app died: nobody is left to tell anything to.
  process.on('disconnect', end);
  return { send: (message) => { process.send?.(message); }, onMessage: (listener) => { process.on('message', (message) => { listener(message as ToProcess); }); } }; // cast: plugin-process.ts sends nothing else
}

const isPort = (value: unknown): value is ParentPort => typeof value === 'object' && value !== null && 'postMessage' in value;

/** At once: an orderly exit waits for the thread, which may never come to an end. */
function end(): void {
  process.kill(process.pid, 'SIGKILL');
}

function start({ source, memoryMb }: ToProcess & { readonly kind: 'start' }, line: Line): { toThread(message: Message): void; reply(reply: Reply): void } {
  const { port1, port2 } = new MessageChannel();
  const flag = new SharedArrayBuffer(4);
  const input: WorkerInput = { ...source, port: port2, flag };
  // The same folder in the sources (.ts) and in the build (.js).
  const worker = new Worker(new URL(`./entry${extname(new URL(import.meta.url).pathname)}`, import.meta.url), {
    name: `plugin ${source.id}`, workerData: input, transferList: [port2], execArgv: [], resourceLimits: { maxOldGenerationSizeMb: memoryMb },
  });
  const toThread = (message: Message): void => { worker.postMessage(message); };
  worker.on('message', (message: Message) => {
    try {
      line.send({ kind: 'message', message });
    } catch (error) {
      // Threads may share what processes cannot copy (a port, shared memory): whoever waits for it is told.
      if (message.kind === 'done') line.send({ kind: 'message', message: { kind: 'failed', id: message.id, error: shapeOf(error) } });
      else if (message.kind === 'request' || message.kind === 'call') toThread({ kind: 'failed', id: message.id, error: shapeOf(error) });
    }
  });
  worker.on('error', (error: Error & { readonly code?: string }) => {
    line.send(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? { kind: 'out-of-memory' } : { kind: 'failed', error: { name: error.name, message: error.message } });
  });
  worker.on('exit', (code) => { line.send({ kind: 'ended', code }); });
  setInterval(() => { if (process.memoryUsage.rss() > (memoryMb + BASE_MB) * 1024 ** 2) line.send({ kind: 'out-of-memory' }); }, LOOK_MS);
  return { toThread, reply: forwardSync({ port: port1, flag }, (name, args) => { line.send({ kind: 'sync', name, args }); }) };
}

// A Ctrl-C is for the app: it stops a turn, not the plugins.
process.on('SIGINT', () => undefined);
const line = openLine();
let thread: ReturnType<typeof start> | undefined;
line.onMessage((message) => {
  switch (message.kind) {
    case 'start': thread = start(message, line); break;
    case 'message': thread?.toThread(message.message); break;
    case 'reply': thread?.reply(message.reply); break;
  }
});
