/** One plugin or tool file that runs: its worker and what it has put into the runtime. */
import type { PluginOwner } from '../../tools/registry.ts';
import { PluginContext, type ContextParts } from './plugin-context.ts';
import { startPluginWorker, type PluginDown, type PluginWorkerParts } from './plugin-worker.ts';

export interface UnitSource extends Omit<PluginWorkerParts['source'], 'id'> {
  readonly owner: PluginOwner;
}

export interface Unit {
  readonly tools: readonly string[];
  readonly hooks: readonly string[];
  readonly commands: readonly string[];
  /** Tools whose names others have and keep. */
  readonly rejected: readonly string[];
  /** Told once when it ended by itself or had to be stopped; everything of it is gone then. */
  onDown(listener: (reason: PluginDown) => void): void;
  /** Everything of it goes, its process included. */
  close(): void;
}

/**
 * Hears once that a unit went down, never before the unit itself was handed over: a process may end between its last message and the
 * moment in which its owner takes it.
 */
class DownSignal {
  #reason: PluginDown | undefined;
  #listener: ((reason: PluginDown) => void) | undefined;

  tell(reason: PluginDown): void {
    this.#reason = reason;
    this.#listener?.(reason);
  }

  /** Called at once when it is down already. */
  hear(listener: (reason: PluginDown) => void): void {
    this.#listener = listener;
    if (this.#reason !== undefined) listener(this.#reason);
  }
}

/** What was to be loaded is not wanted any more: it was switched off, changed again, or the host closed. */
export class Outdated extends Error {}

export interface UnitOptions {
  readonly previous?: Unit | undefined;
  /** Aborted when it is not wanted any more: then it is given up at once, while it loads. */
  readonly unwanted: AbortSignal;
}

/**
 * Loads it in a process of its own; when that worked, what it registered takes the place of `previous` in one step. Rejects with what it
 * threw, or PluginDown when it was too slow or ended; then nothing of it is there and `previous` goes on. Outdated when it is not wanted any more.
 */
export async function startUnit(source: UnitSource, parts: ContextParts, { previous, unwanted }: UnitOptions): Promise<Unit> {
  const { owner, ...rest } = source;
  const context = new PluginContext(parts, owner);
  const down = new DownSignal();
  const worker = startPluginWorker({
    clock: parts.clock, log: parts.log, source: { ...rest, id: owner.id }, memoryMb: parts.config.get('plugins.memory_limit_mb'), ...(parts.fork === undefined ? {} : { fork: parts.fork }),
    sync: (name, args, unpack) => context.sync(name, args, unpack),
    serve: (name, args) => context.serve(name, args),
    onDown(reason) {
      context.close();
      down.tell(reason);
    },
  });
  try {
    unwanted.addEventListener('abort', worker.stop, { once: true });
    await worker.load();
    if (unwanted.aborted) throw new Outdated();
    previous?.close();
    context.commit();
  } catch (error) {
    context.close();
    worker.stop();
    throw error;
  } finally {
    unwanted.removeEventListener('abort', worker.stop);
  }
  return {
    onDown: (listener) => { down.hear(listener); },
    get tools() { return context.owned.names; },
    get hooks() { return context.hooks; },
    get commands() { return context.commands; },
    get rejected() { return context.owned.rejected; },
    close() {
      context.close();
      worker.stop();
    },
  };
}
