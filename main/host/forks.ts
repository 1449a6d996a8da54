/** Forks: a new chat that begins with the history of another one. All of it comes to be in one transaction, or nothing does. */
import { AppError } from '../../preload/contract/errors.ts';
import type { MessageId, SessionId } from '../../preload/contract/ids.ts';
import type { Message, Session } from '../../preload/contract/sessions.ts';
import type { Agent } from '../agent/agent.ts';
import { parseObject, parseTyped } from '../agent/commands.ts';
import type { Clock, EventBus, Ids, Storage, TodoStore } from '../ports.ts';
import type { ChatBackends } from './chat-backends.ts';
import type { Sandboxes } from './sandboxes.ts';
import type { Sessions } from './sessions.ts';
import { todosIn } from './todos.ts';

/** Longest title of a chat. */
const TITLE_CHARS = 100;
const FORK_TITLE = /^Fork(?: \d+)? of /;
/** The last message that was sent lies among these: queued ones are behind it. */
const LAST_MESSAGES = 300;
/** The rest of the copies is made searchable a little at a time, with pauses in which everything else has its turn. */
const INDEX_PAUSE_MS = 20;

export interface ForkParts {
  readonly agent: Pick<Agent, 'retry'>;
  readonly backends: Pick<ChatBackends, 'carry'>;
  readonly clock: Clock;
  readonly events: Pick<EventBus, 'publish'>;
  readonly ids: Pick<Ids, 'session' | 'message'>;
  readonly sandboxes: Pick<Sandboxes, 'carry'>;
  readonly sessions: Pick<Sessions, 'existing'>;
  readonly storage: Storage;
  readonly todos: TodoStore;
}

export interface ForkWish {
  readonly sessionId: SessionId;
  /** The last message that is copied; all that was sent when it is left out. */
  readonly messageId?: MessageId | undefined;
  /** Said instead of that message, which is then not copied. */
  readonly text?: string | undefined;
}

export interface Forks {
  /** Throws `not-found`, `session/deleted`, `session/busy`, `request/not-possible`, `request/invalid`; then nothing was made. */
  fork(wish: ForkWish): Session;
  /** Makes copies searchable, those of an earlier run too. Returns how to stop. */
  follow(): () => void;
}

export function createForks(parts: ForkParts): Forks {
  const { storage } = parts;
  let stopIndexing: (() => void) | undefined;

  function indexLater(): void {
    stopIndexing?.();
    stopIndexing = parts.clock.after(INDEX_PAUSE_MS, () => {
      if (storage.copies.index()) indexLater();
    });
  }

  function pointOf({ sessionId, messageId, text }: ForkWish): Message {
    if (messageId === undefined) {
      const last = storage.messages.page(sessionId, { limit: LAST_MESSAGES }).messages.findLast(({ state }) => state !== 'queued');
      if (last === undefined) throw new AppError('request/not-possible', 'There is nothing in this chat yet.', { hint: 'Begin a new chat instead.' });
      return last;
    }
    const message = storage.messages.get(messageId);
    if (message === undefined || message.sessionId !== sessionId) throw new AppError('not-found', 'There is no such message in this chat.');
    if (message.state === 'queued') throw new AppError('request/not-possible', 'That message has not been sent yet.', { hint: 'Take it back to change it.' });
    if (text !== undefined && message.role !== 'user') throw new AppError('request/not-possible', 'Only what you said yourself can be said in other words.');
    return message;
  }

  /** `from` up to `through` in a new chat, with the notice that says so behind it. */
  function copy(source: Session, through: number): Session {
    const to = parts.ids.session();
    const now = parts.clock.now();
    const from = source.id;
    const taken = new Set(storage.sessions.list().map(({ title }) => title));
    storage.sessions.insert({
      ...source, id: to, title: forkTitle(source.title, taken), titled: true, origin: source.origin === 'cli' ? 'cli' : 'user', status: 'idle', backend: parts.backends.carry(from, to),
      createdAt: now, updatedAt: now, messageCount: 0, waiting: 0, usage: { promptTokens: 0, completionTokens: 0, requests: 0 },
    });
    storage.copies.make({ from, to, through });
    parts.sandboxes.carry(from, to);
    carryPlan(from, to, through);
    const whole = storage.messages.page(from, { limit: LAST_MESSAGES }).messages.every(({ state, seq }) => state === 'queued' || seq <= through);
    // What the model was told at the start stays the same; what was left out to fit its window does only where nothing is cut off.
    for (const kept of whole ? ['memory-snapshot', 'trim'] : ['memory-snapshot']) storage.values.set(`${kept}:${to}`, storage.values.get(`${kept}:${from}`));
    const text = `This chat is a fork of “${source.title}”. Terminals and processes that were started above this line belong to that chat. Files were not put back: they are as they are now.`;
    const notice = { code: 'notice/fork', message: text };
    storage.messages.insert({ id: parts.ids.message(), sessionId: to, turn: storage.messages.lastTurn(to), role: 'notice', text, reasoning: '', state: 'complete', error: notice, model: null, createdAt: now, endedAt: now });
    return storage.sessions.update(to, {});
  }

  /** The plan as it was at that point. */
  function carryPlan(from: SessionId, to: SessionId, through: number): void {
    const then = storage.copies.lastAnswer(from, 'todo', through);
    const now = storage.copies.lastAnswer(from, 'todo', Number.MAX_SAFE_INTEGER);
    parts.todos.write(to, then?.callId === now?.callId ? parts.todos.read(from) : then === undefined ? [] : todosIn(parseObject(then.text)));
  }

  return {
    fork(wish) {
      const { sessionId, text } = wish;
      if (text !== undefined) {
        if (text.trim() === '') throw new AppError('request/invalid', 'The message is empty.');
        parseTyped(text);
      }
      const made = storage.transaction(() => {
        const source = parts.sessions.existing(sessionId);
        const point = pointOf(wish);
        const through = text === undefined ? point.seq : point.seq - 1;
        refuseUnfinished(storage.copies.unfinished(sessionId, through));
        const session = copy(source, through);
        if (text === undefined) return session;
        const now = parts.clock.now();
        storage.messages.insert({ id: parts.ids.message(), sessionId: session.id, turn: storage.messages.lastTurn(session.id) + 1, role: 'user', text, reasoning: '', state: 'complete', error: null, model: null, createdAt: now, endedAt: now, ...(point.attachments === undefined ? {} : { attachments: point.attachments }) });
        return storage.sessions.update(session.id, {});
      });
      parts.events.publish('sessions', { type: 'changed', session: made });
      indexLater();
      if (text !== undefined) parts.agent.retry(made.id);
      return made;
    },
    follow() {
      indexLater();
      return () => { stopIndexing?.(); };
    },
  };
}

function refuseUnfinished(unfinished: ReturnType<Storage['copies']['unfinished']>): void {
  if (unfinished === undefined) return;
  const { state, tool } = unfinished;
  const what = tool === null ? 'A reply that would be copied is still being written.'
    : state === 'waiting' ? `A call that would be copied (${tool}) waits for your answer.` : `A call that would be copied (${tool}) has not ended yet.`;
  throw new AppError('session/busy', what, { hint: state === 'waiting' ? 'Answer it first, or fork from an earlier message.' : 'Wait for its end or stop it, or fork from an earlier message.' });
}

/** `Fork of X`, `Fork 2 of X`: no two chats of one name. */
function forkTitle(title: string, taken: ReadonlySet<string>): string {
  const base = title.replace(FORK_TITLE, '');
  for (let number = 1; ; number += 1) {
    const name = `Fork${number === 1 ? '' : ` ${number}`} of ${base}`.slice(0, TITLE_CHARS);
    if (!taken.has(name)) return name;
  }
}
