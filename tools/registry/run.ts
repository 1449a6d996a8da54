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

async function withinLimit(entry: ToolEntry, args: Record<string, unknown>, context: ToolContext, limitMs: number): Promise<unknown> {
  const limit = Promise.withResolvers<never>();
  const giveUp = (): void => {
    const error = new Error(`Tool '${entry.name}' did not finish within ${String(limitMs / 1_000)} s`);
    error.name = 'TimeoutError';
    limit.reject(error);
  };
  let timer = setTimeout(giveUp, limitMs);
  const emit: ToolContext['emit'] = (event) => {
    if (event.kind === 'approval') {
      clearTimeout(timer);
      if (event.state === 'settled') timer = setTimeout(giveUp, limitMs);
    }
    context.emit(event);
  };
  try {
    return await Promise.race([entry.handler(args, { ...context, emit }), limit.promise]);
  } finally {
    clearTimeout(timer);
  }
}

function isMultimodal(value: unknown): value is MultimodalResult {
  return typeof value === 'object' && value !== null && '_multimodal' in value && value._multimodal === true
    && 'content' in value && Array.isArray(value.content);
}

/** What the error itself says can be done. */
function nextStep(error: unknown): string {
  return typeof error === 'object' && error !== null && 'hint' in error && typeof error.hint === 'string' ? `. ${error.hint}` : '';
}
