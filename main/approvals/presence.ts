/** Whether somebody can be asked about a chat's commands, and what decides where nobody can (hermes-runtime 4.1, 4.8). */
import { SessionId, type SessionOrigin } from '../../preload/contract/index.ts';
import { rootOf } from '../lineage.ts';
import type { Storage } from '../ports.ts';

/** `setting`: the key of config.yaml that says whether such work may go on. `later`: the question stays open until somebody comes. */
export type Presence = { readonly kind: 'person' } | { readonly kind: 'nobody'; readonly setting: string } | { readonly kind: 'later' };

export interface PresenceParts {
  readonly storage: Pick<Storage, 'sessions' | 'values'>;
  /** A screen is open, or the chat has a notifier. */
  readonly canAsk: (chat: SessionId) => boolean;
  /** `HERMES_EXEC_ASK` as it was at start: questions wait, whoever is there. */
  readonly askMode: boolean;
}

/** A sub-agent's chat is what the chat that sent it out is. Scheduled work is never put to a person. */
export function createPresence({ storage, canAsk, askMode }: PresenceParts): (sessionId: string) => Presence {
  return (sessionId) => {
    const chat = rootOf(storage.values, SessionId.parse(sessionId));
    const origin: SessionOrigin | undefined = storage.sessions.get(chat)?.origin;
    if (origin === 'cron') return { kind: 'nobody', setting: 'approvals.cron_mode' };
    if (canAsk(chat)) return { kind: 'person' };
    if (askMode || origin === 'gateway') return { kind: 'later' };
    return { kind: 'nobody', setting: origin === 'cli' ? 'approvals.single_query_mode' : 'approvals.unattended_mode' };
  };
}
