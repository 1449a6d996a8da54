/** What a tool is registered with, what becomes of it, and what is refused (hermes-runtime 1.1–1.2). */
import type { ToolContext, JsonObject } from '../context.ts';
import type { CheckFunction, SchemaPlace } from './check.ts';

export interface ToolSchema {
  readonly name?: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly parameters?: JsonObject;
}

/** The rare result that is not text: parts for the model, with a text summary. */
export interface MultimodalResult { readonly _multimodal: true; readonly content: readonly unknown[]; readonly text_summary?: string }

/** May throw anything: the dispatcher turns it into a result. */
export type ToolHandler = (args: Record<string, unknown>, context: ToolContext) => string | MultimodalResult | Promise<string | MultimodalResult>;

export interface ToolRegistration {
  readonly name: string;
  readonly toolset: string;
  readonly schema: ToolSchema;
  readonly handler: ToolHandler;
  readonly checkFn?: CheckFunction;
  readonly requiresEnv?: readonly string[];
  /** Gives its promise 300 s at most. Leave it out for a tool that keeps deadlines of its own or waits for a person. */
  readonly isAsync?: boolean;
  readonly description?: string;
  readonly emoji?: string;
  readonly maxResultSizeChars?: number;
  /** Fields that replace those of the schema, asked for on every rebuild of the definitions. */
  readonly dynamicSchemaOverrides?: (place: SchemaPlace) => Partial<ToolSchema>;
  /**
   * The schema as it should be when the model sees exactly `available` beside it (execute_code names the tools its scripts may
   * call); null leaves the tool out. Called on every rebuild of the definitions.
   */
  readonly rewriteSchema?: (schema: ToolSchema, available: ReadonlySet<string>) => ToolSchema | null;
  /** The handler answers missing and wrong arguments itself, so the dispatcher hands them over coerced but unchecked. */
  readonly checksOwnArguments?: boolean;
  readonly override?: boolean;
}

/** Who registers or removes: absent for built-in tools and MCP discovery. Handed over by the plugin host, never guessed. */
export interface PluginOwner {
  readonly id: string;
  /** `plugins.entries.<id>.allow_tool_override` of config.yaml. */
  readonly allowOverride: boolean;
  /** `profile`: loaded for one profile only; it may not shadow what every profile shares. */
  readonly scope: 'global' | 'profile';
}
export interface RegistrationContext { readonly owner?: PluginOwner }

/** One registered tool. Compared by identity: a new registration is a new entry. */
export interface ToolEntry {
  readonly name: string;
  readonly toolset: string;
  readonly schema: ToolSchema;
  readonly handler: ToolHandler;
  readonly checkFn: CheckFunction | undefined;
  /** For display only: availability is what `checkFn` says. */
  readonly requiresEnv: readonly string[];
  readonly isAsync: boolean;
  /** For people. The model always sees `schema.description`. */
  readonly description: string;
  readonly emoji: string;
  readonly maxResultSizeChars: number | undefined;
  readonly dynamicSchemaOverrides: ((place: SchemaPlace) => Partial<ToolSchema>) | undefined;
  readonly rewriteSchema: ((schema: ToolSchema, available: ReadonlySet<string>) => ToolSchema | null) | undefined;
  readonly checksOwnArguments: boolean;
  readonly owner: PluginOwner | undefined;
  /** Whose tool of this name it took the place of: a plugin's id, `built-in`, or undefined. */
  readonly replaces: string | undefined;
}

/** A plugin did something to a tool that is not its own, without the operator's opt-in. */
export class PermissionError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'PermissionError';
  }
}

export type RegistryLog = (level: 'debug' | 'info' | 'warn' | 'error', message: string) => void;

/** Rows of `getToolsetRequirements`. */
export interface ToolsetRequirement {
  readonly name: string;
  readonly envVars: readonly string[];
  readonly checkFn: CheckFunction | undefined;
  readonly setupUrl: null;
  readonly tools: readonly string[];
}

export const DEFAULT_EMOJI = '⚡';

export function typeName(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function isPlainObject(value: unknown): boolean {
  return typeName(value) === 'object';
}

/** Throws TypeError naming the tool and what was found: a malformed schema would make every model request fail. */
export function checkRegistration(registration: ToolRegistration): void {
  const { name, toolset, schema, handler } = registration;
  if (typeof name !== 'string' || name === '') throw new TypeError(`A tool needs a name; got ${typeName(name)}.`);
  if (typeof toolset !== 'string' || toolset === '') throw new TypeError(`Tool '${name}' needs a toolset; got ${typeName(toolset)}.`);
  if (!isPlainObject(schema)) throw new TypeError(`Tool '${name}': schema must be an object, got ${typeName(schema)}.`);
  const parameters: unknown = schema.parameters;
  if (parameters !== undefined && parameters !== null && !isPlainObject(parameters)) {
    throw new TypeError(`Tool '${name}': schema.parameters must be an object, got ${typeName(parameters)}.`);
  }
  if (typeof handler !== 'function') throw new TypeError(`Tool '${name}': handler must be a function, got ${typeName(handler)}.`);
}

/** Registrations that did not come through the compiler may say null for "no parameters". */
function withoutNullParameters(schema: ToolSchema): ToolSchema {
  const given: unknown = schema.parameters;
  if (given !== null) return schema;
  const { parameters: _none, ...rest } = schema;
  return rest;
}

export function makeEntry(registration: ToolRegistration, owner: PluginOwner | undefined, existing: ToolEntry | undefined): ToolEntry {
  return Object.freeze({
    name: registration.name,
    toolset: registration.toolset,
    schema: withoutNullParameters(registration.schema),
    handler: registration.handler,
    checkFn: registration.checkFn ?? undefined,
    requiresEnv: registration.requiresEnv ?? [],
    isAsync: registration.isAsync ?? false,
    description: registration.description || registration.schema.description || '',
    emoji: registration.emoji || DEFAULT_EMOJI,
    maxResultSizeChars: registration.maxResultSizeChars ?? undefined,
    dynamicSchemaOverrides: registration.dynamicSchemaOverrides ?? undefined,
    rewriteSchema: registration.rewriteSchema ?? undefined,
    checksOwnArguments: registration.checksOwnArguments ?? false,
    owner,
    replaces: replacedBy(owner, existing),
  });
}

/** Only plugins are told of: what the app's own parts and MCP servers renew is theirs. */
function replacedBy(owner: PluginOwner | undefined, existing: ToolEntry | undefined): string | undefined {
  if (owner === undefined || existing === undefined) return undefined;
  return existing.owner?.id === owner.id ? existing.replaces : existing.owner?.id ?? 'built-in';
}
