/** `sessions.*`: the list of chats and everything that changes one without talking to it. */
import { AppError } from '../../preload/contract/errors.ts';
import type { SessionId } from '../../preload/contract/ids.ts';
import type { Session } from '../../preload/contract/sessions.ts';
import type { Agent } from '../agent/agent.ts';
import type { Approvals, Clock, EventBus, Storage, TodoStore } from '../ports.ts';
import type { ChatBackends } from './chat-backends.ts';
import { exportChat } from './chat-export.ts';
import type { Forks } from './forks.ts';
import type { AreaHandlers } from './handlers.ts';
import type { SessionPlaces } from './places.ts';
import type { Sessions } from './sessions.ts';

/** Messages sent when a chat is opened; older ones are a request away. */
const OPEN_MESSAGES = 100;
const SEARCH_HITS = 30;

export interface SessionRequestParts {
  readonly agent: Agent;
  readonly approvals: Pick<Approvals, 'clearSession'>;
  readonly backends: Pick<ChatBackends, 'choose'>;
  /** What can be used is looked at anew. */
  readonly forgetChecks: () => void;
  readonly clock: Clock;
  readonly events: EventBus;
  readonly forks: Pick<Forks, 'fork'>;
  readonly places: Pick<SessionPlaces, 'moved'>;
  /** Takes known secrets out of a text. */
  readonly redact: (text: string) => string;
  readonly sessions: Sessions;
  readonly storage: Storage;
  readonly todos: TodoStore;
}

export function sessionRequests(parts: SessionRequestParts): AreaHandlers<'sessions'> {
  const { agent, sessions, storage } = parts;

  function update(id: SessionId, change: Parameters<Storage['sessions']['update']>[1]): Session {
    const session = storage.sessions.update(id, change);
    parts.events.publish('sessions', { type: 'changed', session });
    return session;
  }

  return {
    'sessions.list': () => storage.sessions.list(),
    'sessions.create': (input) => sessions.create(input),
    'sessions.open': ({ sessionId, limit }) => {
      const session = sessions.existing(sessionId);
      const page = storage.messages.page(sessionId, { limit: limit ?? OPEN_MESSAGES });
      const { messages, seq } = agent.overlay(sessionId, page.messages);
      agent.opened(sessionId, messages);
      return { session, messages, more: page.more, questions: agent.questions(sessionId), todos: parts.todos.list(sessionId), running: agent.isRunning(sessionId), seq };
    },
    'sessions.messages': ({ sessionId, before, limit }) => {
      sessions.existing(sessionId);
      return storage.messages.page(sessionId, { before, limit });
    },
    'sessions.fork': (wish) => parts.forks.fork(wish),
    'sessions.find': ({ sessionId, query }) => {
      sessions.existing(sessionId);
      return storage.messages.find(sessionId, query);
    },
    'sessions.rename': ({ sessionId, title }) => {
      sessions.existing(sessionId);
      return update(sessionId, { title, titled: true });
    },
    'sessions.delete': async ({ sessionId }) => {
      sessions.existing(sessionId);
      await agent.stop(sessionId);
      parts.approvals.clearSession(sessionId);
      const session = storage.sessions.update(sessionId, { deletedAt: parts.clock.now() });
      parts.events.publish('sessions', { type: 'removed', sessionId });
      return session;
    },
    'sessions.restore': ({ sessionId }) => {
      const session = storage.sessions.get(sessionId);
      if (!session) throw new AppError('not-found', `There is no chat ${sessionId} to restore.`, { hint: 'Deleted chats are kept for some days only.' });
      return session.deletedAt === null ? session : update(sessionId, { deletedAt: null });
    },
    'sessions.setCwd': async ({ sessionId, cwd }) => {
      const checked = await sessions.checkedCwd(cwd, sessions.existing(sessionId).backend);
      parts.places.moved(sessionId, checked);
      return update(sessionId, { cwd: checked });
    },
    'sessions.setBackend': ({ sessionId, backend: wanted }) => {
      const session = sessions.existing(sessionId);
      const { backend, isOther } = parts.backends.choose(sessionId, wanted);
      if (!isOther) return session;
      const cwd = sessions.startOf(backend);
      parts.places.moved(sessionId, cwd);
      parts.forgetChecks();
      return update(sessionId, { backend, cwd });
    },
    'sessions.setModel': ({ sessionId, model }) => {
      sessions.existing(sessionId);
      return update(sessionId, { model: model === null || model.trim() === '' ? null : model.trim() });
    },
    'sessions.export': ({ sessionId, format }) => exportChat(sessions.existing(sessionId), storage.messages.transcript(sessionId), format, { hide: parts.redact, now: parts.clock.now() }),
    'sessions.search': ({ query, limit, ...filter }) =>
      storage.messages.search(query, limit ?? SEARCH_HITS, Object.values(filter).some((value) => value !== undefined) ? filter : undefined),
  };
}
