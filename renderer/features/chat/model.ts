/**
 * One open chat: a snapshot from the host plus every event after it. Pure transitions; the same object back when nothing changed.
 * `seq` decides: an event that is not newer is already in the snapshot, one that skips a number means something was missed.
 */
import type { CallId, ChatEvent, ErrorShape, Message, MessageId, OpenedSession, Question, Session, SessionId, TodoItem, ToolCall } from '../../../preload/contract/index.ts';

type TurnEnd = Extract<ChatEvent, { type: 'turn-ended' }>['reason'];

export interface Chat {
  readonly sessionId: SessionId;
  readonly phase: 'opening' | 'open' | 'failed';
  readonly problem: ErrorShape | undefined;
  readonly session: Session | undefined;
  readonly messages: ReadonlyMap<MessageId, Message>;
  /** What stands in the transcript, oldest first. */
  readonly order: readonly MessageId[];
  /** Typed while the agent works, not sent yet. */
  readonly queue: readonly MessageId[];
  /** Which of them go before the agent's next step. Only the window that said so knows; the host keeps it to itself. */
  readonly steered: ReadonlySet<MessageId>;
  /** Last lines of running calls. */
  readonly outputs: ReadonlyMap<CallId, string>;
  readonly questions: readonly Question[];
  readonly todos: readonly TodoItem[];
  /** A turn runs: what is sent now waits for its end. */
  readonly running: boolean;
  /** True when older messages exist on the host. */
  readonly more: boolean;
  readonly seq: number;
  /** How the last turn ended, as far as this window saw it. */
  readonly lastEnd: TurnEnd | undefined;
}

export function openingChat(sessionId: SessionId): Chat {
  return {
    sessionId, phase: 'opening', problem: undefined, session: undefined, messages: new Map(), order: [], queue: [],
    steered: new Set(), outputs: new Map(), questions: [], todos: [], running: false, more: false, seq: 0, lastEnd: undefined,
  };
}

/** The snapshot replaces all that was known; outputs of calls that still run are kept, because snapshots do not carry them. */
export function withSnapshot(chat: Chat, opened: OpenedSession): Chat {
  const messages = new Map(opened.messages.map((message) => [message.id, message]));
  const running = new Set(opened.messages.flatMap((message) => message.calls).filter(isLive).map((call) => call.id));
  return {
    ...chat, ...arranged(messages), phase: 'open', problem: undefined, session: opened.session,
    outputs: new Map([...chat.outputs].filter(([id]) => running.has(id))),
    questions: opened.questions, todos: opened.todos, running: opened.running, more: opened.more, seq: opened.seq,
  };
}

export function withProblem(chat: Chat, problem: ErrorShape): Chat {
  return { ...chat, phase: chat.phase === 'open' ? 'open' : 'failed', problem };
}

export function withSession(chat: Chat, session: Session): Chat {
  return session.id === chat.sessionId ? { ...chat, session } : chat;
}

export function withSteered(chat: Chat, id: MessageId): Chat {
  return { ...chat, steered: new Set(chat.steered).add(id) };
}

/** Older messages put before what is there. What is already known is newer and stays. */
export function withOlder(chat: Chat, older: readonly Message[], more: boolean): Chat {
  const messages = new Map(older.map((message) => [message.id, message]));
  for (const [id, message] of chat.messages) messages.set(id, message);
  return { ...chat, ...arranged(messages), more };
}

export interface Applied {
  readonly chat: Chat;
  /** True when a number was skipped: open the chat again. Nothing after the gap was applied. */
  readonly gap: boolean;
}

export function applyEvents(chat: Chat, events: readonly ChatEvent[]): Applied {
  const draft = new Draft(chat);
  for (const event of events) {
    if (event.sessionId !== chat.sessionId || event.seq <= draft.seq) continue;
    if (event.seq > draft.seq + 1) return { chat: draft.finish(), gap: true };
    draft.seq = event.seq;
    draft.apply(event);
  }
  return { chat: draft.finish(), gap: false };
}

/** One batch of events: each map is copied at most once, however many events touch it. */
class Draft {
  seq: number;
  readonly #chat: Chat;
  #messages: Map<MessageId, Message> | undefined;
  #outputs: Map<CallId, string> | undefined;
  #rest: Partial<Pick<Chat, 'questions' | 'todos' | 'running' | 'lastEnd'>> = {};
  #rearrange = false;

  constructor(chat: Chat) {
    this.#chat = chat;
    this.seq = chat.seq;
  }

  apply(event: ChatEvent): void {
    switch (event.type) {
      case 'message-added':
      case 'message-changed': {
        const before = this.#message(event.message.id);
        this.#put(event.message);
        this.#rearrange ||= before === undefined || before.seq !== event.message.seq || before.state !== event.message.state;
        return;
      }
      case 'message-removed':
        this.#rearrange = true;
        this.#editMessages().delete(event.messageId);
        return;
      case 'text-delta':
        this.#change(event.messageId, (message) => ({ ...message, text: message.text + event.text }));
        return;
      case 'reasoning-delta':
        this.#change(event.messageId, (message) => ({ ...message, reasoning: message.reasoning + event.text }));
        return;
      case 'call-changed':
        this.#change(event.call.messageId, (message) => ({ ...message, calls: withCall(message.calls, event.call) }));
        if (!isLive(event.call)) this.#editOutputs().delete(event.call.id);
        return;
      case 'call-output':
        this.#editOutputs().set(event.callId, event.tail);
        return;
      case 'question-asked':
        this.#rest = { ...this.#rest, questions: [...this.#questions().filter((question) => question.callId !== event.question.callId), event.question] };
        return;
      case 'question-settled':
        this.#rest = { ...this.#rest, questions: this.#questions().filter((question) => question.callId !== event.callId) };
        return;
      case 'todos-changed':
        this.#rest = { ...this.#rest, todos: event.todos };
        return;
      case 'turn-started':
        this.#rest = { ...this.#rest, running: true };
        return;
      case 'turn-ended':
        this.#rest = { ...this.#rest, running: false, lastEnd: event.reason };
        return;
      default:
        return unreachable(event);
    }
  }

  finish(): Chat {
    if (this.seq === this.#chat.seq) return this.#chat;
    const messages = this.#messages ?? this.#chat.messages;
    return {
      ...this.#chat, ...(this.#rearrange ? arranged(messages) : { messages }), ...this.#rest,
      outputs: this.#outputs ?? this.#chat.outputs, seq: this.seq,
    };
  }

  #message(id: MessageId): Message | undefined {
    return (this.#messages ?? this.#chat.messages).get(id);
  }

  #questions(): readonly Question[] {
    return this.#rest.questions ?? this.#chat.questions;
  }

  #editMessages(): Map<MessageId, Message> {
    return (this.#messages ??= new Map(this.#chat.messages));
  }

  #editOutputs(): Map<CallId, string> {
    return (this.#outputs ??= new Map(this.#chat.outputs));
  }

  #put(message: Message): void {
    this.#editMessages().set(message.id, message);
  }

  /** A message that this window has not loaded is left alone: loading it brings its final text. */
  #change(id: MessageId, change: (message: Message) => Message): void {
    const message = this.#message(id);
    if (message !== undefined) this.#put(change(message));
  }
}

/** True while a call may still print. */
export function isLive(call: ToolCall): boolean {
  return call.state === 'pending' || call.state === 'waiting' || call.state === 'running';
}

/** Texts of the person's messages, the latest first, each once: what ↑ walks through. */
export function sentTexts(chat: Chat): readonly string[] {
  const texts = chat.order.flatMap((id) => {
    const message = chat.messages.get(id);
    return message?.role === 'user' ? [message.text] : [];
  });
  return [...new Set(texts.reverse())];
}

/** The call a question, an approval or a link speaks of, if its message is loaded. */
export function findCall(chat: Chat, callId: CallId): { readonly message: Message; readonly call: ToolCall } | undefined {
  for (const message of chat.messages.values()) {
    const call = message.calls.find((candidate) => candidate.id === callId);
    if (call !== undefined) return { message, call };
  }
  return undefined;
}

function withCall(calls: readonly ToolCall[], call: ToolCall): ToolCall[] {
  return calls.some((known) => known.id === call.id) ? calls.map((known) => (known.id === call.id ? call : known)) : [...calls, call];
}

function arranged(messages: ReadonlyMap<MessageId, Message>): Pick<Chat, 'messages' | 'order' | 'queue'> {
  const sorted = [...messages.values()].sort((left, right) => left.seq - right.seq);
  return {
    messages,
    order: sorted.filter((message) => message.state !== 'queued').map((message) => message.id),
    queue: sorted.filter((message) => message.state === 'queued').map((message) => message.id),
  };
}

function unreachable(event: never): never {
  throw new Error(`the chat cannot apply ${JSON.stringify(event)}`);
}
