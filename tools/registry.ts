/** The one registry: tool modules join it by being loaded. It imports no tool. */
import type { ToolContext } from './context.ts';
import type { CheckFunction } from './registry/check.ts';
import {
  checkRegistration, DEFAULT_EMOJI, makeEntry, PermissionError,
  type MultimodalResult, type PluginOwner, type RegistrationContext, type RegistryLog, type ToolEntry, type ToolRegistration, type ToolSchema, type ToolsetRequirement,
} from './registry/entry.ts';
import { runEntry } from './registry/run.ts';
import { toolError } from './result.ts';

export { isUncachedCheck, uncachedCheck, type CheckAnswer, type CheckContext, type CheckFunction, type CheckReason, type SchemaPlace } from './registry/check.ts';
export {
  checkRegistration, checkSchemaSize, PermissionError,
  type MultimodalResult, type PluginOwner, type RegistrationContext, type RegistryLog, type ToolEntry, type ToolHandler, type ToolRegistration, type ToolSchema, type ToolsetRequirement,
} from './registry/entry.ts';

/** Characters of a result that reach the model when neither tool nor caller says otherwise (hermes-runtime 1.10). */
const DEFAULT_MAX_RESULT_CHARS = 100_000;
/** A tool registered with `isAsync` is given up after this (hermes-runtime 3.5). */
const ASYNC_LIMIT_MS = 300_000;
const MCP_PREFIX = 'mcp-';

/** Names that later Hermes releases gave to tools we keep under their classic names. */
const LATE_NAMES: ReadonlyMap<string, string> = new Map([
  ['process_manage', 'process'], ['todo_list', 'todo'], ['cronjob_manage', 'cronjob'],
]);

function logToConsole(level: 'debug' | 'info' | 'warn' | 'error', message: string): void {
  if (level === 'warn' || level === 'error') console.warn(`[tools] ${message}`);
}

const byName = (a: ToolEntry, b: ToolEntry): number => (a.name < b.name ? -1 : 1);

/** Name → tool, with Hermes' ownership rules (hermes-runtime 1.2–1.5). Readers get snapshots that later writes do not change. */
export class ToolRegistry {
  readonly #entries = new Map<string, ToolEntry>();
  readonly #toolsetChecks = new Map<string, CheckFunction>();
  readonly #aliases = new Map<string, string>();
  readonly #asyncLimitMs: number;
  readonly #dispatchListeners = new Set<(entry: ToolEntry, context: ToolContext) => void>();
  readonly #trimListeners = new Set<(sessionId: string) => void>();
  #log: RegistryLog;
  #generation = 0;
  #sorted: readonly ToolEntry[] = Object.freeze([]);
  /** Names whose entry may be another one than in `#sorted`. */
  readonly #touched = new Set<string>();
  #byToolset: ReadonlyMap<string, readonly ToolEntry[]> | undefined;

  constructor(options: { readonly log?: RegistryLog; readonly asyncLimitMs?: number } = {}) {
    this.#log = options.log ?? logToConsole;
    this.#asyncLimitMs = options.asyncLimitMs ?? ASYNC_LIMIT_MS;
  }

  /** Where collisions and failures are told; the host sets its own log once it has one. */
  useLog(log: RegistryLog): void {
    this.#log = log;
  }

  /** Grows with every change: caches of anything derived from the registry key on it. */
  get generation(): number {
    return this.#generation;
  }

  /**
   * Adds a tool, or answers a collision by hermes-runtime 1.2: true when the entry is in place, false when the older one stays.
   * Throws TypeError for a malformed schema, PermissionError for a plugin that overrides without the operator's opt-in.
   */
  register(registration: ToolRegistration, context: RegistrationContext = {}): boolean {
    checkRegistration(registration);
    const existing = this.#entries.get(registration.name);
    if (existing !== undefined && !this.#mayReplace(existing, registration, context.owner)) return false;
    const entry = makeEntry(registration, context.owner, existing);
    this.#put(entry);
    if (entry.replaces !== undefined && existing?.replaces !== entry.replaces) this.#log('warn', `Plugin '${context.owner?.id ?? ''}' replaces tool '${entry.name}' (${entry.replaces}).`);
    if (entry.checkFn !== undefined && !this.#toolsetChecks.has(entry.toolset)) this.#toolsetChecks.set(entry.toolset, entry.checkFn);
    if (existing !== undefined && existing.toolset !== entry.toolset) this.#forgetEmptyToolset(existing.toolset);
    this.#changed();
    return true;
  }

  /** What `register` would answer, without doing it. Logs and throws as it does. */
  mayRegister(registration: ToolRegistration, context: RegistrationContext = {}): boolean {
    checkRegistration(registration);
    const existing = this.#entries.get(registration.name);
    return existing === undefined || this.#mayReplace(existing, registration, context.owner);
  }

  #mayReplace(existing: ToolEntry, registration: ToolRegistration, owner: PluginOwner | undefined): boolean {
    const { name, toolset } = registration;
    const override = registration.override ?? false;
    const shadowsGlobal = owner?.scope === 'profile' && existing.owner?.scope !== 'profile';
    if (existing.toolset === toolset && !shadowsGlobal) return true;
    if (!override) {
      this.#log('error', `Tool '${name}' (toolset '${toolset}') would shadow the one of toolset '${existing.toolset}': rejected. `
        + 'Pass override: true, or deregister the existing tool first.');
      return false;
    }
    if (owner !== undefined && !owner.allowOverride) {
      const message = `Plugin '${owner.id}' may not override tool '${name}' of toolset '${existing.toolset}'. `
        + `To allow it, set plugins.entries.${owner.id}.allow_tool_override: true in config.yaml.`;
      this.#log('error', message);
      throw new PermissionError(message);
    }
    this.#log('info', `Tool '${name}': toolset '${toolset}' overrides '${existing.toolset}'${owner === undefined ? '' : ` for plugin '${owner.id}'`}.`);
    return true;
  }

  /** Removes a tool; nothing happens for an unknown name. Throws PermissionError when a plugin removes what is not its own. */
  deregister(name: string, context: RegistrationContext = {}): void {
    const entry = this.#entries.get(name);
    if (entry === undefined) return;
    const { owner } = context;
    if (owner !== undefined) this.#checkRemoval(entry, owner);
    this.#entries.delete(name);
    this.#touched.add(name);
    this.#forgetEmptyToolset(entry.toolset);
    this.#changed();
  }

  #checkRemoval(entry: ToolEntry, owner: PluginOwner): void {
    if (owner.scope === 'profile' && entry.owner?.scope !== 'profile') {
      throw new PermissionError(`Plugin '${owner.id}' is loaded for one profile and may not remove tool '${entry.name}', which all profiles share.`);
    }
    const exempt = entry.toolset.startsWith(MCP_PREFIX) || entry.owner?.id === owner.id || owner.allowOverride;
    if (!exempt) {
      throw new PermissionError(`Plugin '${owner.id}' may not remove tool '${entry.name}' of toolset '${entry.toolset}'. `
        + `To allow it, set plugins.entries.${owner.id}.allow_tool_override: true in config.yaml.`);
    }
  }

  #forgetEmptyToolset(toolset: string): void {
    for (const entry of this.#entries.values()) if (entry.toolset === toolset) return;
    this.#toolsetChecks.delete(toolset);
    for (const [alias, target] of this.#aliases) if (target === toolset) this.#aliases.delete(alias);
  }

  /** Puts back an entry that `replacement` had displaced, unless somebody else has replaced it since. True when restored. */
  restore(entry: ToolEntry, replacement: ToolEntry | undefined): boolean {
    const current = this.#entries.get(entry.name);
    if (current !== replacement) return false;
    this.#put(entry);
    if (entry.checkFn !== undefined && !this.#toolsetChecks.has(entry.toolset)) this.#toolsetChecks.set(entry.toolset, entry.checkFn);
    if (current !== undefined && current.toolset !== entry.toolset) this.#forgetEmptyToolset(current.toolset);
    this.#changed();
    return true;
  }

  /** A toolset's tools become exactly these, in one step for every reader (an MCP refresh). Returns the names that are in place. */
  replaceToolset(toolset: string, registrations: readonly ToolRegistration[], context: RegistrationContext = {}): string[] {
    for (const registration of registrations) {
      checkRegistration(registration);
      if (registration.toolset !== toolset) throw new TypeError(`Tool '${registration.name}' names toolset '${registration.toolset}', not '${toolset}'.`);
    }
    const before = this.getToolNamesForToolset(toolset);
    const placed = registrations.filter((registration) => this.register(registration, context)).map(({ name }) => name);
    const kept = new Set(placed);
    for (const name of before) if (!kept.has(name)) this.deregister(name, context);
    return placed;
  }

  registerToolsetAlias(alias: string, toolset: string): void {
    const previous = this.#aliases.get(alias);
    if (previous !== undefined && previous !== toolset) {
      this.#log('warn', `Toolset alias '${alias}' now means '${toolset}' instead of '${previous}'.`);
    }
    this.#aliases.set(alias, toolset);
    this.#changed();
  }

  getToolsetAliasTarget(alias: string): string | undefined {
    return this.#aliases.get(alias);
  }

  getRegisteredToolsetAliases(): ReadonlyMap<string, string> {
    return new Map(this.#aliases);
  }

  #put(entry: ToolEntry): void {
    this.#entries.set(entry.name, entry);
    this.#touched.add(entry.name);
  }

  #changed(): void {
    this.#generation += 1;
    this.#byToolset = undefined;
  }

  /** All tools sorted by name: a snapshot. */
  entries(): readonly ToolEntry[] {
    if (this.#touched.size > 0) {
      // Two sorted runs, which `sort` finds and merges: a server that changes twenty tools does not sort a thousand.
      const kept = this.#sorted.filter(({ name }) => !this.#touched.has(name));
      const fresh = [...this.#touched].map((name) => this.#entries.get(name)).filter((entry) => entry !== undefined).sort(byName);
      this.#sorted = Object.freeze([...kept, ...fresh].sort(byName));
      this.#touched.clear();
    }
    return this.#sorted;
  }

  /** Tools by toolset, each list sorted by name: a snapshot. */
  toolsets(): ReadonlyMap<string, readonly ToolEntry[]> {
    this.#byToolset ??= Map.groupBy(this.entries(), (entry) => entry.toolset);
    return this.#byToolset;
  }

  getEntry(name: string): ToolEntry | undefined {
    return this.#entries.get(name);
  }

  /** The entry a call by this name reaches: its own, else the one that the late name stands for. */
  findForCall(name: string): ToolEntry | undefined {
    const own = this.#entries.get(name);
    if (own !== undefined) return own;
    const classic = LATE_NAMES.get(name);
    return classic === undefined ? undefined : this.#entries.get(classic);
  }

  /** Without asking whether the tool is available. */
  getSchema(name: string): ToolSchema | undefined {
    return this.#entries.get(name)?.schema;
  }

  getToolsetForTool(name: string): string | undefined {
    return this.#entries.get(name)?.toolset;
  }

  getEmoji(name: string, fallback: string = DEFAULT_EMOJI): string {
    return this.findForCall(name)?.emoji ?? fallback;
  }

  getAllToolNames(): string[] {
    return this.entries().map(({ name }) => name);
  }

  getToolNamesForToolset(toolset: string): string[] {
    return (this.toolsets().get(toolset) ?? []).map(({ name }) => name);
  }

  getToolToToolsetMap(): Map<string, string> {
    return new Map(this.entries().map(({ name, toolset }) => [name, toolset]));
  }

  /** Characters; Infinity for a tool whose results are never spilled. */
  getMaxResultSize(name: string, fallback: number = DEFAULT_MAX_RESULT_CHARS): number {
    return this.findForCall(name)?.maxResultSizeChars ?? fallback;
  }

  /** What each toolset asks for. `checkFn` is the first one registered for it, for display. */
  getToolsetRequirements(): Map<string, ToolsetRequirement> {
    const rows = new Map<string, ToolsetRequirement>();
    for (const [name, entries] of this.toolsets()) {
      const envVars = [...new Set(entries.flatMap(({ requiresEnv }) => requiresEnv))];
      rows.set(name, { name, envVars, checkFn: this.#toolsetChecks.get(name), setupUrl: null, tools: entries.map((entry) => entry.name) });
    }
    return rows;
  }

  /**
   * Runs a tool's handler and answers with text whatever happens (hermes-runtime 1.9): unknown names, exceptions and
   * results of the wrong kind become error results. Never rejects.
   */
  async dispatch(name: string, args: Record<string, unknown>, context: ToolContext): Promise<string | MultimodalResult> {
    const entry = this.findForCall(name);
    if (entry === undefined) return toolError(`Unknown tool: ${name}`);
    return runEntry(entry, args, context, {
      asyncLimitMs: this.#asyncLimitMs, log: this.#log, before: () => { for (const listener of this.#dispatchListeners) listener(entry, context); },
    });
  }

  /** Told of every tool right before it runs (read_file counts reads that nothing came between). Returns the way to stop. */
  onDispatch(listener: (entry: ToolEntry, context: ToolContext) => void): () => void {
    this.#dispatchListeners.add(listener);
    return () => this.#dispatchListeners.delete(listener);
  }

  /** Told when a part of what a chat's model has read was left out of its requests (read_file then gives the content again). */
  onContextTrimmed(listener: (sessionId: string) => void): () => void {
    this.#trimListeners.add(listener);
    return () => this.#trimListeners.delete(listener);
  }

  contextTrimmed(sessionId: string): void {
    for (const listener of this.#trimListeners) listener(sessionId);
  }
}

/** The process-wide registry. Tests make their own. */
export const registry = new ToolRegistry();
