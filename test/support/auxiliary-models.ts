/** The auxiliary models of a host, over given settings and without a home on disk. Waits between tries are over at once. */
import { createIds } from '../../main/ids.ts';
import { createAuxiliaryModels, type AuxiliaryModels } from '../../main/models/auxiliary.ts';
import { createConnections } from '../../main/models/connection.ts';
import type { Clock } from '../../main/ports.ts';
import type { JsonValue } from '../../tools/context.ts';

interface Settings {
  /** Blocks by their dotted path, such as `auxiliary.vision`; a field of a block is found below it. */
  readonly config?: Readonly<Record<string, JsonValue>>;
  readonly env?: Readonly<Record<string, string>>;
}

export function openAuxiliaryModels({ config = {}, env = {} }: Settings): AuxiliaryModels & { readonly waits: number[] } {
  const waits: number[] = [];
  const clock: Clock = { now: () => Date.now(), monotonic: () => performance.now(), after: (ms, run) => { waits.push(ms); queueMicrotask(run); return () => undefined; } };
  const store = { get: (path: string) => lookUp(config, path), env: (name: string) => env[name], update: (): Promise<JsonValue | undefined> => Promise.reject(new Error('these settings are fixed')) };
  const connections = createConnections({
    config: store, discover: () => Promise.resolve([]),
    secrets: { get: () => Promise.resolve(undefined), set: () => Promise.resolve(), warning: undefined },
  });
  return { ...createAuxiliaryModels({ config: store, connections, clock, ids: createIds() }), waits };
}

function lookUp(config: Readonly<Record<string, JsonValue>>, path: string): JsonValue | undefined {
  if (path in config) return config[path];
  const cut = path.lastIndexOf('.');
  if (cut < 0) return undefined;
  const block = lookUp(config, path.slice(0, cut));
  return typeof block === 'object' && block !== null && !Array.isArray(block) ? (block as Readonly<Record<string, JsonValue>>)[path.slice(cut + 1)] : undefined; // narrowed by the condition
}
