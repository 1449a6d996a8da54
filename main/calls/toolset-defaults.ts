/** Which toolsets a new chat has: what ships and what config.yaml says of it. */
import type { ToolEntry, ToolRegistry } from '../../tools/registry.ts';
import { DEFAULT_OFF_TOOLSETS, type ToolsetCatalog } from '../../tools/toolsets.ts';
import type { ConfigStore, Log } from '../ports.ts';
import { nearestNames } from './nearest.ts';
import { isForeign } from './tool-limit.ts';

/** Where Hermes keeps them: a list per platform, a list for all platforms, and what is off everywhere. */
export const PLATFORM_KEY = 'platform_toolsets.cli';
export const GENERAL_KEY = 'toolsets';
export const DISABLED_KEY = 'agent.disabled_toolsets';
/** Read beside Hermes' own place; written never. */
export const SHORT_DISABLED_KEY = 'disabled_toolsets';

/** Names in a list, or in a text between commas. */
export function namesIn(value: unknown): string[] {
  if (typeof value === 'string') return value.split(',').map((name) => name.trim()).filter((name) => name !== '');
  return Array.isArray(value) ? value.filter((name) => typeof name === 'string') : [];
}

export function listAt(config: Pick<ConfigStore, 'get'>, key: string): string[] | undefined {
  const value = config.get(key);
  return typeof value === 'string' || Array.isArray(value) ? namesIn(value) : undefined;
}

export interface ToolsetDefaultsNow {
  /** Toolsets that a person switches: those that ship with abilities of their own, custom ones, plugins' and MCP servers'. */
  readonly panel: ReadonlySet<string>;
  /** Those of the panel that a new chat has. */
  readonly on: ReadonlySet<string>;
  /** Switched off everywhere by config.yaml: as it names them, and those of the panel that lie within a group that it names. */
  readonly off: ReadonlySet<string>;
  /** Groups that it switches off besides: bundles, composites, old names, the full name of a server's tools. Name → tools that go. */
  readonly offGroups: ReadonlyMap<string, readonly string[]>;
}

export interface ToolsetDefaults {
  now(): ToolsetDefaultsNow;
  isDefault(name: string): boolean;
  isKnown(name: string): boolean;
  entriesOf(name: string): ToolEntry[];
  /** Names of its tools, also by an old configuration's name for it. */
  toolsOf(name: string): readonly string[];
  /** A list of what is off, without one toolset: a group that it lies in becomes the others of that group. */
  offWithout(list: readonly string[], name: string): string[];
  /** config.yaml has changed. */
  forget(): void;
}

/** What the configuration says, read once for all toolsets. */
interface Configured {
  readonly off: ReadonlySet<string>;
  /** Undefined when it lists none. */
  readonly names: ReadonlySet<string> | undefined;
  /** Tools of the listed bundles: each stands for every toolset within it that is not off by default. */
  readonly covered: ReadonlySet<string>;
}

export function createToolsetDefaults(parts: { readonly registry: ToolRegistry; readonly catalog: ToolsetCatalog; readonly config: Pick<ConfigStore, 'get'>; readonly log: Log }): ToolsetDefaults {
  const { registry, catalog, config, log } = parts;
  const told = new Set<string>();
  let revision = 0;
  let kept: { readonly key: string; readonly configured: Configured; readonly now: ToolsetDefaultsNow } | undefined;

  const entriesOf = (name: string): ToolEntry[] => catalog.resolveToolset(name).map((tool) => registry.getEntry(tool)).filter((entry) => entry !== undefined);
  const toolsOf = (name: string): readonly string[] => catalog.legacyTools(name) ?? catalog.resolveToolset(name);
  const isKnown = (name: string): boolean => catalog.validateToolset(name) || catalog.legacyTools(name) !== undefined;

  const tellUnknown = (key: string, name: string): void => {
    if (told.has(`${key}:${name}`)) return;
    told.add(`${key}:${name}`);
    const near = nearestNames(name, catalog.getToolsetNames());
    log.warn(`${key} in config.yaml names an unknown toolset '${name}'; it is ignored.${near.length > 0 ? ` Did you mean ${near.join(' or ')}?` : ''}`);
  };

  /** The platform's list before the general one. A list of which nothing is known counts as none: it would leave a chat without tools. */
  const listed = (): string[] | undefined => {
    for (const key of [PLATFORM_KEY, GENERAL_KEY]) {
      const names = listAt(config, key);
      if (names === undefined) continue;
      for (const name of names) if (!isKnown(name)) tellUnknown(key, name);
      const known = names.filter(isKnown);
      if (known.length > 0 || names.length === 0) return known;
    }
    return undefined;
  };

  const readOff = (): Set<string> => {
    const servers = config.get('mcp_servers');
    const isServer = (name: string): boolean => typeof servers === 'object' && servers !== null && (Object.hasOwn(servers, name) || Object.hasOwn(servers, name.replace(/^mcp-/, '')));
    const off = new Set<string>();
    for (const key of [DISABLED_KEY, SHORT_DISABLED_KEY]) {
      for (const name of listAt(config, key) ?? []) {
        off.add(name);
        if (isKnown(name) || isServer(name) || told.has(`${key}:${name}`)) continue;
        told.add(`${key}:${name}`);
        const near = nearestNames(name, catalog.getToolsetNames());
        log.warn(`${key} in config.yaml names '${name}', which is no toolset now; nothing is switched off by it.${near.length > 0 ? ` Did you mean ${near.join(' or ')}?` : ''}`);
      }
    }
    return off;
  };

  const readConfigured = (): Configured => {
    const names = listed();
    const standsForOthers = (name: string): boolean => catalog.isBundle(name) || !catalog.validateToolset(name) || ['all', '*'].includes(name) || (catalog.getToolset(name)?.includes.length ?? 0) > 0;
    return {
      off: readOff(),
      names: names === undefined ? undefined : new Set(names),
      covered: new Set(names?.filter(standsForOthers).flatMap(toolsOf)),
    };
  };

  /** Tools that came under this name or under what it is an alias of; undefined for a toolset with a table of its own. */
  const broughtUnder = (name: string): readonly ToolEntry[] | undefined => {
    const target = registry.getToolsetAliasTarget(name);
    if (catalog.isDefined(name) || (target !== undefined && catalog.isDefined(target))) return undefined;
    const toolsets = registry.toolsets();
    const own = toolsets.get(name);
    const behind = target === undefined ? undefined : toolsets.get(target);
    return own === undefined || behind === undefined ? own ?? behind : [...own, ...behind];
  };

  const isOn = (name: string, { off, names, covered }: Configured): boolean => {
    if (off.has(name)) return false;
    const waits = DEFAULT_OFF_TOOLSETS.has(name) || catalog.isAddition(name);
    if (names === undefined) return !waits;
    if (names.has(name)) return true;
    if (waits) return false;
    // What servers and plugins bring is on unless it is switched off: they were added on purpose. Not so what they put into a toolset that ships.
    if (broughtUnder(name)?.some(isForeign) === true) return true;
    // The pure table: a tool that a plugin added to a toolset says nothing about the toolset.
    return catalog.resolveToolset(name, { includeRegistry: false }).some((tool) => covered.has(tool));
  };

  const isSwitchable = (name: string): boolean => {
    if (catalog.isBundle(name)) return false;
    if (broughtUnder(name) !== undefined) return true;
    return (catalog.getToolset(name)?.includes.length === 0 || catalog.isCustom(name)) && entriesOf(name).length > 0;
  };

  /** Of a bundle only what it has beyond the core goes (hermes-runtime 2.5.3). */
  const toolsOff = (name: string): readonly string[] => (catalog.isBundle(name) ? catalog.bundleNonCoreTools(name) : toolsOf(name));

  /** Toolsets all of whose tools are among these. */
  const within = (tools: readonly string[], panel: ReadonlySet<string>): string[] => {
    const held = new Set(tools);
    return [...panel].filter((name) => catalog.resolveToolset(name).every((tool) => held.has(tool)));
  };

  const offWithout = (list: readonly string[], name: string): string[] => {
    const { panel, offGroups } = current().now;
    const own = new Set(catalog.resolveToolset(name));
    return [...new Set(list.flatMap((entry) => {
      if (entry === name) return [];
      const tools = offGroups.get(entry);
      return tools?.some((tool) => own.has(tool)) === true ? within(tools, panel).filter((other) => other !== name) : [entry];
    }))];
  };

  // Every model request asks; with a hundred toolsets the answer would take longer than the definitions themselves.
  const current = (): NonNullable<typeof kept> => {
    const key = `${String(registry.generation)}|${String(catalog.revision)}|${String(revision)}`;
    if (kept?.key !== key) {
      const read = readConfigured();
      const panel = new Set(catalog.getToolsetNames().filter((name) => isSwitchable(name)));
      const offGroups = new Map([...read.off].filter((name) => !panel.has(name) && isKnown(name)).map((name) => [name, toolsOff(name)]));
      const off = offGroups.size === 0 ? read.off : new Set([...read.off, ...within([...offGroups.values()].flat(), panel)]);
      const configured = { ...read, off };
      kept = { key, configured, now: { panel, on: new Set([...panel].filter((name) => isOn(name, configured))), off, offGroups } };
    }
    return kept;
  };

  return {
    now: () => current().now,
    isDefault: (name) => isOn(name, current().configured),
    isKnown, entriesOf, toolsOf, offWithout,
    forget: () => { revision += 1; },
  };
}
