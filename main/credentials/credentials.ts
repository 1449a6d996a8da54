/** Asks a person for what only a person may type: passwords, passphrases, a yes to the key of a new server. Kept in memory, for one answer. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { AskCredential, CredentialAnswer, CredentialQuestion } from '../../environments/base.ts';
import { AppError } from '../../preload/contract/errors.ts';
import type { CredentialRequest } from '../../preload/contract/credentials.ts';
import { SessionId, type CredentialId } from '../../preload/contract/ids.ts';
import type { Calls, Clock, EventBus, Ids } from '../ports.ts';

/** hermes-runtime 5.4 "sudo". */
const ANSWER_MS = 45_000;

/** On whose behalf something is done: what is asked meanwhile belongs to that chat, and ends with that work. */
export interface CredentialScope {
  readonly sessionId: string | null;
  readonly signal?: AbortSignal;
  /** Told when the work begins and stops to wait for the person. */
  readonly onWaiting?: (waiting: boolean) => void;
}

export interface Credentials {
  readonly ask: AskCredential;
  /** Everything that `work` starts asks on behalf of `scope`. */
  within<T>(scope: CredentialScope, work: () => T): T;
  list(): CredentialRequest[];
  /** Null = not given. Throws `not-found` when it is not asked (any more). */
  answer(id: CredentialId, value: string | null): void;
  close(): void;
}

export interface CredentialParts {
  readonly clock: Pick<Clock, 'now' | 'after'>;
  readonly ids: Pick<Ids, 'credential'>;
  readonly events: Pick<EventBus, 'publish'>;
  /** Somebody can see a question now. */
  readonly canAsk: () => boolean;
  /** Told every secret, so that it can be kept out of whatever is written or sent. */
  readonly onSecret: (value: string) => void;
}

interface Open { readonly request: CredentialRequest; settle(answer: CredentialAnswer): void }

export function createCredentials({ clock, ids, events, canAsk, onSecret }: CredentialParts): Credentials {
  const scopes = new AsyncLocalStorage<CredentialScope>();
  const open = new Map<CredentialId, Open>();
  let closed = false;

  function ask(question: CredentialQuestion): Promise<CredentialAnswer> {
    const { sessionId = null, signal, onWaiting } = scopes.getStore() ?? {};
    if (signal?.aborted === true) return Promise.resolve({ kind: 'stopped' });
    if (closed || !canAsk()) return Promise.resolve({ kind: 'nobody' });
    return new Promise((resolve) => {
      const session = SessionId.safeParse(sessionId);
      const now = clock.now();
      const request: CredentialRequest = {
        id: ids.credential(), sessionId: session.success ? session.data : null, kind: question.kind, purpose: question.purpose, host: question.host, title: question.title,
        detail: question.detail ?? '', fingerprint: question.fingerprint ?? null, problem: question.problem ?? null, createdAt: now, expiresAt: now + ANSWER_MS,
      };
      const settle = (answer: CredentialAnswer): void => {
        if (!open.delete(request.id)) return;
        cancelLimit();
        signal?.removeEventListener('abort', onAbort);
        events.publish('credentials', { type: 'settled', id: request.id });
        onWaiting?.(false);
        if (answer.kind === 'given' && request.kind === 'secret') onSecret(answer.value);
        resolve(answer);
      };
      const onAbort = (): void => settle({ kind: 'stopped' });
      const cancelLimit = clock.after(ANSWER_MS, () => settle({ kind: 'late' }));
      signal?.addEventListener('abort', onAbort, { once: true });
      open.set(request.id, { request, settle });
      onWaiting?.(true);
      events.publish('credentials', { type: 'asked', request });
    });
  }

  return {
    ask,
    within: (scope, work) => scopes.run(scope, work),
    list: () => [...open.values()].map(({ request }) => request),
    answer(id, value) {
      const asked = open.get(id);
      if (asked === undefined) throw new AppError('not-found', 'That is not asked any more.', { hint: 'Its time was up, it was answered elsewhere, or what needed it was stopped.' });
      asked.settle(value === null ? { kind: 'cancelled' } : { kind: 'given', value });
    },
    close() {
      closed = true;
      for (const { settle } of [...open.values()]) settle({ kind: 'nobody' });
    },
  };
}

/** The same calls; whatever one of them connects to asks its questions in the chat of the call, and stops asking with it. */
export function scopedCalls<Kind extends Pick<Calls, 'callTool'>>(calls: Kind, credentials: Pick<Credentials, 'within'>): Kind {
  return {
    ...calls,
    callTool: (name, args, context, how) => {
      const { sessionId, signal } = context;
      const onWaiting = (waiting: boolean): void => context.emit({ kind: 'person', state: waiting ? 'waiting' : 'settled' });
      return credentials.within({ sessionId, signal, onWaiting }, () => calls.callTool(name, args, context, how));
    },
  };
}
