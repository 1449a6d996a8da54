/** Running a handler: whatever it does, the answer is one result (hermes-runtime 1.9). */
import type { ToolContext } from '../context.ts';
import { boundResultError, describeThrown, sanitizeToolError, toolError } from '../result.ts';
import { typeName, type MultimodalResult, type RegistryLog, type ToolEntry } from './entry.ts';

export interface RunOptions {
  /** Given to a tool registered with `isAsync`; time that it waits for a person does not count. */
  readonly asyncLimitMs: number;
  readonly log: RegistryLog;
  /** Right before the handler. What it throws is the call's error. */
  before(): void;
}

/** Exceptions and results of the wrong kind become error results. Never rejects. */
export async function runEntry(entry: ToolEntry, args: Record<string, unknown>, context: ToolContext, options: RunOptions): Promise<string | MultimodalResult> {
  try {
    options.before();
    const result: unknown = entry.isAsync ? await withinLimit(entry, args, context, options.asyncLimitMs) : await entry.handler(args, context);
    if (typeof result === 'string') return boundResultError(result);
    if (isMultimodal(result)) return result;
    const kind = typeName(result);
    return toolError(`Tool handler returned unsupported result type: ${kind}`, { error_type: 'tool_result_contract', tool: entry.name, result_type: kind });
  } catch (error) {
    options.log('error', `Tool '${entry.name}' threw: ${describeThrown(error)}`);
    return toolError(sanitizeToolError(`Tool execution failed: ${describeThrown(error)}${nextStep(error)}`));
  }
}

/** The handler is told to stop when its time is over, and not waited for (hermes-runtime 3.5). */
async function withinLimit(entry: ToolEntry, args: Record<string, unknown>, context: ToolContext, limitMs: number): Promise<unknown> {
  const limit = Promise.withResolvers<never>();
  const overdue = new AbortController();
  const giveUp = (): void => {
    const error = new Error(`Tool '${entry.name}' did not finish within ${String(limitMs / 1_000)} s`);
    error.name = 'TimeoutError';
    overdue.abort(error);
    limit.reject(error);
  };
  let timer: NodeJS.Timeout | undefined = setTimeout(giveUp, limitMs);
  /** What a person is asked at once: approvals by id, questions. */
  const waiting = new Set<string>();
  let ended = false;
  const emit: ToolContext['emit'] = (event) => {
    if (!ended && (event.kind === 'approval' || event.kind === 'person')) {
      const asked = event.kind === 'approval' ? event.approvalId : '';
      if (event.state === 'waiting') waiting.add(asked);
      else waiting.delete(asked);
      clearTimeout(timer);
      timer = waiting.size > 0 ? undefined : setTimeout(giveUp, limitMs);
    }
    context.emit(event);
  };
  try {
    return await Promise.race([entry.handler(args, { ...context, emit, signal: AbortSignal.any([context.signal, overdue.signal]) }), limit.promise]);
  } finally {
    ended = true;
    clearTimeout(timer);
  }
}

function isMultimodal(value: unknown): value is MultimodalResult {
  return typeof value === 'object' && value !== null && '_multimodal' in value && value._multimodal === true
    && 'content' in value && Array.isArray(value.content) && (!('text_summary' in value) || value.text_summary === undefined || typeof value.text_summary === 'string');
}

/** What the error itself says can be done. */
function nextStep(error: unknown): string {
  try {
    return typeof error === 'object' && error !== null && 'hint' in error && typeof error.hint === 'string' ? `. ${error.hint}` : '';
  } catch {
    // A getter that fails has no advice to give.
    return '';
  }
}
