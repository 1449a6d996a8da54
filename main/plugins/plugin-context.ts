/** What a plugin's `register(ctx)` is given. Everything it adds is its own, and goes when the plugin goes. */
import { TOOL_HELPERS } from './user-tools.ts';
import type { JsonValue } from '../../tools/context.ts';
import type { PluginOwner, ToolRegistration, ToolRegistry } from '../../tools/registry.ts';
import type { HookBus, HookCallback } from '../calls/hooks.ts';
import type { ConfigStore, Log } from '../ports.ts';
import { OwnedRegistry } from './owned-registry.ts';

export interface PluginContext {
  readonly id: string;
  readonly version: string;
  /** The plugin's own folder. */
  readonly folder: string;
  /** `{toolResult, toolError}`: what a handler answers with. */
  readonly helpers: typeof TOOL_HELPERS;
  /** Fields as in `registry.register`. Throws for a malformed tool and for the name of somebody else's. */
  registerTool(tool: ToolRegistration): void;
  /** Hook names are Hermes' (`pre_tool_call`, `post_tool_call`, `transform_tool_result`, …). */
  registerHook(name: string, callback: HookCallback): void;
  /** Values under `plugins.entries.<id>.settings` of config.yaml. */
  readonly settings: { get(key: string): JsonValue | undefined; set(key: string, value: JsonValue | undefined): Promise<void> };
  log(level: 'debug' | 'info' | 'warn' | 'error', message: string): void;
}

export interface ContextParts {
  readonly registry: ToolRegistry;
  readonly hooks: Pick<HookBus, 'on'>;
  readonly config: Pick<ConfigStore, 'get' | 'set'>;
  readonly log: Log;
  readonly owner: PluginOwner;
  readonly version: string;
  readonly folder: string;
}

export interface OpenContext {
  readonly context: PluginContext;
  readonly tools: readonly string[];
  readonly hooks: readonly string[];
  /** Takes everything away again. */
  close(): void;
}

const SETTING = /^[\w-]+(?:\.[\w-]+)*$/;

export function openPluginContext({ registry, hooks, config, log, owner, version, folder }: ContextParts): OpenContext {
  const owned = new OwnedRegistry(registry, owner);
  const hooked: { readonly name: string; readonly off: () => void }[] = [];
  let closed = false;
  const path = (key: string): string => {
    if (!SETTING.test(key)) throw new TypeError(`'${key}' is no name of a setting: letters, digits, - and _ with dots between.`);
    return `plugins.entries.${owner.id}.settings.${key}`;
  };
  const context: PluginContext = {
    id: owner.id, version, folder, helpers: TOOL_HELPERS,
    registerTool: (tool) => owned.register(tool),
    registerHook(name, callback) {
      if (typeof name !== 'string' || typeof callback !== 'function') throw new TypeError('registerHook takes a hook name and a function.');
      if (closed) throw new Error(`Plugin '${owner.id}' was unloaded and can register no more hooks.`);
      hooked.push({ name, off: hooks.on(name, callback, { owner: owner.id }) });
    },
    settings: { get: (key) => config.get(path(key)), set: (key, value) => config.set(path(key), value) },
    log: (level, message) => log[level](`plugin ${owner.id}: ${message}`),
  };
  return {
    context,
    get tools() { return owned.names; },
    get hooks() { return hooked.map(({ name }) => name); },
    close() {
      closed = true;
      for (const { off } of hooked.splice(0)) off();
      owned.close();
    },
  };
}
