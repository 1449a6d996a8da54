/** What a sub-agent's chat amounts to for the agent that sent it (hermes-runtime 7.3). */
import type { SessionId } from '../../preload/contract/ids.ts';
import type { ToolCallState } from '../../preload/contract/sessions.ts';
import type { Storage } from '../ports.ts';
import type { TurnEnd } from './loop.ts';

/** How a sub-agent's work ended; `crashed` and `timeout` are not ends that a turn knows. */
export type ChildEnd =
  | { readonly kind: TurnEnd }
  /** `dump`: where what is known about it was written. */
  | { readonly kind: 'timeout'; readonly seconds: number; readonly dump?: string | undefined }
  | { readonly kind: 'crashed'; readonly message: string };

// Types, not interfaces: they are JSON values for the tool's result.
export type ToolTrace = { readonly tool: string; readonly args_bytes: number; readonly result_bytes: number; readonly status: 'ok' | 'error' | 'blocked' | 'cancelled' };
export type ChildReport = {
  readonly task_index: number;
  readonly status: 'completed' | 'failed' | 'error' | 'interrupted' | 'timeout';
  readonly summary: string;
  readonly error?: string;
  readonly api_calls: number;
  readonly duration_seconds: number;
  readonly model: string;
  readonly tokens: { readonly input: number; readonly output: number };
  readonly tool_trace: readonly ToolTrace[];
  readonly exit_reason: string;
};

const TRACE_STATUS = {
  done: 'ok', error: 'error', blocked: 'blocked', cancelled: 'cancelled', unknown: 'error', pending: 'cancelled', waiting: 'cancelled', running: 'cancelled',
} as const satisfies Record<ToolCallState, ToolTrace['status']>;

/** A report of a sub-agent that never got a chat. */
export function reportWithoutChat(index: number, message: string): ChildReport {
  return { task_index: index, status: 'error', summary: '', error: message, api_calls: 0, duration_seconds: 0, model: '', tokens: { input: 0, output: 0 }, tool_trace: [], exit_reason: 'error' };
}

/** `durationMs` as measured by whoever ran it; rounded to hundredths of a second. */
export function reportOf(storage: Pick<Storage, 'sessions' | 'messages'>, sessionId: SessionId, index: number, end: ChildEnd, durationMs: number): ChildReport {
  const messages = storage.messages.transcript(sessionId);
  const replies = messages.filter((message) => message.role === 'assistant');
  const calls = messages.flatMap((message) => message.calls);
  const usage = storage.sessions.get(sessionId)?.usage;
  const last = replies.at(-1);
  const summary = last?.calls.length === 0 && last.state === 'complete' ? last.text.trim() : '';
  const failure = messages.findLast((message) => message.state === 'error' && message.error !== null)?.error;
  const told = failure?.hint === undefined ? failure?.message : `${failure.message} ${failure.hint}`;
  return {
    task_index: index, ...outcome(end, summary, told), summary, api_calls: usage?.requests ?? 0, duration_seconds: Math.round(durationMs / 10) / 100,
    model: replies.findLast((message) => message.model !== null)?.model ?? '',
    tokens: { input: usage?.promptTokens ?? 0, output: usage?.completionTokens ?? 0 },
    tool_trace: calls.map((call) => ({
      tool: call.name, args_bytes: Buffer.byteLength(call.arguments), result_bytes: Buffer.byteLength(call.fullResult ?? ''), status: TRACE_STATUS[call.state],
    })),
  };
}

function outcome(end: ChildEnd, summary: string, told: string | undefined): Pick<ChildReport, 'status' | 'error' | 'exit_reason'> {
  switch (end.kind) {
    case 'done': return summary === '' ? { status: 'failed', error: 'The sub-agent ended without a summary.', exit_reason: 'completed' } : { status: 'completed', exit_reason: 'completed' };
    case 'budget': return summary === '' ? { status: 'failed', error: 'The sub-agent used up its requests without a summary.', exit_reason: 'max_iterations' } : { status: 'completed', exit_reason: 'max_iterations' };
    case 'stopped': return { status: 'interrupted', error: 'The sub-agent was stopped before it was done.', exit_reason: 'interrupted' };
    case 'timeout': return { status: 'timeout', error: `The sub-agent was not done after ${String(end.seconds)} s and was stopped.${end.dump === undefined ? '' : ` Its model never answered; what is known is in ${end.dump}.`}`, exit_reason: 'timeout' };
    case 'error': return { status: 'error', error: told ?? 'The sub-agent failed.', exit_reason: 'error' };
    case 'crashed': return { status: 'error', error: `The sub-agent crashed: ${end.message}`, exit_reason: 'error' };
  }
}
