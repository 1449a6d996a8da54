/** Making chats and finding them. */
import { stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { AppError } from '../../preload/contract/errors.ts';
import { SessionId } from '../../preload/contract/ids.ts';
import type { Session, SessionOrigin } from '../../preload/contract/sessions.ts';
import { untitled } from '../agent/title.ts';
import type { Clock, ConfigStore, EventBus, Ids, Storage } from '../ports.ts';

export interface NewSession { readonly id?: SessionId; readonly title?: string | undefined; readonly cwd?: string | undefined; readonly origin?: SessionOrigin; readonly model?: string; /** Where the chat that sends this one out runs. */ readonly backend?: string }

export interface Sessions {
  /** Throws `request/invalid` for a directory that is not there. */
  create(wanted?: NewSession): Promise<Session>;
  /** The chat of that name, made when there is none; a new one without a name. Throws `session/deleted`, `request/invalid`. */
  open(name: string | undefined, wanted?: NewSession): Promise<Session>;
  /** Throws `not-found` or `session/deleted`. */
  existing(id: SessionId): Session;
  /** Absolute directory in which commands run, on that backend or the one of new chats; only this machine's can be looked at. */
  checkedCwd(cwd: string, backend?: string): Promise<string>;
  /** Where a chat on that backend starts; empty where the backend says. */
  startOf(backend: string): string;
}

export interface SessionsParts {
  readonly clock: Clock;
  readonly config: ConfigStore;
  readonly events: EventBus;
  readonly ids: Ids;
  readonly storage: Storage;
  /** Directory the host was started in. */
  readonly cwd: string;
}

export function createSessions(parts: SessionsParts): Sessions {
  const { clock, config, storage } = parts;

  async function checkedCwd(cwd: string, backend = config.settings().terminal.backend): Promise<string> {
    // Only the local machine can be looked at without opening anything; elsewhere the first command will tell.
    if (backend !== 'local') return cwd;
    const absolute = resolve(parts.cwd, cwd.replace(/^~(?=$|\/)/, homedir()));
    const found = await stat(absolute).catch(() => undefined); // missing or forbidden: the same answer for the person
    if (!found?.isDirectory()) throw new AppError('request/invalid', `${absolute} is not a directory that can be used.`, { hint: 'Choose a folder that exists.' });
    return absolute;
  }

  /** The configured directory is meant for the configured backend. */
  function startOf(backend: string): string {
    const { backend: configured, cwd } = config.settings().terminal;
    return (backend === configured ? cwd : '') || (backend === 'local' ? parts.cwd : '');
  }

  function existing(id: SessionId): Session {
    const session = storage.sessions.get(id);
    if (!session) throw new AppError('not-found', `There is no chat ${id}.`, { hint: 'It may have been deleted in another window.' });
    if (session.deletedAt !== null) throw new AppError('session/deleted', `The chat "${session.title}" was deleted.`, { hint: 'Restore it first.' });
    return session;
  }

  async function create(wanted: NewSession = {}): Promise<Session> {
    const backend = wanted.backend ?? config.settings().terminal.backend;
    const now = clock.now();
    const cwd = wanted.cwd === undefined ? startOf(backend) : await checkedCwd(wanted.cwd, backend);
    const session: Session = {
      id: wanted.id ?? parts.ids.session(), title: wanted.title ?? untitled(), titled: wanted.title !== undefined, origin: wanted.origin ?? 'user',
      status: 'idle', cwd, backend, model: wanted.model ?? null, toolsets: {}, createdAt: now, updatedAt: now, deletedAt: null,
      messageCount: 0, waiting: 0, usage: { promptTokens: 0, completionTokens: 0, requests: 0 },
    };
    storage.sessions.insert(session);
    parts.events.publish('sessions', { type: 'changed', session });
    return session;
  }

  return {
    create, existing, checkedCwd, startOf,
    async open(name, wanted = {}) {
      if (name === undefined) return create(wanted);
      const id = SessionId.safeParse(name);
      if (!id.success) throw new AppError('request/invalid', `"${name}" cannot name a chat.`, { hint: 'Use letters, digits, dot, dash and underscore, at most 64.' });
      return storage.sessions.get(id.data) ? existing(id.data) : create({ ...wanted, id: id.data });
    },
  };
}
