/**
 * Plugins (hermes-runtime 7.14): folders with `plugin.yaml` and a module with `register(ctx)`. One runs only when it is listed
 * in `plugins.enabled`; one that throws or hangs is recorded and shown, and stops nobody else.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CheckReason, PluginOwner, ToolRegistry } from '../../tools/registry.ts';
import { describeThrown } from '../../tools/result.ts';
import type { HookBus } from '../calls/hooks.ts';
import type { Clock, ConfigStore, Log } from '../ports.ts';
import { parseErrorCode } from './error-code.ts';
import type { Extension } from './extension.ts';
import { loadModule, LOAD_LIMIT_MS, withinDeadline, type ModuleLoader } from './load-module.ts';
import { parseManifest, PLUGIN_ID, type Manifest } from './manifest.ts';
import { openPluginContext } from './plugin-context.ts';
import { sha256 } from './trust-store.ts';
import { showUnavailable } from './unavailable.ts';

const ENTRIES = ['index.ts', 'index.js', 'index.mjs'];
const MANIFEST = 'plugin.yaml';

export interface PluginsParts {
  /** Folders that hold plugins, later ones before earlier ones of the same name. */
  readonly folders: readonly string[];
  readonly registry: ToolRegistry;
  readonly hooks: Pick<HookBus, 'on'>;
  readonly config: Pick<ConfigStore, 'get' | 'set' | 'update' | 'env' | 'onChange'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly loader: ModuleLoader;
  readonly onChange: () => void;
}

/** What became of a plugin, for lists and for the log. */
export interface PluginRecord {
  readonly id: string;
  readonly folder: string;
  readonly version: string;
  readonly state: 'off' | 'loading' | 'loaded' | 'failed';
  readonly error: string | null;
  readonly tools: readonly string[];
  readonly hooks: readonly string[];
}

export interface Plugins extends Extension {
  /** Sorted by name. */
  records(): readonly PluginRecord[];
}

interface Known { readonly signature: string; record: PluginRecord; remove: () => void }
interface Source { readonly manifest: Manifest; readonly entry: string; readonly hash: string }

function names(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((name) => typeof name === 'string') : [];
}

export function createPlugins(parts: PluginsParts): Plugins {
  const { registry, config, clock, log } = parts;
  const known = new Map<string, Known>();
  const life = new AbortController();
  const isClosed = (): boolean => life.signal.aborted;
  let scanning: Promise<void> = Promise.resolve();

  const isEnabled = (id: string): boolean => names(config.get('plugins.enabled')).includes(id) && !names(config.get('plugins.disabled')).includes(id);

  /** Plugin folders by id. */
  async function list(): Promise<Map<string, string>> {
    const found = new Map<string, string>();
    for (const folder of parts.folders) {
      try {
        const entries = await readdir(folder, { withFileTypes: true });
        for (const entry of entries) if (!entry.isFile() && PLUGIN_ID.test(entry.name)) found.set(entry.name, join(folder, entry.name));
      } catch (error) {
        if (parseErrorCode(error) !== 'ENOENT') log.warn('a folder of plugins cannot be read', { folder, error });
      }
    }
    return new Map([...found].sort(([left], [right]) => (left < right ? -1 : 1)));
  }

  /** Undefined for a folder without a manifest: it is no plugin. Throws for one that cannot be used. */
  async function read(folder: string): Promise<Source | undefined> {
    let text: string;
    try {
      text = await readFile(join(folder, MANIFEST), 'utf8');
    } catch (error) {
      if (parseErrorCode(error) === 'ENOENT' || parseErrorCode(error) === 'ENOTDIR') return undefined;
      throw error;
    }
    const manifest = parseManifest(text);
    const inside = await readdir(folder);
    const entry = manifest.main ?? ENTRIES.find((name) => inside.includes(name));
    if (entry === undefined) throw new Error(`it has no ${ENTRIES.join(', ')}, and plugin.yaml names no main.`);
    return { manifest, entry: join(folder, entry), hash: sha256(`${text}\0${await readFile(join(folder, entry), 'utf8')}`) };
  }

  function show(id: string, manifest: Manifest | undefined, reason: CheckReason): () => void {
    return showUnavailable(registry, ownerOf(id), {
      tool: `plugin_${id.replace(/\W/g, '_')}`, toolset: `plugin-${id}`, description: manifest?.description || `Plugin '${id}'`, reason,
    });
  }

  const ownerOf = (id: string): PluginOwner => ({ id, allowOverride: config.get(`plugins.entries.${id}.allow_tool_override`) === true, scope: 'global' });

  /** `onEnd` is told before anything is shown in the place of what stood there while it loaded. */
  async function load(id: string, folder: string, { manifest, entry, hash }: Source, onEnd: () => void): Promise<Pick<Known, 'record' | 'remove'>> {
    const about = { id, folder, version: manifest.version };
    const open = openPluginContext({ registry, hooks: parts.hooks, config, log, owner: ownerOf(id), version: manifest.version, folder });
    const missing = manifest.requires_env.filter((name) => (config.env(name) ?? '') === '');
    try {
      if (missing.length > 0) throw new Error(`it needs ${missing.join(', ')}, which is not set.`);
      const { register, default: byDefault } = await loadModule(entry, hash, parts.loader);
      const start = register ?? byDefault;
      if (typeof start !== 'function') throw new TypeError('it exports no function register(ctx).');
      await withinDeadline(clock, LOAD_LIMIT_MS, `register(ctx) of plugin '${id}'`, () => Reflect.apply(start, undefined, [open.context]) as unknown);
      onEnd();
      log.info('plugin loaded', { id, version: manifest.version, tools: open.tools, hooks: open.hooks });
      return { record: { ...about, state: 'loaded', error: null, tools: open.tools, hooks: open.hooks }, remove: () => open.close() };
    } catch (error) {
      open.close();
      onEnd();
      const words = describeThrown(error);
      log.warn('a plugin could not be loaded', { id, error: words });
      return {
        record: { ...about, state: 'failed', error: words, tools: [], hooks: [] },
        remove: show(id, manifest, missing.length > 0
          ? { step: 'missing-variable', message: `Plugin '${id}' needs ${missing.join(', ')}.`, fix: 'Set it in the home\'s .env or in the environment, then check again.' }
          : { step: 'check-failed', message: `Plugin '${id}' could not be loaded: ${words}`, fix: `Mend ${entry}, or take '${id}' out of plugins.enabled, then check again.` }),
      };
    }
  }

  function unusable(id: string, folder: string, error: unknown): Pick<Known, 'record' | 'remove'> {
    const words = describeThrown(error);
    log.warn('a plugin cannot be used', { id, error: words });
    return {
      record: { id, folder, version: '', state: 'failed', error: words, tools: [], hooks: [] },
      remove: show(id, undefined, { step: 'check-failed', message: `Plugin '${id}' cannot be used: ${words}`, fix: `Mend ${join(folder, MANIFEST)}, then check again.` }),
    };
  }

  /** True when something changed. Never rejects. */
  async function take(id: string, folder: string): Promise<boolean> {
    let source: Source | undefined;
    let problem: unknown;
    try {
      source = await read(folder);
      if (source === undefined) return false;
    } catch (error) {
      problem = error;
    }
    const enabled = isEnabled(id);
    const owner = ownerOf(id);
    const variables = (source?.manifest.requires_env ?? []).map((name) => config.env(name) !== undefined);
    const signature = JSON.stringify([folder, source?.hash ?? describeThrown(problem), enabled, owner.allowOverride, variables]);
    const before = known.get(id);
    if (isClosed() || before?.signature === signature) return false;
    before?.remove();
    const about = { id, folder, version: source?.manifest.version ?? '', error: null, tools: [], hooks: [] };
    if (source === undefined) {
      known.set(id, { signature, ...unusable(id, folder, problem) });
    } else if (!enabled) {
      known.set(id, { signature, record: { ...about, state: 'off' }, remove: show(id, source.manifest, {
        step: 'plugin-not-trusted', message: `Plugin '${id}' (${folder}) is not switched on; nothing of it has run.`,
        fix: `Read it, then run \`talaria tools trust ${id}\`, which adds it to plugins.enabled in config.yaml.`,
      }) });
    } else {
      const loading: Known = { signature, record: { ...about, state: 'loading' }, remove: show(id, source.manifest, { step: 'check-failed', message: `Plugin '${id}' is being loaded.`, fix: 'Wait a moment and check again.' }) };
      known.set(id, loading);
      Object.assign(loading, await load(id, folder, source, loading.remove));
      // The host closed while it was loading.
      if (isClosed()) loading.remove();
    }
    return true;
  }

  async function scan(): Promise<void> {
    const folders = await list();
    let changed = false;
    for (const [id, { remove }] of known) {
      if (folders.has(id)) continue;
      remove();
      known.delete(id);
      changed = true;
    }
    const taken = await Promise.all([...folders].map(([id, folder]) => take(id, folder)));
    if (changed || taken.includes(true)) parts.onChange();
  }

  const rescan = (): Promise<void> => scanning = scanning.then(scan);
  // A switch in config.yaml counts at once; what else changed there costs one look at a few folders.
  const unfollow = config.onChange(() => void rescan().catch((error: unknown) => log.error('the plugins could not be looked at', { error })));

  return {
    rescan,
    records: () => [...known.values()].map(({ record }) => record),
    async trust(name) {
      const id = name.replace(/^plugin-/, '');
      const folder = (await list()).get(id);
      if (folder === undefined) return false;
      if (names(config.get('plugins.disabled')).includes(id)) await config.update('plugins.disabled', (current) => names(current).filter((other) => other !== id));
      if (!names(config.get('plugins.enabled')).includes(id)) await config.update('plugins.enabled', (current) => [...names(current), id]);
      await rescan();
      return true;
    },
    close() {
      life.abort();
      unfollow();
      for (const { remove } of known.values()) remove();
      known.clear();
    },
  };
}
