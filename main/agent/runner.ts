/**
 * What happens in one chat, one thing at a time: the person's messages in order, their own commands, notices of background
 * processes. Send, queue, steer, stop and retry are different verbs and do different things.
 */
import type { MessageId, SessionId } from '../../preload/contract/ids.ts';
import type { Message, Question } from '../../preload/contract/sessions.ts';
import { AppError } from '../../preload/contract/errors.ts';
import type { ModelClient } from '../models/types.ts';
import { Chat } from './chat.ts';
import { isCommand, parseTyped } from './commands.ts';
import { failureShape, stoppedText } from './endings.ts';
import { isAboutEnding } from './notices.ts';
import { runTurn, type TurnEnd } from './loop.ts';
import { bringNamedSkills } from './named-skills.ts';
import { personsCommand } from './persons-command.ts';
import { claim, isOwnedElsewhere, release } from './owner.ts';
import type { AgentParts } from './parts.ts';
import { CLOSING, type LiveReply } from './reply.ts';
import type { SendOptions } from './send-options.ts';
import { titleOf } from './title.ts';

/** One thing to do. `notice` and `continue` ask the model without a new message of the person. */
type Job =
  | { readonly kind: 'message'; readonly id: MessageId; readonly client?: ModelClient }
  | { readonly kind: 'continue'; readonly turn: number }
  | { readonly kind: 'work'; readonly turn: number; readonly work: (signal: AbortSignal) => Promise<TurnEnd> };

/** Queued messages and the last turn lie at the end of a chat. */
const LAST_MESSAGES = 300;

export class ChatRunner {
  readonly chat: Chat;
  readonly #parts: AgentParts;
  /** Ids of queued messages, in order; those that steer go first into the running turn. */
  #queue: { readonly id: MessageId; readonly steer: boolean }[] = [];
  #jobs: Job[] = [];
  #running: { readonly controller: AbortController; readonly done: Promise<void> } | undefined;
  #live: LiveReply | undefined;
  /** After a stop, nothing starts by itself: a queued message must not fire by surprise. */
  #paused = false;
  #closing = false;

  constructor(id: SessionId, parts: AgentParts) {
    this.#parts = parts;
    this.chat = new Chat(id, parts);
    const { messages } = parts.storage.messages.page(id, { limit: LAST_MESSAGES });
    this.#queue = messages.filter((message) => message.state === 'queued').map((message) => ({ id: message.id, steer: false }));
    this.#paused = this.#queue.length > 0;
  }

  get running(): boolean {
    return this.#running !== undefined;
  }

  /** The reply that streams now, with what screens already know of it. */
  live(): LiveReply | undefined {
    this.chat.stream.flush();
    return this.#live;
  }

  setLive(live: LiveReply | undefined): void {
    this.#live = live;
  }

  /** Starts a turn, or queues the text while one runs. Throws `request/invalid` for a command that cannot be read. */
  send(text: string, options: SendOptions = {}): Message {
    const along = options.attachments === undefined ? {} : { attachments: options.attachments };
    parseTyped(text);
    this.chat.session();
    this.#checkOwner();
    if (this.#running) {
      const queued = this.chat.addMessage({ role: 'user', text, state: 'queued', turn: this.#nextTurn() - 1, ...along });
      this.#queue.push({ id: queued.id, steer: options.steer === true && !isCommand(text) });
      return queued;
    }
    const message = this.chat.addMessage({ role: 'user', text, state: 'complete', turn: this.#nextTurn(), ...along });
    this.#paused = false;
    this.#jobs.push({ kind: 'message', id: message.id, ...(options.client === undefined ? {} : { client: options.client }) });
    this.#pump();
    return message;
  }

  /** Two processes in one chat would answer each other's calls. */
  #checkOwner(): void {
    if (isOwnedElsewhere(this.#parts.storage.values, this.chat.id)) {
      throw new AppError('session/busy', 'Another Talaria process works in this chat right now.', { hint: 'Wait until it is done, or use another chat.' });
    }
  }

  /** Throws `not-found` when that message does not wait (any more). */
  unqueue(id: MessageId): void {
    const at = this.#queue.findIndex((queued) => queued.id === id);
    if (at < 0) throw new AppError('not-found', 'That message is not waiting any more.', { hint: 'It was already sent.' });
    this.#queue.splice(at, 1);
    this.chat.removeMessage(id);
  }

  /** Aborts the model request and the running command. Resolves when the turn has ended. */
  async stop(): Promise<void> {
    const running = this.#running;
    if (!running) return;
    this.#paused = true;
    this.#jobs = this.#jobs.filter((job) => job.kind === 'work');
    this.chat.setStatus('stopping');
    running.controller.abort();
    await this.#parts.terminals.stopForeground(this.chat.id);
    await running.done;
  }

  /**
   * For the end of the host: like a stop, but the chat is not told that a person stopped it, and a command that waits for an
   * approval goes on waiting: it can be answered after the next start.
   */
  async close(): Promise<void> {
    const running = this.#running;
    if (!running) return;
    this.#closing = true;
    this.#jobs = [];
    const waits = (this.#parts.storage.sessions.get(this.chat.id)?.waiting ?? 0) > 0;
    if (waits) return;
    running.controller.abort(CLOSING);
    await running.done;
  }

  /** Answers the last user message again. Throws `session/busy` while a turn runs, `request/not-possible` without a message. */
  retry(): void {
    if (this.#running) throw new AppError('session/busy', 'The agent is still working in this chat.', { hint: 'Stop it first.' });
    this.#checkOwner();
    const { messages } = this.#parts.storage.messages.page(this.chat.id, { limit: LAST_MESSAGES });
    const last = messages.findLast((message) => message.role === 'user' && message.state !== 'queued');
    if (!last) throw new AppError('request/not-possible', 'There is no message to answer again in this chat.');
    for (const message of messages.filter((other) => other.seq > last.seq).toReversed()) {
      if (message.role === 'assistant' && message.calls.length > 0) break;
      if (message.role === 'assistant' || isAboutEnding(message)) this.chat.removeMessage(message.id);
    }
    this.#paused = false;
    this.#jobs.push(isCommand(last.text) ? { kind: 'message', id: last.id } : { kind: 'continue', turn: last.turn });
    this.#pump();
  }

  /** Runs `work` as a turn of its own, after what runs now. */
  enqueueWork(turn: number, work: (signal: AbortSignal) => Promise<TurnEnd>): void {
    this.#jobs.push({ kind: 'work', turn, work });
    this.#pump();
  }

  /** A question of the model was asked in this chat, or is not open any more. */
  questionChanged(question: Question, open: boolean): void {
    // A call from outside of a turn is not kept, and one may have ended before its question was answered.
    const state = question.sessionId === this.chat.id ? this.#parts.storage.calls.get(question.callId)?.state : undefined;
    if (state === 'running' || state === 'waiting') this.chat.changeCall(question.callId, { state: open ? 'waiting' : 'running' });
    this.chat.stream.publish(open ? { type: 'question-asked', question } : { type: 'question-settled', callId: question.callId });
    this.refreshStatus();
  }

  /** Background processes of this chat have something to say. */
  noticesArrived(): void {
    if (!this.#running) this.#pump();
  }

  /** Resolves when nothing runs. */
  async idle(): Promise<void> {
    while (this.#running) await this.#running.done;
  }

  #nextTurn(): number {
    return this.#parts.storage.messages.lastTurn(this.chat.id) + 1;
  }

  #pump(): void {
    if (this.#running || this.#closing) return;
    const job = this.#nextJob();
    if (!job) {
      this.refreshStatus();
      release(this.#parts.storage.values, this.chat.id);
      return;
    }
    const controller = new AbortController();
    const done = this.#run(job, controller.signal).finally(() => {
      this.#running = undefined;
      this.#pump();
    });
    this.#running = { controller, done };
    claim(this.#parts.storage.values, this.chat.id);
    this.refreshStatus();
  }

  #nextJob(): Job | undefined {
    const job = this.#jobs.shift();
    if (job) return job;
    if (this.#paused) {
      this.#tellNotices();
      return undefined;
    }
    const queued = this.#queue.shift();
    if (queued) return { kind: 'message', id: this.#moveToEnd(queued.id, this.#nextTurn()).id };
    const turn = this.#tellNotices();
    return turn === undefined ? undefined : { kind: 'continue', turn };
  }

  /** A queued message gets its place in the chat when its time comes, not when it was typed. */
  #moveToEnd(id: MessageId, turn: number): Message {
    const queued = this.#parts.storage.messages.get(id);
    if (!queued) throw new AppError('not-found', 'The queued message is gone.');
    this.chat.removeMessage(id);
    return this.chat.addMessage({ id, role: 'user', text: queued.text, state: 'complete', turn, ...(queued.attachments === undefined ? {} : { attachments: queued.attachments }) });
  }

  /** Puts waiting notices of background processes into the chat; the turn they start, undefined when there were none. */
  #tellNotices(): number | undefined {
    const session = this.#parts.storage.sessions.get(this.chat.id);
    if (!session || session.deletedAt !== null) return undefined;
    const notices = this.#parts.terminals.drainNotices(this.chat.id);
    if (notices.length === 0) return undefined;
    const turn = this.#nextTurn();
    for (const notice of notices) this.chat.addNotice('notice/process', notice, turn);
    return turn;
  }

  async #run(job: Job, signal: AbortSignal): Promise<void> {
    let end: TurnEnd;
    let turn = 0;
    this.chat.stream.publish({ type: 'turn-started' });
    try {
      turn = job.kind === 'message' ? this.#parts.storage.messages.get(job.id)?.turn ?? 0 : job.turn;
      /** Now, not at the end: a chat that waits for an approval must be told from the others that wait. */
      this.#giveTitle();
      end = await this.#work(job, turn, signal);
    } catch (error) {
      this.#parts.log.error('a turn failed', { sessionId: this.chat.id, error });
      end = 'error';
      this.#tellFailure(error, turn);
    }
    if (this.#closing) return;
    if (end === 'stopped' || signal.aborted) {
      end = 'stopped';
      this.#paused = true;
      this.#tellStopped(turn);
    }
    if (end === 'error') this.#paused = true;
    this.#giveTitle();
    this.chat.stream.publish({ type: 'turn-ended', reason: end });
  }

  async #work(job: Job, turn: number, signal: AbortSignal): Promise<TurnEnd> {
    if (job.kind === 'work') return job.work(signal);
    if (job.kind === 'message') {
      const text = this.#parts.storage.messages.get(job.id)?.text ?? '';
      const command = personsCommand(text, this.#parts);
      if (command !== undefined) return command(this.chat, { turn, signal, onWaiting: () => this.refreshStatus() });
    }
    await bringNamedSkills(this.chat, turn, this.#parts);
    return runTurn(this.chat, this.#parts, {
      turn, signal,
      ...(job.kind === 'message' && job.client !== undefined ? { client: job.client } : {}),
      onLive: (live) => this.setLive(live),
      onWaiting: () => this.refreshStatus(),
      takeSteering: () => this.#takeSteering(turn),
    });
  }

  async #takeSteering(turn: number): Promise<boolean> {
    const steering = this.#queue.filter((queued) => queued.steer);
    this.#queue = this.#queue.filter((queued) => !queued.steer);
    for (const { id } of steering) this.#moveToEnd(id, turn);
    if (steering.length > 0) await bringNamedSkills(this.chat, turn, this.#parts);
    return steering.length > 0;
  }

  #tellFailure(error: unknown, turn: number): void {
    const shape = failureShape(error);
    try {
      this.chat.addMessage({ role: 'notice', text: shape.message, state: 'error', turn, error: shape });
    } catch (failure) {
      this.#parts.log.error('a failure could not be shown in its chat', { sessionId: this.chat.id, error: failure });
    }
  }

  #tellStopped(turn: number): void {
    const own = this.#parts.terminals.list().filter((terminal) => terminal.sessionId === this.chat.id);
    this.chat.addNotice('notice/stopped', stoppedText(own, this.#queue.length), turn);
  }

  #giveTitle(): void {
    const session = this.#parts.storage.sessions.get(this.chat.id);
    if (!session || session.titled) return;
    const { messages } = this.#parts.storage.messages.page(this.chat.id, { limit: 1_000 });
    const first = messages.find((message) => message.role === 'user' && message.state !== 'queued');
    if (first) this.chat.updateSession({ title: titleOf(first.text.trim() === '' ? first.attachments?.map(({ name }) => name).join(', ') ?? '' : first.text), titled: true });
  }

  /** What the chat list shows: waiting for the person beats running. */
  refreshStatus(): void {
    const session = this.#parts.storage.sessions.get(this.chat.id);
    if (!session || (session.status === 'stopping' && this.#running)) return;
    const waits = session.waiting > 0 || this.#parts.questions.list(this.chat.id).length > 0;
    this.chat.setStatus(waits ? 'waiting' : this.#running ? 'running' : 'idle');
  }
}
