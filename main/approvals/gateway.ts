/**
 * The callback interface over the one queue (hermes-runtime 4.10): who can be asked (screens, and a messenger for each chat), answers by id or oldest
 * first, and the list of what is open for clients that come back. Windows and the command line register as screens; a messenger registers per chat:
 *
 *     const off = approvals.gateway.register(sessionId, { notify: (entry) => bot.send(...), stillWaiting: () => bot.typing(), settled: (entry, choice) => bot.edit(...) });
 *     await approvals.gateway.command(sessionId, '/approve session', 'telegram');   // or resolve(sessionId, 'once', { requestId })
 *     for (const entry of approvals.gateway.pending(sessionId)) …                   // after a reconnect; acknowledge(entry.request_id) once it is shown
 *
 * Questions of sub-agents come to the chat that sent them out.
 */
import type { ApprovalChoice, ApprovalRequest } from '../../preload/contract/approvals.ts';
import { AppError } from '../../preload/contract/errors.ts';
import { ApprovalId, type SessionId } from '../../preload/contract/ids.ts';
import type { Approvals, Log } from '../ports.ts';
import { keysOf } from './scope.ts';
import { describe } from './wording.ts';

/** One question as a messenger sends it on, in Hermes' field names. `command` is without secrets; times are epoch ms, null while the clock stands. */
export interface GatewayEntry {
  readonly command: string;
  readonly pattern_key: string | null;
  readonly pattern_keys: readonly string[];
  readonly description: string;
  readonly allow_permanent: boolean;
  readonly allow_session: boolean;
  readonly smart_denied: boolean;
  readonly approval_id: ApprovalId;
  readonly request_id: ApprovalId;
  readonly expires_at: number | null;
}

export type GatewayNotify = (entry: GatewayEntry) => void | Promise<void>;

/** Each may throw or reject: `notify` then counts as not told and the command is blocked; the others are only logged. */
export interface GatewayClient {
  readonly notify: GatewayNotify;
  /** Every 10 s while the question is open, so that who watches for idleness sees life. `waitedMs`: since it was asked. */
  stillWaiting?(entry: GatewayEntry, waitedMs: number): void | Promise<void>;
  /** It was answered, here or elsewhere, ran out of time or was withdrawn. */
  settled?(entry: GatewayEntry, choice: NonNullable<ApprovalRequest['choice']>): void | Promise<void>;
}

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
  /** One client for each chat; a later one takes the place of the earlier. Ending it wakes who waits, unless a screen is open: no refusal. */
  register(sessionId: SessionId, client: GatewayNotify | GatewayClient): () => void;
  /** How many were resolved. Choices that a request does not offer fall back to the next narrower one. */
  resolve(sessionId: SessionId, choice: ApprovalChoice, options?: ResolveOptions): Promise<number>;
  /** Oldest first. */
  pending(sessionId: SessionId): GatewayEntry[];
  /** The person's client shows it. Throws `not-found` and `approval/late`. */
  acknowledge(requestId: ApprovalId): void;
  /** `/approve [ID] [session|always] [all]`, `/deny [ID] [all] [reason]`: how many were resolved. Undefined for other text. */
  command(sessionId: SessionId, text: string, by?: string): Promise<number | undefined>;
}

export interface GatewayParts {
  readonly list: () => ApprovalRequest[];
  readonly decide: Approvals['decide'];
  readonly seen: (id: ApprovalId) => void;
  /** Ends the waiting of a chat whose client went away. */
  readonly abandon: (sessionId: SessionId) => void;
  /** The chat, and those that sent it out. */
  readonly chain: (sessionId: SessionId) => readonly SessionId[];
  readonly redact: (text: string) => string;
  readonly log: Log;
}

/** What the pipeline asks of it besides. */
export interface GatewayDesk extends Gateway {
  reaches(sessionId: SessionId): boolean;
  /** Some chat has a client: this process serves messengers. */
  readonly serving: boolean;
  /** False when the client threw; true where there is none. */
  notify(request: ApprovalRequest): Promise<boolean>;
  stillWaiting(request: ApprovalRequest, waitedMs: number): void;
  settled(request: ApprovalRequest): void;
}

export function createGateway({ list, decide, seen, abandon, chain, redact, log }: GatewayParts): GatewayDesk {
  const clients = new Map<SessionId, GatewayClient>();
  const entryOf = (request: ApprovalRequest): GatewayEntry => {
    const keys = keysOf(request.review.findings);
    return {
      command: redact(request.command), pattern_key: keys[0] ?? null, pattern_keys: keys, description: describe(request.review.findings), allow_permanent: request.allowAlways,
      allow_session: request.allowSession, smart_denied: request.smartDenied === true, approval_id: request.id, request_id: request.id, expires_at: request.expiresAt,
    };
  };
  const openOf = (sessionId: SessionId): ApprovalRequest[] => list().filter((request) => chain(request.sessionId).includes(sessionId));
  const clientOf = (request: ApprovalRequest): GatewayClient | undefined => {
    const chat = chain(request.sessionId).find((each) => clients.has(each));
    return chat === undefined ? undefined : clients.get(chat);
  };
  const narrowed = (choice: ApprovalChoice, request: ApprovalRequest): ApprovalChoice => {
    if (choice === 'always' && request.allowAlways) return 'always';
    return choice === 'deny' || choice === 'once' ? choice : request.allowSession ? 'session' : 'once';
  };
  /** What a client does with news stops nothing here. */
  const tell = async (request: ApprovalRequest, news: () => unknown): Promise<boolean> => {
    try {
      await news();
      return true;
    } catch (error) {
      log.warn('a question could not be brought to its chat', { approval: request.id, error });
      return false;
    }
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
    get serving() { return clients.size > 0; },
    register: (sessionId, given) => {
      const client = typeof given === 'function' ? { notify: given } : given;
      clients.set(sessionId, client);
      return () => {
        if (clients.get(sessionId) !== client) return;
        clients.delete(sessionId);
        for (const request of openOf(sessionId)) abandon(request.sessionId);
      };
    },
    resolve,
    pending: (sessionId) => openOf(sessionId).map(entryOf),
    acknowledge: seen,
    command: async (sessionId, text, by) => {
      const [verb = '', ...words] = text.trim().split(/\s+/);
      if (verb !== '/approve' && verb !== '/deny') return undefined;
      const named = ApprovalId.safeParse(words[0]);
      const rest = named.success ? words.slice(1) : words;
      const options = { ...(by === undefined ? {} : { by }), ...(named.success ? { requestId: named.data } : {}) };
      if (verb === '/approve') {
        const choice = rest.includes('always') ? 'always' : rest.includes('session') ? 'session' : 'once';
        return resolve(sessionId, choice, { all: rest.slice(0, 2).includes('all'), ...options });
      }
      const all = rest[0] === 'all';
      const reason = (all ? rest.slice(1) : rest).join(' ');
      return resolve(sessionId, 'deny', { all, ...(reason === '' ? {} : { reason }), ...options });
    },
    reaches: (sessionId) => chain(sessionId).some((chat) => clients.has(chat)),
    notify: (request) => tell(request, () => clientOf(request)?.notify(entryOf(request))),
    stillWaiting: (request, waitedMs) => { void tell(request, () => clientOf(request)?.stillWaiting?.(entryOf(request), waitedMs)); },
    settled: (request) => { void tell(request, () => clientOf(request)?.settled?.(entryOf(request), request.choice ?? 'cancelled')); },
  };
}
