/** Loads a file of a person's own: each content once, TypeScript included, never waiting for longer than the deadline. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import * as nodeModule from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseErrorCode } from './error-code.ts';
import type { Clock } from '../ports.ts';

/** A module that does not finish its top level by then is given up. */
export const LOAD_LIMIT_MS = 10_000;

export class LoadTimeout extends Error {
  constructor(what: string, ms: number) {
    super(`${what} did not finish within ${String(ms / 1_000)} s`);
    this.name = 'LoadTimeout';
  }
}

/** What `work` gives, or LoadTimeout. Work that never ends is left alone; nothing can stop it. */
export async function withinDeadline<T>(clock: Pick<Clock, 'after'>, ms: number, what: string, work: () => T | Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const cancel = clock.after(ms, () => late.reject(new LoadTimeout(what, ms)));
  try {
    return await Promise.race([Promise.resolve().then(work), late.promise]);
  } finally {
    cancel();
  }
}

export interface ModuleLoader {
  /** Folder for the plain JavaScript of TypeScript files, where the runtime does not load them itself. */
  readonly cache: string;
  readonly clock: Pick<Clock, 'after'>;
  /** `import()` by default. */
  readonly load?: (url: string) => Promise<unknown>;
}

/** The module's exports. `version` (a hash of the content) makes a changed file a new module. Throws what the module throws. */
export async function loadModule(path: string, version: string, { cache, clock, load = importUrl }: ModuleLoader): Promise<Readonly<Record<string, unknown>>> {
  return withinDeadline(clock, LOAD_LIMIT_MS, `Loading ${path}`, async () => {
    try {
      return asExports(await load(versioned(path, version)));
    } catch (error) {
      if (parseErrorCode(error) !== 'ERR_UNKNOWN_FILE_EXTENSION' || !path.endsWith('ts')) throw error;
    }
    return asExports(await load(versioned(await stripped(path, version, cache), version)));
  });
}

const importUrl = (url: string): Promise<unknown> => import(/* @vite-ignore */ url) as Promise<unknown>; // cast: import() of a computed path is any

function versioned(path: string, version: string): string {
  const url = pathToFileURL(path);
  url.searchParams.set('v', version.slice(0, 16));
  return url.href;
}

function asExports(loaded: unknown): Readonly<Record<string, unknown>> {
  return typeof loaded === 'object' && loaded !== null ? { ...loaded } : {};
}

/** The file without its types, beside others of its kind in the cache; its own relative imports are not followed. */
async function stripped(path: string, version: string, cache: string): Promise<string> {
  const strip: unknown = Reflect.get(nodeModule, 'stripTypeScriptTypes');
  if (typeof strip !== 'function') throw new Error(`This runtime does not load TypeScript. Save ${path} as JavaScript (.js).`);
  await mkdir(cache, { recursive: true });
  const target = join(cache, `${version}.mjs`);
  await writeFile(target, String(Reflect.apply(strip, undefined, [await readFile(path, 'utf8')])), { mode: 0o600 });
  return target;
}
