/** Runs the calls of one message: parallel where safe, each with its card kept up to date, each answered exactly once. */
import { CallId } from '../../preload/contract/ids.ts';
import { TerminalId, ApprovalId } from '../../preload/contract/ids.ts';
import type { ToolCall, ToolCallState } from '../../preload/contract/sessions.ts';
import type { ToolContext, ToolProgress } from '../../tools/context.ts';
import type { MultimodalResult } from '../../tools/registry.ts';
import type { CallOutcome, Calls, Clock, Log, MakeToolContext, TurnResult } from '../ports.ts';
import { parseObject } from './commands.ts';
import type { Chat } from './chat.ts';

export interface ExecuteParts {
  readonly calls: Pick<Calls, 'callTool' | 'planToolBatch' | 'runBatch' | 'limitTurn'>;
  readonly makeContext: MakeToolContext;
  readonly clock: Clock;
  readonly log: Log;
}

export interface ExecuteOptions {
  readonly signal: AbortSignal;
  readonly turn: number;
  /** Names of the offered tools; undefined = the person calls, who may call any. */
  readonly offered: readonly string[] | undefined;
  readonly userTask?: string;
  readonly contextTokens?: number;
  /** A call began or stopped waiting for the person. */
  readonly onWaiting: () => void;
}

interface Planned { readonly id: string; readonly name: string; readonly args: Readonly<Record<string, unknown>> | undefined; readonly call: ToolCall }
interface Ended { readonly call: ToolCall; readonly state: ToolCallState; readonly text: string; readonly repairs: readonly string[]; readonly savedTo: string | null }

const STATES = { ok: 'done', error: 'error', blocked: 'blocked', cancelled: 'cancelled' } as const satisfies Record<CallOutcome['status'], ToolCallState>;

/** A refused command is an error for the model (`{"status":"blocked", "error": …}`, hermes-runtime 5.3); for a person it is something else. */
function stateOf(outcome: CallOutcome): ToolCallState {
  if (outcome.status !== 'error') return STATES[outcome.status];
  const parsed = parseObject(outcome.fullText);
  return parsed.kind === 'object' && parsed.value['status'] === 'blocked' ? 'blocked' : 'error';
}

function textOf(result: string | MultimodalResult): string {
  return typeof result === 'string' ? result : result.text_summary ?? JSON.stringify(result.content);
}

function refused(call: ToolCall, state: ToolCallState, message: string): Ended {
  return { call, state, text: JSON.stringify({ error: message }), repairs: [], savedTo: null };
}

/** Never rejects for what a tool does. After `signal` aborts, calls that have not started are answered as not run. */
export async function executeCalls(chat: Chat, calls: readonly ToolCall[], parts: ExecuteParts, options: ExecuteOptions): Promise<void> {
  const { signal } = options;
  const contextOf = (call: ToolCall, own = signal): ToolContext => parts.makeContext({
    sessionId: chat.id, callId: call.id, signal: own, emit: (event) => show(chat, call.id, event, options, parts.clock),
    ...(options.offered === undefined ? {} : { enabledTools: options.offered }),
    ...(options.userTask === undefined ? {} : { userTask: options.userTask }),
  });
  const callOptions = { turnId: `${chat.id}:${options.turn}`, ...(options.contextTokens === undefined ? {} : { contextTokens: options.contextTokens }) };

  async function execute({ call }: Planned): Promise<Ended> {
    const parsed = parseObject(call.arguments);
    if (parsed.kind === 'malformed') {
      return refused(call, 'error', `The arguments of ${call.name} are not valid JSON: ${parsed.message}. Nothing was run. Call it again with one complete JSON object.`);
    }
    chat.changeCall(call.id, { state: 'running', startedAt: parts.clock.now() });
    const own = chat.stops.begin(call.id, signal);
    const outcome = await parts.calls.callTool(call.name, parsed.value, contextOf(call, own), callOptions).finally(() => { chat.stops.end(call.id); });
    return { call, state: stateOf(outcome), text: textOf(outcome.result), repairs: outcome.repairs, savedTo: outcome.savedTo };
  }

  /** A result is stored as soon as it is there: a crash during a slower neighbour loses nothing. */
  async function executeAndKeep(planned: Planned): Promise<Ended> {
    let ended: Ended;
    try {
      ended = await execute(planned);
    } catch (error) {
      parts.log.error('a tool call failed outside its tool', { callId: planned.id, tool: planned.name, error });
      ended = refused(planned.call, 'error', `The app failed while it ran ${planned.name}: ${error instanceof Error ? error.message : String(error)}`);
    }
    return keep(chat, ended);
  }

  const planned = calls.map((call): Planned => {
    const parsed = parseObject(call.arguments);
    return { id: call.id, name: call.name, args: parsed.kind === 'object' ? parsed.value : undefined, call };
  });
  const [first] = planned;
  if (!first) return;
  const segments = await parts.calls.planToolBatch(planned, contextOf(first.call));
  const ended = await parts.calls.runBatch(segments, executeAndKeep, ({ call }) => keep(chat, refused(call, 'cancelled', 'Not run: the user stopped the turn before this call started.')), signal);
  await boundTurn(chat, ended, parts.calls, contextOf(first.call), callOptions);
}

function keep(chat: Chat, ended: Ended): Ended {
  chat.endCall(ended.call.id, ended.state, ended.text, { repairs: [...ended.repairs] });
  return ended;
}

/** Results that are too much together are replaced by previews; the whole texts are on disk. */
async function boundTurn(chat: Chat, ended: readonly Ended[], calls: Pick<Calls, 'limitTurn'>, context: ToolContext, options: { readonly contextTokens?: number }): Promise<void> {
  const before = ended.map(({ call, text, savedTo }): TurnResult => ({ callId: call.id, name: call.name, text, savedTo }));
  const after = await calls.limitTurn(before, context, options);
  for (const [position, { callId, text }] of after.entries()) {
    const was = ended[position];
    if (was && was.text !== text) chat.endCall(CallId.parse(callId), was.state, text, { repairs: [...was.repairs] });
  }
}

/** Progress of a running call on its card. */
function show(chat: Chat, id: CallId, event: ToolProgress, options: Pick<ExecuteOptions, 'onWaiting'>, clock: Pick<Clock, 'now'>): void {
  switch (event.kind) {
    case 'terminal':
      chat.changeCall(id, { terminalId: TerminalId.parse(event.terminalId) });
      break;
    case 'approval':
      // The time a person took to answer is not the tool's.
      chat.changeCall(id, { approvalId: ApprovalId.parse(event.approvalId), ...(event.state === 'waiting' ? { state: 'waiting' } : { state: 'running', startedAt: clock.now() }) });
      options.onWaiting();
      break;
    case 'person':
      chat.changeCall(id, event.state === 'waiting' ? { state: 'waiting' } : { state: 'running', startedAt: clock.now() });
      options.onWaiting();
      break;
    case 'exit-code':
      chat.changeCall(id, { exitCode: event.exitCode });
      break;
    case 'output':
      chat.stream.output(id, event.tail);
      break;
    case 'todos':
      chat.stream.publish({ type: 'todos-changed', todos: event.todos.map(({ id: todo, content, status }) => ({ id: todo, content, status })) });
      break;
  }
}
