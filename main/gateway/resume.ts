/** Turns of messengers' chats that a dead host left behind are gone on with: nobody stands there to press Retry. */
import type { SessionId } from '../../preload/contract/ids.ts';
import type { Agent } from '../agent/agent.ts';
import type { Storage } from '../ports.ts';

const LAST_MESSAGES = 100;
/** A turn that ends the process each time must not do so for ever. */
const MOST_TRIES = 3;

/** `gave-up`: it died too often; the person should be told. */
export function resumeChat(sessionId: SessionId, agent: Pick<Agent, 'retry' | 'isRunning' | 'send' | 'unqueue'>, storage: Pick<Storage, 'messages' | 'sessions' | 'transaction'>): 'nothing' | 'resumed' | 'gave-up' {
  const session = storage.sessions.get(sessionId);
  // What waits for an approval goes on when that is answered.
  if (session === undefined || session.deletedAt !== null || session.waiting > 0 || agent.isRunning(sessionId)) return 'nothing';
  const { messages } = storage.messages.page(sessionId, { limit: LAST_MESSAGES });
  const asked = messages.findLastIndex(({ role, state }) => role === 'user' && state !== 'queued');
  const since = asked < 0 ? [] : messages.slice(asked + 1);
  const deaths = since.filter(({ error }) => error?.code === 'notice/restart').length;
  const answered = since.some(({ role, state, error }) => (role === 'assistant' && state === 'complete') || error?.code === 'notice/stopped' || (role === 'notice' && state === 'error'));
  const last = since.findLast(({ role }) => role === 'assistant');
  const openCalls = last !== undefined && last.calls.length > 0;
  if (asked >= 0 && (!answered || (openCalls && deaths > 0))) {
    if (deaths >= MOST_TRIES) return 'gave-up';
    agent.retry(sessionId);
    return 'resumed';
  }
  const queued = messages.filter(({ state }) => state === 'queued');
  for (const { id, text } of queued) {
    storage.transaction(() => {
      agent.unqueue(sessionId, id);
      agent.send(sessionId, text);
    });
  }
  return queued.length > 0 ? 'resumed' : 'nothing';
}
