/**
 * `<home>/tools/*.{ts,js,mjs}`: tools of the person's own, one file each, `export default (registry, helpers) => …`. A file runs
 * only after the person has trusted exactly this content; a changed file has to be trusted again.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CheckReason, PluginOwner, ToolRegistry } from '../../tools/registry.ts';
import { describeThrown, toolError, toolResult } from '../../tools/result.ts';
import type { Clock, Log } from '../ports.ts';
import { parseErrorCode } from './error-code.ts';
import type { Extension } from './extension.ts';
import { loadModule, LOAD_LIMIT_MS, withinDeadline, type ModuleLoader } from './load-module.ts';
import { OwnedRegistry } from './owned-registry.ts';
import { sha256, type TrustStore } from './trust-store.ts';
import { showUnavailable } from './unavailable.ts';

/** Second argument of a user tool's function: what our own tools make their results with. */
export const TOOL_HELPERS = Object.freeze({ toolResult, toolError });

export interface UserToolsParts {
  readonly folder: string;
  readonly registry: ToolRegistry;
  readonly trust: TrustStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly loader: ModuleLoader;
  /** Told when what the panel shows has changed. */
  readonly onChange: () => void;
}

interface Known { readonly hash: string; readonly trusted: boolean; readonly remove: () => void }

const isToolFile = (name: string): boolean => /\.(?:ts|js|mjs)$/.test(name) && !/\.(?:d|test)\.\w+$/.test(name) && !name.startsWith('.');
const stemOf = (file: string): string => file.replace(/\.\w+$/, '');
const toolsetOf = (file: string): string => `user-${stemOf(file)}`;

export function createUserTools(parts: UserToolsParts): Extension {
  const { folder, registry, trust, clock, log } = parts;
  const known = new Map<string, Known>();
  let scanning: Promise<void> = Promise.resolve();
  const life = new AbortController();
  const isClosed = (): boolean => life.signal.aborted;

  async function list(): Promise<string[]> {
    try {
      return (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isFile() && isToolFile(entry.name)).map((entry) => entry.name).sort();
    } catch (error) {
      if (parseErrorCode(error) !== 'ENOENT') log.warn('the folder of the user\'s tools cannot be read', { folder, error });
      return [];
    }
  }

  function blocked(file: string, reason: CheckReason): () => void {
    const owner = ownerOf(file);
    return showUnavailable(registry, owner, {
      tool: `user_${stemOf(file).replace(/\W/g, '_')}`, toolset: toolsetOf(file), description: `The tools of ${join(folder, file)}`, reason,
    });
  }

  async function load(file: string, hash: string): Promise<() => void> {
    const owned = new OwnedRegistry(registry, ownerOf(file));
    try {
      const { default: define } = await loadModule(join(folder, file), hash, parts.loader);
      if (typeof define !== 'function') throw new TypeError('its default export is no function. Write `export default (registry, helpers) => { registry.register({ … }); }`.');
      await withinDeadline(clock, LOAD_LIMIT_MS, `The function of ${file}`, () => Reflect.apply(define, undefined, [{ register: owned.register.bind(owned) }, TOOL_HELPERS]) as unknown);
      if (owned.names.length === 0) throw new Error('it registered no tool.');
      log.info('user tools loaded', { file, tools: owned.names });
      return () => owned.close();
    } catch (error) {
      owned.close();
      log.warn('a user\'s tool file could not be loaded', { file, error: describeThrown(error) });
      return blocked(file, { step: 'check-failed', message: `${file} could not be loaded: ${describeThrown(error)}`, fix: 'Mend the file, trust it again and check again.' });
    }
  }

  async function take(file: string): Promise<boolean> {
    const hash = sha256(await readFile(join(folder, file)));
    const trusted = trust.get(file) === hash;
    const before = known.get(file);
    if (isClosed() || (before?.hash === hash && before.trusted === trusted)) return false;
    before?.remove();
    const why = trust.get(file) === undefined ? 'is new' : 'has changed since it was trusted';
    const remove = trusted ? await load(file, hash) : blocked(file, {
      step: 'plugin-not-trusted', message: `${join(folder, file)} ${why}; nothing of it has run.`, fix: `Read it, then run \`talaria tools trust ${file}\`.`,
    });
    known.set(file, { hash, trusted, remove });
    // The host closed while the file was loading.
    if (isClosed()) remove();
    return true;
  }

  async function scan(): Promise<void> {
    const files = await list();
    let changed = false;
    for (const [file, { remove }] of known) {
      if (files.includes(file)) continue;
      remove();
      known.delete(file);
      changed = true;
    }
    const taken = await Promise.all(files.map((file) => take(file).catch((error: unknown) => {
      log.warn('a user\'s tool file cannot be read', { file, error: describeThrown(error) });
      return false;
    })));
    if (changed || taken.includes(true)) parts.onChange();
  }

  return {
    rescan: () => scanning = scanning.then(scan),
    async trust(name) {
      const file = (await list()).find((each) => [each, stemOf(each), toolsetOf(each)].includes(name));
      if (file === undefined) return false;
      trust.set({ [file]: sha256(await readFile(join(folder, file))) });
      await (scanning = scanning.then(scan));
      return true;
    },
    close() {
      life.abort();
      for (const { remove } of known.values()) remove();
      known.clear();
    },
  };
}

function ownerOf(file: string): PluginOwner {
  return { id: toolsetOf(file), allowOverride: false, scope: 'global' };
}
