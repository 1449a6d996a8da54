/** What a model request offers: from toolset names to frozen OpenAI definitions (hermes-runtime 2.5 and 1.8). */
import { checkSchemaSize, type SchemaPlace, type ToolEntry, type ToolRegistry, type ToolSchema } from '../../tools/registry.ts';
import { describeThrown } from '../../tools/result.ts';
import type { ToolsetCatalog } from '../../tools/toolsets.ts';
import type { Clock, DefinitionsRequest, Log, ToolDefinition } from '../ports.ts';
import type { Availability, AvailabilityPass } from './availability.ts';
import { BRIDGE_DEFINITIONS, DEFERRAL_SHARE, DeferredTools, NO_DEFERRED_TOOLS } from './deferral.ts';
import { deepFreeze, dropOldest } from './keep.ts';
import { rewriteByName } from './rewrites.ts';
import { sanitizeParameters } from './sanitize-schema.ts';
import { isRecord, type SchemaNode } from './schema-shape.ts';
import { jsonTokens } from './tokens.ts';
import { isForeign, mostTools, NO_NAMES, type Offered, type PreparedTool, withinLimit } from './tool-limit.ts';

/** Results kept; the oldest goes first (hermes-runtime 2.5.8). */
const MEMO_ENTRIES = 8;
/** Chats whose deferred tools are remembered. */
const MAX_CHATS = 512;
const NAMES_REWRITTEN: ReadonlySet<string> = new Set(['execute_code', 'browser_navigate']);

interface Built {
  readonly definitions: readonly ToolDefinition[];
  readonly deferred: DeferredTools;
  /** What the request can reach, behind the bridge or not. */
  readonly offered: readonly Offered[];
  /** Left out because a request holds only so many tools. */
  readonly dropped: ReadonlySet<string>;
  /** Epoch ms. */
  readonly validUntil: number;
}

export interface DefinitionsParts {
  readonly registry: ToolRegistry;
  readonly catalog: ToolsetCatalog;
  readonly availability: Availability;
  readonly clock: Clock;
  readonly log: Log;
  /** The process environment over the home's `.env`, and config.yaml. */
  readonly place: SchemaPlace;
  /** `tools.tool_search.enabled`: `off`, `on`, else by size. */
  toolSearch(): unknown;
  /** `tools.max_tools`: most tools of one request, 0 = any number. */
  maxTools(): unknown;
}

/** The tools of a request that can be used, in order, and those of plugins and MCP servers among them once more. */
interface Usable {
  readonly all: Offered[];
  readonly own: Offered[];
  readonly foreign: Offered[];
  foreignTokens: number;
}

export class Definitions {
  readonly #parts: DefinitionsParts;
  readonly #memo = new Map<string, Built>();
  /** Quiet requests only: the others tell of unknown names each time. */
  readonly #wantedMemo = new Map<string, readonly ToolEntry[]>();
  readonly #offered = new WeakMap<ToolEntry, Offered>();
  /** Tools with overrides, by what these said. */
  readonly #overridden = new WeakMap<ToolEntry, { readonly key: string; readonly prepared: PreparedTool; readonly parameters: SchemaNode | undefined }>();
  readonly #deferredByChat = new Map<string, DeferredTools>();
  readonly #droppedByChat = new Map<string, ReadonlySet<string>>();
  readonly #loggedBundles = new Set<string>();
  #lastOffered: readonly Offered[] = [];

  constructor(parts: DefinitionsParts) {
    this.#parts = parts;
  }

  /** Names of the last request that was built, for callers that have no list of their own. */
  get lastResolvedNames(): readonly string[] {
    return this.#lastOffered.map(({ entry }) => entry.name);
  }

  deferredFor(sessionId: string): DeferredTools {
    return this.#deferredByChat.get(sessionId) ?? NO_DEFERRED_TOOLS;
  }

  /** The list is the caller's own; its members are frozen and shared. */
  async getToolDefinitions(request: DefinitionsRequest = {}): Promise<ToolDefinition[]> {
    const { registry, catalog, availability, clock } = this.#parts;
    // Names of servers and of people's own toolsets may hold any character.
    const named = JSON.stringify([request.enabled, request.disabled, registry.generation, catalog.revision, this.#kanban(), request.quiet === true]);
    const key = [named, availability.revision, request.contextTokens ?? '', request.contextTokens === undefined ? '' : `${String(this.#parts.toolSearch())}/${String(this.#parts.maxTools())}`].join('|');
    let built = this.#memo.get(key);
    if (built === undefined || clock.now() >= built.validUntil) {
      built = await this.#build(request, this.#wantedOnce(request, named), request.contextTokens === undefined ? Number.POSITIVE_INFINITY : mostTools(this.#parts.maxTools()));
      this.#memo.delete(key);
      this.#memo.set(key, built);
      dropOldest(this.#memo, MEMO_ENTRIES);
    }
    this.#lastOffered = built.offered;
    if (request.sessionId !== undefined) this.#remember(request.sessionId, built);
    return built.definitions.slice();
  }

  #kanban(): boolean {
    return (this.#parts.place.env('HERMES_KANBAN_TASK') ?? '') !== '';
  }

  /** Tools that did not fit into the chat's last request. */
  droppedFor(sessionId: string): ReadonlySet<string> {
    return this.#droppedByChat.get(sessionId) ?? NO_NAMES;
  }

  #remember(sessionId: string, { deferred, dropped }: Built): void {
    this.#deferredByChat.delete(sessionId);
    this.#droppedByChat.delete(sessionId);
    if (deferred !== NO_DEFERRED_TOOLS) this.#deferredByChat.set(sessionId, deferred);
    if (dropped.size > 0) this.#droppedByChat.set(sessionId, dropped);
    dropOldest(this.#deferredByChat, MAX_CHATS);
    dropOldest(this.#droppedByChat, MAX_CHATS);
  }

  /** A chat whose model has another window wants the same tools. */
  #wantedOnce(request: DefinitionsRequest, named: string): readonly ToolEntry[] {
    const kept = this.#wantedMemo.get(named);
    if (kept !== undefined) return kept;
    const entries = this.#wanted(request);
    if (request.quiet === true) this.#wantedMemo.set(named, entries);
    dropOldest(this.#wantedMemo, MEMO_ENTRIES);
    return entries;
  }

  /** The tools of a request before any check, sorted by name: enabled, then without disabled. */
  #wanted(request: DefinitionsRequest): readonly ToolEntry[] {
    const all = this.#parts.registry.entries();
    if (request.enabled === undefined && (request.disabled ?? []).length === 0) return all;
    const names = this.#wantedNames(request);
    return all.filter(({ name }) => names.has(name));
  }

  #wantedNames(request: DefinitionsRequest): ReadonlySet<string> {
    const { catalog, log } = this.#parts;
    const quiet = request.quiet ?? false;
    const names = new Set<string>();
    if (request.enabled === undefined) catalog.addTools('all', names);
    else {
      const enabled = this.#kanban() && !request.enabled.includes('kanban') ? [...request.enabled, 'kanban'] : request.enabled;
      for (const name of enabled) this.#addTools(name, names, quiet);
    }
    for (const name of request.disabled ?? []) {
      const bundle = catalog.isBundle(name) && catalog.validateToolset(name);
      if (bundle && !this.#loggedBundles.has(name)) {
        this.#loggedBundles.add(name);
        log.info(`Disabling the bundle '${name}' takes away only what it has beyond the core tools.`);
      }
      const unwanted = new Set<string>(bundle ? catalog.bundleNonCoreTools(name) : []);
      if (!bundle) this.#addTools(name, unwanted, quiet);
      for (const tool of unwanted) names.delete(tool);
    }
    return names;
  }

  #addTools(name: string, names: Set<string>, quiet: boolean): void {
    const { catalog, log, registry } = this.#parts;
    if (catalog.validateToolset(name)) return catalog.addTools(name, names);
    const legacy = catalog.legacyTools(name);
    // The bare name of a plugin's tool stands for itself (hermes-runtime 2.5.1).
    if (legacy !== undefined) for (const tool of legacy) names.add(tool);
    else if (registry.getEntry(name)?.owner !== undefined) names.add(name);
    else if (!quiet) log.warn(`Unknown toolset: ${name}`);
  }

  async #build(request: DefinitionsRequest, entries: readonly ToolEntry[], most: number): Promise<Built> {
    const pass = await this.#parts.availability.pass(entries);
    const { all, own, foreign, foreignTokens } = this.#usable(entries, pass);
    const defers = foreign.length > 0 && this.#defersForeign(foreignTokens, request.contextTokens, all.length > most);
    const stay = defers ? own : all;
    const bridges = defers ? BRIDGE_DEFINITIONS : [];
    const { kept, dropped } = withinLimit(stay, most - bridges.length);
    if (dropped.size > 0) this.#parts.log.warn(`A request holds ${String(most)} tools at most (tools.max_tools): ${String(dropped.size)} were left out.`, { dropped: [...dropped] });
    const definitions = kept.map(({ prepared }) => prepared.definition);
    return {
      definitions: defers ? [...definitions, ...bridges].sort((a, b) => (a.function.name < b.function.name ? -1 : 1)) : definitions,
      deferred: defers ? new DeferredTools(foreign) : NO_DEFERRED_TOOLS,
      dropped, offered: dropped.size === 0 ? all : all.filter(({ entry }) => !dropped.has(entry.name)), validUntil: pass.validUntil,
    };
  }

  /** One loop for all of it: the first request of a chat over a thousand tools runs code that is not compiled yet. */
  #usable(entries: readonly ToolEntry[], pass: AvailabilityPass): Usable {
    let available: ReadonlySet<string> | undefined;
    const tools: Usable = { all: [], own: [], foreign: [], foreignTokens: 0 };
    for (const entry of entries) {
      if (entry.checkFn !== undefined && !pass.available(entry)) continue;
      const offered = this.#offered.get(entry) ?? this.#offer(entry, available ??= new Set(entries.filter(pass.available).map(({ name }) => name)));
      if (offered === undefined) continue;
      tools.all.push(offered);
      if (!offered.foreign) tools.own.push(offered);
      else {
        tools.foreign.push(offered);
        tools.foreignTokens += offered.prepared.tokens;
      }
    }
    return tools;
  }

  #offer(entry: ToolEntry, available: ReadonlySet<string>): Offered | undefined {
    const prepared = this.prepare(entry, available);
    return prepared === undefined ? undefined : this.#offered.get(entry) ?? { entry, prepared, foreign: isForeign(entry) };
  }

  #defersForeign(tokens: number, contextTokens: number | undefined, tooMany: boolean): boolean {
    const wish = this.#parts.toolSearch();
    if (contextTokens === undefined || wish === false || wish === 'off') return false;
    return wish === true || wish === 'on' || tooMany || tokens > contextTokens * DEFERRAL_SHARE;
  }

  /**
   * Goes the way of a request for one toolset that has just come: the next request finds its definitions made and its checks
   * answered, and no chat's first request runs code that has never run. Never rejects.
   */
  async prepareAhead(toolset: string): Promise<void> {
    try {
      const request: DefinitionsRequest = { enabled: [toolset], quiet: true, contextTokens: 1 };
      await this.#build(request, this.#wanted(request), Number.POSITIVE_INFINITY);
    } catch (error) {
      this.#parts.log.warn(`The tools of '${toolset}' could not be prepared ahead; the next request prepares them.`, { error: describeThrown(error) });
    }
  }

  /** One tool as it is sent when `available` are offered with it; undefined when it leaves itself out. */
  prepare(entry: ToolEntry, available: ReadonlySet<string>): PreparedTool | undefined {
    const changes = entry.dynamicSchemaOverrides !== undefined || entry.rewriteSchema !== undefined || NAMES_REWRITTEN.has(entry.name);
    const kept = changes ? undefined : this.#offered.get(entry);
    if (kept !== undefined) return kept.prepared;
    if (entry.dynamicSchemaOverrides !== undefined && entry.rewriteSchema === undefined && !NAMES_REWRITTEN.has(entry.name)) return this.#prepareOverridden(entry);
    const schema = changes ? this.#schemaNow(entry, available) : entry.schema;
    if (schema === null) return undefined;
    const prepared = this.#seal(entry.name, schema);
    if (!changes && prepared !== undefined) this.#offered.set(entry, { entry, prepared, foreign: isForeign(entry) });
    return prepared;
  }

  /** Those that a call is checked against: what the model is shown, overrides included, under the tool's own names. The same object while they say the same. */
  parametersOf(entry: ToolEntry): SchemaNode | undefined {
    if (entry.dynamicSchemaOverrides === undefined) return entry.schema.parameters;
    this.#prepareOverridden(entry);
    const kept = this.#overridden.get(entry);
    return kept === undefined ? entry.schema.parameters : kept.parameters;
  }

  /** Made again only when the overrides say something else. */
  #prepareOverridden(entry: ToolEntry): PreparedTool | undefined {
    const overrides = this.#overrides(entry);
    let key: string | undefined;
    try {
      key = JSON.stringify(overrides);
    } catch {
      // No JSON: `#seal` tells, each time.
      key = undefined;
    }
    const kept = this.#overridden.get(entry);
    if (kept !== undefined && kept.key === key) return kept.prepared;
    const schema = { ...entry.schema, ...overrides };
    const prepared = this.#seal(entry.name, schema);
    if (key !== undefined && prepared !== undefined) this.#overridden.set(entry, { key, prepared, parameters: isRecord(schema.parameters) ? schema.parameters : undefined });
    return prepared;
  }

  /** A copy that nobody shares; undefined for a schema that is no JSON (a cycle), which no request could carry. */
  #seal(name: string, schema: ToolSchema): PreparedTool | undefined {
    try {
      checkSchemaSize(name, schema.parameters);
      const json = JSON.stringify({ type: 'function', function: { name, description: schema.description, parameters: sanitizeParameters(schema.parameters) } });
      return { definition: deepFreeze(JSON.parse(json) as ToolDefinition), tokens: jsonTokens(json) }; // cast: the text was made of one above
    } catch (error) {
      this.#parts.log.error(`The schema of tool '${name}' cannot be sent as JSON; the tool is left out.`, { error: describeThrown(error) });
      return undefined;
    }
  }

  #schemaNow(entry: ToolEntry, available: ReadonlySet<string>): ToolSchema | null {
    const schema = { ...entry.schema, ...this.#overrides(entry) };
    if (entry.rewriteSchema === undefined) return rewriteByName(entry.name, schema, available);
    try {
      return entry.rewriteSchema(schema, available);
    } catch (error) {
      this.#parts.log.warn(`The schema of tool '${entry.name}' could not be rewritten; its registered schema is used.`, { error: describeThrown(error) });
      return schema;
    }
  }

  #overrides(entry: ToolEntry): Partial<ToolSchema> {
    if (entry.dynamicSchemaOverrides === undefined) return {};
    try {
      const overrides: unknown = entry.dynamicSchemaOverrides(this.#parts.place);
      return isRecord(overrides) ? overrides : {};
    } catch (error) {
      this.#parts.log.warn(`The schema overrides of tool '${entry.name}' failed; its registered schema is used.`, { error: describeThrown(error) });
      return {};
    }
  }
}
