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

/** What model servers accept as the name of a function; one that they refuse would make every request fail. */
const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/;
/** Stand for other tools when a chat has too many (hermes-runtime 2.5.7): a tool of that name could never be called. */
const RESERVED_NAMES: ReadonlySet<string> = new Set(['tool_search', 'tool_describe', 'tool_call']);
/** A schema of more values fits into no model's window; what contains itself never ends. */
const MOST_SCHEMA_VALUES = 100_000;

/** Throws TypeError for a schema that holds itself or more values than any request could carry. */
export function checkSchemaSize(name: string, schema: unknown): void {
  const open: unknown[] = [schema];
  for (let seen = 0; open.length > 0; seen += 1) {
    if (seen > MOST_SCHEMA_VALUES) throw new TypeError(`Tool '${name}': schema contains itself or holds more than ${MOST_SCHEMA_VALUES.toLocaleString('en')} values; write what repeats as $ref to $defs.`);
    const value = open.pop();
    if (typeof value === 'object' && value !== null) for (const child of Object.values(value)) open.push(child);
  }
}

/** Null stands for "not given" in registrations that did not come through the compiler. */
function checkOptional(name: string, field: string, value: unknown, fits: (given: unknown) => boolean, expected: string): void {
  if (value === undefined || value === null || fits(value)) return;
  throw new TypeError(`Tool '${name}': ${field} must be ${expected}, got ${typeof value === 'number' ? String(value) : typeName(value)}.`);
}

const isFunction = (value: unknown): boolean => typeof value === 'function';
const isText = (value: unknown): boolean => typeof value === 'string';

/** Throws TypeError naming the tool and what was found: a malformed tool would make every model request fail. */
export function checkRegistration(registration: ToolRegistration): void {
  const { name, toolset, schema, handler } = registration;
  if (typeof name !== 'string' || name === '') throw new TypeError(`A tool needs a name; got ${typeName(name)}.`);
  if (!TOOL_NAME.test(name)) throw new TypeError(`Tool '${name}': model servers take names of 1 to 64 letters a–z, digits, _ and -; choose such a name.`);
  if (RESERVED_NAMES.has(name)) throw new TypeError(`Tool '${name}': the name is taken by the way to tools that are not listed; choose another one.`);
  if (typeof toolset !== 'string' || toolset === '') throw new TypeError(`Tool '${name}' needs a toolset; got ${typeName(toolset)}.`);
  if (!isPlainObject(schema)) throw new TypeError(`Tool '${name}': schema must be an object, got ${typeName(schema)}.`);
  const parameters: unknown = schema.parameters;
  if (parameters !== undefined && parameters !== null && !isPlainObject(parameters)) {
    throw new TypeError(`Tool '${name}': schema.parameters must be an object, got ${typeName(parameters)}.`);
  }
  if (typeof handler !== 'function') throw new TypeError(`Tool '${name}': handler must be a function, got ${typeName(handler)}.`);
  checkOptional(name, 'schema.description', schema.description, isText, 'text');
  checkOptional(name, 'description', registration.description, isText, 'text');
  checkOptional(name, 'emoji', registration.emoji, isText, 'text');
  checkOptional(name, 'requiresEnv', registration.requiresEnv, (given) => Array.isArray(given) && given.every(isText), 'a list of names of variables');
  checkOptional(name, 'maxResultSizeChars', registration.maxResultSizeChars, (given) => typeof given === 'number' && given > 0, 'a number above 0 or Infinity');
  for (const field of ['checkFn', 'dynamicSchemaOverrides', 'rewriteSchema'] as const) checkOptional(name, field, registration[field], isFunction, 'a function');
  checkSchemaSize(name, parameters);
}

/** Registrations that did not come through the compiler may say null for "no parameters", and have no description. */
function complete(schema: ToolSchema): ToolSchema {
  const { parameters, description }: { parameters?: unknown; description?: unknown } = schema;
  if (parameters !== null && typeof description === 'string') return schema;
  const { parameters: given, ...rest } = schema;
  return { ...rest, description: typeof description === 'string' ? description : '', ...(parameters === null || given === undefined ? {} : { parameters: given }) };
}

export function makeEntry(registration: ToolRegistration, owner: PluginOwner | undefined, existing: ToolEntry | undefined): ToolEntry {
  return Object.freeze({
    name: registration.name,
    toolset: registration.toolset,
    schema: complete(registration.schema),
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
