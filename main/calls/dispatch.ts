/** One call, start to end (hermes-runtime 3.1): prepare → run → finish. Whatever happens, the answer is one result. */
import type { ToolContext } from '../../tools/context.ts';
import type { ToolEntry, ToolRegistry } from '../../tools/registry.ts';
import { describeThrown, sanitizeToolError, toolError, toolResult } from '../../tools/result.ts';
import type { CallOptions, CallOutcome, Clock, Log } from '../ports.ts';
import { type Arguments, asArguments, coerceToolArgs } from './coerce.ts';
import { coerceNestedArgs } from './coerce-nested.ts';
import { BRIDGE_NAMES, bridgeProblem, innerCall, type DeferredTools } from './deferral.ts';
import { modernSchema } from './dialect.ts';
import type { HookBus, ToolHookPayload } from './hooks.ts';
import type { Middleware, ToolAnswer } from './middleware.ts';
import { textOfMultimodal, withTexts } from './multimodal.ts';
import { nearestNames } from './nearest.ts';
import { hasRenames, restoreNames } from './sanitize-schema.ts';
import { isRecord, kindOf, type SchemaNode } from './schema-shape.ts';
import type { Spill } from './spill.ts';
import { isForeign } from './tool-limit.ts';
import { type ArgumentValidator, describeProblems } from './validate.ts';

/** Answered by the agent loop, which owns their state; anybody else gets a stub error. */
export const AGENT_LOOP_TOOLS: ReadonlySet<string> = new Set(['todo', 'memory', 'session_search', 'delegate_task']);
const EDITING_TOOLS: ReadonlySet<string> = new Set(['write_file', 'patch']);

/** An editor that wants to approve edits itself; undefined = no opinion. */
export type EditGuard = (name: string, args: Readonly<Arguments>, context: ToolContext) => Promise<{ readonly allowed: boolean; readonly message?: string } | undefined>;

export interface DispatchParts {
  readonly registry: ToolRegistry;
  readonly hooks: HookBus;
  readonly middleware: Middleware;
  readonly validator: ArgumentValidator;
  readonly spill: Spill;
  readonly clock: Clock;
  readonly log: Log;
  /** What the arguments of a tool are checked against. */
  parametersOf(entry: ToolEntry): SchemaNode | undefined;
  deferredFor(sessionId: string): DeferredTools;
  lastResolvedNames(): readonly string[];
  readonly editGuard?: EditGuard;
}

type Caller = 'agent-loop' | 'other';

/** Everything one call carries on its way. */
interface Call {
  readonly entry: ToolEntry;
  readonly context: ToolContext;
  readonly options: CallOptions;
  readonly caller: Caller;
  readonly startedAt: number;
  readonly repairs: string[];
  readonly parameters: SchemaNode | undefined;
  args: Arguments;
  middlewareTrace: readonly string[];
}

type Prepared = { readonly kind: 'ready' } | { readonly kind: 'answered'; readonly result: string; readonly status: 'error' | 'blocked'; readonly errorType: string; readonly observed: boolean };

const READY: Prepared = { kind: 'ready' };
const NO_TRACE: readonly string[] = [];

function refuse(result: string, errorType: string, status: 'error' | 'blocked' = 'error', observed = false): Prepared {
  return { kind: 'answered', result, status, errorType, observed };
}

const isEmpty = (value: unknown): boolean => !value || (typeof value === 'object' && Object.keys(value).length === 0);

/** Whether a result reports a failure: JSON whose `error` is truthy, in Hermes' sense (an empty list or object is not). */
export function errorOf(result: string): string | null {
  if (!/^\s*\{/.test(result) || !result.includes('"error"')) return null;
  try {
    const parsed: unknown = JSON.parse(result);
    if (!isRecord(parsed) || isEmpty(parsed['error'])) return null;
    return typeof parsed['error'] === 'string' ? parsed['error'] : JSON.stringify(parsed['error']);
  } catch {
    // Text that merely begins like JSON reports nothing.
    return null;
  }
}

export class Dispatcher {
  readonly #parts: DispatchParts;
  readonly #renaming = new WeakMap<SchemaNode, boolean>();

  constructor(parts: DispatchParts) {
    this.#parts = parts;
  }

  /** Never rejects. */
  async call(name: string, args: unknown, context: ToolContext, options: CallOptions, caller: Caller): Promise<CallOutcome> {
    const startedAt = this.#parts.clock.monotonic();
    const repairs: string[] = [];
    try {
      if (BRIDGE_NAMES.has(name)) return await this.#bridge(name, asArguments(args), context, options, caller, startedAt);
      const entry = this.#parts.registry.findForCall(name);
      if (entry === undefined || !this.#isOffered(entry, name, context)) return this.#answered(this.#unknown(name, entry, context), 'error', 'unknown_tool', startedAt, repairs);
      const parameters = this.#parts.parametersOf(entry);
      const call: Call = { entry, context, options, caller, startedAt, repairs, parameters: parameters === undefined ? undefined : modernSchema(parameters), args: asArguments(args), middlewareTrace: NO_TRACE };
      if (args !== undefined && args !== null && args !== call.args) repairs.push(`The arguments were ${kindOf(args)}, not an object: taken as none.`);
      return await this.#whole(call);
    } catch (error) {
      this.#parts.log.error(`Calling '${name}' failed outside its handler.`, { toolCallId: context.toolCallId, error: describeThrown(error) });
      const message = error instanceof Error ? error.message : describeThrown(error);
      return this.#answered(toolError(context.services.redact(sanitizeToolError(`Error executing ${name}: ${message}`))), 'error', 'dispatch_error', startedAt, repairs);
    }
  }

  async #whole(call: Call): Promise<CallOutcome> {
    const prepared = await this.#prepare(call);
    if (prepared.kind === 'answered') {
      if (prepared.observed) await this.#observe(call, prepared.result, prepared.status, prepared.errorType, errorOf(prepared.result));
      return this.#answered(prepared.result, prepared.status, prepared.errorType, call.startedAt, call.repairs);
    }
    const answer = await this.#run(call);
    return this.#finish(call, answer);
  }

  // --- prepare -----------------------------------------------------------------------------------------------------

  async #prepare(call: Call): Promise<Prepared> {
    const { entry, context } = call;
    this.#coerce(call);
    const { middleware, validator, hooks, editGuard } = this.#parts;
    if (middleware.rewrites) {
      const rewritten = await middleware.rewrite(entry.name, call.args, context);
      call.args = rewritten.args;
      call.middlewareTrace = rewritten.trace;
    }
    if (call.caller !== 'agent-loop' && AGENT_LOOP_TOOLS.has(entry.name)) {
      return refuse(toolError(`${entry.name} must be handled by the agent loop`), 'agent_loop_tool');
    }
    if (!validator.ready) await validator.warm();
    const invalid = this.#validate(call);
    if (invalid !== undefined) return invalid;
    // Asked only where somebody answers: each await on this path costs every call.
    if (call.options.skipPreToolCallHook !== true && hooks.has('pre_tool_call')) {
      const blocked = await this.#askHooks(call);
      if (blocked !== undefined) return blocked;
    }
    return editGuard !== undefined && EDITING_TOOLS.has(entry.name) ? this.#askEditor(call, editGuard) : READY;
  }

  #coerce(call: Call): void {
    const { parameters } = call;
    if (parameters === undefined) return;
    const trace = (path: string, change: string): void => { call.repairs.push(`${path}: ${change}`); };
    if (this.#isRenamed(parameters)) call.args = asArguments(restoreNames(call.args, parameters));
    call.args = coerceNestedArgs(coerceToolArgs(call.args, parameters, trace), parameters, trace);
  }

  #isRenamed(parameters: SchemaNode): boolean {
    let renamed = this.#renaming.get(parameters);
    if (renamed === undefined) this.#renaming.set(parameters, renamed = hasRenames(parameters));
    return renamed;
  }

  #validate({ entry, args, parameters }: Call): Prepared | undefined {
    const { validator } = this.#parts;
    if (entry.checksOwnArguments || parameters === undefined) return undefined;
    const problems = validator.check(entry.name, args, parameters);
    if (problems.length === 0) return undefined;
    return refuse(toolError(describeProblems(entry.name, problems), { error_type: 'invalid_arguments', problems }), 'invalid_arguments');
  }

  async #askHooks(call: Call): Promise<Prepared | undefined> {
    const directive = await this.#parts.hooks.preToolCall(payloadOf(call));
    if (directive === undefined) return undefined;
    const message = directive.action === 'block' ? directive.message : await this.#askPerson(call, directive.message, directive.ruleKey);
    return message === undefined ? undefined : refuse(toolError(message), 'plugin_block', 'blocked', true);
  }

  /** Undefined = a person agreed; else why it is blocked. Anything but a clear yes is a no. */
  async #askPerson({ entry, args, context }: Call, message: string | undefined, ruleKey: string | undefined): Promise<string | undefined> {
    const { approvals } = context.services;
    const outcome = await approvals.review({
      tool: entry.name, command: `${entry.name} ${JSON.stringify(args)}`, cwd: context.cwd, sessionId: context.sessionId, taskId: context.taskId,
      toolCallId: context.toolCallId, signal: context.signal,
      requirePerson: { description: message ?? `A hook wants ${entry.name} to be approved.`, ...(ruleKey === undefined ? {} : { ruleKey }) },
      onWaiting: (approvalId, waiting) => context.emit({ kind: 'approval', approvalId, state: waiting ? 'waiting' : 'settled' }),
    });
    return outcome.approved ? undefined : outcome.message ?? `Blocked: ${message ?? 'the approval that a hook asked for was not given'}`;
  }

  async #askEditor({ entry, args, context }: Call, editGuard: EditGuard): Promise<Prepared> {
    try {
      const answer = await editGuard(entry.name, args, context);
      return answer?.allowed === false ? refuse(toolError(answer.message ?? 'Edit approval denied'), 'edit_denied', 'blocked', true) : READY;
    } catch (error) {
      this.#parts.log.error('The edit guard failed; the edit is refused.', { error: describeThrown(error) });
      return refuse(toolError('Edit approval denied: approval guard failed'), 'edit_denied', 'blocked', true);
    }
  }

  // --- run ---------------------------------------------------------------------------------------------------------

  #run({ entry, args, context, options }: Call): Promise<ToolAnswer> {
    const { registry, middleware } = this.#parts;
    let inner = context;
    if (entry.name === 'execute_code' && context.enabledTools === undefined) inner = { ...context, enabledTools: this.#parts.lastResolvedNames() };
    else if (options.turnId !== undefined && AGENT_LOOP_TOOLS.has(entry.name)) inner = { ...context, turnId: options.turnId };
    return middleware.execute({ name: entry.name, args, context: inner }, () => registry.dispatch(entry.name, args, inner));
  }

  // --- finish ------------------------------------------------------------------------------------------------------

  async #finish(call: Call, answer: ToolAnswer): Promise<CallOutcome> {
    const { hooks, spill, clock } = this.#parts;
    const { entry, context } = call;
    let text = typeof answer === 'string' ? answer : textOfMultimodal(answer);
    const failure = errorOf(text);
    const cancelled = failure !== null && context.signal.aborted;
    const errorType = failure === null ? null : 'tool_error';
    if (hooks.has('post_tool_call')) await this.#observe(call, text, failure === null ? 'ok' : 'error', errorType, failure);
    let result: ToolAnswer = answer;
    if (hooks.has('transform_tool_result')) {
      const transformed = await hooks.firstText('transform_tool_result', resultPayload(call, text, failure === null ? 'ok' : 'error', errorType, failure, clock));
      if (transformed !== undefined) result = text = transformed;
    }
    let savedTo: string | null = null;
    // Tools of ours hide secrets themselves, each in the way its output needs.
    const redact = failure !== null || isForeign(entry) ? (given: string) => context.services.redact(given) : (given: string) => given;
    let shown = text = redact(text);
    if (text.length > spill.limitFor(entry.name, call.options.contextTokens)) {
      const bounded = await spill.save(context.toolCallId, text);
      shown = bounded.text;
      savedTo = bounded.savedTo;
    }
    result = typeof result === 'string' ? shown : withTexts(result, shown, redact);
    return {
      result, fullText: text, status: cancelled ? 'cancelled' : failure === null ? 'ok' : 'error', errorType, errorMessage: failure,
      durationMs: clock.monotonic() - call.startedAt, repairs: call.repairs, savedTo,
    };
  }

  async #observe(call: Call, result: string, status: 'ok' | 'error' | 'blocked', errorType: string | null, message: string | null): Promise<void> {
    const { hooks, clock } = this.#parts;
    if (hooks.has('post_tool_call')) await hooks.observe('post_tool_call', resultPayload(call, result, status, errorType, message, clock));
  }

  #answered(result: string, status: 'ok' | 'error' | 'blocked', errorType: string | null, startedAt: number, repairs: readonly string[]): CallOutcome {
    return { result, fullText: result, status, errorType, errorMessage: errorOf(result), durationMs: this.#parts.clock.monotonic() - startedAt, repairs, savedTo: null };
  }

  /** A chat's model may call what it was offered, and what stands behind the bridge by its own name too; without a list (a person's own call) everything. */
  #isOffered(entry: ToolEntry, name: string, { enabledTools, sessionId }: ToolContext): boolean {
    return enabledTools === undefined || enabledTools.includes(entry.name) || enabledTools.includes(name) || this.#parts.deferredFor(sessionId).has(entry.name);
  }

  #unknown(name: string, entry: ToolEntry | undefined, context: ToolContext): string {
    const names = context.enabledTools ?? this.#parts.registry.getAllToolNames();
    const near = nearestNames(name, names);
    const meant = near.length > 0 ? { did_you_mean: near } : {};
    return entry === undefined ? toolError(`Unknown tool: ${name}`, meant)
      : toolError(`Tool '${name}' is not enabled in this chat. Use one of the tools that are offered, or ask the person to enable toolset '${entry.toolset}'.`, meant);
  }

  // --- deferred tools ----------------------------------------------------------------------------------------------

  async #bridge(bridge: string, args: Arguments, context: ToolContext, options: CallOptions, caller: Caller, startedAt: number): Promise<CallOutcome> {
    const deferred = this.#parts.deferredFor(context.sessionId);
    const problem = bridgeProblem(bridge, args);
    if (problem !== undefined) return this.#answered(toolError(problem, { error_type: 'invalid_arguments' }), 'error', 'invalid_arguments', startedAt, []);
    if (bridge === 'tool_search') return this.#answered(toolResult(deferred.answer(String(args['query']), args['limit'])), 'ok', null, startedAt, []);
    const { name, args: inner } = innerCall(args);
    if (!deferred.has(name)) {
      const near = nearestNames(name, deferred.names);
      const message = `'${name}' is not available in this session. Use tool_search to find tools you can call.`;
      return this.#answered(toolError(message, near.length > 0 ? { did_you_mean: near } : {}), 'error', 'unknown_tool', startedAt, []);
    }
    if (bridge === 'tool_describe') return this.#answered(toolResult(deferred.describe(name)), 'ok', null, startedAt, []);
    return this.call(name, inner, context, options, caller);
  }
}

function payloadOf(call: Call): ToolHookPayload {
  const { entry, args, context, options } = call;
  return {
    tool_name: entry.name, args, task_id: context.taskId, session_id: context.sessionId, tool_call_id: context.toolCallId,
    turn_id: options.turnId ?? '', api_request_id: options.apiRequestId ?? '', middleware_trace: call.middlewareTrace,
  };
}

function resultPayload(call: Call, result: string, status: 'ok' | 'error' | 'blocked', errorType: string | null, message: string | null, clock: Clock): object {
  return { ...payloadOf(call), result, duration_ms: clock.monotonic() - call.startedAt, status, error_type: errorType, error_message: message };
}
