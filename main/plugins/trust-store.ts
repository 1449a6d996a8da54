/** What the person has trusted, as hashes in the app's own database: a tool that can write files cannot trust itself there by editing config.yaml. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Log, Storage } from '../ports.ts';

const Stored = z.record(z.string(), z.string());

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
    const parsed = Stored.safeParse(JSON.parse(text));
    if (!parsed.success) log.warn('a stored list of trusted things cannot be read; all of it has to be trusted again', { kind });
    return parsed.success ? parsed.data : {};
  }
  return {
    get: (name) => {
      const trusted = read();
      return Object.hasOwn(trusted, name) ? trusted[name] : undefined;
    },
    set: (hashes) => values.set(key, JSON.stringify({ ...read(), ...hashes })),
  };
}
