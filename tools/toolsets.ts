/** From toolset names to tool names (hermes-runtime 2.3). */
import type { ToolRegistry } from './registry.ts';
import { CORE_TOOLS, LEGACY_TOOLSET_MAP, STATIC_TOOLSETS } from './toolsets/table.ts';
import type { Toolset } from './toolsets/table.ts';

export { CORE_TOOLS, DEFAULT_OFF_TOOLSETS, LEGACY_TOOLSET_MAP } from './toolsets/table.ts';
export type { Toolset } from './toolsets/table.ts';

/** Resolutions kept at once; the memo starts anew above it (hermes-runtime 2.3). */
const MEMO_ENTRIES = 256;
const EVERYTHING: ReadonlySet<string> = new Set(['all', '*']);
const PLATFORM_PREFIX = 'hermes-';
const ALL_STATIC_TOOLS: readonly string[] = [...new Set([...STATIC_TOOLSETS.values()].flatMap(({ tools }) => tools))].sort();

export interface ToolsetDescription {
  readonly name: string;
  readonly description: string;
  readonly directTools: readonly string[];
  readonly includes: readonly string[];
  readonly resolvedTools: readonly string[];
  readonly toolCount: number;
  readonly isComposite: boolean;
}

/** The toolsets of one registry: those that ship, those made at run time, and those that tools brought along. */
export class ToolsetCatalog {
  readonly #registry: ToolRegistry;
  readonly #custom = new Map<string, Toolset>();
  /** Platform name → toolset of the plugin that serves it. */
  readonly #platforms = new Map<string, string>();
  readonly #memo = new Map<string, readonly string[]>();
  #memoGeneration = -1;
  #revision = 0;

  constructor(registry: ToolRegistry) {
    this.#registry = registry;
  }

  /** Grows when a custom toolset or a platform is added or removed; the registry's generation covers the rest. */
  get revision(): number {
    return this.#revision;
  }

  #defined(name: string): Toolset | undefined {
    return this.#custom.get(name) ?? STATIC_TOOLSETS.get(name);
  }

  /** Whether it ships or was made at run time; others come and go with their tools. */
  isDefined(name: string): boolean {
    return this.#defined(name) !== undefined;
  }

  /** A toolset of the person's own under a name of its own, not one that takes the place of a toolset that ships. */
  isAddition(name: string): boolean {
    const shipped = STATIC_TOOLSETS.get(name);
    return this.#custom.has(name) && (shipped === undefined || shipped.includes.length > 0 || shipped.posture === true || name.startsWith(PLATFORM_PREFIX));
  }

  isCustom(name: string): boolean {
    return this.#custom.has(name);
  }

  /** Sorted unique tool names. Unknown names, cycles and the empty name give what they give elsewhere: nothing. */
  resolveToolset(name: string, options: { readonly includeRegistry?: boolean } = {}): readonly string[] {
    const includeRegistry = options.includeRegistry ?? true;
    if (this.#memoGeneration !== this.#registry.generation || this.#memo.size >= MEMO_ENTRIES) {
      this.#memo.clear();
      this.#memoGeneration = this.#registry.generation;
    }
    const key = includeRegistry ? `+${name}` : `-${name}`;
    let resolved = this.#memo.get(key);
    if (resolved === undefined) {
      const found = new Set<string>();
      this.#collect(name, new Set(), includeRegistry, found);
      resolved = Object.freeze([...found].sort());
      this.#memo.set(key, resolved);
    }
    return resolved;
  }

  /** Puts a toolset's tools into a set, as `resolveToolset` would list them: for callers who join many. */
  addTools(name: string, found: Set<string>): void {
    this.#collect(name, new Set(), true, found);
  }

  #collect(name: string, visited: Set<string>, includeRegistry: boolean, found: Set<string>): void {
    if (visited.has(name)) return;
    visited.add(name);
    if (EVERYTHING.has(name)) {
      this.#collectAll(includeRegistry, found);
      return;
    }
    const toolset = this.#defined(name);
    if (toolset !== undefined) {
      for (const tool of toolset.tools) found.add(tool);
      if (includeRegistry) this.#collectRegistered(name, found);
      for (const included of toolset.includes) this.#collect(included, visited, includeRegistry, found);
      return;
    }
    if (!includeRegistry) return;
    this.#collectRegistered(name, found);
    const target = this.#registry.getToolsetAliasTarget(name);
    if (target !== undefined && this.#defined(target) !== undefined) this.#collect(target, visited, includeRegistry, found);
    const plugin = this.#platformToolset(name);
    if (plugin !== undefined) {
      for (const tool of CORE_TOOLS) found.add(tool);
      this.#collectRegistered(plugin, found);
    }
  }

  /** Tools registered under this name or under what it is an alias of. */
  #collectRegistered(name: string, found: Set<string>): void {
    const toolsets = this.#registry.toolsets();
    for (const { name: tool } of toolsets.get(name) ?? []) found.add(tool);
    const target = this.#registry.getToolsetAliasTarget(name);
    if (target === undefined) return;
    for (const { name: tool } of toolsets.get(target) ?? []) found.add(tool);
  }

  #platformToolset(name: string): string | undefined {
    return name.startsWith(PLATFORM_PREFIX) ? this.#platforms.get(name.slice(PLATFORM_PREFIX.length)) : undefined;
  }

  /** Whatever a known toolset includes is known itself, so the direct tools of all of them are everything. */
  #collectAll(includeRegistry: boolean, found: Set<string>): void {
    const shadowed = [...this.#custom.keys()].some((name) => STATIC_TOOLSETS.has(name));
    if (shadowed) {
      for (const [name, { tools }] of STATIC_TOOLSETS) if (!this.#custom.has(name)) for (const tool of tools) found.add(tool);
    } else for (const tool of ALL_STATIC_TOOLS) found.add(tool);
    for (const { tools } of this.#custom.values()) for (const tool of tools) found.add(tool);
    if (includeRegistry) for (const { name } of this.#registry.entries()) found.add(name);
  }

  /** Sorted union. */
  resolveMultipleToolsets(names: readonly string[]): string[] {
    const found = new Set<string>();
    for (const name of names) for (const tool of this.resolveToolset(name)) found.add(tool);
    return [...found].sort();
  }

  /** Whether the name means a toolset: `all`, `*`, one that ships or was made, one that tools brought along, an alias, a plugin's platform. */
  validateToolset(name: string): boolean {
    if (name === '') return false;
    return EVERYTHING.has(name) || this.#defined(name) !== undefined || this.#registry.toolsets().has(name)
      || this.#registry.getToolsetAliasTarget(name) !== undefined || this.#platformToolset(name) !== undefined;
  }

  /** Sorted. A toolset of plugins or MCP appears under its first alias that does not hide one that ships. */
  getToolsetNames(): string[] {
    const names = new Set<string>([...STATIC_TOOLSETS.keys(), ...this.#custom.keys()]);
    const aliases = new Map<string, string>();
    for (const [alias, toolset] of this.#registry.getRegisteredToolsetAliases()) if (!aliases.has(toolset) && !this.isDefined(alias)) aliases.set(toolset, alias);
    for (const toolset of this.#registry.toolsets().keys()) if (!names.has(toolset)) names.add(aliases.get(toolset) ?? toolset);
    return [...names].sort();
  }

  /** Definitions by the names of `getToolsetNames`. */
  getAllToolsets(): Map<string, Toolset> {
    return new Map(this.getToolsetNames().map((name) => [name, this.#definitionOf(name)]));
  }

  #definitionOf(name: string): Toolset {
    return this.#defined(name) ?? { description: `Tools of ${this.#registry.getToolsetAliasTarget(name) ?? name}`, tools: this.resolveToolset(name), includes: [] };
  }

  /** Undefined when there is no such toolset. */
  getToolset(name: string): Toolset | undefined {
    return EVERYTHING.has(name) || !this.validateToolset(name) ? undefined : this.#definitionOf(name);
  }

  getToolsetInfo(name: string): ToolsetDescription | undefined {
    const toolset = this.getToolset(name);
    if (toolset === undefined) return undefined;
    const resolvedTools = this.resolveToolset(name);
    return {
      name, description: toolset.description, directTools: toolset.tools, includes: toolset.includes, resolvedTools,
      toolCount: resolvedTools.length, isComposite: toolset.includes.length > 0,
    };
  }

  /** Adds or replaces a toolset of the person's own (`custom_toolsets` of config.yaml). It may take the name of one that ships. */
  createCustomToolset(name: string, description: string, tools: readonly string[] = [], includes: readonly string[] = []): void {
    if (name === '' || EVERYTHING.has(name)) throw new TypeError(`A custom toolset cannot be named '${name}': the name already means all tools.`);
    this.#custom.set(name, { description, tools: [...tools], includes: [...includes] });
    this.#memo.clear();
    this.#revision += 1;
  }

  removeCustomToolset(name: string): void {
    if (!this.#custom.delete(name)) return;
    this.#memo.clear();
    this.#revision += 1;
  }

  /** `hermes-<platform>` then means the core list and the tools that the platform's plugin registered under `toolset`. Returns the way to take it back. */
  registerPlatform(platform: string, toolset: string): () => void {
    const set = (target: string | undefined): void => {
      if (target === undefined) this.#platforms.delete(platform);
      else this.#platforms.set(platform, target);
      this.#memo.clear();
      this.#revision += 1;
    };
    set(toolset);
    return () => { if (this.#platforms.get(platform) === toolset) set(undefined); };
  }

  /** Bundles of which only the part beyond the core list is taken away when they are disabled. */
  isBundle(name: string): boolean {
    return name.startsWith(PLATFORM_PREFIX) || this.#defined(name)?.posture === true;
  }

  /** A bundle's tools and those of its direct includes, without the core list: sorted. */
  bundleNonCoreTools(name: string): string[] {
    const toolset = this.#defined(name);
    const plugin = this.#platformToolset(name);
    const tools = new Set<string>(toolset?.tools);
    for (const included of toolset?.includes ?? []) for (const tool of this.#defined(included)?.tools ?? []) tools.add(tool);
    if (plugin !== undefined) this.#collectRegistered(plugin, tools);
    this.#collectRegistered(name, tools);
    const core = new Set(CORE_TOOLS);
    return [...tools].filter((tool) => !core.has(tool)).sort();
  }

  /** Tools by an old configuration's name (`web_tools`), undefined when it is none. */
  legacyTools(name: string): readonly string[] | undefined {
    return LEGACY_TOOLSET_MAP.get(name);
  }
}
