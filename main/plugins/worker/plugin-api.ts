/** What a plugin's `register(ctx)` and a tool file's function are given, inside their worker. */
import type { JsonValue, ToolContext } from '../../../tools/context.ts';
import type { CheckContext, ToolRegistration } from '../../../tools/registry.ts';
import { toolError, toolResult } from '../../../tools/result.ts';
import { isUncachedCheck, uncachedCheck } from '../../../tools/registry/check.ts';
import { checkContextInWorker, contextInWorker, type CallShape, type Line } from './tool-context.ts';

/** What our own tools make their results with, and the mark for a check that must be asked each time. */
export const TOOL_HELPERS = Object.freeze({ toolResult, toolError, uncachedCheck });

export interface CommandOptions { readonly description?: string }
export interface MiddlewareInput { readonly name: string; readonly args: Readonly<Record<string, unknown>>; readonly session_id: string; readonly tool_call_id: string }
export interface MiddlewareFunctions {
  /** Other arguments, or nothing to leave them. */
  readonly request?: (call: MiddlewareInput) => unknown;
  /** Runs `next()` for the tool's result, or answers itself. */
  readonly execution?: (call: MiddlewareInput, next: () => Promise<string>) => unknown;
}

export interface PluginApi {
  readonly id: string;
  readonly version: string;
  /** The plugin's own folder. */
  readonly folder: string;
  readonly helpers: typeof TOOL_HELPERS;
  /** Fields as in `registry.register`. Throws for a malformed tool and for a name it may not take. */
  registerTool(tool: ToolRegistration): void;
  /** Hook names are Hermes' (`pre_tool_call`, `post_tool_call`, `transform_tool_result`, `pre_llm_call`, …). */
  registerHook(name: string, callback: (payload: never) => unknown): void;
  registerMiddleware(middleware: MiddlewareFunctions): void;
  /** `/name words` in a chat; what the handler returns is shown there. */
  registerCommand(name: string, handler: (words: string, chat: { readonly sessionId: string }) => unknown, options?: CommandOptions): void;
  /** `hermes-<platform>` then means the core tools and those of `toolset`: for a plugin that brings a messenger. */
  registerPlatform(platform: string, toolset: string): void;
  /** Calls a tool as the model would: hooks, checks and approvals included. The result's text. */
  dispatchTool(name: string, args: object, where: Pick<ToolContext, 'sessionId'>): Promise<string>;
  /** A message for the chat's model, as if the person had sent it. */
  injectMessage(text: string, where: Pick<ToolContext, 'sessionId'>): Promise<void>;
  /** Values under `plugins.entries.<id>.settings` of config.yaml. */
  readonly settings: { get(key: string): JsonValue | undefined; set(key: string, value: JsonValue | undefined): Promise<void> };
  log(level: 'debug' | 'info' | 'warn' | 'error', message: string): void;
}

interface ApiLine extends Line { keep(value: unknown): unknown }

function registerTool(tool: ToolRegistration, line: ApiLine): void {
  const given: unknown = tool;
  if (typeof given !== 'object' || given === null) throw new TypeError('A tool is registered with an object: { name, toolset, schema, handler }.');
  const { handler, checkFn, dynamicSchemaOverrides, rewriteSchema, ...rest } = tool;
  if (typeof handler !== 'function') throw new TypeError(`Tool '${tool.name}': handler must be a function, got ${typeof handler}.`);
  if (rewriteSchema !== undefined) throw new TypeError(`Tool '${tool.name}': rewriteSchema has to answer while a request is put together, which a plugin in its own process cannot; use dynamicSchemaOverrides, or checkFn to leave the tool out.`);
  const place = checkContextInWorker({ path: '', backend: '' }, line);
  line.sync('registerTool', line.keep({
    ...rest,
    handler: (args: Record<string, unknown>, call: CallShape) => handler(args, contextInWorker(call, line)),
    ...(typeof checkFn === 'function' ? {
      checkFn: (place: Pick<CheckContext, 'path' | 'backend'>) => checkFn(checkContextInWorker(place, line)), uncached: isUncachedCheck(checkFn),
    } : {}),
    ...(typeof dynamicSchemaOverrides === 'function' ? { dynamicSchemaOverrides: () => dynamicSchemaOverrides(place), overrides: firstOverrides(() => dynamicSchemaOverrides(place)) } : {}),
  }));
}

/** A failure now is a failure of the first question; later ones are asked again. */
function firstOverrides(ask: () => unknown): unknown {
  try {
    return ask();
  } catch (error) {
    console.warn('dynamicSchemaOverrides failed; the registered schema is used.', error);
    return undefined;
  }
}

export function createPluginApi(about: Pick<PluginApi, 'id' | 'version' | 'folder'>, line: ApiLine): PluginApi {
  const called = (value: unknown, what: string): void => { if (typeof value !== 'function') throw new TypeError(`${what} takes a function, got ${typeof value}.`); };
  return {
    ...about, helpers: TOOL_HELPERS,
    registerTool: (tool) => registerTool(tool, line),
    registerHook(name, callback) {
      if (typeof name !== 'string' || name === '') throw new TypeError('registerHook takes the name of a hook.');
      called(callback, `registerHook('${name}', …)`);
      line.sync('registerHook', name, line.keep(callback));
    },
    registerMiddleware({ request, execution }) {
      if (request !== undefined) called(request, 'registerMiddleware({ request })');
      if (execution !== undefined) called(execution, 'registerMiddleware({ execution })');
      line.sync('registerMiddleware', line.keep({ ...(request === undefined ? {} : { request }), ...(execution === undefined ? {} : { execution }) }));
    },
    registerCommand(name, handler, options = {}) {
      called(handler, `registerCommand('${name}', …)`);
      line.sync('registerCommand', name, line.keep(handler), options.description ?? '');
    },
    registerPlatform(platform, toolset) { line.sync('registerPlatform', platform, toolset); },
    dispatchTool: (name, args, { sessionId }) => line.peer.request('dispatchTool', name, args, sessionId) as Promise<string>, // cast: the host answers with the result's text
    async injectMessage(text, { sessionId }) { await line.peer.request('injectMessage', text, sessionId); },
    settings: {
      get: (key) => line.sync('settings.get', key) as JsonValue | undefined, // cast: a value of config.yaml
      async set(key, value) { await line.peer.request('settings.set', key, value); },
    },
    log: (level, message) => { line.peer.tell('log', level, message); },
  };
}
