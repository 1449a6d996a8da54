/** Joins the parts of `main/calls/` behind the `Calls` seam. */
import { join } from 'node:path';
import type { CheckContext, ToolRegistry } from '../../tools/registry.ts';
import { toolError } from '../../tools/result.ts';
import { ToolsetCatalog } from '../../tools/toolsets.ts';
import type { CallOptions, Calls, Clock, ConfigStore, Log } from '../ports.ts';
import { Availability } from './availability.ts';
import { Definitions } from './definitions.ts';
import { AGENT_LOOP_TOOLS, Dispatcher, type EditGuard } from './dispatch.ts';
import { HookBus } from './hooks.ts';
import { Middleware } from './middleware.ts';
import { planToolBatch } from './plan-paths.ts';
import { runBatch } from './run-batch.ts';
import { Spill } from './spill.ts';
import { isRecord } from './schema-shape.ts';
import { namesIn } from './toolset-defaults.ts';
import { ArgumentValidator } from './validate.ts';

export interface CallsParts {
  readonly registry: ToolRegistry;
  readonly clock: Clock;
  readonly log: Log;
  readonly config: Pick<ConfigStore, 'get' | 'env' | 'onChange'>;
  /** What checks of tools may look at. */
  readonly checks: CheckContext;
  /** `<home>/cache` */
  readonly cache: string;
  readonly editGuard?: EditGuard;
  /** Whether an MCP tool's server set `supports_parallel_tool_calls`. */
  readonly parallelMcp?: (tool: string) => boolean;
}

/** The calls runtime with the parts that plugins, MCP and the toolset panel act on. */
export interface CallsRuntime extends Calls {
  readonly catalog: ToolsetCatalog;
  readonly availability: Availability;
  readonly definitions: Definitions;
  readonly hooks: HookBus;
  readonly middleware: Middleware;
  /** Loads what the first call needs, so that it is not slower than the others. */
  warm(): Promise<void>;
  close(): void;
}

/** Builds the runtime over one registry. `custom_toolsets` of config.yaml is followed live. */
export function createCalls(parts: CallsParts): CallsRuntime {
  const { registry, clock, log, config } = parts;
  registry.useLog((level, message) => log[level](message));
  const catalog = new ToolsetCatalog(registry);
  const availability = new Availability({ registry, checks: parts.checks, clock, log });
  const definitions = new Definitions({
    registry, catalog, availability, clock, log, place: { env: (name) => config.env(name), config: (path) => config.get(path) }, toolSearch: () => config.get('tools.tool_search.enabled'),
    maxTools: () => config.get('tools.max_tools'),
  });
  const hooks = new HookBus({ clock, log, deadlineSeconds: () => config.get('plugins.hook_callback_timeout') });
  const middleware = new Middleware();
  const spill = new Spill({ registry, clock, log, folder: join(parts.cache, 'spillover'), budget: (path) => config.get(`tool_budget.${path}`) });
  const validator = new ArgumentValidator(log);
  const dispatcher = new Dispatcher({
    registry, hooks, middleware, validator, spill, clock, log,
    parametersOf: (entry) => definitions.parametersOf(entry),
    deferredFor: (sessionId) => definitions.deferredFor(sessionId),
    lastResolvedNames: () => definitions.lastResolvedNames,
    ...(parts.editGuard === undefined ? {} : { editGuard: parts.editGuard }),
  });
  const customNames = new Set<string>();
  const readCustom = (): void => followCustomToolsets(catalog, config.get('custom_toolsets'), customNames, log);
  readCustom();
  const unfollow = config.onChange(() => {
    readCustom();
    availability.invalidate();
  });
  const none: CallOptions = {};
  return {
    catalog, availability, definitions, hooks, middleware,
    getToolDefinitions: (request) => definitions.getToolDefinitions(request),
    handleFunctionCall: async (name, args, context, options = none) => (await dispatcher.call(name, args, context, options, 'other')).result,
    callTool: (name, args, context, options = none) => dispatcher.call(name, args, context, options, 'agent-loop'),
    async dispatchAgentTool(name, args, context, options = none) {
      const tool = registry.findForCall(name)?.name ?? name;
      if (AGENT_LOOP_TOOLS.has(tool)) return dispatcher.call(name, args, context, options, 'agent-loop');
      const message = `${name} is not an agent-loop tool`;
      const result = toolError(message);
      return { result, fullText: result, status: 'error', errorType: 'unknown_tool', errorMessage: message, durationMs: 0, repairs: [], savedTo: null };
    },
    planToolBatch: (calls, context) => planToolBatch(calls, context, parts.parallelMcp ?? (() => false), log),
    runBatch,
    contextTrimmed: (sessionId) => { registry.contextTrimmed(sessionId); },
    limitTurn: (results, _context, options = none) => spill.limitTurn(results, options.contextTokens),
    warm: () => validator.warm(),
    close: unfollow,
  };
}

/** A bare list stands for its tools. */
function toolsetFrom(value: unknown): Readonly<Record<string, unknown>> | undefined {
  if (Array.isArray(value)) return { tools: value };
  return isRecord(value) ? value : undefined;
}

/** `custom_toolsets: {name: {description, tools, includes}}`, or a bare list of tools. What left the file leaves the catalog. */
function followCustomToolsets(catalog: ToolsetCatalog, configured: unknown, known: Set<string>, log: Log): void {
  const wanted = new Map(Object.entries(isRecord(configured) ? configured : {}));
  for (const name of known) {
    if (toolsetFrom(wanted.get(name)) !== undefined) continue;
    catalog.removeCustomToolset(name);
    known.delete(name);
  }
  for (const [name, value] of wanted) {
    const toolset = toolsetFrom(value);
    if (toolset === undefined || name === '' || name === 'all' || name === '*') {
      log.warn(`custom_toolsets.${name} in config.yaml is no toolset; it is ignored. Expected {description, tools, includes}.`);
      continue;
    }
    const description = toolset['description'];
    catalog.createCustomToolset(name, typeof description === 'string' ? description : `Custom toolset ${name}`, namesIn(toolset['tools']), namesIn(toolset['includes']));
    known.add(name);
  }
}
