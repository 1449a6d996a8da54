/** What the person has trusted, as hashes in the app's own database: a tool that can write files cannot trust itself there by editing config.yaml. */
import { createHash } from 'node:crypto';
import type { Log, Storage } from '../ports.ts';

/** Names are other people's: a validator that copies would lose `__proto__`. */
function isStored(value: unknown): value is Record<string, string> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.values(value).every((hash) => typeof hash === 'string');
}

/** Lower-case hexadecimal sha256. */
export function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

export interface TrustStore {
  /** Hash under which `name` was trusted. */
  get(name: string): string | undefined;
  set(hashes: Readonly<Record<string, string>>): void;
}

/** `kind` names the list: `tools`, `mcp:<server>`. */
export function createTrustStore(values: Storage['values'], log: Log, kind: string): TrustStore {
  const key = `trust:${kind}`;
  function read(): Record<string, string> {
    const text = values.get(key);
    if (text === undefined) return {};
    const parsed: unknown = JSON.parse(text);
    if (isStored(parsed)) return parsed;
    log.warn('a stored list of trusted things cannot be read; all of it has to be trusted again', { kind });
    return {};
  }
  return {
    get: (name) => {
      const trusted = read();
      return Object.hasOwn(trusted, name) ? trusted[name] : undefined;
    },
    set: (hashes) => values.set(key, JSON.stringify({ ...read(), ...hashes })),
  };
}
