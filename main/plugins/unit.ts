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
  /** Everything of it goes, its thread included. */
  close(): void;
}

/** What was to be loaded is not wanted any more: it was switched off, changed again, or the host closed. */
export class Outdated extends Error {}

export interface UnitOptions {
  readonly previous?: Unit | undefined;
  /** Asked right before it takes its place. */
  isWanted(): boolean;
  onDown(reason: PluginDown): void;
}

/**
 * Loads it in a thread of its own; when that worked, what it registered takes the place of `previous` in one step. Rejects with what it
 * threw, or PluginDown when it was too slow or ended; then nothing of it is there and `previous` goes on. Outdated when it is not wanted any more. `onDown`: it ended later.
 */
export async function startUnit(source: UnitSource, parts: ContextParts, { previous, isWanted, onDown }: UnitOptions): Promise<Unit> {
  const { owner, ...rest } = source;
  const context = new PluginContext(parts, owner);
  const worker = startPluginWorker({
    clock: parts.clock, log: parts.log, source: { ...rest, id: owner.id },
    sync: (name, args, unpack) => context.sync(name, args, unpack),
    serve: (name, args) => context.serve(name, args),
    onDown(reason) {
      context.close();
      onDown(reason);
    },
  });
  try {
    await worker.load();
    if (!isWanted()) throw new Outdated();
    previous?.close();
    context.commit();
  } catch (error) {
    context.close();
    worker.stop();
    throw error;
  }
  return {
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
