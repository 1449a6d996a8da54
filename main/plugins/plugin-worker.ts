/** Starts a process for one plugin or tool file, watches that it reacts, and ends it when it does not. */
import type { Clock, Log, Shell } from '../ports.ts';
import { forkNode, processModule } from './plugin-process.ts';
import { Peer } from './worker/peer.ts';
import type { FromProcess, Source, ToProcess } from './worker/process.ts';
import { answerSync } from './worker/sync-calls.ts';

/** The module's top level and its function must be done by then. */
export const LOAD_LIMIT_MS = 10_000;
/** A plugin that has not reacted for this long computes without end. */
export const UNRESPONSIVE_MS = 10_000;
const WATCH_BUSY_MS = 1_000;
const WATCH_IDLE_MS = 30_000;
/** Memory of one plugin in MB, objects and buffers. */
const MEMORY_MB = 512;
const LEAST_MEMORY_MB = 32;
/** What V8 writes before it aborts a process. */
const HEAP_FULL = 'heap out of memory';
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
  readonly source: Source;
  /** `plugins.memory_limit_mb`; 512 by default. */
  readonly memoryMb?: unknown;
  /** The shell's own way to start a process; Node's by default. */
  readonly fork?: Shell['fork'];
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
  const memoryMb = typeof parts.memoryMb === 'number' && parts.memoryMb >= LEAST_MEMORY_MB ? parts.memoryMb : MEMORY_MB;
  const child = (parts.fork ?? forkNode)(processModule());
  const send = (message: ToProcess): void => { child.send(message); };
  const peer = new Peer({
    post: (message) => { send({ kind: 'message', message }); }, serve: (name, args) => parts.serve(name, args), onUnheard: (name, error) => { log.debug('a message of a plugin led nowhere', { id: source.id, name, error }); },
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
    child.kill();
    if (tell) parts.onDown(reason);
  }

  const outOfMemory = (): void => { end(new PluginDown(`it used more than ${String(memoryMb)} MB of memory`), true); };
  let heapFull = false;
  child.onMessage((given) => {
    const message = given as FromProcess; // written by worker/process.ts alone
    if (over) return;
    switch (message.kind) {
      case 'message': peer.receive(message.message); break;
      case 'sync':
        answerSync(() => parts.sync(message.name, Array.isArray(message.args) ? message.args : [], (value) => peer.unpack(value)), (reply) => { send({ kind: 'reply', reply }); });
        break;
      case 'out-of-memory': outOfMemory(); break;
      case 'failed': end(new PluginDown(`it failed outside a call: ${message.error.name}: ${message.error.message}`), true); break;
      case 'ended': end(new PluginDown(`it ended itself (exit code ${String(message.code)})`), true); break;
    }
  });
  child.onOutput((text) => {
    heapFull ||= text.includes(HEAP_FULL);
    log.debug(`plugin ${source.id} wrote`, { text: text.slice(0, OUTPUT_CHARS) });
  });
  child.onEnd((how) => {
    // Its last words may arrive after its end.
    setImmediate(() => {
      if (heapFull) outOfMemory();
      else end(new PluginDown(`its process ended (${how})`), true);
    });
  });
  send({ kind: 'start', source, memoryMb });

  /** One question at a time; a loop cannot answer it. */
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
