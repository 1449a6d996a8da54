/** What plugins hear of the end of a chat (hermes-runtime 3.3): `on_session_finalize` when it was deleted, and when the app closes. */
import type { SessionId } from '../../preload/contract/ids.ts';
import type { HookBus } from '../calls/hooks.ts';
import type { Clock, EventBus, Storage } from '../ports.ts';

/** The app does not wait longer for plugins when it closes. */
const CLOSE_WAIT_MS = 2_000;

export interface SessionHookParts {
  readonly hooks: Pick<HookBus, 'has' | 'observe'>;
  readonly events: Pick<EventBus, 'subscribe'>;
  readonly sessions: Pick<Storage['sessions'], 'get'>;
  readonly clock: Pick<Clock, 'after'>;
}

export interface SessionHooks {
  /** Every chat that was talked to since the start is told of, in bounded time. */
  close(): Promise<void>;
}

export function followSessions({ hooks, events, sessions, clock }: SessionHookParts): SessionHooks {
  /** Chats in which something ran since the start. */
  const active = new Set<SessionId>();

  async function finalize(sessionId: SessionId, reason: string): Promise<void> {
    active.delete(sessionId);
    if (hooks.has('on_session_finalize')) await hooks.observe('on_session_finalize', { session_id: sessionId, platform: sessions.get(sessionId)?.origin ?? null, reason });
  }

  const offs = [
    events.subscribe('chat', (event) => { if (event.type === 'turn-started') active.add(event.sessionId); }),
    // `observe` never rejects.
    events.subscribe('sessions', (event) => { if (event.type === 'removed') void finalize(event.sessionId, 'deleted'); }),
  ];
  return {
    async close() {
      for (const off of offs) off();
      if (!hooks.has('on_session_finalize')) return;
      const late = Promise.withResolvers<undefined>();
      const cancel = clock.after(CLOSE_WAIT_MS, () => late.resolve(undefined));
      await Promise.race([Promise.all([...active].map((sessionId) => finalize(sessionId, 'shutdown'))), late.promise]);
      cancel();
    },
  };
}
