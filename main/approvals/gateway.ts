/**
 * The callback interface of messengers over the one queue (hermes-runtime 4.10): a notifier for each chat, answers by id or oldest first,
 * and the list of what is open for clients that come back.
 */
import type { ApprovalChoice, ApprovalRequest } from '../../preload/contract/approvals.ts';
import { AppError } from '../../preload/contract/errors.ts';
import type { ApprovalId, SessionId } from '../../preload/contract/ids.ts';
import type { Approvals, Log } from '../ports.ts';
import { describe } from './wording.ts';
import { keysOf } from './scope.ts';

/** One question as a messenger sends it on, in Hermes' field names. `command` is without secrets; times are epoch ms. */
export interface GatewayEntry {
  readonly command: string;
  readonly pattern_key: string | null;
  readonly pattern_keys: readonly string[];
  readonly description: string;
  readonly allow_permanent: boolean;
  readonly allow_session: boolean;
  readonly approval_id: ApprovalId;
  readonly request_id: ApprovalId;
  readonly expires_at: number | null;
}

export type GatewayNotify = (entry: GatewayEntry) => void | Promise<void>;

export interface ResolveOptions {
  /** Every open request of the chat, not the oldest one only. Never together with `always`. */
  readonly all?: boolean;
  readonly reason?: string;
  /** Only this one; one that is not open any more resolves nothing. */
  readonly requestId?: ApprovalId;
  /** Where the answer came from, for the history. */
  readonly by?: string;
}

export interface Gateway {
  /** One notifier for each chat; a later one takes the place of the earlier. Ending it wakes who waits, unless a screen is open: no refusal. */
  register(sessionId: SessionId, notify: GatewayNotify): () => void;
  /** How many were resolved. Choices that a request does not offer fall back to the next narrower one. */
  resolve(sessionId: SessionId, choice: ApprovalChoice, options?: ResolveOptions): Promise<number>;
  /** Oldest first. */
  pending(sessionId: SessionId): GatewayEntry[];
  /** The person's client shows it. Throws `not-found` and `approval/late`. */
  acknowledge(requestId: ApprovalId): void;
  /** `/approve [session|always] [all]`, `/deny [all] [reason]`: how many were resolved. Undefined for other text. */
  command(sessionId: SessionId, text: string, by?: string): Promise<number | undefined>;
}

export interface GatewayParts {
  readonly list: () => ApprovalRequest[];
  readonly decide: Approvals['decide'];
  readonly seen: (id: ApprovalId) => void;
  /** Ends the waiting of a chat whose notifier went away. */
  readonly abandon: (sessionId: SessionId) => void;
  readonly redact: (text: string) => string;
  readonly log: Log;
}

/** What the pipeline asks of it besides. */
export interface GatewayDesk extends Gateway {
  reaches(sessionId: string): boolean;
  /** False when the notifier threw; true where there is none. */
  notify(request: ApprovalRequest): Promise<boolean>;
}

export function createGateway({ list, decide, seen, abandon, redact, log }: GatewayParts): GatewayDesk {
  const notifiers = new Map<string, GatewayNotify>();
  const entryOf = (request: ApprovalRequest): GatewayEntry => {
    const keys = keysOf(request.review.findings);
    return {
      command: redact(request.command), pattern_key: keys[0] ?? null, pattern_keys: keys, description: describe(request.review.findings),
      allow_permanent: request.allowAlways, allow_session: request.allowSession, approval_id: request.id, request_id: request.id, expires_at: request.expiresAt,
    };
  };
  const openOf = (sessionId: SessionId): ApprovalRequest[] => list().filter((request) => request.sessionId === sessionId);
  const narrowed = (choice: ApprovalChoice, request: ApprovalRequest): ApprovalChoice => {
    if (choice === 'always' && request.allowAlways) return 'always';
    return choice === 'deny' || choice === 'once' ? choice : request.allowSession ? 'session' : 'once';
  };

  const resolve: Gateway['resolve'] = async (sessionId, choice, { all = false, reason, requestId, by = 'gateway' } = {}) => {
    if (all && choice === 'always') throw new AppError('request/not-possible', 'Standing rules are made one at a time.', { hint: 'Approve all once, or answer this one with always.' });
    const open = openOf(sessionId);
    const chosen = requestId !== undefined ? open.filter(({ id }) => id === requestId) : all ? open : open.slice(0, 1);
    let resolved = 0;
    for (const request of chosen) {
      try {
        await decide({ id: request.id, choice: narrowed(choice, request), ...(reason === undefined ? {} : { reason }) }, by);
        resolved += 1;
      } catch (error) {
        // Somebody else was first: that one is not ours to count.
        if (!(error instanceof AppError) || error.code !== 'approval/late') throw error;
      }
    }
    return resolved;
  };

  return {
    register: (sessionId, notify) => {
      notifiers.set(sessionId, notify);
      return () => {
        if (notifiers.get(sessionId) !== notify) return;
        notifiers.delete(sessionId);
        abandon(sessionId);
      };
    },
    resolve,
    pending: (sessionId) => openOf(sessionId).map(entryOf),
    acknowledge: seen,
    command: async (sessionId, text, by) => {
      const [verb = '', ...words] = text.trim().split(/\s+/);
      const from = by === undefined ? {} : { by };
      const all = words[0] === 'all' || words[1] === 'all';
      if (verb === '/approve') {
        const choice = words.includes('always') ? 'always' : words.includes('session') ? 'session' : 'once';
        return resolve(sessionId, choice, { all, ...from });
      }
      if (verb !== '/deny') return undefined;
      const reason = (words[0] === 'all' ? words.slice(1) : words).join(' ');
      return resolve(sessionId, 'deny', { all: words[0] === 'all', ...(reason === '' ? {} : { reason }), ...from });
    },
    reaches: (sessionId) => notifiers.has(sessionId),
    notify: async (request) => {
      const notify = notifiers.get(request.sessionId);
      try {
        await notify?.(entryOf(request));
        return true;
      } catch (error) {
        log.warn('a question could not be brought to its chat', { approval: request.id, error });
        return false;
      }
    },
  };
}
