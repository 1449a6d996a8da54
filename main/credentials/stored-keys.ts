/** Variables that a person may enter in the app instead of the environment: kept in the store of keys, and read like any other variable. */
import type { SecretStore } from '../ports.ts';

export interface StoredKeys {
  /** What was entered for that variable. */
  get(name: string): string | undefined;
  /** Reads what is kept. Never rejects: a store that cannot be read is told of, and counts as empty. */
  load(store: SecretStore, onProblem: (name: string, error: unknown) => void): Promise<void>;
  /** Undefined removes it. Rejects when the store refuses. */
  set(name: string, value: string | undefined): Promise<void>;
  onChange(listener: () => void): () => void;
}

/** `names` are all variables that may be kept; `onValue` is told each value, so that it can be hidden where it is a secret. */
export function createStoredKeys(names: readonly string[], onValue: (name: string, value: string) => void): StoredKeys {
  const values = new Map<string, string>();
  const listeners = new Set<() => void>();
  let kept: SecretStore | undefined;

  function put(name: string, value: string | undefined): void {
    if (value === undefined) values.delete(name);
    else {
      values.set(name, value);
      onValue(name, value);
    }
  }

  return {
    get: (name) => values.get(name),
    async load(store, onProblem) {
      kept = store;
      if (store.isEmpty?.() === true) return;
      await Promise.all(names.map(async (name) => {
        try {
          put(name, await store.get(name));
        } catch (error) {
          onProblem(name, error);
        }
      }));
    },
    async set(name, value) {
      if (!names.includes(name)) throw new Error(`${name} is not kept here`);
      await kept?.set(name, value);
      put(name, value);
      for (const listener of listeners) listener();
    },
    onChange(listener) {
      listeners.add(listener);
      return () => { listeners.delete(listener); };
    },
  };
}
