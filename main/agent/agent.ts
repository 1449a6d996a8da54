/** The agent's front door: one runner per chat, made when first needed. */
import { AppError } from '../../preload/contract/errors.ts';
import type { CallId, MessageId, SessionId } from '../../preload/contract/ids.ts';
import type { FormReply } from '../../preload/contract/mcp.ts';
import type { Message, Question } from '../../preload/contract/sessions.ts';
import { Elsewhere } from './elsewhere.ts';
import type { TurnEnd } from './loop.ts';
import type { AgentParts } from './parts.ts';
import { ChatRunner } from './runner.ts';
import type { SendOptions } from './send-options.ts';

export interface Agent {
  /** Throws `not-found`, `session/deleted`, `request/invalid`. */
  send(sessionId: SessionId, text: string, options?: SendOptions): Message;
  unqueue(sessionId: SessionId, messageId: MessageId): void;
  /** Resolves when the turn has ended. Nothing happens when none runs. */
  stop(sessionId: SessionId): Promise<void>;
  /** Stops one running call. Throws `request/not-possible` when it does not run (any more). */
  stopCall(sessionId: SessionId, callId: CallId): void;
  retry(sessionId: SessionId): void;
  answer(callId: CallId, answer: string, reply?: FormReply): void;
  questions(sessionId: SessionId): Question[];
  isRunning(sessionId: SessionId): boolean;
  /** Resolves when nothing runs in that chat. */
  idle(sessionId: SessionId): Promise<void>;
  /** Messages as screens should draw them now (a reply that streams included) and the number of the last event in them. */
  overlay(sessionId: SessionId, messages: readonly Message[]): { readonly messages: Message[]; readonly seq: number };
  /** A screen opened this chat and knows these messages: when another process works in it, the screen is kept in step. */
  opened(sessionId: SessionId, messages: readonly Message[]): void;
  /** Runs `work` in the chat as a turn, after what runs now. */
  work(sessionId: SessionId, turn: number, work: (signal: AbortSignal, runner: ChatRunner) => Promise<TurnEnd>): void;
  /** Runner of a chat, for its event stream and its status. */
  runner(sessionId: SessionId): ChatRunner;
  /** Ends every turn for the end of the host; what was decided stays stored, and what waits for an approval can be answered after the next start. */
  close(): Promise<void>;
}

export function createAgent(parts: AgentParts): Agent {
  const runners = new Map<SessionId, ChatRunner>();
  let closed = false;

  function runner(sessionId: SessionId): ChatRunner {
    const known = runners.get(sessionId);
    if (known) return known;
    const made = new ChatRunner(sessionId, parts);
    made.chat.session();
    runners.set(sessionId, made);
    return made;
  }

  const offNotice = parts.terminals.onNotice((sessionId) => {
    if (closed) return;
    const session = parts.storage.sessions.get(sessionId);
    if (session && session.deletedAt === null) runner(sessionId).noticesArrived();
  });

  const isRunning = (sessionId: SessionId): boolean => runners.get(sessionId)?.running ?? false;
  const elsewhere = new Elsewhere(parts, { isRunning, runner });

  return {
    runner,
    opened: (sessionId, messages) => elsewhere.opened(sessionId, messages),
    send: (sessionId, text, options) => runner(sessionId).send(text, options),
    unqueue: (sessionId, messageId) => runner(sessionId).unqueue(messageId),
    stop: async (sessionId) => { await runners.get(sessionId)?.stop(); },
    stopCall(sessionId, callId) {
      if (runners.get(sessionId)?.chat.stops.stop(callId) !== true) throw new AppError('request/not-possible', 'This call does not run any more.');
    },
    retry: (sessionId) => runner(sessionId).retry(),
    answer: (callId, answer, reply) => parts.questions.answer(callId, answer, reply),
    questions: (sessionId) => parts.questions.list(sessionId),
    isRunning,
    idle: async (sessionId) => { await runners.get(sessionId)?.idle(); },
    overlay(sessionId, messages) {
      const known = runners.get(sessionId);
      const live = known?.live();
      const drawn = messages.map((message) => (live?.messageId === message.id ? { ...message, text: live.text, reasoning: live.reasoning, calls: [...live.calls] } : message));
      return { messages: drawn, seq: known?.chat.stream.seq ?? 0 };
    },
    work: (sessionId, turn, work) => {
      const target = runner(sessionId);
      target.enqueueWork(turn, (signal) => work(signal, target));
    },
    async close() {
      closed = true;
      elsewhere.close();
      offNotice();
      await Promise.all([...runners.values()].map((each) => each.close()));
    },
  };
}
