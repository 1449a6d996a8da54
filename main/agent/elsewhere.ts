/**
 * Chats that another host process works in while a screen of this one shows them. Its events do not come here, so what it stores is looked
 * at while it lives; and when it dies, the chat is mended at once instead of at the next start.
 */
import type { SessionId } from '../../preload/contract/ids.ts';
import type { Message } from '../../preload/contract/sessions.ts';
import type { Agent } from './agent.ts';
import { isOwnedElsewhere } from './owner.ts';
import type { AgentParts } from './parts.ts';
import { recoverChats } from './recover.ts';

const LOOK_EVERY_MS = 2_000;
/** What one turn adds. */
const LAST_MESSAGES = 60;

export class Elsewhere {
  readonly #parts: Pick<AgentParts, 'storage' | 'clock' | 'ids' | 'events' | 'log'>;
  readonly #agent: Pick<Agent, 'isRunning' | 'runner'>;
  /** Chats that are looked at, with their messages as screens know them. */
  readonly #watched = new Map<SessionId, Map<string, string>>();
  #cancel: (() => void) | undefined;

  constructor(parts: Pick<AgentParts, 'storage' | 'clock' | 'ids' | 'events' | 'log'>, agent: Pick<Agent, 'isRunning' | 'runner'>) {
    this.#parts = parts;
    this.#agent = agent;
  }

  /** A screen opened this chat and knows these messages. Nothing happens for a chat that rests or is this host's own work. */
  opened(id: SessionId, messages: readonly Message[]): void {
    const session = this.#parts.storage.sessions.get(id);
    if (session === undefined || session.status === 'idle' || this.#agent.isRunning(id)) return;
    this.#watched.set(id, new Map(messages.map((message) => [message.id, JSON.stringify(message)])));
    this.#lookLater();
  }

  #lookLater(): void {
    this.#cancel ??= this.#parts.clock.after(LOOK_EVERY_MS, () => {
      this.#cancel = undefined;
      for (const [id, known] of [...this.#watched]) {
        try {
          if (!this.#look(id, known)) this.#watched.delete(id);
        } catch (error) {
          this.#watched.delete(id);
          this.#parts.log.error('a chat of another process could not be looked at', { sessionId: id, error });
        }
      }
      if (this.#watched.size > 0) this.#lookLater();
    });
  }

  /** True while there is more to come. */
  #look(id: SessionId, known: Map<string, string>): boolean {
    const { storage, events } = this.#parts;
    if (this.#agent.isRunning(id)) return false;
    const elsewhere = isOwnedElsewhere(storage.values, id);
    if (!elsewhere) recoverChats(this.#parts, { isRunning: (other) => this.#agent.isRunning(other) });
    const session = storage.sessions.get(id);
    if (session === undefined || session.deletedAt !== null) return false;
    const { stream } = this.#agent.runner(id).chat;
    for (const message of storage.messages.page(id, { limit: LAST_MESSAGES }).messages) {
      const now = JSON.stringify(message);
      if (known.get(message.id) === now) continue;
      stream.publish({ type: known.has(message.id) ? 'message-changed' : 'message-added', message });
      known.set(message.id, now);
    }
    events.publish('sessions', { type: 'changed', session });
    return elsewhere && session.status !== 'idle';
  }

  close(): void {
    this.#cancel?.();
    this.#watched.clear();
  }
}
