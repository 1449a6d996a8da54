/** Starts a worker for one plugin or tool file, watches that it reacts, and ends it when it does not. */
import { extname } from 'node:path';
import { MessageChannel, Worker } from 'node:worker_threads';
import type { Clock, Log } from '../ports.ts';
import type { WorkerInput } from './worker/entry.ts';
import { Peer, type Message } from './worker/peer.ts';
import { answerSync } from './worker/sync-calls.ts';

/** The module's top level and its function must be done by then. */
export const LOAD_LIMIT_MS = 10_000;
/** A thread that has not reacted for this long computes without end. */
export const UNRESPONSIVE_MS = 10_000;
const WATCH_BUSY_MS = 1_000;
const WATCH_IDLE_MS = 30_000;
/** Memory of one plugin, in MB of JavaScript objects. */
const MEMORY_MB = 512;
/** What one line of a plugin's own output may fill in the log. */
const OUTPUT_CHARS = 2_000;

export class PluginDown extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'PluginDown';
  }
}

export interface PluginWorkerParts {
  readonly clock: Clock;
  readonly log: Log;
  readonly source: Pick<WorkerInput, 'kind' | 'id' | 'version' | 'folder' | 'entry' | 'rules'>;
  /** What the worker asks and must know at once. */
  sync(name: string, args: readonly unknown[], unpack: (value: unknown) => unknown): unknown;
  serve(name: string, args: readonly unknown[]): unknown;
  /** It ended by itself or was ended because it did not react; told once, never after `stop`. */
  onDown(reason: PluginDown): void;
}

export interface PluginWorker {
  /** Resolves when the plugin has registered what it offers. Rejects with what it threw, or PluginDown. */
  load(): Promise<void>;
  stop(): void;
}

export function startPluginWorker(parts: PluginWorkerParts): PluginWorker {
  const { clock, log, source } = parts;
  const { port1, port2 } = new MessageChannel();
  const flag = new SharedArrayBuffer(4);
  const input: WorkerInput = { ...source, port: port2, flag };
  // The same folder in the sources (.ts) and in the build (.js).
  const worker = new Worker(new URL(`./worker/entry${extname(new URL(import.meta.url).pathname)}`, import.meta.url), {
    name: `plugin ${source.id}`, workerData: input, transferList: [port2], execArgv: [], stdout: true, stderr: true, resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
  });
  const peer = new Peer({
    post: (message) => { worker.postMessage(message); }, serve: (name, args) => parts.serve(name, args), onUnheard: (name, error) => { log.debug('a message of a plugin led nowhere', { id: source.id, name, error }); },
    onAsk: () => { if (watching === 'idle') watch(true); },
  });
  let cancelWatch: () => void = () => undefined;
  let over = false;
  let watching: 'not' | 'idle' | 'busy' = 'not';
  let askedAt: number | undefined;

  function end(reason: PluginDown, tell: boolean): void {
    if (over) return;
    over = true;
    cancelWatch();
    peer.close(reason);
    port1.close();
    worker.terminate().catch((error: unknown) => { log.warn('the thread of a plugin could not be ended', { id: source.id, error }); });
    if (tell) parts.onDown(reason);
  }

  answerSync({ port: port1, flag }, (name, args) => parts.sync(name, Array.isArray(args) ? args : [], (value) => peer.unpack(value)));
  worker.on('message', (message: Message) => { peer.receive(message); });
  worker.on('error', (error: Error & { readonly code?: string }) => {
    end(new PluginDown(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? `it used more than ${String(MEMORY_MB)} MB of memory` : `it failed outside a call: ${error.name}: ${error.message}`), true);
  });
  worker.on('exit', (code) => { end(new PluginDown(`it ended its own thread (exit code ${String(code)})`), true); });
  for (const stream of [worker.stdout, worker.stderr]) {
    stream.setEncoding('utf8');
    stream.on('data', (text: string) => { log.debug(`plugin ${source.id} wrote`, { text: text.slice(0, OUTPUT_CHARS) }); });
  }
  // A plugin that waits for nothing must not keep a command of ours from ending.
  worker.unref();
  port1.unref();

  /** One question at a time; a thread that loops cannot answer it. */
  function look(): void {
    // Answers that have arrived while this thread itself was busy are taken in first.
    setImmediate(() => {
      if (over) return;
      if (askedAt !== undefined && clock.monotonic() - askedAt >= UNRESPONSIVE_MS) {
        end(new PluginDown(`it did not react for ${String(UNRESPONSIVE_MS / 1_000)} s (a loop without end?) and was stopped`), true);
        return;
      }
      if (askedAt === undefined) {
        askedAt = clock.monotonic();
        peer.request('ping').then(() => { askedAt = undefined; }, () => undefined);
      }
      watch(peer.pending > 0);
    });
  }

  function watch(busy: boolean): void {
    cancelWatch();
    watching = busy ? 'busy' : 'idle';
    cancelWatch = clock.after(busy ? WATCH_BUSY_MS : WATCH_IDLE_MS, look);
  }

  return {
    async load() {
      const late = Promise.withResolvers<never>();
      const cancel = clock.after(LOAD_LIMIT_MS, () => late.reject(new PluginDown(`it did not finish loading within ${String(LOAD_LIMIT_MS / 1_000)} s`)));
      try {
        await Promise.race([peer.request('load'), late.promise]);
        if (!over) watch(false);
      } catch (error) {
        end(new PluginDown('it was given up'), false);
        throw error;
      } finally {
        cancel();
      }
    },
    stop: () => { end(new PluginDown('it was unloaded'), false); },
  };
}
