/**
 * What a dead host left behind: chats that "run", replies that "stream", calls that "wait". Everything that was decided is
 * shown, nothing is invented, and an approval that was still open can be answered: then its command runs and the model is told.
 */
import type { ApprovalId, SessionId } from '../../preload/contract/ids.ts';
import type { ApprovalRequest } from '../../preload/contract/approvals.ts';
import type { ToolCall } from '../../preload/contract/sessions.ts';
import { AppError } from '../../preload/contract/errors.ts';
import type { ReviewOutcome, ReviewRequest } from '../../tools/context.ts';
import type { Approvals, Storage } from '../ports.ts';
import type { Agent } from './agent.ts';
import { executeCalls } from './execute.ts';
import { runTurn, type TurnEnd } from './loop.ts';
import { isOwnedElsewhere } from './owner.ts';
import type { AgentParts } from './parts.ts';
import type { ChatRunner } from './runner.ts';

/** A chat may have this many messages in its last turn that need mending. */
const LAST_MESSAGES = 300;

export interface RecoverOptions {
  /** The call behind it counts as waiting, though its request is settled. */
  readonly deciding?: ApprovalId;
  /** Chats that this very process works in now: they are alive. At the start there are none. */
  readonly isRunning?: (sessionId: SessionId) => boolean;
}

/** Mends the stored chats of dead hosts; returns which ones were. Synchronous and quick: it runs before the first screen asks anything. */
export function recoverChats(parts: Pick<AgentParts, 'storage' | 'clock' | 'ids'>, { deciding, isRunning = () => false }: RecoverOptions = {}): readonly SessionId[] {
  const { storage } = parts;
  const open = new Set(storage.approvals.open().map((request) => request.id));
  if (deciding !== undefined) open.add(deciding);
  const interrupted: SessionId[] = [];
  for (const session of [...storage.sessions.list(), ...storage.sessions.list({ deleted: true })]) {
    const waits = session.waiting > 0;
    if (session.status === 'idle' && !waits) continue;
    if (isRunning(session.id) || isOwnedElsewhere(storage.values, session.id)) continue;
    storage.transaction(() => recoverChat(session.id, session.status !== 'idle', parts, open));
    if (session.status !== 'idle') interrupted.push(session.id);
  }
  return interrupted;
}

function recoverChat(sessionId: SessionId, wasRunning: boolean, parts: Pick<AgentParts, 'storage' | 'clock' | 'ids'>, open: ReadonlySet<ApprovalId>): void {
  const { storage, clock, ids } = parts;
  const now = clock.now();
  const { messages } = storage.messages.page(sessionId, { limit: LAST_MESSAGES });
  let touched = false;
  let waits = false;
  for (const message of messages) {
    if (message.state === 'streaming') {
      storage.messages.update(message.id, { state: 'interrupted', endedAt: now, error: { code: 'notice/restart', message: 'The app was closed while this was written.', hint: 'Retry to let the model write it again.' } });
      touched = true;
    }
    for (const call of message.calls) {
      const became = recoverCall(call, storage, open, now);
      touched ||= became !== 'unchanged';
      waits ||= became === 'waits';
    }
  }
  storage.sessions.update(sessionId, { status: waits ? 'waiting' : 'idle' });
  if (!touched && !wasRunning) return;
  const text = waits
    ? 'The app was closed while the agent worked. A command still waits for your decision: it runs when you allow it.'
    : 'The app was closed while the agent worked. Calls that were running may or may not have finished.';
  // A chat that waits is no idle one, so each screen that opens it mends it again: told once is enough.
  const last = messages.at(-1);
  if (last?.error?.code === 'notice/restart' && last.text === text) return;
  storage.messages.insert({
    id: ids.message(), sessionId, turn: storage.messages.lastTurn(sessionId), role: 'notice', text, reasoning: '', state: 'complete',
    error: { code: 'notice/restart', message: text }, model: null, createdAt: now, endedAt: now,
  });
}

function recoverCall(call: ToolCall, storage: Storage, open: ReadonlySet<ApprovalId>, now: number): 'unchanged' | 'ended' | 'waits' {
  switch (call.state) {
    case 'waiting':
      if (call.approvalId !== null && open.has(call.approvalId)) return 'waits';
      return end(call, 'cancelled', 'Not run: the app was closed while this call waited for the user.', storage, now);
    case 'pending':
      return end(call, 'cancelled', 'Not run: the app was closed before this call started.', storage, now);
    case 'running':
      return end(call, 'unknown', 'The app was closed while this call ran. Whether it finished, and what it changed, is unknown. Check before doing it again.', storage, now);
    case 'done':
    case 'error':
    case 'blocked':
    case 'cancelled':
    case 'unknown':
      return 'unchanged';
  }
}

function end(call: ToolCall, state: ToolCall['state'], message: string, storage: Storage, now: number): 'ended' {
  const text = JSON.stringify({ error: message });
  storage.calls.update(call.id, { state, endedAt: now, fullResult: text, result: text, resultChars: text.length });
  return 'ended';
}

export type OrphanSource = Pick<Approvals, 'test' | 'recordExit'> & {
  /** Told of answers to requests whose waiting call died with its process, in exactly one living process. */
  onOrphanDecided(listener: (request: ApprovalRequest) => void): () => void;
};

/** Carries out late decisions. Call once; returns the function that stops listening. */
export function followOrphans(agent: Agent, approvals: OrphanSource, parts: AgentParts): () => void {
  return approvals.onOrphanDecided((request) => {
    // Its process may have died after this one started: then its chat is not mended yet.
    recoverChats(parts, { deciding: request.id, isRunning: (id) => agent.isRunning(id) });
    const call = request.callId === undefined ? undefined : parts.storage.calls.get(request.callId);
    const message = call && parts.storage.messages.get(call.messageId);
    const session = parts.storage.sessions.get(request.sessionId);
    if (!call || !message || !session || session.deletedAt !== null || call.state !== 'waiting') return;
    agent.work(call.sessionId, message.turn, (signal, runner) => carryOut(runner, call, request, approvals, parts, { signal, turn: message.turn }));
  });
}

async function carryOut(runner: ChatRunner, call: ToolCall, request: ApprovalRequest, approvals: Pick<Approvals, 'test' | 'recordExit'>, parts: AgentParts, place: { readonly signal: AbortSignal; readonly turn: number }): Promise<TurnEnd> {
  const { signal, turn } = place;
  const { chat } = runner;
  const onWaiting = (): void => runner.refreshStatus();
  if (request.state === 'approved') {
    const granted = grantedOnce(request, approvals);
    await executeCalls(chat, [call], { ...parts, makeContext: (wanted) => parts.makeContext({ ...wanted, approvals: granted }) }, { signal, turn, offered: undefined, onWaiting });
    chat.addNotice('notice/approval', `The user allowed a command that had waited since before the app was closed. It has run now; its result stands at its call (${call.name}).`, turn);
  } else {
    chat.endCall(call.id, request.state === 'cancelled' ? 'cancelled' : 'blocked', JSON.stringify({ output: '', exit_code: -1, error: refusalText(request), status: 'blocked' }));
    chat.addNotice('notice/approval', request.state === 'denied' ? 'The user refused a command that had waited since before the app was closed.' : 'A command that had waited since before the app was closed was not answered and has not run.', turn);
  }
  runner.refreshStatus();
  if (signal.aborted) return 'stopped';
  // Silence is not an invitation to go on: only a person's answer wakes the model.
  if (request.state !== 'approved' && request.state !== 'denied') return 'done';
  return goOn(runner, parts, place);
}

async function goOn(runner: ChatRunner, parts: AgentParts, { signal, turn }: { readonly signal: AbortSignal; readonly turn: number }): Promise<TurnEnd> {
  try {
    await parts.connect(runner.chat.session());
  } catch (error) {
    if (error instanceof AppError && error.code === 'model/none') return 'done';
    throw error;
  }
  return runTurn(runner.chat, parts, { turn, signal, onLive: (live) => runner.setLive(live), onWaiting: () => runner.refreshStatus(), takeSteering: () => false });
}

function refusalText(request: ApprovalRequest): string {
  const reason = request.denyReason === undefined || request.denyReason === '' ? '' : ` Reason: ${request.denyReason}`;
  return request.state === 'denied'
    ? `BLOCKED: the user denied this command.${reason} Do not retry it, do not rephrase it and do not reach the same effect another way.`
    : 'BLOCKED: nobody answered. Silence is not consent: do not retry, do not rephrase, and do not reach the same effect another way.';
}

/** The stored decision answers exactly the command it was given for, once; floors and deny rules are looked at anew. */
function grantedOnce(request: ApprovalRequest, approvals: Pick<Approvals, 'test' | 'recordExit'>): { review(asked: ReviewRequest): Promise<ReviewOutcome>; recordExit(id: string, exitCode: number | null): void } {
  let used = false;
  const command = request.editedCommand ?? request.command;
  return {
    review: (asked) => {
      const review = approvals.test(command, { backend: request.backend, sessionId: request.sessionId });
      if (used || asked.command !== request.command || review.verdict === 'block') {
        return Promise.resolve({ approved: false, message: 'BLOCKED: the decision that was given does not cover this command any more.', command: asked.command, outcome: 'blocked', approvalId: request.id });
      }
      used = true;
      return Promise.resolve({
        approved: true, message: null, command, approvalId: request.id, user_approved: true,
        ...(request.editedCommand === undefined ? {} : { edited: true }),
        note: `This command was flagged (${request.review.findings.map((finding) => finding.description).join('; ') || request.reason}) and approved by the user.`,
      });
    },
    recordExit: (id, exitCode) => approvals.recordExit(id, exitCode),
  };
}
