/** Keys in a file that only its owner may read, for shells without a keychain. */
import { chmodSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { lock } from 'proper-lockfile';
import writeFileAtomic from 'write-file-atomic';
import { z } from 'zod';
import { AppError } from '../../preload/contract/errors.ts';
import type { SecretStore } from '../ports.ts';

const Stored = z.record(z.string(), z.string());
const STALE_LOCK_MS = 10_000;
const LOCK_RETRIES = { retries: 60, factor: 1.3, minTimeout: 20, maxTimeout: 250, randomize: true };

function read(file: string): Record<string, string> {
  if (statSync(file, { throwIfNoEntry: false }) === undefined) return {};
  if (process.platform !== 'win32') chmodSync(file, 0o600);
  const text = readFileSync(file, 'utf8');
  try {
    return Stored.parse(JSON.parse(text));
  } catch (cause) {
    // The cause may quote the file: it is kept out of the error, which is logged.
    throw new AppError('storage/failed', `the keys in ${file} cannot be read: the file is damaged (${cause instanceof SyntaxError ? 'not JSON' : 'not a list of names and texts'})`, {
      hint: 'Mend or remove the file and enter the keys again.',
    });
  }
}

/** `warning` says where the keys lie. Reads see what other processes wrote; writes are atomic and under a lock. Throws `storage/failed`. */
export function secretsFile(file: string): SecretStore {
  return {
    warning: `Keys are kept in ${file}, readable only by you but not encrypted: this system offers no keychain here.`,
    isEmpty: () => Object.keys(read(file)).length === 0,
    get: async (name) => {
      const secrets = read(file);
      return Object.hasOwn(secrets, name) ? secrets[name] : undefined;
    },
    set: async (name, value) => {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      const release = await lock(file, { realpath: false, stale: STALE_LOCK_MS, retries: LOCK_RETRIES }).catch((cause: unknown) => {
        throw new AppError('storage/failed', `${file} is locked by another process`, { hint: `Try again; if nothing else runs, remove ${file}.lock.`, cause });
      });
      try {
        const entries = Object.entries(read(file)).filter(([other]) => other !== name);
        if (value !== undefined) entries.push([name, value]);
        await writeFileAtomic(file, `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`, { mode: 0o600 });
      } finally {
        await release();
      }
    },
  };
}
