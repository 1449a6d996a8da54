/** One call of the process tool: which action, on which process (hermes-runtime 5.6). */
import type { ProcessAction, ToolContext } from '../context.ts';
import { toolError, toolResult } from '../result.ts';

export const ACTIONS = ['list', 'poll', 'log', 'wait', 'kill', 'write', 'submit', 'close'] as const;
type ActionName = (typeof ACTIONS)[number];
const DEFAULT_LOG_LINES = 200;

function isAction(value: unknown): value is ActionName {
  return typeof value === 'string' && (ACTIONS as readonly string[]).includes(value); // widened: any text may be asked for
}

function wholeNumber(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? Math.trunc(value) : undefined;
}

function readAction(args: Record<string, unknown>, context: ToolContext): ProcessAction | string {
  const { sessionId, taskId } = context;
  const action = args['action'];
  if (!isAction(action)) return `Unknown process action: ${String(action)}. Use one of: ${ACTIONS.join(', ')}`;
  if (action === 'list') return { action, taskId, sessionId };
  const given = args['session_id'];
  const processId = typeof given === 'number' ? String(given) : typeof given === 'string' ? given.trim() : '';
  if (processId === '') return `session_id is required for ${action}`;
  switch (action) {
    case 'poll': case 'kill': case 'close': return { action, processId, sessionId };
    case 'log': {
      const offset = wholeNumber(args['offset']);
      const limit = wholeNumber(args['limit']) ?? DEFAULT_LOG_LINES;
      if (limit < 1) return 'limit must be at least 1';
      if (offset !== undefined && offset < 0) return 'offset must not be negative';
      return { action, processId, sessionId, limit, ...(offset === undefined ? {} : { offset }) };
    }
    case 'wait': {
      const timeout = wholeNumber(args['timeout']);
      if (timeout !== undefined && timeout <= 0) return 'timeout must be at least 1 second';
      return { action, processId, sessionId, ...(timeout === undefined ? {} : { timeoutMs: timeout * 1_000 }) };
    }
    case 'write': case 'submit': {
      const data = args['data'];
      if (data !== undefined && data !== null && typeof data !== 'string') return `data must be a string for ${action}`;
      if (action === 'write' && (data === undefined || data === null || data === '')) return 'data is required for write';
      return { action, processId, sessionId, data: data ?? '' };
    }
  }
}

export async function runProcessTool(args: Record<string, unknown>, context: ToolContext): Promise<string> {
  const action = readAction(args, context);
  if (typeof action === 'string') return toolError(action, { status: 'error' });
  return toolResult(await context.services.terminals.process(action, context.signal));
}
