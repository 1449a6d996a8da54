/** On which backend a chat's commands run: its own choice, that of the chat that sent it out, or the one set for all (hermes-runtime 5.2). */
import { AppError } from '../../preload/contract/errors.ts';
import type { SessionId } from '../../preload/contract/index.ts';
import { chainOf } from '../lineage.ts';
import type { ConfigStore, EventBus, Storage } from '../ports.ts';

export interface ChatBackend {
  readonly backend: string;
  /** The chat that chose: it and the agents it sends out share one place, and nobody else is in it. */
  readonly owner: SessionId;
}

export interface ChatBackendsParts {
  readonly config: Pick<ConfigStore, 'settings' | 'onChange'>;
  readonly storage: Pick<Storage, 'sessions' | 'values'>;
  readonly events: Pick<EventBus, 'publish'>;
  /** Names that this host can open. */
  readonly known: readonly string[];
}

export interface ChatBackends {
  /** Undefined for a task whose chats follow the setting for all. */
  chosen(taskId: string): ChatBackend | undefined;
  /** From the chat's next command on, in the folder the backend starts in; null = what is set for all. Throws `request/invalid` for a name that is not known. */
  choose(sessionId: SessionId, backend: string | null): { readonly backend: string; readonly isOther: boolean };
  /** `to`, a fork of the other chat, runs where that one does: on the same backend, in a place of its own. Answers which backend that is. */
  carry(from: SessionId, to: SessionId): string;
  /** Chats without a choice follow the setting, and say so. Returns how to stop. */
  follow(): () => void;
}

const keyOf = (sessionId: string): string => `backend:${sessionId}`;

export function createChatBackends({ config, storage, events, known }: ChatBackendsParts): ChatBackends {
  const { values, sessions } = storage;
  const setting = (): string => config.settings().terminal.backend;

  function chosen(taskId: string): ChatBackend | undefined {
    for (const owner of chainOf(values, taskId as SessionId)) { // tasks of chats are named by their ids; other names have no chain
      const backend = values.get(keyOf(owner));
      if (backend !== undefined) return { backend, owner };
    }
    return undefined;
  }

  function settle(): void {
    for (const session of sessions.list()) {
      const backend = chosen(session.id)?.backend ?? setting();
      if (backend !== session.backend) events.publish('sessions', { type: 'changed', session: sessions.update(session.id, { backend }) });
    }
  }

  return {
    chosen,
    choose(sessionId, backend) {
      if (backend !== null && !known.includes(backend)) throw new AppError('request/invalid', `There is no terminal backend "${backend}".`, { hint: `Choose one of: ${known.join(', ')}.` });
      const before = chosen(sessionId)?.backend ?? setting();
      values.set(keyOf(sessionId), backend ?? undefined);
      const now = chosen(sessionId)?.backend ?? setting();
      return { backend: now, isOther: now !== before };
    },
    carry(from, to) {
      const backend = chosen(from)?.backend;
      values.set(keyOf(to), backend);
      return backend ?? setting();
    },
    follow() {
      settle();
      let last = setting();
      return config.onChange(() => {
        if (setting() === last) return;
        last = setting();
        settle();
      });
    },
  };
}
