/**
 * Plugins (hermes-runtime 7.14): modules with `register(ctx)`, each in a process of its own. One runs only when it is listed in
 * `plugins.enabled`; one that throws, hangs or loops is recorded and shown with the reason, and stops nobody else.
 */
import type { PluginInfo } from '../../preload/contract/plugins.ts';
import type { CheckReason, PluginOwner } from '../../tools/registry.ts';
import { describeThrown } from '../../tools/result.ts';
import type { ConfigStore } from '../ports.ts';
import type { Extension } from './extension.ts';
import type { ContextParts } from './plugin-context.ts';
import { PluginDown } from './plugin-worker.ts';
import { findPlugins, type PluginPlaces, type PluginSource } from './plugin-sources.ts';
import { Patience } from './patience.ts';
import { RestartLimit } from './restart-limit.ts';
import { showUnavailable } from './unavailable.ts';
import { startUnit, type Unit } from './unit.ts';
import { watchFolders } from './watch-folders.ts';

export interface PluginsParts extends Omit<ContextParts, 'config'> {
  readonly places: PluginPlaces;
  /** Watched for folders that are not there yet. */
  readonly home: string;
  readonly config: Pick<ConfigStore, 'get' | 'set' | 'update' | 'env' | 'onChange'>;
  readonly onChange: () => void;
}

export interface Plugins extends Extension {
  /** Sorted by name. */
  records(): PluginInfo[];
  /** Puts it into `plugins.enabled` or takes it out. False when there is no such plugin. */
  setEnabled(id: string, enabled: boolean): Promise<boolean>;
}

interface Known { signature: string; state: PluginInfo['state']; error: string | null; source: PluginSource; unit?: Unit | undefined; hide: () => void; readonly life: AbortController; loading?: Promise<void> }

const ENABLED = 'plugins.enabled';
const DISABLED = 'plugins.disabled';

function names(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((name) => typeof name === 'string') : [];
}

const without = (id: string) => (current: unknown): string[] => names(current).filter((other) => other !== id);

export function createPlugins(parts: PluginsParts): Plugins {
  const { registry, config, clock, log } = parts;
  const known = new Map<string, Known>();
  const life = new AbortController();
  const isClosed = (): boolean => life.signal.aborted;
  const restarts = new RestartLimit(clock);
  const patience = new Patience(clock);
  const watcher = watchFolders(parts, () => { look(); });
  const loads = new Set<Promise<void>>();
  let scanning: Promise<void> = Promise.resolve();

  const isEnabled = (id: string): boolean => names(config.get(ENABLED)).includes(id) && !names(config.get(DISABLED)).includes(id);
  /** What a project brings does not take the place of what all projects share. */
  const ownerOf = ({ id, origin }: PluginSource): PluginOwner => ({
    id, allowOverride: config.get(`plugins.entries.${id}.allow_tool_override`) === true, scope: origin === 'project' ? 'profile' : 'global',
  });

  function show(source: PluginSource, reason: CheckReason): () => void {
    return showUnavailable(registry, ownerOf(source), {
      tool: `plugin_${source.id.replace(/\W/g, '_')}`, toolset: `plugin-${source.id}`, description: source.read.manifest?.description || `Plugin '${source.id}'`, reason,
    });
  }

  /** It stands there with its reason; what runs of it stays when `unit` is given. */
  function settle(each: Known, state: Known['state'], error: string | null, reason: CheckReason | undefined, unit?: Unit): void {
    each.hide();
    Object.assign(each, { state, error, unit, hide: reason === undefined ? () => undefined : show(each.source, reason) });
  }

  async function load(each: Known, previous: Unit | undefined): Promise<void> {
    const { source } = each;
    const { id, folder } = source;
    if ('problem' in source.read) {
      previous?.close();
      log.warn('a plugin cannot be used', { id, error: source.read.problem });
      settle(each, 'failed', source.read.problem, { step: 'check-failed', message: `Plugin '${id}' cannot be used: ${source.read.problem}`, fix: `Mend it in ${folder}.` });
      return;
    }
    const { manifest, entry } = source.read;
    const missing = manifest.requires_env.filter((name) => (config.env(name) ?? '') === '');
    if (missing.length > 0) {
      previous?.close();
      settle(each, 'failed', `it needs ${missing.join(', ')}, which is not set.`, {
        step: 'missing-variable', message: `Plugin '${id}' needs ${missing.join(', ')}.`, fix: 'Set it in the home\'s .env or in the environment, then check again.',
      });
      return;
    }
    if (previous === undefined) settle(each, 'loading', null, { step: 'check-failed', message: `Plugin '${id}' is being loaded.`, fix: 'Wait a moment and check again.' });
    try {
      const unit = await startUnit({ owner: ownerOf(source), kind: 'plugin', version: manifest.version, folder, entry, rules: { folder } }, parts, {
        previous, unwanted: each.life.signal,
      });
      settle(each, 'loaded', null, undefined, unit);
      unit.onDown(({ message }) => { if (each.unit === unit) wentDown(each, message); });
      log.info('plugin loaded', { id, version: manifest.version, tools: unit.tools, hooks: unit.hooks, rejected: unit.rejected });
    } catch (error) {
      if (isCurrent(each)) failed(each, entry, error instanceof PluginDown ? error.message : describeThrown(error), previous);
    }
    parts.onChange();
  }

  const isCurrent = (each: Known): boolean => !isClosed() && known.get(each.source.id) === each;

  /** A version that fails leaves the one before it running: a file saved half-way must not take the tools away. */
  function failed(each: Known, entry: string, words: string, previous: Unit | undefined): void {
    const { id } = each.source;
    const goesOn = previous === undefined ? '' : ' The version before it still runs.';
    log.warn('a plugin could not be loaded', { id, error: words });
    settle(each, 'failed', `${words}${goesOn}`, {
      step: 'check-failed', message: `Plugin '${id}' could not be loaded: ${words}.${goesOn}`, fix: `Mend ${entry}, or take '${id}' out of plugins.enabled.`,
    }, previous);
  }

  /** Starts it again, unless that has been of no use several times. */
  function wentDown(each: Known, why: string): void {
    const { id } = each.source;
    if (!isCurrent(each)) return;
    const again = restarts.take(id);
    log.error('a plugin was stopped', { id, why, again });
    settle(each, 'failed', again ? `${why}; it is started again` : `${why}; after ${String(RestartLimit.most)} restarts it stays off`, {
      step: 'check-failed', message: `Plugin '${id}' was stopped: ${why}.${again ? ' It is being started again.' : ` It was started ${String(RestartLimit.most)} times and stays off.`}`,
      fix: again ? 'Wait a moment and check again.' : 'Mend it, or take it out of plugins.enabled. A changed file starts it again.',
    });
    parts.onChange();
    if (again) begin(each, undefined);
  }

  /** Loads beside everything else: one that hangs holds up no other. */
  function begin(each: Known, previous: Unit | undefined): void {
    const loading = load(each, previous).finally(() => { loads.delete(loading); });
    loads.add(loading);
    each.loading = loading;
  }

  /** True when something changed. */
  function take(source: PluginSource): boolean {
    const { id, read, folder, stamp } = source;
    const enabled = isEnabled(id);
    const manifest = read.manifest;
    const variables = (manifest?.requires_env ?? []).map((name) => config.env(name));
    const signature = JSON.stringify([folder, stamp, 'problem' in read ? read.problem : read.entry, enabled, ownerOf(source).allowOverride, variables]);
    const before = known.get(id);
    if (isClosed() || before?.signature === signature) return false;
    before?.hide();
    before?.life.abort();
    const each: Known = { signature, state: 'off', error: null, source, unit: before?.unit, hide: () => undefined, life: new AbortController() };
    known.set(id, each);
    if (enabled || 'problem' in read) {
      restarts.forget(id);
      begin(each, before?.unit);
      return true;
    }
    before?.unit?.close();
    settle(each, 'off', null, {
      step: 'plugin-not-trusted', message: `Plugin '${id}' (${folder}) is not switched on; nothing of it has run.`,
      fix: `Read it, then run \`talaria plugins enable ${id}\`, which adds it to plugins.enabled in config.yaml.`,
    });
    return true;
  }

  async function scan(): Promise<void> {
    if (isClosed()) return;
    const sources = await findPlugins(parts.places, log);
    let changed = false;
    for (const [id, each] of known) {
      if (sources.has(id)) continue;
      known.delete(id);
      each.life.abort();
      each.hide();
      each.unit?.close();
      changed = true;
    }
    const places = [parts.home, parts.places.user, parts.places.project, `${parts.places.user}/node_modules`].filter((folder) => folder !== undefined);
    watcher.follow([...places, ...[...sources.values()].flatMap(({ folders }) => folders)]);
    for (const source of sources.values()) changed = take(source) || changed;
    if (changed) parts.onChange();
  }

  const scanNext = (): Promise<void> => scanning = scanning.then(scan);
  /** What was found is loaded, or hangs. */
  const ready = async (): Promise<void> => {
    await scanning;
    await Promise.all([...loads].map((each) => patience.wait(each)));
  };
  const rescan = async (): Promise<void> => {
    await scanNext();
    await ready();
  };
  function look(): void {
    scanNext().catch((error: unknown) => { log.error('the plugins could not be looked at', { error }); });
  }
  // A switch in config.yaml counts at once; what else changed there costs one look at a few folders.
  const unfollow = config.onChange(look);

  async function setEnabled(id: string, enabled: boolean): Promise<boolean> {
    if (!(await findPlugins(parts.places, log)).has(id)) return false;
    if (enabled && names(config.get(DISABLED)).includes(id)) await config.update(DISABLED, without(id));
    if (names(config.get(ENABLED)).includes(id) !== enabled) await config.update(ENABLED, enabled ? (current) => [...names(current), id] : without(id));
    await scanNext();
    // Whoever switches it on wants to know what became of it.
    await known.get(id)?.loading;
    return true;
  }

  return {
    rescan, setEnabled,
    ready,
    async settled() {
      await scanning;
      await Promise.all(loads);
    },
    records: () => [...known.values()].map(({ source, state, error, unit }) => ({
      id: source.id, folder: source.folder, origin: source.origin, version: source.read.manifest?.version ?? '', description: source.read.manifest?.description ?? '',
      state, error, tools: [...unit?.tools ?? []], hooks: [...unit?.hooks ?? []], commands: [...unit?.commands ?? []], rejected: [...unit?.rejected ?? []],
    })).sort((left, right) => (left.id < right.id ? -1 : 1)),
    trust: (name) => setEnabled(name.replace(/^plugin-/, ''), true),
    close() {
      life.abort();
      unfollow();
      watcher.close();
      for (const { hide, unit, life: each } of known.values()) {
        each.abort();
        hide();
        unit?.close();
      }
      known.clear();
    },
  };
}
